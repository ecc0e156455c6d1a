#include "formulation/lagrange.hpp"

#include "formulation/rows.hpp"

namespace ulna::internal {

Formulation lagrange_row() {
  Formulation row = paper_row<turney::Lagrange, DhChain>("lagrange");
  row.title = "Lagrange's equations with 4x4 matrices, shared fragments";
  row.citation =
      "J. L. Turney, T. N. Mudge, C. S. G. Lee, Equivalence of two formulations for robot arm dynamics, University of Michigan, 1980, sec. 2 and appendix "
      "(after R. A. Lewis, JPL Technical Memo 33-679, 1974)";
  row.quantities = {Quantity::inverse, Quantity::mass, Quantity::bias, Quantity::gravity, Quantity::coriolis};
  row.joints = "revolute, prismatic";
  row.growth = {.joints = 3};
  row.takes_wrenches = true;
  row.why_no_loads = "its eq. 2.11 has the velocities of the joints only, and not that of the base";
  return row;
}

}  // namespace ulna::internal
