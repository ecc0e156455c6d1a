#include "formulation/modified_newton_euler.hpp"

#include "formulation/rows.hpp"

namespace ulna {

namespace {

template <class P, class T>
class ModifiedNewtonEulerEvaluator : public Evaluator<T> {
 public:
  explicit ModifiedNewtonEulerEvaluator(const Prepared& prepared) : arm_(prepared.dh->cast<P>()) {}
  void torque(const T* q, const T* v, const T* a, T* tau) override { arm_.torque(q, v, a, tau); }

 private:
  turney::ModifiedNewtonEuler<P, T> arm_;
};

}  // namespace

Formulation modified_newton_euler_row() {
  Formulation row{};
  row.id = "modified-newton-euler";
  row.title = "Newton-Euler recursion with the matrices A and K";
  row.citation = "J. L. Turney, T. N. Mudge, C. S. G. Lee, Equivalence of two formulations for robot arm dynamics, University of Michigan, 1980, sec. 5";
  row.quantities = {Quantity::inverse};
  row.joints = "revolute, prismatic";
  row.topologies = "serial chains";
  row.cost = "O(n)";
  row.frames = Frames::dh;
  row.why_not = &takes_chains;
  set_makers<ModifiedNewtonEulerEvaluator>(row);
  return row;
}

}  // namespace ulna
