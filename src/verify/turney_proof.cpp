#include "verify/turney_proof.hpp"

#include "verify/proof_lines.hpp"

namespace ulna::internal::proof {

Row turney_row() {
  return {{"turney", "Newton and Euler's recursion and Lagrange's equations with 4x4 matrices give the same torques",
           "J. L. Turney, T. N. Mudge, C. S. G. Lee, Equivalence of two formulations for robot arm dynamics, University of Michigan, 1980, secs 2 and 4"},
          &turney_lines<Rounded<double>>,
          &turney_lines<Expr>};
}

}  // namespace ulna::internal::proof
