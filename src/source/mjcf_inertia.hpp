// Mass and inertia of a MJCF body: from <inertial>, from its geoms, and as the compiler's settings change them.
#pragma once

#include <ulna/model/model.hpp>
#include <ulna/spatial/spatial.hpp>

#include "source/mjcf_scope.hpp"

namespace ulna::internal {

/// What a body weighs. The tensor is about the mass centre, in axes that have the orientation R in the body.
struct MjcfMass {
  double mass = 0;
  Vec3<double> com{};
  Mat3<double> R = Mat3<double>::identity();
  Sym3<double> inertia{};
  bool principal = true;        // the tensor is diagonal in the axes that the file states
  bool stated = false;          // the file gives a mass centre
  bool by_inertial = false;     // by <inertial>, not by geoms
  const MjcfPlaced* unknown{};  // a geom that has mass, but not in the file
  std::string what{};           // that geom: "a height field"
  std::string why{}, cure{};    // of a mesh: why its mass is not known
};

/// Mass of a body that holds `inside`, as MuJoCo's compiler has it. `body` is for messages, `placed` says by what settings.
MjcfMass mass_of_body(const MjcfElement& body, const std::vector<MjcfPlaced>& inside, const MjcfPlaced& placed);

/// The same, in its principal axes: those that the file states, else by decreasing moments.
MjcfMass in_principal_axes(MjcfMass body);

}  // namespace ulna::internal
