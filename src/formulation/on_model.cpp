#include <ulna/formulation/formulation.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include <ulna/dynamics/joint-inl.hpp>
#include <ulna/plan/plan.hpp>

#include "dynamics/guard.hpp"
#include "dynamics/sizes.hpp"
#include "formulation/evaluator.hpp"
#include "formulation/place_loads.hpp"
#include "text/cat.hpp"
#include "text/names.hpp"
#include "text/quote.hpp"

namespace ulna ULNA_API {

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
  if (row_of(quantity).takes("tau") && has_mimics(prepared.model)) return "its accelerations do not take mimic joints";
  return formulation.why_not(prepared);
}

ActingLoads acting_loads(Quantity quantity, const Effects& effects) {
  const auto moves = [](const Vec3<double>& x) { return !(x == Vec3<double>{}); };
  const BaseMotion& base = effects.base;
  const Influences& enters = row_of(quantity).influences;
  return {enters.wrenches && !effects.wrenches.empty(),
          enters.base && (moves(base.angular_velocity) || moves(base.angular_acceleration) || moves(base.linear_acceleration))};
}

namespace {

bool takes(const Formulation& formulation, const ActingLoads& acting) {
  return (formulation.takes_wrenches || !acting.wrenches) && (formulation.takes_base || !acting.base);
}

/// Loads come to a formulation in its bodies' axes, which does not tell those that turn with a link from those that do not.
std::string why_not_derivatives(Quantity quantity, const ActingLoads& acting) {
  if (row_of(quantity).parts.empty() || !acting.wrenches) return {};
  return "derivatives under wrenches depend on what these are fixed to; the templates have them without a formulation";
}

/// Which loads it does not take, and why.
std::string not_taken(const Formulation& formulation, const ActingLoads& acting) {
  const bool wrenches = acting.wrenches && !formulation.takes_wrenches, base = acting.base && !formulation.takes_base;
  return cat("it takes no ", wrenches && base ? "wrenches, and no base that moves" : wrenches ? "wrenches" : "base that moves", ": ", formulation.why_no_loads);
}

}  // namespace

std::string why_not(const Formulation& formulation, Quantity quantity, const Prepared& prepared, const Effects& effects) {
  std::string reason = why_not(formulation, quantity, prepared);
  const ActingLoads acting = acting_loads(quantity, effects);
  if (reason.empty()) reason = why_not_derivatives(quantity, acting);
  if (!reason.empty() || takes(formulation, acting)) return reason;
  std::vector<std::string> others;
  for (const Formulation& row : formulations())
    if (takes(row, acting) && why_not(row, quantity, prepared).empty()) others.emplace_back(row.id);
  return cat(not_taken(formulation, acting), "; these do: ", joined(others));
}

bool Formulation::has_loads() const {
  return std::any_of(quantities.begin(), quantities.end(), [](Quantity quantity) { return row_of(quantity).influences.wrenches; });
}

std::string Formulation::loads() const {
  if (!has_loads()) return {};
  if (!takes_wrenches && !takes_base) return "none";
  return cat(takes_wrenches ? "wrenches" : "", takes_wrenches && takes_base ? ", " : "", takes_base ? "base motion" : "");
}

struct FormulationOnModel::State {
  State(const Formulation& row, const Prepared& prepared)
      : formulation(row),
        plan(make_plan(prepared.model, {.snap = prepared.snap})),
        nv(prepared.model.nv()),
        evaluator(row.make_double(prepared)),
        loads(plan, prepared, row.frames),
        q(plan.bodies.size()),
        v(q),
        a(q),
        out(3 * q.size() * q.size()) {}

  Formulation formulation;
  Plan plan;  // with the plan.bodies, rotors and friction of every moving joint
  std::size_t nv;
  std::unique_ptr<Evaluator<double>> evaluator;
  LoadsInForm loads;
  std::vector<double> q, v, a, out;  // of the moving joints

  /// Throws where the formulation does not take what acts.
  void check(const ActingLoads& acting, const Effects& effects) const {
    if (!takes(formulation, acting)) throw std::invalid_argument(cat("formulation ", formulation.id, ": ", not_taken(formulation, acting)));
    if (acting.wrenches) require_wrenches(plan, effects.wrenches);
  }

