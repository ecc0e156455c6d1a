#include "formulation/raibert.hpp"

#include "formulation/rows.hpp"
#include "formulation/table_evaluator.hpp"

namespace ulna::internal {

const TableMethod& raibert_method() {
  static const TableMethod method{
      "raibert",
      "Raibert",
      "q, v",
      {{1, [](std::size_t n) { return n * n; }, &Raibert::node<0, double>}, {2, [](std::size_t n) { return n; }, &Raibert::node<1, double>}},
      &Raibert::sums<double>};
  return method;
}

Formulation raibert_row() {
  Formulation row = table_row<Raibert>();
  row.title = "State space memory: tables over q and v";
  row.citation =
      "M. H. Raibert, A model for sensorimotor control and learning, Biological Cybernetics 29 (1978) 29-36; as in J. M. Hollerbach, A recursive Lagrangian "
      "formulation of manipulator dynamics, IEEE Trans. SMC-10 (1980) 730-736";
  row.growth = {.joints = 2};
  row.why_no_loads = "its tables hold the robot's own inertia over q and all other terms over q and v, on a base at rest";
  return row;
}

}  // namespace ulna::internal
