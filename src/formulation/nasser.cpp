#include "formulation/nasser.hpp"

#include "formulation/rows.hpp"

namespace ulna::internal {

Formulation nasser_row() {
  Formulation row = paper_row<Nasser, BodyTree>("nasser");
  row.title = "Nasser's recursive Newton-Euler forward dynamics";
  row.citation =
      "M. G. Nasser, Recursive Newton-Euler Formulation of Manipulator Dynamics, Lockheed Engineering & Sciences Company, 1990, NASA document N90-29862 "
      "(NTRS 19900020546)";
  row.quantities = {Quantity::forward};
  row.carries_drives = true;  // his J_i^a
  row.takes_wrenches = row.takes_base = true;
  return row;
}

}  // namespace ulna::internal
