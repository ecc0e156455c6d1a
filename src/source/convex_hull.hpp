// The convex hull of points in space.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

namespace ulna::internal {

using MeshPoint = std::array<float, 3>;
using MeshFace = std::array<int, 3>;  // corners, counterclockwise seen from outside

/// Triangles of the hull; none where all points lie in one plane, or where it takes more than `most_tests` tests of a point against a plane. Which side of a
/// plane a point lies on is decided exactly, so that points in the plane of a face, as every box has them, cannot break the surface. Quickhull (Barber,
/// Dobkin and Huhdanpaa 1996): n log n tests, but for inputs made to be slow.
std::vector<MeshFace> convex_hull(const std::vector<MeshPoint>& points, std::size_t most_tests);

}  // namespace ulna::internal
