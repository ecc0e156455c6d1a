#include "pinocchio_rows.hpp"

namespace ulna::bench {

void add_pinocchio_float_rows(Library& library, const pinocchio::Model& model, const States<double>& states) {
  add_pinocchio_rows<float>(library, model, states);
}

}  // namespace ulna::bench
