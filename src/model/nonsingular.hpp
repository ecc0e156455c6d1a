#pragma once
#include <vector>

#include <ulna/model/model.hpp>

namespace ulna {

enum class SingularityMethod {
  automatic,  // articulated bodies, O(n); elimination where joints are coupled
  matrix      // elimination, O(n³): what the other is tested against
};

/// Joints whose pivot of the inertia matrix vanishes in every configuration tried, as indices into Model::joints(). Empty for a sound model.
std::vector<int> singular_joints(const Model& model, bool rotor, SingularityMethod method = SingularityMethod::automatic);

}  // namespace ulna
