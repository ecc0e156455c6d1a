#include "formulation/kane_loops.hpp"

#include "formulation/paper_quantity.hpp"
#include "formulation/rows.hpp"

namespace ulna::internal {
namespace {

template <class P, class T>
class Kane {
 public:
  explicit Kane(BodyTree<P> tree) : tree_(std::move(tree)), ws_(tree_) {
    if (tree_.loops) loops_.emplace(tree_);
  }

  // With loops v and a are those of the independent joints, and so are the results.
  void torque(const T* q, const T* v, const T* a, T* tau, const Loads<T>& loads) {
    if (loops_) return loops_->torque(tree_, ws_, q, v, a, tau, loads);
    kane_torque(tree_, ws_, q, v, a, tau, loads);
  }
  void mass(const T* q, T* M) {
    if (loops_) return loops_->mass(tree_, ws_, q, M);
    kane_mass(tree_, ws_, q, M);
  }
  void bias(const T* q, const T* v, T* bias, const Loads<T>& loads) { torque(q, v, nullptr, bias, loads); }
  Completed<T> completed() const { return loops_ ? Completed<T>{loops_->v(), loops_->a(), loops_->G()} : Completed<T>{}; }
  /// Those of the last call: partial velocities, and of torque and bias the motion, too.
  void visit(const PaperVisitor<T>& shown) const {
    static constexpr PaperSymbol omega_r{"omega", "partial angular velocity of body R, numbered Rr", "coefficient of u(r)  (23)"},
        v_r{"v", "partial velocity of its mass centre, numbered Rr", "coefficient of u(r)  (44)"}, omega{"omega", "angular velocity", "sum omega(Rr) u(r)"},
        alpha_t{"alpha", "angular acceleration while all u' are zero", "(56 to 60)", 0, "t"},
        a_t{"a", "acceleration of the mass centre while all u' are zero", "(71 to 75)", 0, "t"};
    const PaperQuantities<T> show(shown);
    for (std::size_t i = 0; i < tree_.size(); ++i)
      for (const std::size_t r : ws_.bodies[i].moved_by) {
        show(omega_r, {i + 1, r + 1}, ws_.bodies[i].omega_r[r]);
        show(v_r, {i + 1, r + 1}, ws_.bodies[i].v_r[r]);
      }
    for (std::size_t i = 0; i < tree_.size(); ++i) {
      show(omega, {i + 1}, ws_.bodies[i].omega);
      show(alpha_t, {i + 1}, ws_.bodies[i].alpha_t);
      show(a_t, {i + 1}, ws_.bodies[i].a_t);
    }
  }

 private:
  BodyTree<P> tree_;
  KaneWorkspace<T> ws_;
  std::optional<KaneLoops<P, T>> loops_;
};

}  // namespace

Formulation kane_row() {
  Formulation row = paper_row<Kane, BodyTree>("kane");
  row.title = "Kane's dynamical equations: partial velocities and generalized forces";
  row.citation =
      "T. R. Kane, D. A. Levinson, \"The use of Kane's dynamical equations in robotics\", International Journal of Robotics Research 2(3), 1983, pp. 3-21";
  row.quantities = {Quantity::inverse, Quantity::mass, Quantity::bias};
  row.joints = "revolute and prismatic, in any mixture";
  row.growth = {.joints = 2};
  row.growth_of_mass = {.joints = 3};
  row.takes_wrenches = row.takes_base = row.takes_loops = true;
  return row;
}

}  // namespace ulna::internal
