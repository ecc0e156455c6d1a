// `ulna bench --formulations`: the papers' formulations against each other.
#pragma once

#include "arguments.hpp"

namespace ulna::cli {

/// The status to exit with.
int bench_formulations(const Arguments& arguments, double seconds);

}  // namespace ulna::cli
