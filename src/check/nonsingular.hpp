// Whether the inertia matrix of a model can be inverted.
#pragma once

#include <vector>

#include <ulna/model/model.hpp>

namespace ulna::internal {

enum class SingularityMethod {
  automatic,  // articulated bodies, O(n); elimination where joints are coupled
  matrix      // elimination, O(n³): the reference of the other in tests
};

/// A pivot of M, and the diagonal element that it comes from.
struct Pivot {
  double left = 0, whole = 0;
  bool reliable(std::size_t nv) const;
};
/// Those of the first configuration that is tried, one for each coordinate.
std::vector<Pivot> first_pivots(const Model& model, bool rotor, SingularityMethod method = SingularityMethod::automatic);

/// Joints whose pivot of the inertia matrix vanishes in every configuration tried, as indices into Model::joints(). Empty for a regular model.
std::vector<std::size_t> singular_joints(const Model& model, bool rotor, SingularityMethod method = SingularityMethod::automatic);

}  // namespace ulna::internal
