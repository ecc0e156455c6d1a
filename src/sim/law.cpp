#include <ulna/sim/law.hpp>

#include <algorithm>

#include "sim/side_law.hpp"
#include "text/message.hpp"

namespace ulna {
namespace sim ULNA_API {

using namespace internal;
using namespace internal::sim;

const std::vector<std::string>& law_names() {
  static const std::vector<std::string> names{"none", "constant", "table", "pd", "pid", "computed-torque", "feedforward", "kane-levinson", "prescribed"};
  return names;
}

std::string_view to_string(LawKind kind) { return kind == LawKind::function ? std::string_view("function") : law_names()[static_cast<std::size_t>(kind)]; }

namespace {

/// Of one run, or of every lane.
class Constant : public Law {
 public:
  explicit Constant(std::vector<double> tau) : tau_(std::move(tau)) {}
  void torque(double, const double*, const double*, const double*, double* tau) override { std::copy(tau_.begin(), tau_.end(), tau); }

 private:
  std::vector<double> tau_;
};

class Table : public Law {
 public:
  Table(const TorqueTable& table, std::size_t size) : table_(table) {
    if (table_.t.empty()) throw std::invalid_argument("the law's table has no rows");
    if (table_.t.size() != table_.tau.size())
      throw std::invalid_argument(cat("the law's table has ", table_.t.size(), " times, but ", table_.tau.size(), " rows"));
    for (std::size_t k = 0; k < table_.t.size(); ++k) {
      require_entries("table row", table_.tau[k].size(), size);
      if (k > 0 && !(table_.t[k] > table_.t[k - 1]))
        throw std::invalid_argument(cat("the law's table: t = ", table_.t[k], " s is not after the row before it"));
    }
  }
  void torque(double t, const double*, const double*, const double*, double* tau) override {
    const auto after = std::upper_bound(table_.t.begin(), table_.t.end(), t);
    const std::size_t next = static_cast<std::size_t>(after - table_.t.begin());
    const std::size_t here = next == 0 ? 0 : next - 1;
    const bool between = !table_.hold && next > 0 && next < table_.t.size();
    const double s = between ? (t - table_.t[here]) / (table_.t[next] - table_.t[here]) : 0;
    for (std::size_t i = 0; i < table_.tau[here].size(); ++i) tau[i] = between ? (1 - s) * table_.tau[here][i] + s * table_.tau[next][i] : table_.tau[here][i];
  }
  std::vector<double> breaks() const override { return table_.t; }

 private:
  TorqueTable table_;
};

class OwnFunction : public Law {
 public:
  OwnFunction(TorqueFunction function, const Sizes& sizes) : function_(std::move(function)), sizes_(sizes) {
    if (!function_) throw std::invalid_argument("the law's function is empty");
  }
  void torque(double t, const double* q, const double* v, const double*, double* tau) override {
    std::fill(tau, tau + sizes_.nv, 0.0);
    function_(t, {q, sizes_.nq}, {v, sizes_.nv}, {tau, sizes_.nv});
  }

 private:
  TorqueFunction function_;
  Sizes sizes_;
};

/// Torques of all of v, from those of the joints alone where only they are given.
std::vector<double> of_all(const char* what, std::vector<double> tau, const Model& model) {
  const std::size_t joints = model.driven().size();
  if (tau.size() != model.nv()) require_entries(what, tau.size(), joints);
  if (tau.size() != model.nv()) tau.insert(tau.begin(), model.nv() - joints, 0.0);
  return tau;
}

TorqueTable of_all(TorqueTable table, const Model& model) {
  for (std::vector<double>& row : table.tau) row = of_all("table row", std::move(row), model);
  return table;
}

std::unique_ptr<Law> make_plain(const LawSettings& settings, const Model& model, bool rotor, const ReferenceMotion* reference, const Dynamics* like) {
  const std::size_t n = model.nv();
  switch (settings.kind) {
    case LawKind::none: return std::make_unique<Constant>(std::vector<double>(n, 0.0));
    case LawKind::constant: return std::make_unique<Constant>(of_all("tau", settings.tau, model));
    case LawKind::table: return std::make_unique<Table>(of_all(settings.table, model), n);
    case LawKind::kane_levinson: return make_kane_levinson_law(settings.kane_levinson, model);
    case LawKind::function: return std::make_unique<OwnFunction>(settings.function, model.sizes());
    default: break;
  }
  if (reference == nullptr) throw std::invalid_argument(cat("the law ", to_string(settings.kind), " needs a reference motion"));
  return make_following({&settings}, model, rotor, {reference}, like);
}

}  // namespace

Model believed(const Model& robot, const LawSettings& law) {
  if (!law.payload || law.payload->body.mass == 0) return robot;
  const ulna::Payload& body = law.payload->body;
  return with_payload(robot, {.link = law.payload->link, .mass = body.mass, .com = body.com, .inertia = body.inertia});
}

std::unique_ptr<Law> make_law(const LawSettings& settings, const Model& model, bool rotor, const ReferenceMotion* reference, const Dynamics* like) {
  std::unique_ptr<Law> law = make_plain(settings, model, rotor, reference, like);
  return settings.saturate ? saturated(std::move(law), model, 1) : std::move(law);
}

}  // namespace ULNA_API
}  // namespace ulna

