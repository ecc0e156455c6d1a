#include "formulation/horn_raibert.hpp"

#include "formulation/rows.hpp"
#include "formulation/table_evaluator.hpp"

namespace ulna::internal {

const TableMethod& horn_raibert_method() {
  static const TableMethod method{"horn-raibert",
                                  "Horn-Raibert",
                                  "q",
                                  {{1, [](std::size_t n) { return n + n * n + n * n * n; }, &HornRaibert::node<0, double>}},
                                  &HornRaibert::sums<double>};
  return method;
}

Formulation horn_raibert_row() {
  Formulation row = table_row<HornRaibert>();
  row.title = "Configuration space method: tables over q";
  row.citation =
      "B. K. P. Horn, M. H. Raibert, Configuration space control, The Industrial Robot, June 1978, 69-73; as in J. M. Hollerbach, A recursive Lagrangian "
      "formulation of manipulator dynamics, IEEE Trans. SMC-10 (1980) 730-736";
  row.growth = {.joints = 3};
  row.why_no_loads = "its table holds the robot's own gravity, inertia and Coriolis terms over q, on a base at rest";
  return row;
}

}  // namespace ulna::internal
