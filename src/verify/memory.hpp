// What verifying a robot takes, before it is begun.
#pragma once

#include <string>

#include <ulna/formulation/formulation.hpp>

namespace ulna::internal {

/// Empty when there is memory for it; else which limit it would exceed, and what to do.
std::string why_too_large(const Model& model, const Prepared& prepared);

}  // namespace ulna::internal