namespace ulna::internal::sim {

namespace {

/// Laws without memory that know one state at a time.
class OneByOne : public Law {
 public:
  OneByOne(std::vector<std::unique_ptr<Law>> laws, const Sizes& sizes, std::size_t lanes)
      : laws_(std::move(laws)), lanes_(lanes), q_(sizes.nq), v_(sizes.nv), tau_(sizes.nv) {}

  void torque(double t, const double* q, const double* v, const double*, double* tau) override {
    for (std::size_t l = 0; l < lanes_; ++l) {
      if (l < laws_.size()) {
        for (std::size_t i = 0; i < q_.size(); ++i) q_[i] = q[i * lanes_ + l];
        for (std::size_t i = 0; i < v_.size(); ++i) v_[i] = v[i * lanes_ + l];
        laws_[l]->torque(t, q_.data(), v_.data(), nullptr, tau_.data());
      }
      for (std::size_t i = 0; i < tau_.size(); ++i) tau[i * lanes_ + l] = tau_[i];
    }
  }
  std::vector<double> breaks() const override { return laws_.front()->breaks(); }

 private:
  std::vector<std::unique_ptr<Law>> laws_;
  std::size_t lanes_;
  std::vector<double> q_, v_, tau_;
};

bool follows(LawKind kind) {
  return kind == LawKind::pd || kind == LawKind::pid || kind == LawKind::computed_torque || kind == LawKind::feedforward || kind == LawKind::prescribed;
}

}  // namespace

std::unique_ptr<Law> make_side_law(const std::vector<const Scenario*>& runs, std::size_t real, const std::vector<std::unique_ptr<ReferenceMotion>>& references,
                                   const Dynamics* like) {
  const Scenario& first = *runs.front();
  const Model& model = first.believed != nullptr ? first.believed->model() : first.model;
  const std::size_t n = model.nv(), lanes = runs.size();
  // Laws that do not follow a reference do not use it, so the first one serves all of them.
  const auto own = [&](const Scenario& run) { return make_law(run.law, model, first.rotor, references.empty() ? nullptr : references.front().get(), like); };
  if (lanes == 1) return own(first);
  if (follows(first.law.kind) && !references.empty()) {
    std::vector<const LawSettings*> settings;
    for (const Scenario* run : runs) settings.push_back(&run->law);
    std::vector<const ReferenceMotion*> motions;
    for (const std::unique_ptr<ReferenceMotion>& reference : references) motions.push_back(reference.get());
    std::unique_ptr<Law> law = make_following(settings, model, first.rotor, motions, like);
    return first.law.saturate ? saturated(std::move(law), model, lanes) : std::move(law);
  }
  std::vector<std::unique_ptr<Law>> laws;
  for (std::size_t l = 0; l < real; ++l) laws.push_back(own(*runs[l]));
  if (first.law.kind != LawKind::none && first.law.kind != LawKind::constant) return std::make_unique<OneByOne>(std::move(laws), model.sizes(), lanes);
  // The law is called once for each lane, so that limits of torques are included.
  const std::vector<double> nowhere(model.nq() * lanes, 0.0);
  std::vector<double> tau(n * lanes);
  OneByOne(std::move(laws), model.sizes(), lanes).torque(0, nowhere.data(), nowhere.data(), nullptr, tau.data());
  return std::make_unique<Constant>(std::move(tau));
}

}  // namespace ulna::internal::sim
