#include "formulation/newton_euler.hpp"

#include "formulation/rows.hpp"

namespace ulna::internal {

Formulation newton_euler_row() {
  Formulation row = paper_row<turney::NewtonEuler, DhChain>("newton-euler");
  row.title = "Newton-Euler recursion in link coordinates";
  row.citation =
      "J. Y. S. Luh, M. W. Walker, R. P. C. Paul, On-line computational scheme for mechanical manipulators, Trans. ASME J. Dynamic Systems, Measurement, "
      "and Control 102 (1980) 69-76, doi:10.1115/1.3149599; as in J. L. Turney, T. N. Mudge, C. S. G. Lee, Equivalence of two formulations for robot arm "
      "dynamics, University of Michigan, 1980, eqs 3.15-3.21";
  row.quantities = {Quantity::inverse};
  row.joints = "revolute, prismatic";
  row.takes_wrenches = row.takes_base = true;
  return row;
}

}  // namespace ulna::internal
