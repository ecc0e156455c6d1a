// Whether a robot that is bolted down by default looks as if it stood on legs, or flew.
#pragma once

#include <ulna/model/model.hpp>

namespace ulna::internal {

/// Its root link has mass and is not called a world, and at least two limbs of the same structure hang from it: legs, arms, propellers. Two arms on a pedestal
/// look the same, so this is no more than a reason to ask.
bool may_stand_free(const Model& model);

/// What to say then.
inline constexpr const char* kTakenAsFixed = "its base is taken as fixed, though limbs of equal structure hang from it";
inline constexpr const char* kHowToFree = "--base free frees it, --base fixed says that it is meant";

}  // namespace ulna::internal
