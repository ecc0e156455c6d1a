// Calls for one state.
#include <stdexcept>

#include "robot/call.hpp"
#include "robot/checks.hpp"

namespace ulna ULNA_API {

using namespace internal;

namespace {

template <class T, class State, class View>
void checked(const State& state, Quantity quantity, std::initializer_list<VectorView<const T>> inputs, View out, std::size_t link) {
  const robot::Checks check(state);
  if (row_of(quantity).of_link) check.link(link);
  InputsOf<T> in = check.state<T>(row_of(quantity), inputs, out);
  in.link = link;
  robot::call(state, quantity, in, out.data());
}

}  // namespace

template <class T>
void DynamicsOf<T>::compute(Quantity quantity, const T* q, const T* v, const T* last, T* out, std::size_t link) const noexcept {
  robot::call<T>(*state_, quantity, {q, v, last, link}, out);
}
template <class T>
void DynamicsOf<T>::compute(Quantity quantity, const InputsOf<T>& in, T* out) const noexcept {
  robot::call(*state_, quantity, in, out);
}
template <class T>
void DynamicsOf<T>::compute(Quantity quantity, std::initializer_list<In> inputs, Out out, std::size_t link) const {
  checked<T>(*state_, quantity, inputs, out, link);
}
template <class T>
void DynamicsOf<T>::compute(Quantity quantity, std::initializer_list<In> inputs, Results out, std::size_t link) const {
  checked<T>(*state_, quantity, inputs, out, link);
}

template <class T>
Pose<T> DynamicsOf<T>::pose(const T* q, std::size_t link) const noexcept {
  T x[12];
  robot::call<T>(*state_, Quantity::pose, {.q = q, .link = link}, x);
  return {{x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7], x[8]}, {x[9], x[10], x[11]}};
}
template <class T>
Pose<T> DynamicsOf<T>::pose(In q, std::size_t link) const {
  const robot::Checks check(*state_);
  check.configuration(q);
  check.link(link);
  return pose(q.data(), link);
}

#define ULNA_INSTANTIATE(T)                                                                                     \
  template void DynamicsOf<T>::compute(Quantity, const T*, const T*, const T*, T*, std::size_t) const noexcept; \
  template void DynamicsOf<T>::compute(Quantity, const InputsOf<T>&, T*) const noexcept;                        \
  template void DynamicsOf<T>::compute(Quantity, std::initializer_list<In>, Out, std::size_t) const;            \
  template void DynamicsOf<T>::compute(Quantity, std::initializer_list<In>, Results, std::size_t) const;        \
  template Pose<T> DynamicsOf<T>::pose(const T*, std::size_t) const noexcept;                                   \
  template Pose<T> DynamicsOf<T>::pose(In, std::size_t) const;
ULNA_INSTANTIATE(double)
ULNA_INSTANTIATE(float)

}  // namespace ULNA_API
