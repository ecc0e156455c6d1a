#include "formulation/renaud.hpp"

#include "formulation/counting.hpp"
#include "formulation/rows.hpp"

namespace ulna::internal {

Formulation renaud_row() {
  Formulation row = paper_row<composite_body::Renaud, MdhChain>("renaud");
  row.title = "Inertia matrix and bias by Renaud's augmented bodies";
  row.citation = "M. Renaud 1986, in Dynamics of Multibody Systems, pp. 201-212; as in S.-K. Lin, J. Robotic Systems 8(2), 197-219, 1991, Figure A1";
  row.quantities = {Quantity::mass, Quantity::bias, Quantity::gravity, Quantity::coriolis};
  row.growth = {.joints = 2};
  row.why_no_loads = "its bias is made of the links' velocities and weight, seen from a base at rest";
  row.count = [](Quantity quantity, const Prepared& robot) {
    if (quantity != Quantity::mass) return count_evaluator(row_of(&renaud_row), quantity, robot);
    return count_mass(composite_body::Renaud<double, Counted>(*robot.forms().mdh));
  };
  return row;
}

}  // namespace ulna::internal
