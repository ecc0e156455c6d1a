#include <algorithm>
#include <stdexcept>

#include "formulation/rows.hpp"
#include "text/names.hpp"

namespace ulna {

std::string_view to_string(Quantity quantity) {
  switch (quantity) {
    case Quantity::torque: return "torque";
    case Quantity::mass: return "mass";
    case Quantity::bias: return "bias";
    case Quantity::acceleration: return "acceleration";
  }
  return "?";
}

Prepared::Prepared(const Model& m, double s) : model(m), snap(s), tree(make_body_tree(m, s)), why_not_chain(why_not_a_chain(m, s)) {
  if (!why_not_chain.empty()) return;
  dh = make_dh_chain(m, snap);
  mdh = make_mdh_chain(m, snap);
}

template <class T>
void Evaluator<T>::torque(const T*, const T*, const T*, T*) {
  throw std::logic_error("this formulation does not give the torque");
}
template <class T>
void Evaluator<T>::mass(const T*, T*) {
  throw std::logic_error("this formulation does not give the inertia matrix");
}
template <class T>
void Evaluator<T>::bias(const T*, const T*, T*) {
  throw std::logic_error("this formulation does not give the bias");
}
template <class T>
void Evaluator<T>::acceleration(const T*, const T*, const T*, T*) {
  throw std::logic_error("this formulation does not give the acceleration");
}
template <class T>
std::string Evaluator<T>::why_not_here(const T*) {
  return {};
}
template <class T>
void Evaluator<T>::error_bound(const T*, const T*, const T*, double*) {}
template class Evaluator<double>;
template class Evaluator<float>;
template class Evaluator<Counted>;
template class Evaluator<Expr>;

bool Formulation::gives(Quantity quantity) const { return std::find(quantities.begin(), quantities.end(), quantity) != quantities.end(); }

std::string takes_any_tree(const Prepared&) { return {}; }
std::string takes_chains(const Prepared& prepared) { return prepared.why_not_chain; }

const std::vector<Formulation>& formulations() {
  static const std::vector<Formulation> rows{
      uicker_kahn_row(),   waters_row(),   hollerbach_4x4_row(),        hollerbach_3x3_row(), newton_euler_base_row(),
      newton_euler_row(),  lagrange_row(), modified_newton_euler_row(), horn_raibert_row(),   kane_row(),
      kane_stanford_row(), strobing_row(), walker_orin_row(),           renaud_row(),         fijany_bejczy_row(),
      lin_row(),           nasser_row(),   composite_ldl_row(),         ulna_row(),
  };
  return rows;
}

const Formulation* find_formulation(std::string_view id) {
  for (const Formulation& row : formulations())
    if (row.id == id) return &row;
  return nullptr;
}

const Formulation& formulation_named(std::string_view id) {
  if (const Formulation* row = find_formulation(id)) return *row;
  throw std::invalid_argument(there_is_no("formulation", id, names_of(formulations(), &Formulation::id)));
}

}  // namespace ulna
