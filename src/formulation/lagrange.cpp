#include "formulation/lagrange.hpp"

#include "formulation/rows.hpp"

namespace ulna {

namespace {

template <class P, class T>
class LagrangeEvaluator : public Evaluator<T> {
 public:
  explicit LagrangeEvaluator(const Prepared& prepared) : arm_(prepared.dh->cast<P>()) {}
  void torque(const T* q, const T* v, const T* a, T* tau) override { arm_.torque(q, v, a, tau); }
  void mass(const T* q, T* M) override { arm_.mass(q, M); }
  void bias(const T* q, const T* v, T* bias) override { arm_.bias(q, v, bias); }

 private:
  turney::Lagrange<P, T> arm_;
};

}  // namespace

Formulation lagrange_row() {
  Formulation row{};
  row.id = "lagrange";
  row.title = "Lagrange's equations with 4x4 matrices, shared fragments";
  row.citation =
      "J. L. Turney, T. N. Mudge, C. S. G. Lee, Equivalence of two formulations for robot arm dynamics, University of Michigan, 1980, sec. 2 and appendix "
      "(after R. A. Lewis, JPL Technical Memo 33-679, 1974)";
  row.quantities = {Quantity::inverse, Quantity::mass, Quantity::bias};
  row.joints = "revolute, prismatic";
  row.topologies = "serial chains";
  row.cost = "O(n^3)";
  row.frames = Frames::dh;
  row.why_not = &takes_chains;
  set_makers<LagrangeEvaluator>(row);
  return row;
}

}  // namespace ulna
