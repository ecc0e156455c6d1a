// Causes by mechanics alone: what could be wrong with a model or with a program, tried on the numbers.
#pragma once

#include <vector>

#include "explain/comparison.hpp"

namespace ulna::internal {

/// Edits of the trial that take the difference away, or as much of it as can be named. Tried one at a time, then two; then one after the other, each the one
/// that takes most, with all numbers fitted together.
std::vector<Edit> explain_by_mechanics(const Comparison& comparison, const Model& model, const Trial& trial, double tolerance);

}  // namespace ulna::internal
