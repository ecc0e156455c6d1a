#include "formulation/albus.hpp"

#include "formulation/rows.hpp"
#include "formulation/table_evaluator.hpp"

namespace ulna::internal {

const TableMethod& albus_method() {
  static const TableMethod method{"albus", "Albus", "q, v, a", {{3, [](std::size_t n) { return n; }, &Albus::node<0, double>}}, &Albus::sums<double>};
  return method;
}

Formulation albus_row() {
  Formulation row = table_row<Albus>();
  row.title = "Torques from memory: a table over q, v and a";
  row.citation =
      "J. S. Albus, A new approach to manipulator control: the cerebellar model articulation controller (CMAC), J. Dynamic Systems, Measurement, and Control "
      "97 "
      "(1975) 270-277; as in J. M. Hollerbach, A recursive Lagrangian formulation of manipulator dynamics, IEEE Trans. SMC-10 (1980) 730-736";
  row.growth = {.joints = 0};
  row.why_no_loads = "its table holds the robot's own torques over q, v and a, on a base at rest";
  return row;
}

}  // namespace ulna::internal
