#include "formulation/composite_ldl.hpp"

#include "formulation/rows.hpp"

namespace ulna::internal {

namespace {

/// The solver on the composite bodies of a tree.
template <class P, class T>
class TreeLdl : public CompositeLdl<P, T> {
 public:
  explicit TreeLdl(const BodyTree<P>& tree) : CompositeLdl<P, T>(CompositeBodies<P, T>(tree), rotors(tree)) {}
};

}  // namespace

Formulation composite_ldl_row() {
  Formulation row = paper_row<TreeLdl, BodyTree>("composite-ldl");
  row.title = "Inertia matrix and bias, solved by LDLᵀ";
  row.citation =
      "S.-K. Lin, A New Composite Body Method for Manipulator Dynamics, J. Robotic Systems 8, 1991 (conclusion); J. L. Turney, T. N. Mudge, C. S. G. Lee, "
      "Equivalence of Two Formulations for Robot Arm Dynamics, University of Michigan, 1980, sec. 7; M. W. Walker, D. E. Orin, JDSMC 104, 1982, "
      "doi:10.1115/1.3139699";
  row.quantities = {Quantity::forward};
  row.growth = {.joints = 3};
  row.takes_wrenches = row.takes_base = true;
  return row;
}

}  // namespace ulna::internal
