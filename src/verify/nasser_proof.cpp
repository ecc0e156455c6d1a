#include "verify/nasser_proof.hpp"

#include "verify/proof_lines.hpp"

namespace ulna::internal::proof {

Row nasser_row() {
  return {{"nasser", "Newton's and Euler's laws of each link, to the recursion of its inertia A* and bias B*",
           "M. G. Nasser, Recursive Newton-Euler formulation of manipulator dynamics, NASA document N90-29862, 1990, eqs 2.1.1-2.2.7"},
          &nasser_lines<Rounded<double>>,
          &nasser_lines<Expr>};
}

}  // namespace ulna::internal::proof
