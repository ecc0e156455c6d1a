// The production path of src/dynamics as a row of the registry: what every paper's formulation is compared with.
#include <type_traits>

#include "formulation/kernel_quantities.hpp"
#include "formulation/rows.hpp"
#include "trace/compute_expr.hpp"

namespace ulna::internal {

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
        wrenches_(plan_.bodies.size()) {
    // Wrenches are given on links; here they are given on bodies, at their mass centres.
    const std::vector<TreeBody<double>>& bodies = prepared.forms().tree.bodies;
    plan_.links.clear();
    for (std::size_t i = 0; i < bodies.size(); ++i) {
      wrenches_[i].link = i;
      plan_.links.push_back({i, {Mat3<P>::identity(), bodies[i].com.template cast<P>()}});
    }
  }

  void compute(Quantity quantity, const InputsOf<T>& in, T* out, const Loads<T>& loads) override {
    InputsOf<T> own = in;
    // The faster method for accelerations depends on the machine; operations are counted for this one.
    own.method = std::is_floating_point_v<T> ? ForwardMethod::automatic : ForwardMethod::mass_matrix;
    EffectsOf<T> effects = at_rest<T>(row_of(quantity).takes("tau"));
    if (loads.base) effects.base = {loads.base->w, zero_vector<T>(), loads.base->dw, loads.base->dv};
    for (std::size_t i = 0; i < loads.links.size(); ++i) wrenches_[i].force = loads.links[i].F, wrenches_[i].moment = loads.links[i].N;
    if (!loads.links.empty()) effects.wrenches = wrenches_;
    kernel::compute(quantity, plan_, ws_, own, out, effects);
    computed_ = quantity;
  }
  void visit(const PaperVisitor<T>& shown) const override {
    if constexpr (std::is_same_v<T, double> || std::is_same_v<T, Expr>) show_kernel(ws_, computed_, PaperQuantities<T>(shown));
  }

 private:
  PlanOf<P> plan_;
  WorkspaceOf<T> ws_;
  std::vector<WrenchOf<T>> wrenches_;
  Quantity computed_{};
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
  row.quantities = {Quantity::inverse,
                    Quantity::mass,
                    Quantity::bias,
                    Quantity::gravity,
                    Quantity::coriolis,
                    Quantity::forward,
                    Quantity::inverse_derivatives,
                    Quantity::forward_derivatives};
  row.joints = "revolute and prismatic";
  row.topologies = "any tree";
  row.growth_of_mass = {.joints = 1, .depth = 1};
  row.production = true;
  row.takes_wrenches = row.takes_base = true;
  row.why_not = &takes_any_tree;
  row.make_double = &make_evaluator<UlnaEvaluator, double, double>;
  row.make_float = &make_evaluator<UlnaEvaluator, float, float>;
  row.make_counted = &make_evaluator<UlnaEvaluator, double, Counted>;
  row.make_expr = &make_evaluator<UlnaEvaluator, double, Expr>;
  return row;
}

}  // namespace ulna::internal
