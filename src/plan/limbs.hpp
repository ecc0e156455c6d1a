// Arms and legs that are alike.
#pragma once

#include <utility>
#include <vector>

#include <ulna/plan/plan.hpp>

namespace ulna::internal {

/// Bodies, two and two, of branches of the same shape that hang from the same body: the same kinds of joints in the same order, and, behind the
/// first one, axes at the same angles where those are right angles. Numbers may differ. Each body stands in at most one pair, the first branch's first.
/// O(bodies²).
std::vector<std::pair<std::size_t, std::size_t>> limbs_alike(const Plan& plan);

}  // namespace ulna::internal
