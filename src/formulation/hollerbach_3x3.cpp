#include "formulation/hollerbach_3x3.hpp"

#include "formulation/rows.hpp"

namespace ulna {
namespace {

template <class P, class T>
class Hollerbach3x3Evaluator : public Evaluator<T> {
 public:
  explicit Hollerbach3x3Evaluator(const Prepared& prepared) : formulation_(prepared.dh->template cast<P>()) {}
  void torque(const T* q, const T* v, const T* a, T* tau) override { formulation_.torque(q, v, a, tau); }

 private:
  hollerbach::Hollerbach3x3<P, T> formulation_;
};

}  // namespace

Formulation hollerbach_3x3_row() {
  Formulation row{};
  row.id = "hollerbach-3x3";
  row.title = "Recursive Lagrangian formulation, 3x3 matrices";
  row.citation = "Hollerbach 1980, IEEE Trans. SMC-10 (11), eqs 15-18, corrected";
  row.quantities = {Quantity::inverse};
  row.joints = "revolute, and prismatic (added)";
  row.topologies = "serial chains";
  row.cost = "O(n)";
  row.frames = Frames::dh;
  row.why_not = &takes_chains;
  set_makers<Hollerbach3x3Evaluator>(row);
  return row;
}

}  // namespace ulna
