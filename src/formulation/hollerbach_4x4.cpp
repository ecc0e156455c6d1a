#include "formulation/hollerbach_4x4.hpp"

#include "formulation/rows.hpp"

namespace ulna {
namespace {

template <class P, class T>
class Hollerbach4x4Evaluator : public Evaluator<T> {
 public:
  explicit Hollerbach4x4Evaluator(const Prepared& prepared) : formulation_(prepared.dh->template cast<P>()) {}
  void torque(const T* q, const T* v, const T* a, T* tau) override { formulation_.torque(q, v, a, tau); }

 private:
  hollerbach::Hollerbach4x4<P, T> formulation_;
};

}  // namespace

Formulation hollerbach_4x4_row() {
  Formulation row{};
  row.id = "hollerbach-4x4";
  row.title = "Recursive Lagrangian formulation, 4x4 matrices";
  row.citation = "Hollerbach 1980, IEEE Trans. SMC-10 (11), eqs 12-14";
  row.quantities = {Quantity::inverse};
  row.joints = "revolute and prismatic";
  row.topologies = "serial chains";
  row.cost = "O(n)";
  row.frames = Frames::dh;
  row.why_not = &takes_chains;
  set_makers<Hollerbach4x4Evaluator>(row);
  return row;
}

}  // namespace ulna
