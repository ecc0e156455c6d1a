// Whether a robot with a fixed base by default probably has legs, or flies.
#pragma once

#include <ulna/model/model.hpp>

namespace ulna::internal {

/// Its root link has mass and is not called a world, and at least two limbs of the same structure hang from it: legs, arms, propellers. Two arms on a pedestal
/// have the same structure, so the result is only a hint.
bool may_stand_free(const Model& model);

/// What to say then.
inline constexpr const char* kTakenAsFixed = "its base is taken as fixed, though limbs of equal structure hang from it";
inline constexpr const char* kHowToFree = "--base free frees it, --base fixed says that it is meant";

}  // namespace ulna::internal
