// `ulna bench --formulations`: the papers' formulations against each other.
#pragma once

#include "cli/arguments.hpp"
#include "programs/interface.hpp"

namespace ulna::cli {

/// The status to exit with.
int bench_formulations(const Arguments& arguments, RaceOptions options);

}  // namespace ulna::cli
