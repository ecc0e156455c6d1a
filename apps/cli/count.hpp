// The three things that `ulna count` does, a file each.
#pragma once

#include "arguments.hpp"
#include "json.hpp"
#include "programs/interface.hpp"

namespace ulna::cli {

/// --drop: terms of the inverse dynamics that never matter.
int count_without_small_terms(const Arguments& arguments);
/// --grow: how costs grow with the number of joints.
int count_growth(const Arguments& arguments);

/// "282 mul, 272 add, 7 sincos"; divisions only where there are some.
std::string counts_text(const OperationCounts& counts);

}  // namespace ulna::cli
