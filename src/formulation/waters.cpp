#include "formulation/waters.hpp"

#include "formulation/rows.hpp"

namespace ulna::internal {

Formulation waters_row() {
  Formulation row{};
  row.id = "waters";
  row.title = "Lagrange's equations with a backward recursion";
  row.citation = "Waters 1979, in Hollerbach 1980, IEEE Trans. SMC-10 (11), eqs 6-10";
  row.quantities = {Quantity::inverse};
  row.joints = "revolute and prismatic";
  row.growth = {.joints = 2};
  row.takes_wrenches = row.takes_base = true;
  set_makers<hollerbach::Waters, DhChain>(row);
  return row;
}

}  // namespace ulna::internal
