#include "formulation/uicker_kahn.hpp"

#include "formulation/rows.hpp"

namespace ulna {
namespace {

template <class P, class T>
class UickerKahnEvaluator : public Evaluator<T> {
 public:
  explicit UickerKahnEvaluator(const Prepared& prepared) : formulation_(prepared.dh->template cast<P>()) {}
  void torque(const T* q, const T* v, const T* a, T* tau) override { formulation_.torque(q, v, a, tau); }

 private:
  hollerbach::UickerKahn<P, T> formulation_;
};

}  // namespace

Formulation uicker_kahn_row() {
  Formulation row{};
  row.id = "uicker-kahn";
  row.title = "Lagrange's equations with 4x4 matrices";
  row.citation = "Uicker 1965, Kahn 1969, in Hollerbach 1980, IEEE Trans. SMC-10 (11), eqs 4-5";
  row.quantities = {Quantity::inverse};
  row.joints = "revolute and prismatic";
  row.topologies = "serial chains";
  row.cost = "O(n^4)";
  row.frames = Frames::dh;
  row.why_not = &takes_chains;
  set_makers<UickerKahnEvaluator>(row);
  return row;
}

}  // namespace ulna
