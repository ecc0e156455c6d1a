// Two models side by side: every field that differs, as an edit of the first.
#pragma once

#include <optional>
#include <vector>

#include "explain/trial.hpp"

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

}  // namespace ulna::internal
