#include "formulation/walker_orin.hpp"

#include "formulation/rows.hpp"

namespace ulna {
namespace {

template <class P, class T>
class WalkerOrinEvaluator : public Evaluator<T> {
 public:
  explicit WalkerOrinEvaluator(const Prepared& prepared) : formulation_(prepared.tree.template cast<P>()) {}
  void mass(const T* q, T* M) override {
    formulation_.set_configuration(q);
    formulation_.mass(M);
  }

 private:
  composite_body::WalkerOrin<P, T> formulation_;
};

}  // namespace

Formulation walker_orin_row() {
  Formulation row{};
  row.id = "walker-orin";
  row.title = "Inertia matrix by composite rigid bodies";
  row.citation =
      "M. W. Walker and D. E. Orin, Efficient dynamic computer simulation of robotic mechanisms, ASME J. Dyn. Syst. Meas. Control 104, 205-211, 1982";
  row.quantities = {Quantity::mass};
  row.joints = "revolute and prismatic";
  row.topologies = "any tree";
  row.cost = "O(n d)";
  row.why_not = &takes_any_tree;
  set_makers<WalkerOrinEvaluator>(row);
  return row;
}

}  // namespace ulna
