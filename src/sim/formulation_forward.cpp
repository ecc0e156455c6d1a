#include "sim/formulation_forward.hpp"

#include <optional>

#include "formulation/frames.hpp"
#include "text/message.hpp"

namespace ulna::internal::sim {

void solve_ldl(std::vector<double>& M, std::size_t n, double* b) {
  for (std::size_t j = 0; j < n; ++j) {
    for (std::size_t k = 0; k < j; ++k) {
      const double DL = M[j * n + k];  // L_jk D_k so far
      M[j * n + k] = DL / M[k * n + k];
      M[j * n + j] -= DL * M[j * n + k];
      for (std::size_t i = j + 1; i < n; ++i) M[i * n + j] -= M[i * n + k] * M[j * n + k];
    }
  }
  for (std::size_t j = 0; j < n; ++j)
    for (std::size_t k = 0; k < j; ++k) b[j] -= M[j * n + k] * b[k];
  for (std::size_t j = n; j-- > 0;) {
    b[j] /= M[j * n + j];
    for (std::size_t i = j + 1; i < n; ++i) b[j] -= M[i * n + j] * b[i];
  }
}

namespace {

/// The first quantity that a formulation gives for accelerations, loads included; a matrix alone leaves the loads to the production path.
std::optional<Quantity> first_given(const Formulation& row) {
  if (row.gives(Quantity::forward)) return Quantity::forward;
  if (row.gives(Quantity::mass) && row.gives(Quantity::bias)) return Quantity::bias;
  if (row.gives(Quantity::inverse)) return Quantity::inverse;
  return {};
}

}  // namespace

std::string why_no_loads(const std::string& id, const Model& model, const Effects& effects) {
  const Formulation& row = formulation_named(id);
  const std::optional<Quantity> quantity = first_given(row);
  if (!quantity || !acting_loads(*quantity, effects).any()) return {};
  const Prepared prepared(model);
  return why_not(row, *quantity, prepared).empty() ? why_not(row, *quantity, prepared, effects) : "";
}

FormulationForward::FormulationForward(const std::string& id, const Model& model, bool rotor, std::shared_ptr<const Speeds> speeds)
    : row_(formulation_named(id)), rotor_(rotor), n_(model.nv()) {
  if (row_.valid_at == ValidAt::table_nodes)
    throw std::invalid_argument(cat("formulation ", id, " is table-based, and a tabulated formulation cannot be simulated: use another one"));
  Quantity quantity = Quantity::mass;
  way_ = Way::mass;
  if (row_.gives(Quantity::forward)) {
    quantity = Quantity::forward;
    way_ = Way::acceleration;
    if (!rotor && has_rotors(model))
      throw std::invalid_argument(cat("formulation ", id, " always includes the rotors' inertia; leave rotors on, or use another formulation"));
  } else if (row_.gives(Quantity::mass) && row_.gives(Quantity::bias)) {
    way_ = Way::mass_and_bias;
  } else if (row_.gives(Quantity::inverse)) {
    quantity = Quantity::inverse;
    way_ = Way::torque;
  }
  Prepared prepared(model);
  prepared.speeds = std::move(speeds);
  formulation_ = std::make_unique<FormulationOnModel>(row_, quantity, prepared);
  if (!rotor) {
    Forms forms = prepared.forms();
    for (TreeBody<double>& body : forms.tree.bodies) body.rotor = 0;
    Prepared bare(model, prepared.snap, std::move(forms));
    bare.speeds = prepared.speeds;
    prepared = std::move(bare);
  }
  if (row_.make_speeds != nullptr) speeds_ = row_.make_speeds(prepared);
  M_.resize(n_ * n_);
  for (std::vector<double>* scratch : {&bias_, &gravity_, &unit_}) scratch->assign(n_, 0.0);
}

Effects FormulationForward::with_loads(const Effects& effects) const {
  Effects acting{.rotor = rotor_};
  acting.base = effects.base;
  acting.wrenches = effects.wrenches;
  return acting;
}

void FormulationForward::accelerations(const double* q, const double* v, const double* tau, const double* bias, double* a, const Effects& effects) {
  FormulationOnModel& f = *formulation_;
  const Effects inertia{.rotor = rotor_}, acting = with_loads(effects);
  if (way_ == Way::acceleration) {
    f.compute(Quantity::forward, {q, v, tau}, a, acting);
    return;
  }
  if (way_ == Way::torque) {
    f.compute(Quantity::inverse, {q, v}, bias_.data(), acting);
    f.compute(Quantity::inverse, {q}, gravity_.data(), inertia);
    for (std::size_t j = 0; j < n_; ++j) {
      unit_[j] = 1;
      f.compute(Quantity::inverse, {q, nullptr, unit_.data()}, &M_[j * n_], inertia);
      unit_[j] = 0;
      for (std::size_t i = 0; i < n_; ++i) M_[j * n_ + i] -= gravity_[i];
    }
    bias = bias_.data();
  } else {
    f.compute(Quantity::mass, {q}, M_.data(), inertia);
  }
  if (way_ == Way::mass_and_bias) {
    f.compute(Quantity::bias, {q, v}, bias_.data(), acting);
    bias = bias_.data();
  }
  for (std::size_t i = 0; i < n_; ++i) a[i] = tau[i] - bias[i];
  solve_ldl(M_, n_, a);
}

std::string FormulationForward::why_no_torques() const {
  if (gives_torques(row_)) return {};
  return cat("formulation ", row_.id, " gives ", result_name(Quantity::forward),
             ", and a prescribed motion needs the torques that it takes: use one that gives ", result_name(Quantity::inverse),
             ", or one of the laws that make a motion of their own");
}

void FormulationForward::torques(const double* q, const double* v, const double* a, const double* bias, double* tau, const Effects& effects) {
  if (const std::string why = why_no_torques(); !why.empty()) throw std::logic_error(why);
  FormulationOnModel& f = *formulation_;
  const Effects acting = with_loads(effects);
  if (row_.gives(Quantity::inverse)) return f.compute(Quantity::inverse, {q, v, a}, tau, acting);
  f.compute(Quantity::mass, {q}, M_.data(), {.rotor = rotor_});
  if (way_ == Way::mass_and_bias) {
    f.compute(Quantity::bias, {q, v}, bias_.data(), acting);
    bias = bias_.data();
  }
  for (std::size_t i = 0; i < n_; ++i) {
    tau[i] = bias[i];
    for (std::size_t j = 0; j < n_; ++j) tau[i] += M_[i * n_ + j] * a[j];
  }
}

std::string FormulationForward::equations(bool torques) const {
  if (torques && row_.gives(Quantity::inverse)) return cat("torques by ", row_.id);
  const char* const after = torques ? ", M a + bias" : ", then LDLᵀ";
  switch (way_) {
    case Way::acceleration: return cat("accelerations by ", row_.id);
    case Way::mass_and_bias: return cat("M and bias by ", row_.id, after);
    case Way::torque: return cat("bias and columns of M by torques of ", row_.id, after);
    case Way::mass: break;
  }
  return cat("M by ", row_.id, ", bias by the production path", after);
}

}  // namespace ulna::internal::sim
