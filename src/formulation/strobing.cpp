#include "formulation/strobing.hpp"

#include "formulation/rows.hpp"

namespace ulna {

namespace {

template <class P, class T>
class StrobingEvaluator : public Evaluator<T> {
 public:
  explicit StrobingEvaluator(const Prepared& prepared) : arm_(prepared.dh->cast<P>()) {}
  void mass(const T* q, T* M) override { arm_.mass(q, M); }
  void bias(const T* q, const T* v, T* bias) override { arm_.bias(q, v, bias); }

 private:
  turney::Strobing<P, T> arm_;
};

}  // namespace

Formulation strobing_row() {
  Formulation row{};
  row.id = "strobing";
  row.title = "Inertia matrix and Coriolis coefficients by unit vectors";
  row.citation =
      "J. L. Turney, T. N. Mudge, C. S. G. Lee, Equivalence of two formulations for robot arm dynamics, University of Michigan, 1980, end of sec. 3 and "
      "sec. 7";
  row.quantities = {Quantity::mass, Quantity::bias};
  row.joints = "revolute, prismatic";
  row.topologies = "serial chains";
  row.cost = "O(n^2)";
  row.frames = Frames::dh;
  row.why_not = &takes_chains;
  set_makers<StrobingEvaluator>(row);
  return row;
}

}  // namespace ulna
