#include <ulna/sim/law.hpp>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include <ulna/sim/forward_model.hpp>

#include "model/text.hpp"
#include "sim/kane_levinson_law.hpp"

namespace ulna::sim {

const std::vector<std::string>& law_names() {
  static const std::vector<std::string> names{"none", "constant", "table", "pd", "pid", "computed-torque", "feedforward", "kane-levinson", "prescribed"};
  return names;
}

std::string_view to_string(LawKind kind) { return kind == LawKind::function ? std::string_view("function") : law_names()[static_cast<std::size_t>(kind)]; }

namespace {

void require_size(const char* what, std::size_t got, std::size_t wanted) {
  if (got != wanted) throw std::invalid_argument(cat("the law's ", what, " has ", got, " entries, but the robot has ", wanted, " coordinates"));
}

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
      require_size("table row", table_.tau[k].size(), size);
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

/// All laws that compare the state with a reference.
class Following : public Law {
 public:
  Following(const LawSettings& settings, const Model& model, bool rotor, const ReferenceMotion& reference, const Dynamics* like)
      : s_(settings), reference_(reference), robot_(model, "ulna", rotor, like), n_(robot_.size()), q_(n_), v_(n_), a_(n_), gravity_(n_) {
    if (s_.kind == LawKind::feedforward) return;
    require_size("kp", s_.kp.size(), n_);
    require_size("kd", s_.kd.size(), n_);
    if (s_.kind == LawKind::pid) require_size("ki", s_.ki.size(), n_);
  }

  std::size_t memory() const override { return s_.kind == LawKind::pid ? n_ : 0; }

  void torque(double t, const double* q, const double* v, const double* memory, double* tau) override {
    reference_.at(t, q_.data(), v_.data(), a_.data());
    if (s_.kind == LawKind::feedforward) {
      robot_.torques(q_.data(), v_.data(), a_.data(), tau);
      return;
    }
    for (std::size_t i = 0; i < n_; ++i) tau[i] = s_.kp[i] * (q_[i] - q[i]) + s_.kd[i] * (v_[i] - v[i]);
    if (s_.kind == LawKind::computed_torque) {
      for (std::size_t i = 0; i < n_; ++i) a_[i] += tau[i];
      robot_.torques(q, v, a_.data(), tau);
      return;
    }
    if (s_.kind == LawKind::pid)
      for (std::size_t i = 0; i < n_; ++i) tau[i] += s_.ki[i] * memory[i];
    if (!s_.gravity) return;
    robot_.gravity_torques(q, gravity_.data());
    for (std::size_t i = 0; i < n_; ++i) tau[i] += gravity_[i];
  }

  void memory_rate(double t, const double* q, const double*, double* rate) override {
    if (s_.kind != LawKind::pid) return;
    reference_.at(t, q_.data(), v_.data(), a_.data());
    for (std::size_t i = 0; i < n_; ++i) rate[i] = q_[i] - q[i];
  }

  std::vector<double> breaks() const override { return reference_.breaks(); }

 private:
  LawSettings s_;
  const ReferenceMotion& reference_;
  ForwardModel robot_;
  std::size_t n_;
  std::vector<double> q_, v_, a_, gravity_;
};

class OwnFunction : public Law {
 public:
  OwnFunction(TorqueFunction function, std::size_t size) : function_(std::move(function)), size_(size) {
    if (!function_) throw std::invalid_argument("the law's function is empty");
  }
  void torque(double t, const double* q, const double* v, const double*, double* tau) override { function_(t, {q, size_}, {v, size_}, {tau, size_}); }

 private:
  TorqueFunction function_;
  std::size_t size_;
};

/// Stops another law's torques at the joints' limits.
class Saturated : public Law {
 public:
  Saturated(std::unique_ptr<Law> law, const Model& model) : law_(std::move(law)) {
    for (const int j : model.independent()) effort_.push_back(model.joints()[static_cast<std::size_t>(j)].effort);
  }
  std::size_t memory() const override { return law_->memory(); }
  void torque(double t, const double* q, const double* v, const double* memory, double* tau) override {
    law_->torque(t, q, v, memory, tau);
    for (std::size_t i = 0; i < effort_.size(); ++i) tau[i] = std::clamp(tau[i], -effort_[i], effort_[i]);
  }
  void memory_rate(double t, const double* q, const double* v, double* rate) override { law_->memory_rate(t, q, v, rate); }
  std::vector<double> breaks() const override { return law_->breaks(); }

 private:
  std::unique_ptr<Law> law_;
  std::vector<double> effort_;
};

std::unique_ptr<Law> make_plain(const LawSettings& settings, const Model& model, bool rotor, const ReferenceMotion* reference, const Dynamics* like) {
  const std::size_t n = static_cast<std::size_t>(model.nv());
  switch (settings.kind) {
    case LawKind::none: return std::make_unique<Constant>(std::vector<double>(n, 0.0));
    case LawKind::constant: require_size("tau", settings.tau.size(), n); return std::make_unique<Constant>(settings.tau);
    case LawKind::table: return std::make_unique<Table>(settings.table, n);
    case LawKind::kane_levinson: return make_kane_levinson_law(settings.kane_levinson, model);
    case LawKind::function: return std::make_unique<OwnFunction>(settings.function, n);
    default: break;
  }
  if (reference == nullptr) throw std::invalid_argument(cat("the law ", to_string(settings.kind), " needs a reference motion"));
  LawSettings following = settings;
  if (following.kind == LawKind::prescribed) following.kind = LawKind::feedforward;
  return std::make_unique<Following>(following, model, rotor, *reference, like);
}

}  // namespace

std::unique_ptr<Law> make_law(const LawSettings& settings, const Model& model, bool rotor, const ReferenceMotion* reference, const Dynamics* like) {
  std::unique_ptr<Law> law = make_plain(settings, model, rotor, reference, like);
  if (settings.saturate) law = std::make_unique<Saturated>(std::move(law), model);
  return law;
}

}  // namespace ulna::sim
