#include "source/mesh.hpp"

#include <cmath>
#include <string>

#include "target.hpp"

namespace ulna::fuzz {

/// The first byte chooses the format, the kind of inertia and a mirror; the rest is the file.
void mesh(Input input) {
  if (input.empty()) return;
  const std::string_view bytes = text_of(input.subspan(1));
  const char* const endings[] = {"m.stl", "m.obj", "m.msh", "m.dae"};
  Diagnostics diagnostics("m");
  std::optional<Mesh> read = read_mesh(bytes, endings[input[0] % 4], diagnostics);
  promise(read.has_value() != diagnostics.has_errors(), "a mesh, or errors");
  if (!read) return;
  for (const MeshFace& face : read->faces)
    for (const int corner : face) promise(corner >= 0 && static_cast<std::size_t>(corner) < read->points.size(), "corners are points");
  MeshTransform transform;
  if (input[0] & 4) transform.scale = {-1, 1, 2};
  std::string problem;
  const std::optional<MeshSolid> solid = solid_of(*std::move(read), static_cast<MeshInertia>(input[0] / 8 % 4), transform, -1, problem);
  promise(solid.has_value() == problem.empty(), "a solid, or why there is none");
  if (solid) promise(std::isfinite(solid->volume) && solid->volume > 0 && solid->moments.z > 0, "a mass");
}

}  // namespace ulna::fuzz
