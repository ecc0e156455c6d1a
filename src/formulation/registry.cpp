#include <algorithm>
#include <stdexcept>

#include "formulation/rows.hpp"
#include "text/cat.hpp"
#include "text/names.hpp"

namespace ulna {

Prepared::Prepared(const Model& m, double s) : model(m), snap(s), tree(make_body_tree(m, s)), why_not_chain(why_not_a_chain(m, s)) {
  if (!why_not_chain.empty()) return;
  dh = make_dh_chain(m, snap);
  mdh = make_mdh_chain(m, snap);
}

namespace {

[[noreturn]] void not_given(Quantity quantity) { throw std::logic_error(cat("this formulation does not give the ", result_name(quantity))); }

}  // namespace

template <class T>
void Evaluator<T>::compute(Quantity quantity, const InputsOf<T>& in, T* out) {
  switch (quantity) {
    case Quantity::inverse: return torque(in.q, in.v, in.last, out);
    case Quantity::mass: return mass(in.q, out);
    case Quantity::bias: return bias(in.q, in.v, out);
    case Quantity::forward: return acceleration(in.q, in.v, in.last, out);
    default: not_given(quantity);
  }
}
template <class T>
void Evaluator<T>::torque(const T*, const T*, const T*, T*) {
  not_given(Quantity::inverse);
}
template <class T>
void Evaluator<T>::mass(const T*, T*) {
  not_given(Quantity::mass);
}
template <class T>
void Evaluator<T>::bias(const T*, const T*, T*) {
  not_given(Quantity::bias);
}
template <class T>
void Evaluator<T>::acceleration(const T*, const T*, const T*, T*) {
  not_given(Quantity::forward);
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

const std::vector<Quantity>& formulated_quantities() {
  static const std::vector<Quantity> all = [] {
    std::vector<Quantity> given;
    for (const QuantityRow& row : quantities())
      if (std::any_of(formulations().begin(), formulations().end(), [&](const Formulation& f) { return f.gives(row.quantity); })) given.push_back(row.quantity);
    return given;
  }();
  return all;
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
