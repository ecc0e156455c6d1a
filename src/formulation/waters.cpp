#include "formulation/waters.hpp"

#include "formulation/rows.hpp"

namespace ulna {
namespace {

template <class P, class T>
class WatersEvaluator : public Evaluator<T> {
 public:
  explicit WatersEvaluator(const Prepared& prepared) : formulation_(prepared.dh->template cast<P>()) {}
  void torque(const T* q, const T* v, const T* a, T* tau) override { formulation_.torque(q, v, a, tau); }

 private:
  hollerbach::Waters<P, T> formulation_;
};

}  // namespace

Formulation waters_row() {
  Formulation row{};
  row.id = "waters";
  row.title = "Lagrange's equations with a backward recursion";
  row.citation = "Waters 1979, in Hollerbach 1980, IEEE Trans. SMC-10 (11), eqs 6-10";
  row.quantities = {Quantity::inverse};
  row.joints = "revolute and prismatic";
  row.topologies = "serial chains";
  row.cost = "O(n^2)";
  row.frames = Frames::dh;
  row.why_not = &takes_chains;
  set_makers<WatersEvaluator>(row);
  return row;
}

}  // namespace ulna
