// What commands compute of a robot with loops: by Mechanism, at the independent joints.
#pragma once

#include "evaluate.hpp"

namespace ulna::cli {

bool takes_loops(Quantity quantity);

/// Fills in what a robot with loops needs; throws UsageError for options that do not go with it.
void close_loops(Setup& setup, Mechanism mechanism, const Arguments& arguments);

/// Instead of a computation's own. Every state is closed; what cannot be is refused before anything is written.
Result closed_result(const Setup& setup, Quantity quantity);

}  // namespace ulna::cli
