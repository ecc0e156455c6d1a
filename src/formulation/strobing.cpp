#include "formulation/strobing.hpp"

#include "formulation/rows.hpp"

namespace ulna::internal {

Formulation strobing_row() {
  Formulation row = paper_row<turney::Strobing, DhChain>("strobing");
  row.title = "Inertia matrix and Coriolis coefficients by unit vectors";
  row.citation =
      "J. L. Turney, T. N. Mudge, C. S. G. Lee, Equivalence of two formulations for robot arm dynamics, University of Michigan, 1980, end of sec. 3 and "
      "sec. 7";
  row.quantities = {Quantity::mass, Quantity::bias, Quantity::gravity, Quantity::coriolis};
  row.joints = "revolute, prismatic";
  row.growth = {.joints = 2};
  row.takes_wrenches = row.takes_base = row.superposes_runs = true;
  return row;
}

}  // namespace ulna::internal
