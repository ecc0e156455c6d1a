#include "formulation/newton_euler_base.hpp"

#include "formulation/rows.hpp"

namespace ulna::internal {

Formulation newton_euler_base_row() {
  Formulation row = paper_row<hollerbach::NewtonEulerBase, DhChain>("newton-euler-base");
  row.title = "Recursive Newton-Euler formulation in base coordinates";
  row.citation = "Luh, Walker & Paul 1979, in Hollerbach 1980, IEEE Trans. SMC-10 (11)";
  row.quantities = {Quantity::inverse};
  row.joints = "revolute, and prismatic (added)";
  row.takes_wrenches = row.takes_base = true;
  return row;
}

}  // namespace ulna::internal
