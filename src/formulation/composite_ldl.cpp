#include "formulation/composite_ldl.hpp"

#include <stdexcept>

#include "formulation/rows.hpp"
#include "text/message.hpp"

namespace ulna::internal {

namespace {

/// The solver on the composite bodies of a tree.
template <class P, class T>
class TreeLdl : public CompositeLdl<P, T> {
 public:
  explicit TreeLdl(const BodyTree<P>& tree) : CompositeLdl<P, T>(CompositeBodies<P, T>(tree), rotors(tree)) {}
};

/// The parameter scalar of a state scalar.
template <class T>
struct ParameterOf {
  using Type = T;
};
template <>
struct ParameterOf<Counted> {
  using Type = double;
};
template <>
struct ParameterOf<Expr> {
  using Type = double;
};

Prepared without_gravity(const Prepared& prepared) {
  const Vec3<double> none{};
  Forms forms = prepared.forms();
  forms.tree.gravity = none;
  if (forms.dh) forms.dh->gravity_0 = none;
  if (forms.mdh) forms.mdh->gravity_0 = none;
  return Prepared(with_gravity(prepared.given, none), prepared.snap, std::move(forms));
}

template <class T>
std::unique_ptr<Evaluator<T>> make(const Formulation& row, const Prepared& prepared) {
  if constexpr (std::is_same_v<T, double>)
    return row.make_double ? row.make_double(prepared) : nullptr;
  else if constexpr (std::is_same_v<T, float>)
    return row.make_float ? row.make_float(prepared) : nullptr;
  else if constexpr (std::is_same_v<T, Counted>)
    return row.make_counted ? row.make_counted(prepared) : nullptr;
  else
    return row.make_expr ? row.make_expr(prepared) : nullptr;
}

/// M and bias of two formulations of the registry, as a Source of CompositeLdl.
template <class T>
class Chosen {
 public:
  Chosen(const Prepared& prepared, std::string_view mass_id, std::string_view bias_id)
      : zero_(prepared.size(), T(0)),
        unit_(zero_),
        column_(zero_),
        gives_mass_(formulation_named(mass_id).gives(Quantity::mass)),
        gives_bias_(formulation_named(bias_id).gives(Quantity::bias)) {
    mass_ = made(prepared, formulation_named(mass_id), Quantity::mass);
    bias_ = made(prepared, formulation_named(bias_id), Quantity::bias);
  }

  void mass(const T* q, T* M) {
    if (gives_mass_) return mass_->compute(Quantity::mass, {q}, M);
    const std::size_t n = zero_.size();
    for (std::size_t j = 0; j < n; ++j) {
      unit_[j] = T(1);
      mass_->compute(Quantity::inverse, {q, zero_.data(), unit_.data()}, column_.data());
      unit_[j] = T(0);
      for (std::size_t i = 0; i < n; ++i) M[i * n + j] = column_[i];
    }
  }
  void bias(const T* q, const T* v, T* bias) {
    if (gives_bias_) return bias_->compute(Quantity::bias, {q, v}, bias);
    bias_->compute(Quantity::inverse, {q, v, zero_.data()}, bias);
  }

 private:
  static std::unique_ptr<Evaluator<T>> made(const Prepared& prepared, const Formulation& row, Quantity quantity) {
    if (!row.gives(quantity) && !row.gives(Quantity::inverse))
      throw std::invalid_argument(cat("formulation ", in_quotes(row.id), " gives neither ", result_name(quantity), " nor torque"));
    const std::string why_not = row.why_not(prepared);
    if (!why_not.empty()) throw std::invalid_argument(cat("formulation ", in_quotes(row.id), " does not take this model: ", why_not));
    const bool strobed = quantity == Quantity::mass && !row.gives(quantity);
    std::unique_ptr<Evaluator<T>> evaluator = strobed ? make<T>(row, without_gravity(prepared)) : make<T>(row, prepared);
    if (evaluator == nullptr) throw std::invalid_argument(cat("formulation ", in_quotes(row.id), " does not run on this scalar"));
    return evaluator;
  }

  std::vector<T> zero_, unit_, column_;
  bool gives_mass_, gives_bias_;
  std::unique_ptr<Evaluator<T>> mass_, bias_;
};

template <class T>
class ChosenLdlEvaluator : public Evaluator<T> {
 public:
  using P = typename ParameterOf<T>::Type;
  ChosenLdlEvaluator(const Prepared& prepared, std::string_view mass_id, std::string_view bias_id)
      : solver_(Chosen<T>(prepared, mass_id, bias_id), rotors(prepared.forms().tree.cast<P>())) {}
  void acceleration(const T* q, const T* v, const T* tau, T* a, const Loads<T>& loads) override { refuse(loads), solver_.acceleration(q, v, tau, a); }

 private:
  CompositeLdl<P, T, Chosen<T>> solver_;
};

}  // namespace

template <class T>
std::unique_ptr<Evaluator<T>> make_composite_ldl(const Prepared& prepared, std::string_view mass_id, std::string_view bias_id) {
  return std::make_unique<ChosenLdlEvaluator<T>>(prepared, mass_id, bias_id);
}
template std::unique_ptr<Evaluator<double>> make_composite_ldl(const Prepared&, std::string_view, std::string_view);
template std::unique_ptr<Evaluator<float>> make_composite_ldl(const Prepared&, std::string_view, std::string_view);
template std::unique_ptr<Evaluator<Counted>> make_composite_ldl(const Prepared&, std::string_view, std::string_view);
template std::unique_ptr<Evaluator<Expr>> make_composite_ldl(const Prepared&, std::string_view, std::string_view);

Formulation composite_ldl_row() {
  Formulation row = paper_row<TreeLdl, BodyTree>("composite-ldl");
  row.title = "Inertia matrix and bias, solved by LDLᵀ";
  row.citation =
      "S.-K. Lin, A New Composite Body Method for Manipulator Dynamics, J. Robotic Systems 8, 1991 (conclusion); J. L. Turney, T. N. Mudge, C. S. G. Lee, "
      "Equivalence of Two Formulations for Robot Arm Dynamics, University of Michigan, 1980, sec. 7; M. W. Walker, D. E. Orin, JDSMC 104, 1982, "
      "doi:10.1115/1.3139699";
  row.quantities = {Quantity::forward};
  row.growth = {.joints = 3};
  row.takes_wrenches = row.takes_base = true;
  return row;
}

}  // namespace ulna::internal
