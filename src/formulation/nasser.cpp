#include "formulation/nasser.hpp"

#include "formulation/rows.hpp"

namespace ulna {

namespace {

template <class P, class T>
class NasserEvaluator : public Evaluator<T> {
 public:
  explicit NasserEvaluator(const Prepared& prepared) : nasser_(prepared.tree.cast<P>()) {}
  void acceleration(const T* q, const T* v, const T* tau, T* a) override { nasser_.acceleration(q, v, tau, a); }

 private:
  Nasser<P, T> nasser_;
};

}  // namespace

Formulation nasser_row() {
  Formulation row{};
  row.id = "nasser";
  row.title = "Nasser's recursive Newton-Euler forward dynamics";
  row.citation =
      "M. G. Nasser, Recursive Newton-Euler Formulation of Manipulator Dynamics, Lockheed Engineering & Sciences Company, 1990, NASA document N90-29862";
  row.quantities = {Quantity::forward};
  row.joints = "revolute and prismatic";
  row.topologies = "any tree";
  row.cost = "O(n)";
  row.carries_drives = true;  // his J_i^a
  row.why_not = &takes_any_tree;
  set_makers<NasserEvaluator>(row);
  return row;
}

}  // namespace ulna
