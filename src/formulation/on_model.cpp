#include <ulna/formulation/formulation.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include <ulna/dynamics/joint-inl.hpp>
#include <ulna/plan/plan.hpp>

#include "dynamics/guard.hpp"
#include "formulation/evaluator.hpp"
#include "text/cat.hpp"
#include "text/quote.hpp"

namespace ulna {

namespace {

void leave_a_gap(double* results, std::size_t count) { std::fill(results, results + count, std::numeric_limits<double>::quiet_NaN()); }

bool has_mimics(const Model& model) {
  return std::any_of(model.joints().begin(), model.joints().end(), [](const Joint& joint) { return joint.mimic.has_value(); });
}

}  // namespace

std::string why_not(const Formulation& formulation, Quantity quantity, const Prepared& prepared) {
  if (!formulation.gives(quantity)) {
    std::string list;
    for (const Quantity given : formulation.quantities) list += cat(list.empty() ? "" : ", ", result_name(given));
    return cat("it gives ", list, ", not ", result_name(quantity));
  }
  if (quantity == Quantity::forward && has_mimics(prepared.model)) return "its accelerations do not take mimic joints";
  return formulation.why_not(prepared);
}

struct FormulationOnModel::State {
  Plan plan;  // with the plan.bodies, rotors and friction of every moving joint
  std::size_t nv = 0;
  double (*amplification)(const double*) = nullptr;
  std::unique_ptr<Evaluator<double>> evaluator;
  std::vector<double> q, v, a, out;  // of the moving joints

  /// False when the state is bad: then results are NaN, and the formulation, which may refuse NaN, is not asked.
  bool expand(const double* r, const double* rates, const double* third) {
    for (std::size_t i = 0; i < plan.bodies.size(); ++i) {
      const PlanBody<double>& c = plan.bodies[i];
      const double way = c.multiplier * r[c.v];
      q[i] = (c.prismatic || c.offset == 0 ? way : less_whole_turns(way)) + c.offset;
      v[i] = rates == nullptr ? 0 : c.multiplier * rates[c.v];
      a[i] = third == nullptr ? 0 : c.multiplier * third[c.v];
    }
    return !std::isnan(Guard<double>(plan, r, rates, third)(0.0));
  }
  double friction(std::size_t i) const { return kernel::friction(plan.bodies[i], v[i]); }
};

FormulationOnModel::FormulationOnModel(const Formulation& formulation, Quantity quantity, const Prepared& prepared)
    : state_(std::make_unique<State>(State{make_plan(prepared.model), prepared.model.nv(), {}, {}, {}, {}, {}, {}})) {
  if (const std::string reason = why_not(formulation, quantity, prepared); !reason.empty())
    throw std::invalid_argument(cat("formulation ", formulation.id, " does not take robot ", in_quotes(prepared.model.name()), ": ", reason));
  State& s = *state_;
  s.evaluator = formulation.make_double(prepared);
  s.amplification = formulation.amplification;
  const std::size_t n = s.plan.bodies.size();
  for (std::vector<double>* scratch : {&s.q, &s.v, &s.a}) scratch->resize(n);
  s.out.resize(n * n);
}
FormulationOnModel::FormulationOnModel(FormulationOnModel&&) noexcept = default;
FormulationOnModel& FormulationOnModel::operator=(FormulationOnModel&&) noexcept = default;
FormulationOnModel::~FormulationOnModel() = default;

double FormulationOnModel::amplification() const { return state_->amplification == nullptr ? 1 : state_->amplification(state_->q.data()); }

void FormulationOnModel::compute(Quantity quantity, const InputsOf<double>& in, double* out, const Effects& effects) {
  State& s = *state_;
  const std::size_t n = s.plan.bodies.size(), size = row_of(quantity).size(s.nv);
  const std::size_t inputs = row_of(quantity).inputs.size();
  if (!s.expand(in.q, inputs > 1 ? in.v : nullptr, inputs > 2 ? in.last : nullptr)) return leave_a_gap(out, size);
  const auto friction = [&](std::size_t i) { return effects.friction ? s.friction(i) : 0.0; };
  const bool forward = quantity == Quantity::forward;
  if (forward)
    for (std::size_t i = 0; i < n; ++i) s.a[i] = in.last[s.plan.bodies[i].v] - friction(i);
  s.evaluator->compute(quantity, {s.q.data(), s.v.data(), s.a.data()}, s.out.data());
  std::fill(out, out + size, 0.0);
  for (std::size_t i = 0; i < n; ++i) {
    const PlanBody<double>& c = s.plan.bodies[i];
    if (forward) {
      out[c.v] = s.out[i];
    } else if (row_of(quantity).is_matrix()) {
      for (std::size_t j = 0; j < n; ++j) {
        const PlanBody<double>& d = s.plan.bodies[j];
        const double rotor = quantity == Quantity::mass && effects.rotor && i == j ? c.rotor : 0.0;
        out[c.v + d.v * s.nv] += c.multiplier * d.multiplier * (s.out[i + j * n] + rotor);
      }
    } else {
      const double rotor = quantity == Quantity::inverse && effects.rotor ? c.rotor * s.a[i] : 0.0;
      out[c.v] += c.multiplier * (s.out[i] + rotor + friction(i));
    }
  }
}

std::string FormulationOnModel::why_not_here(const double* q) {
  if (!state_->expand(q, nullptr, nullptr)) return {};
  return state_->evaluator->why_not_here(state_->q.data());
}

void FormulationOnModel::to_node(double* q) { state_->evaluator->to_node(q); }

void FormulationOnModel::error_bound(const double* q, const double* v, const double* a, double* bound) {
  State& s = *state_;
  if (!s.expand(q, v, a)) return leave_a_gap(bound, s.nv);
  std::fill(s.out.begin(), s.out.end(), 0.0);
  s.evaluator->error_bound(s.q.data(), s.v.data(), s.a.data(), s.out.data());
  std::fill(bound, bound + s.nv, 0.0);
  for (std::size_t i = 0; i < s.plan.bodies.size(); ++i) bound[s.plan.bodies[i].v] += std::abs(s.plan.bodies[i].multiplier) * s.out[i];
}

}  // namespace ulna
