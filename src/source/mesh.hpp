// Triangle meshes in files, and the volume and inertia that they enclose. Numbers are those of MuJoCo 4.0's compiler, which reads coordinates as float.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <ulna/model/diagnostics.hpp>
#include <ulna/spatial/spatial.hpp>

#include "source/convex_hull.hpp"

namespace ulna::internal {

struct Mesh {
  std::vector<MeshPoint> points;
  std::vector<MeshFace> faces;
};

/// The bytes of an STL (binary or text), OBJ or MSH file, by the ending of its name; nothing after an error, which names the line or the triangle.
std::optional<Mesh> read_mesh(std::string_view bytes, const std::string& file, Diagnostics& diagnostics);

enum class MeshInertia {
  convex,  // of the convex hull
  exact,   // of the volume inside the faces
  legacy,  // likewise, every pyramid over a face counted as positive
  shell    // of the faces
};

struct MeshTransform {  // p becomes scale · Rᵀ(p - origin), factor by factor
  Vec3<double> origin{};
  Mat3<double> R = Mat3<double>::identity();
  Vec3<double> scale{1, 1, 1};
};

/// What a mesh encloses, at density 1.
struct MeshSolid {
  double volume = 0;       // of a shell: its area
  Pose<double> X{};        // mass centre, and principal axes by decreasing moments
  Vec3<double> moments{};  // about them
};

/// Nothing, and why in `problem`, where MuJoCo's compiler has an error. `most_points`: of a convex hull; -1: any number.
std::optional<MeshSolid> solid_of(Mesh mesh, MeshInertia inertia, const MeshTransform& transform, int most_points, std::string& problem);

}  // namespace ulna::internal
