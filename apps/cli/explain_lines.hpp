// `ulna explain MODEL --intermediates FILE`: the lines of an implementation of a formulation.
#pragma once

#include <vector>

#include "arguments.hpp"

namespace ulna::cli {

std::vector<Option> explain_lines_options();
int explain_lines(const Arguments& arguments);

}  // namespace ulna::cli
