// --limit NAME=N: how much a file may ask for.
#pragma once

#include <ulna/source/load.hpp>

#include "arguments.hpp"

namespace ulna::cli {

Option limit_option();
/// Throws UsageError for a name that there is not, or a value that is no whole number.
ReadLimits limits_of(const Arguments& arguments);

}  // namespace ulna::cli
