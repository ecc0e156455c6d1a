#include "formulation/kane.hpp"

#include "formulation/joint_names.hpp"
#include "formulation/rows.hpp"

namespace ulna::internal {
namespace {

template <class P, class T>
class Kane {
 public:
  explicit Kane(BodyTree<P> tree) : tree_(std::move(tree)), ws_(tree_) {}

  void torque(const T* q, const T* v, const T* a, T* tau, const Loads<T>& loads) { kane_torque(tree_, ws_, q, v, a, tau, loads); }
  void mass(const T* q, T* M) { kane_mass(tree_, ws_, q, M); }
  void bias(const T* q, const T* v, T* bias, const Loads<T>& loads) { kane_bias(tree_, ws_, q, v, bias, loads); }
  template <class Named>
  void visit(const Named& named) const {
    for (std::size_t i = 0; i < tree_.size(); ++i) JointNames(named, i)("w", ws_.bodies[i].omega);
  }

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
  row.growth = {.joints = 2};
  row.growth_of_mass = {.joints = 3};
  row.takes_wrenches = row.takes_base = true;
  set_makers<Kane, BodyTree>(row);
  return row;
}

}  // namespace ulna::internal
