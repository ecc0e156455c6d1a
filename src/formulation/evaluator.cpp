#include "formulation/evaluator.hpp"

#include <stdexcept>

#include "text/cat.hpp"

namespace ulna::internal {

namespace {

[[noreturn]] void not_given(Quantity quantity) { throw std::logic_error(cat("this formulation does not give the ", result_name(quantity))); }

}  // namespace

void refuse_loads() { throw std::logic_error("this formulation does not take the loads, or the motion of the base"); }

template <class T>
void Evaluator<T>::compute(Quantity quantity, const InputsOf<T>& in, T* out, const Loads<T>& loads) {
  switch (quantity) {
    case Quantity::inverse: return torque(in.q, in.v, in.last, out, loads);
    case Quantity::mass: return mass(in.q, out);
    case Quantity::bias: return bias(in.q, in.v, out, loads);
    case Quantity::forward: return acceleration(in.q, in.v, in.last, out, loads);
    default: not_given(quantity);
  }
}
template <class T>
void Evaluator<T>::torque(const T*, const T*, const T*, T*, const Loads<T>&) {
  not_given(Quantity::inverse);
}
template <class T>
void Evaluator<T>::mass(const T*, T*) {
  not_given(Quantity::mass);
}
template <class T>
void Evaluator<T>::bias(const T*, const T*, T*, const Loads<T>&) {
  not_given(Quantity::bias);
}
template <class T>
void Evaluator<T>::acceleration(const T*, const T*, const T*, T*, const Loads<T>&) {
  not_given(Quantity::forward);
}
template <class T>
std::string Evaluator<T>::why_not_here(const T*, const T*, const T*) {
  return {};
}
template <class T>
void Evaluator<T>::to_node(T*, T*, T*) {}
template <class T>
void Evaluator<T>::error_bound(const T*, const T*, const T*, double*) {}
template <class T>
void Evaluator<T>::visit(const PaperVisitor<T>&) const {}
template class Evaluator<double>;
template class Evaluator<float>;
template class Evaluator<Counted>;
template class Evaluator<Expr>;

std::string takes_any_tree(const Prepared&) { return {}; }
std::string takes_chains(const Prepared& prepared) { return prepared.forms().why_not_chain; }

}  // namespace ulna::internal
