#include <ulna/formulation/on_model.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include <ulna/dynamics/friction-inl.hpp>

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
  evaluator_ = formulation.make_double(prepared);
  amplification_ = formulation.amplification;
  const std::size_t n = plan_.bodies.size();
  for (std::vector<double>* scratch : {&q_, &v_, &a_, &out_}) scratch->resize(n);
  M_.resize(n * n);
}

bool FormulationOnModel::expand(const double* q, const double* v, const double* a) {
  for (std::size_t i = 0; i < plan_.bodies.size(); ++i) {
    const PlanBody<double>& body = plan_.bodies[i];
    const double way = body.multiplier * q[body.v];
    q_[i] = (body.prismatic || body.offset == 0 ? way : less_whole_turns(way)) + body.offset;
    v_[i] = v == nullptr ? 0 : body.multiplier * v[body.v];
    a_[i] = a == nullptr ? 0 : body.multiplier * a[body.v];
  }
  return !std::isnan(Guard<double>(plan_, q, v, a)(0.0));
}

void FormulationOnModel::torque(const double* q, const double* v, const double* a, double* tau, bool rotor, bool friction) {
  if (!expand(q, v, a)) return leave_a_gap(tau, nv_);
  evaluator_->torque(q_.data(), v_.data(), a_.data(), out_.data());
  std::fill(tau, tau + nv_, 0.0);
  for (std::size_t i = 0; i < plan_.bodies.size(); ++i) {
    const PlanBody<double>& body = plan_.bodies[i];
    double joint = out_[i];
    if (rotor) joint += body.rotor * a_[i];
    if (friction) joint += kernel::friction(body, v_[i]);
    tau[body.v] += body.multiplier * joint;
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
  for (std::size_t i = 0; i < plan_.bodies.size(); ++i) bound[plan_.bodies[i].v] += std::abs(plan_.bodies[i].multiplier) * out_[i];
}

void FormulationOnModel::mass(const double* q, double* M, bool rotor) {
  if (!expand(q, nullptr, nullptr)) return leave_a_gap(M, nv_ * nv_);
  evaluator_->mass(q_.data(), M_.data());
  std::fill(M, M + nv_ * nv_, 0.0);
  const std::size_t n = plan_.bodies.size();
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) {
      const double entry = M_[i * n + j] + (rotor && i == j ? plan_.bodies[i].rotor : 0.0);
      M[plan_.bodies[i].v * nv_ + plan_.bodies[j].v] += plan_.bodies[i].multiplier * plan_.bodies[j].multiplier * entry;
    }
}

void FormulationOnModel::bias(const double* q, const double* v, double* bias, bool friction) {
  if (!expand(q, v, nullptr)) return leave_a_gap(bias, nv_);
  evaluator_->bias(q_.data(), v_.data(), out_.data());
  std::fill(bias, bias + nv_, 0.0);
  for (std::size_t i = 0; i < plan_.bodies.size(); ++i) {
    const PlanBody<double>& body = plan_.bodies[i];
    bias[body.v] += body.multiplier * (out_[i] + (friction ? kernel::friction(body, v_[i]) : 0.0));
  }
}

void FormulationOnModel::acceleration(const double* q, const double* v, const double* tau, double* a, bool friction) {
  if (!expand(q, v, tau)) return leave_a_gap(a, nv_);
  for (std::size_t i = 0; i < plan_.bodies.size(); ++i) {
    const PlanBody<double>& body = plan_.bodies[i];
    a_[i] = tau[body.v] - (friction ? kernel::friction(body, v_[i]) : 0.0);
  }
  evaluator_->acceleration(q_.data(), v_.data(), a_.data(), out_.data());
  for (std::size_t i = 0; i < plan_.bodies.size(); ++i) a[plan_.bodies[i].v] = out_[i];
}

}  // namespace ulna
