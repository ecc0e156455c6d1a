// Mass and inertia of MJCF's geometric shapes, for bodies that state none.
#pragma once

#include "source/mjcf_settings.hpp"

namespace ulna::internal {

/// What a <geom> adds to its body.
struct GeomMass {
  enum class Verdict {
    none,    // it has no mass: a group that does not count, mass or density 0, a plane, a shape too small for MuJoCo
    known,   // a sphere, capsule, cylinder, ellipsoid or box
    unknown  // it has mass, but its shape is not in the file (a mesh), or its inertia has no closed form (the shell of an ellipsoid)
  };
  Verdict verdict = Verdict::none;
  std::string what{};      // of an unknown one: "a mesh"
  double mass = 0;         // [kg]
  Pose<double> X_BG{};     // centre and axes of the shape, in the body
  Vec3<double> moments{};  // about that centre and those axes [kg m²]
};

GeomMass mass_of_geom(const MjcfElement& geom, const Pose<double>& X_BF, const MjcfSettings& settings);

}  // namespace ulna::internal
