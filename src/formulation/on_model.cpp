#include <ulna/formulation/formulation.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

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
  struct Coupling {
    std::size_t coordinate;
    bool prismatic;
    double multiplier, offset, rotor, viscous, coulomb;
  };
  Plan plan;
  std::vector<Coupling> couplings;  // one per moving joint
  std::size_t nv = 0;
  double (*amplification)(const double*) = nullptr;
  std::unique_ptr<Evaluator<double>> evaluator;
  std::vector<double> q, v, a, out;  // of the moving joints

  /// False when the state is bad: then results are NaN, and the formulation, which may refuse NaN, is not asked.
  bool expand(const double* r, const double* rates, const double* third) {
    for (std::size_t i = 0; i < couplings.size(); ++i) {
      const Coupling& c = couplings[i];
      const double way = c.multiplier * r[c.coordinate];
      q[i] = (c.prismatic || c.offset == 0 ? way : less_whole_turns(way)) + c.offset;
      v[i] = rates == nullptr ? 0 : c.multiplier * rates[c.coordinate];
      a[i] = third == nullptr ? 0 : c.multiplier * third[c.coordinate];
    }
    return !std::isnan(Guard<double>(plan, r, rates, third)(0.0));
  }
  double friction(std::size_t i) const { return couplings[i].viscous * v[i] + couplings[i].coulomb * sign(v[i]); }
};

FormulationOnModel::FormulationOnModel(const Formulation& formulation, Quantity quantity, const Prepared& prepared)
    : state_(std::make_unique<State>(State{make_plan(prepared.model), {}, prepared.model.nv(), {}, {}, {}, {}, {}, {}})) {
  if (const std::string reason = why_not(formulation, quantity, prepared); !reason.empty())
    throw std::invalid_argument(cat("formulation ", formulation.id, " does not take robot ", in_quotes(prepared.model.name()), ": ", reason));
  State& s = *state_;
  for (const PlanBody<double>& body : s.plan.bodies)
    s.couplings.push_back({body.v, body.prismatic, body.multiplier, body.offset, body.rotor, body.viscous, body.coulomb});
  s.evaluator = formulation.make_double(prepared);
  s.amplification = formulation.amplification;
  const std::size_t n = s.couplings.size();
  for (std::vector<double>* scratch : {&s.q, &s.v, &s.a}) scratch->resize(n);
  s.out.resize(n * n);
}
FormulationOnModel::FormulationOnModel(FormulationOnModel&&) noexcept = default;
FormulationOnModel& FormulationOnModel::operator=(FormulationOnModel&&) noexcept = default;
FormulationOnModel::~FormulationOnModel() = default;

double FormulationOnModel::amplification() const { return state_->amplification == nullptr ? 1 : state_->amplification(state_->q.data()); }

void FormulationOnModel::compute(Quantity quantity, const InputsOf<double>& in, double* out, const Effects& effects) {
  State& s = *state_;
  const std::size_t n = s.couplings.size(), size = row_of(quantity).size(s.nv);
  const std::size_t inputs = row_of(quantity).inputs.size();
  if (!s.expand(in.q, inputs > 1 ? in.v : nullptr, inputs > 2 ? in.last : nullptr)) return leave_a_gap(out, size);
  const auto friction = [&](std::size_t i) { return effects.friction ? s.friction(i) : 0.0; };
  const bool forward = quantity == Quantity::forward;
  if (forward)
    for (std::size_t i = 0; i < n; ++i) s.a[i] = in.last[s.couplings[i].coordinate] - friction(i);
  s.evaluator->compute(quantity, {s.q.data(), s.v.data(), s.a.data()}, s.out.data());
  std::fill(out, out + size, 0.0);
  for (std::size_t i = 0; i < n; ++i) {
    const State::Coupling& c = s.couplings[i];
    if (forward) {
      out[c.coordinate] = s.out[i];
    } else if (row_of(quantity).is_matrix()) {
      for (std::size_t j = 0; j < n; ++j) {
        const State::Coupling& d = s.couplings[j];
        const double rotor = quantity == Quantity::mass && effects.rotor && i == j ? c.rotor : 0.0;
        out[c.coordinate + d.coordinate * s.nv] += c.multiplier * d.multiplier * (s.out[i + j * n] + rotor);
      }
    } else {
      const double rotor = quantity == Quantity::inverse && effects.rotor ? c.rotor * s.a[i] : 0.0;
      out[c.coordinate] += c.multiplier * (s.out[i] + rotor + friction(i));
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
  for (std::size_t i = 0; i < s.couplings.size(); ++i) bound[s.couplings[i].coordinate] += std::abs(s.couplings[i].multiplier) * s.out[i];
}

}  // namespace ulna
