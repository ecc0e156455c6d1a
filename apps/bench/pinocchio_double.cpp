#include "pinocchio_library.hpp"
#include "pinocchio_rows.hpp"

namespace ulna::bench {

Library pinocchio_library(const Inputs& inputs) {
  const pinocchio::Model model = pinocchio_model(inputs.model);
  Library library{ULNA_BENCH_NAME, PINOCCHIO_VERSION, ULNA_BENCH_COMPILER, ULNA_BENCH_FLAGS};
  library.place = pinocchio_places(inputs.model, model);
  const States<double> states = pinocchio_states(inputs, library);
  add_pinocchio_rows<double>(library, model, states);
#ifdef ULNA_BENCH_FLOAT
  add_pinocchio_float_rows(library, model, states);
#endif
  return library;
}

}  // namespace ulna::bench
