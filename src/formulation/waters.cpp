#include "formulation/waters.hpp"

#include "formulation/rows.hpp"

namespace ulna::internal {

Formulation waters_row() {
  Formulation row = paper_row<hollerbach::Waters, DhChain>("waters");
  row.title = "Lagrange's equations with a backward recursion";
  row.citation = "Waters 1979, in Hollerbach 1980, IEEE Trans. SMC-10 (11), eqs 6-10";
  row.quantities = {Quantity::inverse};
  row.growth = {.joints = 2};
  row.takes_wrenches = row.takes_base = true;
  return row;
}

}  // namespace ulna::internal
