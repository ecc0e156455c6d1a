#include "verify/lin_proof.hpp"

#include "verify/proof_lines.hpp"

namespace ulna::internal::proof {

Row lin_row() {
  return {{"lin", "Inertia matrix and bias by composite bodies, from the forces of one and of two moving joints",
           "S.-K. Lin, A new composite body method for manipulator dynamics, J. Robotic Systems 8(2), 197-219, 1991, eqs 2-67"},
          &lin_lines<Rounded<double>>,
          &lin_lines<Expr>};
}

}  // namespace ulna::internal::proof
