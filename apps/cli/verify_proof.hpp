// 'ulna verify MODEL --proof NAME': a paper's derivation, executed.
#pragma once

#include "arguments.hpp"

namespace ulna::cli {

/// Returns the exit status.
int run_proof(const Arguments& arguments);

}  // namespace ulna::cli
