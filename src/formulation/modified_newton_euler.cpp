#include "formulation/modified_newton_euler.hpp"

#include "formulation/rows.hpp"

namespace ulna::internal {

Formulation modified_newton_euler_row() {
  Formulation row = paper_row<turney::ModifiedNewtonEuler, DhChain>("modified-newton-euler");
  row.title = "Newton-Euler recursion with the matrices A and K";
  row.citation = "J. L. Turney, T. N. Mudge, C. S. G. Lee, Equivalence of two formulations for robot arm dynamics, University of Michigan, 1980, sec. 5";
  row.quantities = {Quantity::inverse};
  row.joints = "revolute, prismatic";
  row.takes_wrenches = row.takes_base = true;
  return row;
}

}  // namespace ulna::internal