  /// False when the state is bad: then results are NaN, and the formulation, which may refuse NaN, is not asked.
  bool expand(const double* r, const double* rates, const double* third, const Influences& enters = {}, const Effects& effects = {}) {
    for (std::size_t i = 0; i < plan.bodies.size(); ++i) {
      const PlanBody<double>& c = plan.bodies[i];
      const double way = c.multiplier * r[c.v];
      q[i] = (c.prismatic || c.offset == 0 ? way : less_whole_turns(way)) + c.offset;
      v[i] = rates == nullptr ? 0 : c.multiplier * rates[c.v];
      a[i] = third == nullptr ? 0 : c.multiplier * third[c.v];
    }
    Guard<double> guard(plan, r, rates, third);
    if (enters.base) guard.take(effects.base);
    if (enters.wrenches) guard.take(effects.wrenches);
    return !std::isnan(guard(0.0));
  }
  double friction(std::size_t i) const { return kernel::friction(plan.bodies[i], v[i]); }
};

FormulationOnModel::FormulationOnModel(const Formulation& formulation, Quantity quantity, const Prepared& prepared) {
  if (const std::string reason = why_not(formulation, quantity, prepared); !reason.empty())
    throw std::invalid_argument(cat("formulation ", formulation.id, " does not take robot ", in_quotes(prepared.model.name()), ": ", reason));
  state_ = std::make_unique<State>(formulation, prepared);
}
FormulationOnModel::FormulationOnModel(FormulationOnModel&&) noexcept = default;
FormulationOnModel& FormulationOnModel::operator=(FormulationOnModel&&) noexcept = default;
FormulationOnModel::~FormulationOnModel() = default;

double FormulationOnModel::amplification() const {
  const Formulation& row = state_->formulation;
  return row.amplification == nullptr ? 1 : row.amplification(state_->q.data());
}

void FormulationOnModel::compute(Quantity quantity, const InputsOf<double>& in, double* out, const Effects& effects) {
  State& s = *state_;
  const QuantityRow& row = row_of(quantity);
  const std::size_t n = s.plan.bodies.size(), size = row.size({s.nv, s.nv}), inputs = row.inputs.size();
  const ActingLoads acting = acting_loads(quantity, effects);
  s.check(acting, effects);
  if (const std::string reason = why_not_derivatives(quantity, acting); !reason.empty())
    throw std::invalid_argument(cat("formulation ", s.formulation.id, ": ", reason));
  if (!s.expand(in.q, inputs > 1 ? in.v : nullptr, inputs > 2 ? in.last : nullptr, row.influences, effects)) return leave_a_gap(out, size);
  const auto friction = [&](std::size_t i) { return effects.friction ? s.friction(i) : 0.0; };
  const bool forward = row.takes("tau");
  if (forward)
    for (std::size_t i = 0; i < n; ++i) s.a[i] = in.last[s.plan.bodies[i].v] - friction(i);
  s.evaluator->compute(quantity, {s.q.data(), s.v.data(), s.a.data()}, s.out.data(), acting.any() ? s.loads.at(s.plan, in.q, effects) : Loads<double>{});
  std::fill(out, out + size, 0.0);
  for (std::size_t i = 0; i < n; ++i) {
    const PlanBody<double>& c = s.plan.bodies[i];
    if (quantity == Quantity::forward) {
      out[c.v] = s.out[i];
    } else if (!row.parts.empty()) {  // side by side: by positions, rates, and accelerations or torques
      for (std::size_t part = 0; part < 3; ++part)
        for (std::size_t j = 0; j < n; ++j) {
          const PlanBody<double>& d = s.plan.bodies[j];
          double value = s.out[i + (j + part * n) * n];
          if (part == 2 && !forward && i == j && effects.rotor) value += c.rotor;
          if (part == 1 && effects.friction) value += forward ? -d.viscous * s.out[i + (j + 2 * n) * n] : i == j ? c.viscous : 0;
          out[c.v + (d.v + part * s.nv) * s.nv] += c.multiplier * d.multiplier * value;
        }
    } else if (row.is_matrix()) {
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

}  // namespace ULNA_API
