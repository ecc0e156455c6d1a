#include "formulation/uicker_kahn.hpp"

#include "formulation/rows.hpp"

namespace ulna::internal {

Formulation uicker_kahn_row() {
  Formulation row = paper_row<hollerbach::UickerKahn, DhChain>("uicker-kahn");
  row.title = "Lagrange's equations with 4x4 matrices";
  row.citation = "Uicker 1965, Kahn 1969, in Hollerbach 1980, IEEE Trans. SMC-10 (11), eqs 4-5";
  row.quantities = {Quantity::inverse};
  row.growth = {.joints = 4};
  row.takes_wrenches = true;
  row.why_no_loads = "its eq. 4 has the velocities of the joints only, and not that of the base";
  return row;
}

}  // namespace ulna::internal
