#include "campaign/block.hpp"

#include <algorithm>
#include <new>

#include "sim/system.hpp"
#include "text/message.hpp"

namespace ulna::internal::campaign {

using namespace ulna::internal;
using namespace ulna::internal::sim;

namespace {

/// Parameters none of which is zero or one by chance.
std::vector<double> generic_values(const Spec& spec) {
  std::vector<double> values;
  for (const Variation& v : spec.variations) switch (v.kind) {
      case VariationKind::uniform: values.push_back(v.a + 0.618 * (v.b - v.a)); break;
      case VariationKind::normal: values.push_back(v.a + 0.37 * v.b); break;
      case VariationKind::identified: values.push_back(0.37 * v.values.back()); break;
      case VariationKind::grid:
        values.push_back(*std::max_element(v.values.begin(), v.values.end(), [](double x, double y) { return std::fabs(x) < std::fabs(y); }));
    }
  return values;
}

/// Such parameters may be impossible together, though those of most runs are not; the nominal ones are possible.
Model generic_model(const Spec& spec) {
  const RunNumbers numbers = [&] {
    try {
      return numbers_of(spec, generic_values(spec));
    } catch (const std::invalid_argument&) {
      return spec.nominal;
    }
  }();
  Model model = numbers.scenario.model;
  for (const sim::Payload& p : numbers.scenario.payloads)
    if (p.mass != 0) model = sim::with_payload(model, p);
  return model;
}

/// Metrics of runs side by side, and what is recorded of the first.
class Watch {
 public:
  Watch(const Spec& spec, std::size_t lanes, const Block::Record& record)
      : model_(spec.nominal.scenario.model), lanes_(lanes), base_(model_.base()), driven_(driven_positions(model_)), metrics_(spec, lanes), record_(record) {
    n_ = driven_.size();
    for (std::vector<double>* x : {&q_, &error_, &moved_}) x->resize(n_ * lanes);
    tau_.resize(model_.nv() * lanes);
  }

  void operator()(const Sample& now) {
    for (std::size_t i = 0; i < n_; ++i)
      for (std::size_t l = 0; l < lanes_; ++l) {
        const std::size_t k = i * lanes_ + l;
        const double q = now.q[driven_[i] * lanes_ + l];
        moved_[k] = q - q_[k];
        q_[k] = q;
        if (now.reference != nullptr) error_[k] = now.reference[k] - q;
      }
    if (now.k > 0) metrics_.drive(tau_.data() + base_.v * lanes_, moved_.data());
    metrics_.state(now.k, now.reference == nullptr ? nullptr : error_.data(), q_.data(), now.v + base_.v * lanes_);
    if (now.tau != nullptr) std::copy_n(now.tau, tau_.size(), tau_.begin());
    if (record_) record(now);
  }

  std::vector<double> of(std::size_t lane, double reference_end) const { return metrics_.of(lane, reference_end); }

 private:
  /// Of the first lane.
  void record(const Sample& now) const {
    const auto first = [&](const double* from, std::size_t size) {
      std::vector<double> out(size);
      for (std::size_t i = 0; i < size; ++i) out[i] = from[i * lanes_];
      return out;
    };
    const std::vector<double> q = first(now.q, model_.nq()), v = first(now.v, model_.nv()), tau = first(tau_.data(), model_.nv());
    const std::vector<double> reference = now.reference == nullptr ? std::vector<double>{} : first(now.reference, n_);
    record_(now.t, q.data(), v.data(), tau.data(), now.reference == nullptr ? nullptr : reference.data());
  }

