#include "source/convex_hull.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <ulna/spatial/spatial.hpp>

namespace ulna::internal {

namespace {

// Exact sums of doubles that do not overlap, ascending, without zeros (Shewchuk 1997). The largest has the sign of the sum.
using Expansion = std::vector<double>;

void grow(Expansion& e, double b) {
  std::size_t kept = 0;
  for (const double a : e) {
    const double sum = a + b, part = sum - a, rest = (a - (sum - part)) + (b - part);
    if (rest != 0) e[kept++] = rest;
    b = sum;
  }
  e.resize(kept);
  if (b != 0) e.push_back(b);
}

Expansion difference(double a, double b) {
  Expansion out{a};
  grow(out, -b);
  return out;
}

Expansion product(const Expansion& a, const Expansion& b) {
  Expansion out;
  for (const double x : a)
    for (const double y : b) {
      const double p = x * y;
      grow(out, std::fma(x, y, -p));
      grow(out, p);
    }
  return out;
}

Vec3<double> vector_of(const MeshPoint& p) { return {double{p[0]}, double{p[1]}, double{p[2]}}; }

class Hull {
 public:
  Hull(const std::vector<MeshPoint>& points, std::size_t most_tests) : points_(points), left_(most_tests) {}

  std::vector<MeshFace> compute() {
    if (!begin()) return {};
    while (!open_.empty()) {
      const int face = open_.back();
      open_.pop_back();
      if (!faces_[face].alive || faces_[face].outside.empty()) continue;
      add(farthest(face), face);
      if (left_ == 0) return {};
    }
    std::vector<MeshFace> out;
    for (const Face& face : faces_)
      if (face.alive) out.push_back(face.corners);
    return out;
  }

 private:
  struct Face {
    MeshFace corners{};
    std::array<int, 3> beyond{};  // the face beyond the edge from corner i to the next
    std::vector<int> outside;     // points above this face that belong to no other
    bool alive = true, seen = false;
  };
  struct Edge {
    int from, to, hidden;  // and the face that stays
  };

  /// Whether point p lies above the plane of a, b, c: the sign of (b - a) × (c - a) · (p - a).
  int side(int a, int b, int c, int p) {
    if (left_ > 0) --left_;
    const MeshPoint &A = points_[a], &B = points_[b], &C = points_[c], &P = points_[p];
    const Vec3<double> u = vector_of(B) - vector_of(A), v = vector_of(C) - vector_of(A), w = vector_of(P) - vector_of(A);
    const double det = dot(cross(u, v), w);
    const double size = (std::abs(u.y * v.z) + std::abs(u.z * v.y)) * std::abs(w.x) + (std::abs(u.z * v.x) + std::abs(u.x * v.z)) * std::abs(w.y) +
                        (std::abs(u.x * v.y) + std::abs(u.y * v.x)) * std::abs(w.z);
    if (std::abs(det) > 1e-15 * size) return det > 0 ? 1 : -1;  // Shewchuk's bound is 7.8e-16
    std::array<Expansion, 3> U, V, W;
    for (std::size_t i = 0; i < 3; ++i) U[i] = difference(B[i], A[i]), V[i] = difference(C[i], A[i]), W[i] = difference(P[i], A[i]);
    Expansion sum;
    for (std::size_t i = 0; i < 3; ++i) {
      const std::size_t j = (i + 1) % 3, k = (i + 2) % 3;
      for (const double x : product(product(U[j], V[k]), W[i])) grow(sum, x);
      for (const double x : product(product(U[k], V[j]), W[i])) grow(sum, -x);
    }
    return sum.empty() ? 0 : sum.back() > 0 ? 1 : -1;
  }
  int side(const MeshFace& f, int p) { return side(f[0], f[1], f[2], p); }

  template <class Size>
  int largest(const Size& size) const {
    int best = 0;
    double most = -1;
    for (int i = 0; i < count(); ++i)
      if (const double s = size(vector_of(points_[i])); s > most) most = s, best = i;
    return best;
  }
  int count() const { return static_cast<int>(points_.size()); }

