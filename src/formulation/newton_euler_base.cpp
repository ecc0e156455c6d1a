#include "formulation/newton_euler_base.hpp"

#include "formulation/rows.hpp"

namespace ulna::internal {

namespace {

Formulation newton_euler_in(Formulation row) {
  row.citation = "Luh, Walker & Paul 1979, in Hollerbach 1980, IEEE Trans. SMC-10 (11)";
  row.quantities = {Quantity::inverse};
  row.joints = "revolute, and prismatic (added)";
  row.takes_wrenches = row.takes_base = true;
  return row;
}

}  // namespace

Formulation newton_euler_base_row() {
  Formulation row = newton_euler_in(paper_row<hollerbach::NewtonEulerBase, DhChain>("newton-euler-base"));
  row.title = "Recursive Newton-Euler formulation in base coordinates";
  return row;
}
Formulation newton_euler_link_row() {
  Formulation row = newton_euler_in(paper_row<hollerbach::NewtonEulerLink, DhChain>("newton-euler-link"));
  row.title = "Recursive Newton-Euler formulation referred to link coordinates, in Hollerbach's form";
  return row;
}

}  // namespace ulna::internal
