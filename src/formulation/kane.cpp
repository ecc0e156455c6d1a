#include "formulation/kane.hpp"

#include "formulation/rows.hpp"

namespace ulna {
namespace {

template <class P, class T>
class Kane : public Evaluator<T> {
 public:
  explicit Kane(const Prepared& prepared) : tree_(prepared.tree.template cast<P>()), ws_(tree_) {}

  void torque(const T* q, const T* v, const T* a, T* tau) override { kane_torque(tree_, ws_, q, v, a, tau); }
  void mass(const T* q, T* M) override { kane_mass(tree_, ws_, q, M); }
  void bias(const T* q, const T* v, T* bias) override { kane_bias(tree_, ws_, q, v, bias); }

 private:
  BodyTree<P> tree_;
  KaneWorkspace<T> ws_;
};

}  // namespace

Formulation kane_row() {
  Formulation row{};
  row.id = "kane";
  row.title = "Kane's dynamical equations: partial velocities and generalized forces";
  row.citation =
      "T. R. Kane, D. A. Levinson, \"The use of Kane's dynamical equations in robotics\", International Journal of Robotics Research 2(3), 1983, pp. 3-21";
  row.quantities = {Quantity::inverse, Quantity::mass, Quantity::bias};
  row.joints = "revolute and prismatic, in any mixture";
  row.topologies = "any tree";
  row.cost = "O(n^2), mass O(n^3)";
  row.why_not = &takes_any_tree;
  set_makers<Kane>(row);
  return row;
}

}  // namespace ulna
