#include "formulation/newton_euler_base.hpp"

#include "formulation/rows.hpp"

namespace ulna {
namespace {

template <class P, class T>
class NewtonEulerBaseEvaluator : public Evaluator<T> {
 public:
  explicit NewtonEulerBaseEvaluator(const Prepared& prepared) : formulation_(prepared.dh->template cast<P>()) {}
  void torque(const T* q, const T* v, const T* a, T* tau) override { formulation_.torque(q, v, a, tau); }

 private:
  hollerbach::NewtonEulerBase<P, T> formulation_;
};

}  // namespace

Formulation newton_euler_base_row() {
  Formulation row{};
  row.id = "newton-euler-base";
  row.title = "Recursive Newton-Euler formulation in base coordinates";
  row.citation = "Luh, Walker & Paul 1979, in Hollerbach 1980, IEEE Trans. SMC-10 (11)";
  row.quantities = {Quantity::inverse};
  row.joints = "revolute, and prismatic (added)";
  row.topologies = "serial chains";
  row.cost = "O(n)";
  row.frames = Frames::dh;
  row.why_not = &takes_chains;
  set_makers<NewtonEulerBaseEvaluator>(row);
  return row;
}

}  // namespace ulna