  /// A tetrahedron of far points, and which of its faces the others see.
  bool begin() {
    if (count() < 4) return false;
    const int a = 0, b = largest([&](const Vec3<double>&p) { return squared(p - at(0)); });
    const int c = largest([&](const Vec3<double>& p) { return squared(cross(at(b) - at(a), p - at(a))); });
    const Vec3<double> normal = cross(at(b) - at(a), at(c) - at(a));
    int d = largest([&](const Vec3<double>& p) { return std::abs(dot(normal, p - at(a))); });
    for (int i = 0; i < count() && side(a, b, c, d) == 0; ++i) d = i;
    const int above = side(a, b, c, d);
    if (above == 0) return false;
    const MeshFace base = above < 0 ? MeshFace{a, b, c} : MeshFace{a, c, b};
    faces_.push_back({base, {1, 2, 3}, {}});
    for (int i = 0; i < 3; ++i) faces_.push_back({{base[(i + 1) % 3], base[i], d}, {0, 1 + (i + 2) % 3, 1 + (i + 1) % 3}, {}});
    std::vector<int> all(points_.size());
    for (int i = 0; i < count(); ++i) all[i] = i;
    distribute(all, 0);
    return true;
  }

  Vec3<double> at(int i) const { return vector_of(points_[i]); }
  static double squared(const Vec3<double>& v) { return dot(v, v); }

  /// Each point to the first of the faces from `first` on that it lies above. One that lies above none is inside.
  void distribute(const std::vector<int>& points, std::size_t first) {
    for (const int p : points)
      for (std::size_t f = first; f < faces_.size() && left_ > 0; ++f)
        if (side(faces_[f].corners, p) > 0) {
          faces_[f].outside.push_back(p);
          break;
        }
    for (std::size_t f = first; f < faces_.size(); ++f) open_.push_back(static_cast<int>(f));
  }

  int farthest(int face) const {
    const MeshFace& f = faces_[face].corners;
    const Vec3<double> normal = cross(at(f[1]) - at(f[0]), at(f[2]) - at(f[0]));
    const auto height = [&](int p) { return dot(normal, at(p)); };
    return *std::max_element(faces_[face].outside.begin(), faces_[face].outside.end(), [&](int p, int q) { return height(p) < height(q); });
  }

  /// The faces that a point sees give way to a cone from their rim to the point.
  void add(int point, int seen_first) {
    std::vector<int> seen{seen_first}, orphans;
    std::vector<Edge> rim;
    faces_[seen_first].seen = true;
    for (std::size_t i = 0; i < seen.size(); ++i) {
      for (std::size_t k = 0; k < 3; ++k) {
        const int next = faces_[seen[i]].beyond[k];
        if (faces_[next].seen) continue;
        if (side(faces_[next].corners, point) > 0)
          faces_[next].seen = true, seen.push_back(next);
        else
          rim.push_back({faces_[seen[i]].corners[k], faces_[seen[i]].corners[(k + 1) % 3], next});
      }
    }
    for (const int f : seen) {
      faces_[f].alive = false;
      orphans.insert(orphans.end(), faces_[f].outside.begin(), faces_[f].outside.end());
      faces_[f].outside = {};
    }
    const std::size_t first = faces_.size();
    std::sort(rim.begin(), rim.end(), [](const Edge& a, const Edge& b) { return a.from < b.from; });
    const auto starting_at = [&](int corner) {
      const auto found = std::lower_bound(rim.begin(), rim.end(), corner, [](const Edge& e, int c) { return e.from < c; });
      return static_cast<int>(first) + static_cast<int>(found - rim.begin());
    };
    for (const Edge& edge : rim) faces_.push_back({{edge.from, edge.to, point}, {edge.hidden, starting_at(edge.to), 0}, {}});
    for (std::size_t f = first; f < faces_.size(); ++f) {
      faces_[faces_[f].beyond[1]].beyond[2] = static_cast<int>(f);
      Face& hidden = faces_[faces_[f].beyond[0]];
      for (std::size_t k = 0; k < 3; ++k)
        if (hidden.corners[k] == faces_[f].corners[1] && hidden.corners[(k + 1) % 3] == faces_[f].corners[0]) hidden.beyond[k] = static_cast<int>(f);
    }
    distribute(orphans, first);
  }

  const std::vector<MeshPoint>& points_;
  std::size_t left_;  // tests that may still be made
  std::vector<Face> faces_;
  std::vector<int> open_;  // faces that may have points outside
};

}  // namespace

std::vector<MeshFace> convex_hull(const std::vector<MeshPoint>& points, std::size_t most_tests) { return Hull(points, most_tests).compute(); }

}  // namespace ulna::internal
