#include <ulna/formulation/on_model.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "dynamics/guard.hpp"
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

FormulationOnModel::FormulationOnModel(const Formulation& formulation, Quantity quantity, const Prepared& prepared)
    : plan_(make_plan(prepared.model)), nv_(prepared.model.nv()) {
  if (const std::string reason = why_not(formulation, quantity, prepared); !reason.empty())
    throw std::invalid_argument(cat("formulation ", formulation.id, " does not take robot ", in_quotes(prepared.model.name()), ": ", reason));
  for (const PlanBody<double>& body : plan_.bodies)
    couplings_.push_back({body.v, body.prismatic, body.multiplier, body.offset, body.rotor, body.viscous, body.coulomb});
  evaluator_ = formulation.make_double(prepared);
  amplification_ = formulation.amplification;
  const std::size_t n = couplings_.size();
  for (std::vector<double>* scratch : {&q_, &v_, &a_}) scratch->resize(n);
  out_.resize(n * n);
}

bool FormulationOnModel::expand(const double* q, const double* v, const double* a) {
  for (std::size_t i = 0; i < couplings_.size(); ++i) {
    const Coupling& c = couplings_[i];
    const double way = c.multiplier * q[c.coordinate];
    q_[i] = (c.prismatic || c.offset == 0 ? way : less_whole_turns(way)) + c.offset;
    v_[i] = v == nullptr ? 0 : c.multiplier * v[c.coordinate];
    a_[i] = a == nullptr ? 0 : c.multiplier * a[c.coordinate];
  }
  return !std::isnan(Guard<double>(plan_, q, v, a)(0.0));
}

void FormulationOnModel::compute(Quantity quantity, const InputsOf<double>& in, double* out, const Effects& effects) {
  const std::size_t n = couplings_.size(), size = row_of(quantity).size(nv_);
  const std::size_t inputs = row_of(quantity).inputs.size();
  if (!expand(in.q, inputs > 1 ? in.v : nullptr, inputs > 2 ? in.last : nullptr)) return leave_a_gap(out, size);
  const auto friction = [&](const Coupling& c, std::size_t i) { return effects.friction ? c.viscous * v_[i] + c.coulomb * sign(v_[i]) : 0.0; };
  const bool forward = quantity == Quantity::forward;
  if (forward)
    for (std::size_t i = 0; i < n; ++i) a_[i] = in.last[couplings_[i].coordinate] - friction(couplings_[i], i);
  evaluator_->compute(quantity, {q_.data(), v_.data(), a_.data()}, out_.data());
  std::fill(out, out + size, 0.0);
  for (std::size_t i = 0; i < n; ++i) {
    const Coupling& c = couplings_[i];
    if (forward) {
      out[c.coordinate] = out_[i];
    } else if (row_of(quantity).is_matrix()) {
      for (std::size_t j = 0; j < n; ++j) {
        const Coupling& d = couplings_[j];
        const double rotor = quantity == Quantity::mass && effects.rotor && i == j ? c.rotor : 0.0;
        out[c.coordinate + d.coordinate * nv_] += c.multiplier * d.multiplier * (out_[i + j * n] + rotor);
      }
    } else {
      const double rotor = quantity == Quantity::inverse && effects.rotor ? c.rotor * a_[i] : 0.0;
      out[c.coordinate] += c.multiplier * (out_[i] + rotor + friction(c, i));
    }
  }
}

std::string FormulationOnModel::why_not_here(const double* q) {
  if (!expand(q, nullptr, nullptr)) return {};
  return evaluator_->why_not_here(q_.data());
}

void FormulationOnModel::error_bound(const double* q, const double* v, const double* a, double* bound) {
  if (!expand(q, v, a)) return leave_a_gap(bound, nv_);
  std::fill(out_.begin(), out_.end(), 0.0);
  evaluator_->error_bound(q_.data(), v_.data(), a_.data(), out_.data());
  std::fill(bound, bound + nv_, 0.0);
  for (std::size_t i = 0; i < couplings_.size(); ++i) bound[couplings_[i].coordinate] += std::abs(couplings_[i].multiplier) * out_[i];
}

}  // namespace ulna
