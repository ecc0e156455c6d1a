// Causes of a difference, as edits of a trial: of two models side by side, or by mechanics alone.
#pragma once

#include <optional>
#include <vector>

#include "explain/comparison.hpp"

namespace ulna::internal {

/// Which joint of B each moving joint of A is; of the coordinates, which coordinate of B.
struct Matching {
  std::vector<std::size_t> joints;       // by joint of A; kNone: none, or fixed
  std::vector<std::size_t> coordinates;  // by coordinate of A
  bool by_name = true;                   // else by the order of the two files
};
/// By name, where both have the same; with other prefixes ("panda_joint1" is "joint1"); else by order. Empty when the numbers differ.
std::optional<Matching> match(const Model& a, const Model& b);
/// The first moving joint of A is the first of B, and so on.
std::optional<Matching> match_by_order(const Model& a, const Model& b);

/// The edits that make A's motion B's. Empty when their trees differ.
std::optional<std::vector<Edit>> compare_structure(const Model& a, const Model& b, const Matching& matching);

/// What could be wrong with a model or with a program, tried on the numbers: edits of the trial that take the difference away, or as much of it as can be
/// named. Tried one at a time, then two; then one after the other, each the one that takes most, with all numbers fitted together.
std::vector<Edit> explain_by_mechanics(const Comparison& comparison, const Model& model, const Trial& trial, double tolerance);

}  // namespace ulna::internal
