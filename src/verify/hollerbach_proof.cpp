#include "verify/hollerbach_proof.hpp"

#include "verify/proof_lines.hpp"

namespace ulna::internal::proof {

Row hollerbach_row() {
  return {{"hollerbach", "Lagrange's equations with 3x3 rotations, from the kinetic energy of a particle",
           "J. M. Hollerbach, A recursive Lagrangian formulation of manipulator dynamics and a comparative study of dynamics formulation complexity, IEEE "
           "Transactions on Systems, Man, and Cybernetics SMC-10 (1980) 730-736, appendices A and B"},
          &hollerbach_lines<Rounded<double>>,
          &hollerbach_lines<Expr>};
}

}  // namespace ulna::internal::proof
