#include "formulation/evaluator.hpp"

#include <stdexcept>

#include "text/message.hpp"

namespace ulna::internal {

void refuse_loads() { throw std::logic_error("this formulation does not take the loads, or the motion of the base"); }
void not_given(Quantity quantity) { throw std::logic_error(cat("this formulation does not give the ", result_name(quantity))); }

template <class T>
void Evaluator<T>::compute(Quantity quantity, const InputsOf<T>& in, T* out, const Loads<T>& loads) {
  switch (quantity) {
    case Quantity::inverse: return torque(in.q, in.v, in.last, out, loads);
    case Quantity::mass: return mass(in.q, out);
    case Quantity::bias: return bias(in.q, in.v, out, loads);
    case Quantity::gravity: return gravity(in.q, out);
    case Quantity::coriolis: return coriolis(in.q, in.v, out);
    case Quantity::forward: return acceleration(in.q, in.v, in.last, out, loads);
    default: not_given(quantity);
  }
}
template class Evaluator<double>;
template class Evaluator<float>;
template class Evaluator<Counted>;
template class Evaluator<Expr>;
template class Evaluator<Exact>;

std::string takes_any_tree(const Prepared&) { return {}; }
std::string takes_chains(const Prepared& prepared) { return prepared.forms().why_not_chain; }

}  // namespace ulna::internal
