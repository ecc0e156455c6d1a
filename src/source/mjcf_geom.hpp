// Mass and inertia of MJCF's geometric shapes, for bodies that state none.
#pragma once

#include <ulna/spatial/inertia.hpp>

#include "source/mjcf_settings.hpp"

namespace ulna::internal {

/// What a <geom> adds to its body.
struct GeomMass {
  enum class Verdict {
    none,    // it has no mass: a group that does not count, mass or density 0, a plane
    known,   // a sphere, capsule, cylinder, ellipsoid or box
    unknown  // it has mass, but its shape is not in the file: a mesh, a signed distance field, a shell
  };
  Verdict verdict = Verdict::none;
  std::string what{};               // of an unknown one: "a mesh"
  PseudoInertia<double> inertia{};  // about the origin of the body, in its axes
};

/// `X_BF`: the frame in which the geom's placement is given, in the body.
GeomMass mass_of_geom(const MjcfElement& geom, const Pose<double>& X_BF, const MjcfSettings& settings);

}  // namespace ulna::internal
