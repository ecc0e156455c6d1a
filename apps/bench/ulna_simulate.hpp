// Ulna's simulations, as rows to time.
#pragma once

#include "subject.hpp"

namespace ulna::bench {

/// simulate() for one arm, simulate_batch() for many, on one thread and on two; rk4, rows every 10 ms, the audit as always.
void add_simulations(Library& library, const Inputs& inputs);

}  // namespace ulna::bench
