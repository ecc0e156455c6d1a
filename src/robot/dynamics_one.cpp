// Calls for one state.
#include <stdexcept>

#include "robot/call.hpp"
#include "robot/checks.hpp"

namespace ulna ULNA_API {

using namespace internal;

namespace {

template <class T>
Pose<T> pose_of(const T (&x)[12]) {
  return {{x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7], x[8]}, {x[9], x[10], x[11]}};
}

/// Sizes checked.
template <class T, class State, class View>
void call(const State& state, Quantity quantity, std::initializer_list<VectorView<const T>> inputs, View out, std::size_t link = kNone) {
  const robot::Checks check(state);
  if (row_of(quantity).of_link) check.link(link);
  InputsOf<T> in = check.state<T>(row_of(quantity), inputs, out);
  in.link = link;
  robot::call(state, quantity, in, out.data());
}

}  // namespace

template <class T>
void DynamicsOf<T>::compute(Quantity quantity, const InputsOf<T>& in, T* out) const noexcept {
  robot::call(*state_, quantity, in, out);
}
template <class T>
void DynamicsOf<T>::inverse(const T* q, const T* v, const T* a, T* tau) const noexcept {
  robot::call<T>(*state_, Quantity::inverse, {q, v, a}, tau);
}
template <class T>
void DynamicsOf<T>::forward(const T* q, const T* v, const T* tau, T* a) const noexcept {
  robot::call<T>(*state_, Quantity::forward, {q, v, tau}, a);
}
template <class T>
void DynamicsOf<T>::mass(const T* q, T* M) const noexcept {
  robot::call<T>(*state_, Quantity::mass, {q}, M);
}
template <class T>
void DynamicsOf<T>::bias(const T* q, const T* v, T* bias) const noexcept {
  robot::call<T>(*state_, Quantity::bias, {q, v}, bias);
}
template <class T>
void DynamicsOf<T>::gravity(const T* q, T* gravity) const noexcept {
  robot::call<T>(*state_, Quantity::gravity, {q}, gravity);
}
template <class T>
void DynamicsOf<T>::coriolis(const T* q, const T* v, T* C) const noexcept {
  robot::call<T>(*state_, Quantity::coriolis, {q, v}, C);
}
template <class T>
void DynamicsOf<T>::inverse_derivatives(const T* q, const T* v, const T* a, T* d) const noexcept {
  robot::call<T>(*state_, Quantity::inverse_derivatives, {q, v, a}, d);
}
template <class T>
void DynamicsOf<T>::forward_derivatives(const T* q, const T* v, const T* tau, T* d) const noexcept {
  robot::call<T>(*state_, Quantity::forward_derivatives, {q, v, tau}, d);
}
template <class T>
void DynamicsOf<T>::mass_inverse(const T* q, T* M_inverse) const noexcept {
  robot::call<T>(*state_, Quantity::mass_inverse, {q}, M_inverse);
}
template <class T>
void DynamicsOf<T>::regressor(const T* q, const T* v, const T* a, T* Y) const noexcept {
  robot::call<T>(*state_, Quantity::regressor, {q, v, a}, Y);
}
template <class T>
Pose<T> DynamicsOf<T>::pose(const T* q, std::size_t link) const noexcept {
  T x[12];
  robot::call<T>(*state_, Quantity::pose, {.q = q, .link = link}, x);
  return pose_of(x);
}
template <class T>
void DynamicsOf<T>::jacobian(const T* q, std::size_t link, T* J) const noexcept {
  robot::call<T>(*state_, Quantity::jacobian, {.q = q, .link = link}, J);
}

