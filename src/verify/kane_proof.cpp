#include "verify/kane_proof.hpp"

#include "verify/proof_lines.hpp"

namespace ulna::internal::proof {

Row kane_row() {
  return {{"kane", "Kane's dynamical equations, from the particles of bodies and all forces between these",
           "T. R. Kane, D. A. Levinson, The use of Kane's dynamical equations in robotics, International Journal of Robotics Research 2(3), 1983, 3-21, eqs "
           "76-117"},
          &kane_lines<Rounded<double>>,
          &kane_lines<Expr>};
}

}  // namespace ulna::internal::proof
