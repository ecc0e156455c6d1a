// Calls for one state.
#include <stdexcept>

#include "robot/checks.hpp"
#include "robot/friction.hpp"
#include "robot/templates.hpp"

namespace ulna {

namespace {

/// Forward dynamics with friction works on torques less friction, for which there is room for this many joints; robots beyond that go by the templates.
constexpr std::size_t kMostFrictionJoints = 1024;

template <class T, class State>
void call(const State& state, DynamicsTask task, std::size_t link, const T* in0, const T* in1, const T* in2, T* out) noexcept {
  const jit::Kernel& kernel = state.kernel(task, link);
  if (kernel.one == nullptr) return jit::by_templates(state.plan, state.options, task, link, in0, in1, in2, out);
  kernel.one(in0, in1, in2, out, kernel.one_constants, 1);
}

}  // namespace

template <class T>
void DynamicsOf<T>::inverse(const T* q, const T* v, const T* a, T* tau) const noexcept {
  const State& state = *state_;
  call(state, DynamicsTask::inverse, kNone, q, v, a, tau);
  if (!state.friction.empty() && state.kernel(DynamicsTask::inverse).one != nullptr) jit::add_friction<T>(state.friction, v, 1, 1, tau);
}

template <class T>
void DynamicsOf<T>::forward(const T* q, const T* v, const T* tau, T* a) const noexcept {
  const State& state = *state_;
  const std::size_t n = state.plan.nv;
  if (state.friction.empty() || state.kernel(DynamicsTask::forward).one == nullptr) return call(state, DynamicsTask::forward, kNone, q, v, tau, a);
  if (n > kMostFrictionJoints) return jit::by_templates(state.plan, state.options, DynamicsTask::forward, kNone, q, v, tau, a);
  T left[kMostFrictionJoints];
  for (std::size_t k = 0; k < n; ++k) left[k] = tau[k];
  jit::add_friction<T>(state.friction, v, -1, 1, left);
  call<T>(state, DynamicsTask::forward, kNone, q, v, left, a);
}

template <class T>
void DynamicsOf<T>::mass(const T* q, T* M) const noexcept {
  call<T>(*state_, DynamicsTask::mass, kNone, q, nullptr, nullptr, M);
}

template <class T>
void DynamicsOf<T>::bias(const T* q, const T* v, T* bias) const noexcept {
  const State& state = *state_;
  call<T>(state, DynamicsTask::bias, kNone, q, v, nullptr, bias);
  if (!state.friction.empty() && state.kernel(DynamicsTask::bias).one != nullptr) jit::add_friction<T>(state.friction, v, 1, 1, bias);
}

template <class T>
void DynamicsOf<T>::gravity(const T* q, T* gravity) const noexcept {
  call<T>(*state_, DynamicsTask::gravity, kNone, q, nullptr, nullptr, gravity);
}

template <class T>
void DynamicsOf<T>::mass_inverse(const T* q, T* M_inverse) const noexcept {
  call<T>(*state_, DynamicsTask::mass_inverse, kNone, q, nullptr, nullptr, M_inverse);
}

template <class T>
Pose<T> DynamicsOf<T>::pose(const T* q, std::size_t link) const noexcept {
  T x[12];
  call<T>(*state_, DynamicsTask::pose, link, q, nullptr, nullptr, x);
  return {{x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7], x[8]}, {x[9], x[10], x[11]}};
}

template <class T>
void DynamicsOf<T>::jacobian(const T* q, std::size_t link, T* J) const noexcept {
  call<T>(*state_, DynamicsTask::jacobian, link, q, nullptr, nullptr, J);
}

// ---- the same with sizes checked

template <class T>
void DynamicsOf<T>::inverse(In q, In v, In a, Out tau) const {
  const jit::Checks check(*state_);
  check.vectors({{"q", q}, {"v", v}, {"a", a}}, "tau", tau);
  inverse(q.data(), v.data(), a.data(), tau.data());
}
template <class T>
void DynamicsOf<T>::forward(In q, In v, In tau, Out a) const {
  const jit::Checks check(*state_);
  check.vectors({{"q", q}, {"v", v}, {"tau", tau}}, "a", a);
  forward(q.data(), v.data(), tau.data(), a.data());
}
template <class T>
void DynamicsOf<T>::bias(In q, In v, Out bias_out) const {
  const jit::Checks check(*state_);
  check.vectors({{"q", q}, {"v", v}}, "bias", bias_out);
  bias(q.data(), v.data(), bias_out.data());
}
template <class T>
void DynamicsOf<T>::gravity(In q, Out gravity_out) const {
  const jit::Checks check(*state_);
  check.vectors({{"q", q}}, "gravity", gravity_out);
  gravity(q.data(), gravity_out.data());
}
template <class T>
void DynamicsOf<T>::mass(In q, Results M) const {
  const jit::Checks check(*state_);
  check.matrix(q, "M", M, nv());
  mass(q.data(), M.data());
}
template <class T>
void DynamicsOf<T>::mass_inverse(In q, Results M_inverse) const {
  const jit::Checks check(*state_);
  check.matrix(q, "M_inverse", M_inverse, nv());
  mass_inverse(q.data(), M_inverse.data());
}
template <class T>
Pose<T> DynamicsOf<T>::pose(In q, std::size_t link) const {
  const jit::Checks check(*state_);
  check.size("q", q.size());
  check.link(link);
  return pose(q.data(), link);
}
template <class T>
void DynamicsOf<T>::jacobian(In q, std::size_t link, Results J) const {
  const jit::Checks check(*state_);
  check.link(link);
  check.matrix(q, "J", J, 6);
  jacobian(q.data(), link, J.data());
}

#define ULNA_INSTANTIATE(T)                                                              \
  template void DynamicsOf<T>::inverse(const T*, const T*, const T*, T*) const noexcept; \
  template void DynamicsOf<T>::forward(const T*, const T*, const T*, T*) const noexcept; \
  template void DynamicsOf<T>::mass(const T*, T*) const noexcept;                        \
  template void DynamicsOf<T>::bias(const T*, const T*, T*) const noexcept;              \
  template void DynamicsOf<T>::gravity(const T*, T*) const noexcept;                     \
  template void DynamicsOf<T>::mass_inverse(const T*, T*) const noexcept;                \
  template Pose<T> DynamicsOf<T>::pose(const T*, std::size_t) const noexcept;                    \
  template void DynamicsOf<T>::jacobian(const T*, std::size_t, T*) const noexcept;               \
  template void DynamicsOf<T>::inverse(In, In, In, Out) const;                           \
  template void DynamicsOf<T>::forward(In, In, In, Out) const;                           \
  template void DynamicsOf<T>::mass(In, Results) const;                                  \
  template void DynamicsOf<T>::bias(In, In, Out) const;                                  \
  template void DynamicsOf<T>::gravity(In, Out) const;                                   \
  template void DynamicsOf<T>::mass_inverse(In, Results) const;                          \
  template Pose<T> DynamicsOf<T>::pose(In, std::size_t) const;                                   \
  template void DynamicsOf<T>::jacobian(In, std::size_t, Results) const;
ULNA_INSTANTIATE(double)
ULNA_INSTANTIATE(float)

}  // namespace ulna