  const Model& model_;
  std::size_t lanes_, n_ = 0;
  BaseState base_;
  std::vector<std::size_t> driven_;
  Metrics metrics_;
  const Block::Record& record_;
  std::vector<double> q_, error_, moved_, tau_;
};

}  // namespace

Machinery::Machinery(const Spec& of) : spec(of) {
  const sim::Scenario& s = spec.nominal.scenario;
  DynamicsOptions options{.rotor = s.rotor, .threads = 1};
  believed = std::make_shared<const Dynamics>(s.model, options);
  const Model varied = generic_model(spec);
  options.quantities = {Quantity::forward, Quantity::inverse, Quantity::bias, Quantity::mass};
  generic = std::make_shared<const Dynamics>(varied, options);
  std::string why = why_alone(s);
  const auto dry = [](const Variation& v) {
    return std::any_of(std::begin(kFrictionFields) + 1, std::end(kFrictionFields),
                       [&](const FrictionField& field) { return v.parameter.name.rfind(cat(field.name, "."), 0) == 0; });
  };
  if (why.empty() && s.friction.smooth == 0 && std::any_of(spec.variations.begin(), spec.variations.end(), dry)) why = "the friction that varies is dry";
  if (why.empty()) {
    auto made = std::make_shared<const LaneCode>(varied, s.rotor);
    if (made->ok())
      code = std::move(made);
    else
      why = "there is no machine code for lanes";
  }
  lanes = code != nullptr ? believed->lanes() : 1;
  path = code != nullptr ? "lanes" : cat("one by one: ", why);
  instruction_set = to_string(believed->instruction_set());
}

sim::Scenario scenario_of(const Machinery& machinery, std::uint64_t run, const std::vector<double>& values) {
  sim::Scenario s = numbers_of(machinery.spec, values).scenario;
  s.believed = machinery.believed;
  s.dynamics = machinery.generic;
  s.control.run = run;
  return s;
}

std::vector<RunRow> Block::run(std::uint64_t first, std::size_t count, const Record& record) {
  if (count == 0 || count > m_.lanes) throw std::invalid_argument(cat("there are ", m_.lanes, " lanes, but ", count, " runs"));
  const Spec& spec = m_.spec;
  std::vector<RunRow> rows(count);
  std::vector<std::optional<sim::Scenario>> own(count);
  std::vector<const sim::Scenario*> together;
  std::vector<std::size_t> row_of;
  for (std::size_t k = 0; k < count; ++k) {
    RunRow& row = rows[k];
    row.run = first + k;
    row.values = drawn(spec, row.run);
    try {
      own[k] = scenario_of(m_, row.run, row.values);
      check(*own[k]);
      together.push_back(&*own[k]);
      row_of.push_back(k);
    } catch (const std::bad_alloc&) {
      throw;  // not the run's fault, which may be made again
    } catch (const std::exception& problem) {
      row.status = "refused";
      row.reason = problem.what();
    }
  }
  if (together.empty()) return rows;
  const auto make = [&](const std::vector<const sim::Scenario*>& runs, std::size_t lanes, bool of_first, const auto& take) {
    const Record none;
    Watch watch(spec, lanes, of_first ? record : none);
    const std::unique_ptr<sim::ReferenceMotion> reference = sim::make_reference(*runs.front());
    // Error control uses all of x: where there is any, x is that of simulate().
    const TogetherOptions options{
        {.audited = runs.front()->integrator.kind == sim::IntegratorKind::dormand_prince_5, .own = lanes > 1 ? m_.code : nullptr, .checked = true},
        [&](const Sample& now) { watch(now); }};
    const std::vector<std::optional<sim::Outcome>> outcomes = simulate_together(runs, lanes, {}, options);
    for (std::size_t k = 0; k < runs.size(); ++k) take(k, outcomes[k], watch.of(k, reference == nullptr ? 0 : reference->end()));
  };
  const auto finish = [&](std::size_t row, const sim::Outcome& outcome, std::vector<double> metrics) {
    rows[row].status = to_string(outcome.ending);
    rows[row].reason = outcome.message;
    if (outcome.ending == sim::Ending::done) rows[row].metrics = std::move(metrics);
  };
  std::vector<std::size_t> alone;
  if (m_.code != nullptr && !record)
    make(together, m_.lanes, false, [&](std::size_t k, const std::optional<sim::Outcome>& outcome, std::vector<double> metrics) {
      outcome ? finish(row_of[k], *outcome, std::move(metrics)) : alone.push_back(row_of[k]);
    });
  else
    alone = row_of;
  for (const std::size_t k : alone) try {
      make({&*own[k]}, 1, k == 0,
           [&](std::size_t, const std::optional<sim::Outcome>& outcome, std::vector<double> metrics) { finish(k, *outcome, std::move(metrics)); });
    } catch (const std::bad_alloc&) {
      throw;
    } catch (const std::exception& problem) {
      rows[k].status = "refused";
      rows[k].reason = problem.what();
    }
  return rows;
}

}  // namespace ulna::internal::campaign