template <class T>
void DynamicsOf<T>::inverse(In q, In v, In a, Out tau) const {
  call<T>(*state_, Quantity::inverse, {q, v, a}, tau);
}
template <class T>
void DynamicsOf<T>::forward(In q, In v, In tau, Out a) const {
  call<T>(*state_, Quantity::forward, {q, v, tau}, a);
}
template <class T>
void DynamicsOf<T>::bias(In q, In v, Out bias) const {
  call<T>(*state_, Quantity::bias, {q, v}, bias);
}
template <class T>
void DynamicsOf<T>::gravity(In q, Out gravity) const {
  call<T>(*state_, Quantity::gravity, {q}, gravity);
}
template <class T>
void DynamicsOf<T>::mass(In q, Results M) const {
  call<T>(*state_, Quantity::mass, {q}, M);
}
template <class T>
void DynamicsOf<T>::coriolis(In q, In v, Results C) const {
  call<T>(*state_, Quantity::coriolis, {q, v}, C);
}
template <class T>
void DynamicsOf<T>::inverse_derivatives(In q, In v, In a, Results d) const {
  call<T>(*state_, Quantity::inverse_derivatives, {q, v, a}, d);
}
template <class T>
void DynamicsOf<T>::forward_derivatives(In q, In v, In tau, Results d) const {
  call<T>(*state_, Quantity::forward_derivatives, {q, v, tau}, d);
}
template <class T>
void DynamicsOf<T>::mass_inverse(In q, Results M_inverse) const {
  call<T>(*state_, Quantity::mass_inverse, {q}, M_inverse);
}
template <class T>
void DynamicsOf<T>::regressor(In q, In v, In a, Results Y) const {
  call<T>(*state_, Quantity::regressor, {q, v, a}, Y);
}
template <class T>
Pose<T> DynamicsOf<T>::pose(In q, std::size_t link) const {
  const robot::Checks check(*state_);
  check.configuration(q);
  check.link(link);
  return pose(q.data(), link);
}
template <class T>
void DynamicsOf<T>::jacobian(In q, std::size_t link, Results J) const {
  call<T>(*state_, Quantity::jacobian, {q}, J, link);
}

#define ULNA_INSTANTIATE(T)                                                                          \
  template void DynamicsOf<T>::compute(Quantity, const InputsOf<T>&, T*) const noexcept;             \
  template void DynamicsOf<T>::inverse(const T*, const T*, const T*, T*) const noexcept;             \
  template void DynamicsOf<T>::forward(const T*, const T*, const T*, T*) const noexcept;             \
  template void DynamicsOf<T>::mass(const T*, T*) const noexcept;                                    \
  template void DynamicsOf<T>::bias(const T*, const T*, T*) const noexcept;                          \
  template void DynamicsOf<T>::gravity(const T*, T*) const noexcept;                                 \
  template void DynamicsOf<T>::coriolis(const T*, const T*, T*) const noexcept;                      \
  template void DynamicsOf<T>::inverse_derivatives(const T*, const T*, const T*, T*) const noexcept; \
  template void DynamicsOf<T>::forward_derivatives(const T*, const T*, const T*, T*) const noexcept; \
  template void DynamicsOf<T>::inverse_derivatives(In, In, In, Results) const;                       \
  template void DynamicsOf<T>::forward_derivatives(In, In, In, Results) const;                       \
  template void DynamicsOf<T>::regressor(const T*, const T*, const T*, T*) const noexcept;           \
  template void DynamicsOf<T>::regressor(In, In, In, Results) const;                                 \
  template void DynamicsOf<T>::mass_inverse(const T*, T*) const noexcept;                            \
  template Pose<T> DynamicsOf<T>::pose(const T*, std::size_t) const noexcept;                        \
  template void DynamicsOf<T>::jacobian(const T*, std::size_t, T*) const noexcept;                   \
  template void DynamicsOf<T>::inverse(In, In, In, Out) const;                                       \
  template void DynamicsOf<T>::forward(In, In, In, Out) const;                                       \
  template void DynamicsOf<T>::mass(In, Results) const;                                              \
  template void DynamicsOf<T>::bias(In, In, Out) const;                                              \
  template void DynamicsOf<T>::gravity(In, Out) const;                                               \
  template void DynamicsOf<T>::coriolis(In, In, Results) const;                                      \
  template void DynamicsOf<T>::mass_inverse(In, Results) const;                                      \
  template Pose<T> DynamicsOf<T>::pose(In, std::size_t) const;                                       \
  template void DynamicsOf<T>::jacobian(In, std::size_t, Results) const;
ULNA_INSTANTIATE(double)
ULNA_INSTANTIATE(float)

}  // namespace ULNA_API
