#pragma once
#include <vector>

#include <ulna/model/model.hpp>

namespace ulna {
/// Joints whose pivot of the inertia matrix vanishes in every configuration tried, as indices into Model::joints(). Empty for a sound model.
std::vector<int> singular_joints(const Model& model, bool rotor);
}  // namespace ulna
