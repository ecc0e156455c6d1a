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
    for (const Quantity given : formulation.quantities) list += cat(list.empty() ? "" : ", ", to_string(given));
    return cat("it gives ", list, ", not ", to_string(quantity));
  }
  if (quantity == Quantity::acceleration && has_mimics(prepared.model)) return "its accelerations do not take mimic joints";
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
  for (std::vector<double>* scratch : {&q_, &v_, &a_, &out_}) scratch->resize(n);
  M_.resize(n * n);
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

void FormulationOnModel::torque(const double* q, const double* v, const double* a, double* tau, bool rotor, bool friction) {
  if (!expand(q, v, a)) return leave_a_gap(tau, nv_);
  evaluator_->torque(q_.data(), v_.data(), a_.data(), out_.data());
  std::fill(tau, tau + nv_, 0.0);
  for (std::size_t i = 0; i < couplings_.size(); ++i) {
    const Coupling& c = couplings_[i];
    double joint = out_[i];
    if (rotor) joint += c.rotor * a_[i];
    if (friction) joint += c.viscous * v_[i] + c.coulomb * sign(v_[i]);
    tau[c.coordinate] += c.multiplier * joint;
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

void FormulationOnModel::mass(const double* q, double* M, bool rotor) {
  if (!expand(q, nullptr, nullptr)) return leave_a_gap(M, nv_ * nv_);
  evaluator_->mass(q_.data(), M_.data());
  std::fill(M, M + nv_ * nv_, 0.0);
  const std::size_t n = couplings_.size();
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) {
      const double entry = M_[i * n + j] + (rotor && i == j ? couplings_[i].rotor : 0.0);
      M[couplings_[i].coordinate * nv_ + couplings_[j].coordinate] += couplings_[i].multiplier * couplings_[j].multiplier * entry;
    }
}

void FormulationOnModel::bias(const double* q, const double* v, double* bias, bool friction) {
  if (!expand(q, v, nullptr)) return leave_a_gap(bias, nv_);
  evaluator_->bias(q_.data(), v_.data(), out_.data());
  std::fill(bias, bias + nv_, 0.0);
  for (std::size_t i = 0; i < couplings_.size(); ++i) {
    const Coupling& c = couplings_[i];
    bias[c.coordinate] += c.multiplier * (out_[i] + (friction ? c.viscous * v_[i] + c.coulomb * sign(v_[i]) : 0.0));
  }
}

void FormulationOnModel::acceleration(const double* q, const double* v, const double* tau, double* a, bool friction) {
  if (!expand(q, v, tau)) return leave_a_gap(a, nv_);
  for (std::size_t i = 0; i < couplings_.size(); ++i) {
    const Coupling& c = couplings_[i];
    a_[i] = tau[c.coordinate] - (friction ? c.viscous * v_[i] + c.coulomb * sign(v_[i]) : 0.0);
  }
  evaluator_->acceleration(q_.data(), v_.data(), a_.data(), out_.data());
  for (std::size_t i = 0; i < couplings_.size(); ++i) a[couplings_[i].coordinate] = out_[i];
}

}  // namespace ulna
