// ulna derivatives with --by, --times or --weights, or of what has no kernel of its own: by the pass on expressions.
#pragma once

#include "evaluate.hpp"

namespace ulna::cli {

/// Ids of quantities that it is for.
std::vector<std::string> differentiable();
/// --by and the options that go with it.
std::vector<Option> derivative_options();
/// Of the quantity that --of names. Throws UsageError for inputs that it does not take.
Result derivatives_by(Setup& setup, const Arguments& arguments);

}  // namespace ulna::cli
