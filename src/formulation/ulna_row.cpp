// The production path of include/ulna/dynamics as a row of the registry: what every paper's formulation is compared with.
#include <type_traits>

#include <ulna/dynamics/compute-inl.hpp>
#include <ulna/model/variants.hpp>

#include "formulation/rows.hpp"
#include "formulation/tree_loads.hpp"

namespace ulna {

namespace {

/// A base at rest in literal zeros, so that a counting scalar does not count sums with them.
template <class T>
EffectsOf<T> at_rest(bool rotor) {
  EffectsOf<T> effects;
  effects.rotor = rotor;
  effects.base = {zero_vector<T>(), zero_vector<T>(), zero_vector<T>(), zero_vector<T>()};
  return effects;
}

template <class P, class T>
class UlnaEvaluator : public Evaluator<T> {
 public:
  explicit UlnaEvaluator(const Prepared& prepared)
      : plan_(make_plan(with_free_mimics(prepared.model), {.snap = prepared.snap, .lumping = PlanOptions{}.lumping}).template cast<P>()),
        ws_(plan_),
        bodies_(at_rest<T>(false)),
        with_rotor_(at_rest<T>(true)) {}

  void compute(Quantity quantity, const InputsOf<T>& in, T* out) override {
    InputsOf<T> own = in;
    // Which way to accelerations is faster is a question of the machine; what it costs is asked of this one.
    own.method = std::is_floating_point_v<T> ? ForwardMethod::automatic : ForwardMethod::mass_matrix;
    kernel::compute(quantity, plan_, ws_, own, out, quantity == Quantity::forward ? with_rotor_ : bodies_);
  }

 private:
  PlanOf<P> plan_;
  WorkspaceOf<T> ws_;
  EffectsOf<T> bodies_;
  EffectsOf<T> with_rotor_;
};

}  // namespace

Formulation ulna_row() {
  Formulation row{};
  row.id = "ulna";
  row.title = "Production path: modified Newton-Euler on lumped parameters, composite bodies, articulated bodies";
  row.citation =
      "Ulna; after J. L. Turney, T. N. Mudge, C. S. G. Lee, University of Michigan, 1980, sec. 5 (torque, bias); M. W. Walker, D. E. Orin, JDSMC 104, 1982, "
      "doi:10.1115/1.3139699 (mass); S. Echeandia, P. M. Wensing, J. Computational and Nonlinear Dynamics 16(9), 2021 (coriolis); "
      "R. Featherstone, Int. J. Robotics Research 2(1), 1983, doi:10.1177/027836498300200102 (acceleration)";
  row.quantities = {Quantity::inverse, Quantity::mass, Quantity::bias, Quantity::coriolis, Quantity::forward};
  row.joints = "revolute and prismatic";
  row.topologies = "any tree";
  row.growth_of_mass = {.joints = 1, .depth = 1};
  row.production = true;
  row.why_not = &takes_any_tree;
  row.make_double = &make_evaluator<UlnaEvaluator, double, double>;
  row.make_float = &make_evaluator<UlnaEvaluator, float, float>;
  row.make_counted = &make_evaluator<UlnaEvaluator, double, Counted>;
  row.make_expr = &make_evaluator<UlnaEvaluator, double, Expr>;
  return row;
}

}  // namespace ulna
