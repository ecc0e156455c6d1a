#include "formulation/hollerbach_4x4.hpp"

#include "formulation/rows.hpp"

namespace ulna::internal {

Formulation hollerbach_4x4_row() {
  Formulation row = paper_row<hollerbach::Hollerbach4x4, DhChain>("hollerbach-4x4");
  row.title = "Recursive Lagrangian formulation, 4x4 matrices";
  row.citation = "Hollerbach 1980, IEEE Trans. SMC-10 (11), eqs 12-14";
  row.quantities = {Quantity::inverse};
  row.takes_wrenches = row.takes_base = true;
  return row;
}

}  // namespace ulna::internal
