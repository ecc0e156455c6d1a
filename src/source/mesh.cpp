#include "source/mesh.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <map>
#include <set>

#include "text/message.hpp"
#include "text/parse_number.hpp"
#include "text/words.hpp"

namespace ulna::internal {

namespace {

constexpr std::size_t kMostStlFaces = 200'000, kMostHullTests = 100'000'000, kMostCorners = 100;
constexpr float kFarthestStl = 1073741824.0F;  // 2^30

template <class T>
T value_at(std::string_view bytes, std::size_t offset) {
  T out;
  std::memcpy(&out, bytes.data() + offset, sizeof(T));
  return out;
}

bool is_finite(const MeshPoint& p) { return std::isfinite(p[0]) && std::isfinite(p[1]) && std::isfinite(p[2]); }

/// Points of triangles that stand alone, each once.
class PointIndex {
 public:
  int index(const MeshPoint& p, std::vector<MeshPoint>& points) {
    const auto [found, is_new] = known_.try_emplace(p, static_cast<int>(points.size()));
    if (is_new) points.push_back(p);
    return found->second;
  }

 private:
  std::map<MeshPoint, int> known_;
};

class MeshReader {
 public:
  MeshReader(std::string_view bytes, Diagnostics& diagnostics) : bytes_(bytes), diagnostics_(diagnostics) {}

  std::optional<Mesh> stl() {
    const std::size_t faces = bytes_.size() < 84 ? 0 : value_at<std::uint32_t>(bytes_, 80);
    if (bytes_.size() < 84 || faces * 50 != bytes_.size() - 84) {
      if (trimmed(bytes_.substr(0, 80)).substr(0, 5) == "solid") return text_stl();
      return refuse(bytes_.size() < 84 ? cat("it has ", bytes_.size(), " bytes, less than the header of a binary STL file")
                                       : cat("its header states ", faces, " triangles, which take ", 84 + 50 * faces, " bytes, and it has ", bytes_.size()),
                    "write the mesh again, as binary STL");
    }
    if (faces == 0 || faces > kMostStlFaces) return refuse(cat("it has ", faces, " triangles; MuJoCo reads 1 to ", kMostStlFaces), "simplify the mesh");
    PointIndex index;
    for (std::size_t f = 0; f < faces; ++f) {
      MeshFace face{};
      for (std::size_t k = 0; k < 3; ++k) {
        MeshPoint p;
        for (std::size_t i = 0; i < 3; ++i) p[i] = value_at<float>(bytes_, 84 + 50 * f + 12 * (k + 1) + 4 * i);
        if (!add_stl(p, cat("triangle ", f + 1), index, face[k])) return {};
      }
      mesh_.faces.push_back(face);
    }
    return std::move(mesh_);
  }

  /// `v` and `f` of the first group that has faces; the points of all groups count, as in MuJoCo.
  std::optional<Mesh> obj() {
    bool open = true;
    std::vector<MeshFace> faces;
    std::vector<std::pair<int, std::vector<int>>> polygons;  // with their lines: they may name points that follow
    while (next_line()) {
      const std::string_view key = words_.empty() ? "" : words_[0];
      if (key == "v") {
        MeshPoint p{};
        for (std::size_t i = 0; i < 3; ++i)
          if (i + 1 < words_.size() && !number(words_[i + 1], p[i])) return {};
        mesh_.points.push_back(p);
      } else if (key == "f" && open) {
        std::vector<int> polygon;
        for (std::size_t i = 1; i < words_.size(); ++i) {
          const std::string_view corner = words_[i].substr(0, words_[i].find('/'));
          NumberProblem unused;
          const std::optional<double> n = parse_number(corner, unused);
          if (!n || *n == 0 || *n != std::floor(*n) || std::abs(*n) > 1e9)
            return refuse(cat(in_quotes(words_[i]), " is no corner of a face"), "write the number of a point, counted from 1");
          polygon.push_back(static_cast<int>(*n < 0 ? *n + static_cast<double>(mesh_.points.size()) : *n - 1));
        }
        if (polygon.size() > kMostCorners)
          diagnostics_.warning(line_, "mesh", cat("a face of ", polygon.size(), " corners is left out, as in MuJoCo, which takes ", kMostCorners, " at most"),
                               "write triangles");
        else if (polygon.size() >= 3)
          polygons.emplace_back(line_, polygon);
      } else if ((key == "g" || key == "o") && !polygons.empty()) {
        if (open) diagnostics_.warning(line_, "mesh", "faces of further groups (g, o) are left out, as in MuJoCo", "write one mesh to a file");
        open = false;
      }
    }
    for (const auto& [line, polygon] : polygons) {
      line_ = line;
      for (const int p : polygon)
        if (p < 0 || p >= static_cast<int>(mesh_.points.size()))
          return refuse(cat("a face names point ", p + 1, ", and the file has ", mesh_.points.size()), "correct the face");
      split(polygon);
    }
    return finished();
  }

  std::optional<Mesh> msh() {
    std::array<std::int64_t, 4> n{};  // points, normals, texture coordinates, faces
    for (std::size_t i = 0; i < 4 && bytes_.size() >= 16; ++i) n[i] = value_at<std::int32_t>(bytes_, 4 * i);
    const auto [points, normals, texture, faces] = n;
    if (points < 4 || normals < 0 || texture < 0 || faces < 0 || (normals > 0 && normals != points) || (texture > 0 && texture != points) ||
        static_cast<std::int64_t>(bytes_.size()) != 16 + 12 * points + 12 * normals + 8 * texture + 12 * faces)
      return refuse("its header does not fit its size", "write the mesh again");
    for (std::size_t i = 0; i < static_cast<std::size_t>(points); ++i) mesh_.points.push_back(value_at<MeshPoint>(bytes_, 16 + 12 * i));
    const auto first = static_cast<std::size_t>(16 + 12 * points + 12 * normals + 8 * texture);
    for (std::size_t i = 0; i < static_cast<std::size_t>(faces); ++i) {
      const MeshFace face = value_at<MeshFace>(bytes_, first + 12 * i);
      for (const int p : face)
        if (p < 0 || p >= points) return refuse(cat("triangle ", i + 1, " names point ", p, ", and the file has 0 to ", points - 1), "write the mesh again");
      mesh_.faces.push_back(face);
    }
    return finished();
  }

 private:
  std::nullopt_t refuse(const std::string& problem, const std::string& cure) {
    diagnostics_.error(line_, "mesh", problem, cure);
    return std::nullopt;
  }

  /// The words of the next line, without a comment.
  bool next_line() {
    if (at_ >= bytes_.size()) return false;
    const std::size_t end = std::min(bytes_.find('\n', at_), bytes_.size());
    words_ = words(bytes_.substr(at_, end - at_));
    if (const auto comment = std::find_if(words_.begin(), words_.end(), [](std::string_view w) { return w[0] == '#'; }); comment != words_.end())
      words_.erase(comment, words_.end());
    at_ = end + 1, ++line_;
    return true;
  }

  bool number(std::string_view text, float& out) {
    NumberProblem why;
    const std::optional<double> value = parse_number(text, why);
    if (value) out = static_cast<float>(*value);
    if (!value || !std::isfinite(out)) refuse(value ? cat(*value, " is beyond what float holds") : why.problem, value ? "use metres" : why.cure);
    return value && std::isfinite(out);
  }

  bool add_stl(const MeshPoint& p, const std::string& where, PointIndex& index, int& corner) {
    for (const float x : p)
      if (!(std::abs(x) <= kFarthestStl)) {
        refuse(cat(where, ": the coordinate ", double{x}, " is beyond 2^30, where MuJoCo's reader ends"), "write the mesh again, in metres");
        return false;
      }
    corner = index.index(p, mesh_.points);
    return true;
  }

  std::optional<Mesh> text_stl() {
    PointIndex index;
    std::vector<int> corners;
    while (next_line()) {
      const std::string_view key = words_.empty() ? "" : words_[0];
      if (key == "vertex") {
        if (words_.size() != 4) return refuse("a vertex needs three numbers", "write 'vertex x y z'");
        MeshPoint p;
        for (std::size_t i = 0; i < 3; ++i)
          if (!number(words_[i + 1], p[i])) return {};
        if (!add_stl(p, cat("triangle ", mesh_.faces.size() + 1), index, corners.emplace_back())) return {};
      } else if (key == "endfacet" || key == "endloop") {
        if (key == "endfacet" && corners.size() != 3)
          return refuse(cat("triangle ", mesh_.faces.size() + 1, " has ", corners.size(), " corners"), "write three for each facet");
        if (key == "endfacet") mesh_.faces.push_back({corners[0], corners[1], corners[2]}), corners.clear();
      } else if (!key.empty() && key != "solid" && key != "endsolid" && key != "facet" && key != "outer") {
        return refuse(cat(in_quotes(key), " is no word of STL"), "write the mesh again, as binary STL");
      }
    }
    if (!corners.empty()) return refuse("it ends within a facet", "write the mesh again, as binary STL");
    diagnostics_.warning(0, "mesh", "it is STL as text, which MuJoCo refuses", "write binary STL for use with MuJoCo");
    return finished();
  }

  /// A polygon as triangles, cut as MuJoCo's reader cuts it, on which the mass depends where it is not flat: of four corners along the shorter diagonal; of
  /// more by cutting off corners, seen along an axis, that bend as their own two first points do and hold no other point.
  void split(std::vector<int> p) {
    const auto at = [&](int i) { return mesh_.points[static_cast<std::size_t>(i)]; };
    const auto square = [&](int i, int j) {
      float sum = 0;
      for (std::size_t k = 0; k < 3; ++k) sum += (at(j)[k] - at(i)[k]) * (at(j)[k] - at(i)[k]);
      return sum;
    };
    if (p.size() == 4) {
      const std::size_t last = square(p[0], p[2]) < square(p[1], p[3]) ? 0 : 1;
      mesh_.faces.push_back({p[0], p[1], p[2 + last]}), mesh_.faces.push_back({p[last], p[2], p[3]});
      return;
    }
    const auto corner = [&](std::size_t first, std::size_t k) { return p[(first + k) % p.size()]; };
    std::size_t x = 1, y = 2;  // the axes in which it is seen
    for (std::size_t k = 0; k < p.size(); ++k) {
      const MeshPoint a = at(corner(k, 0)), b = at(corner(k, 1)), c = at(corner(k, 2));
      const auto part = [&](std::size_t i, std::size_t j) { return std::abs((b[i] - a[i]) * (c[j] - b[j]) - (b[j] - a[j]) * (c[i] - b[i])); };
      const float cx = part(1, 2), cy = part(2, 0), cz = part(0, 1), least = std::numeric_limits<float>::epsilon();
      if (!(cx > least || cy > least || cz > least)) continue;
      if (!(cx > cy && cx > cz)) x = 0, y = cz > cx && cz > cy ? 1 : 2;
      break;
    }
    std::size_t first = 0, corners = p.size();
    for (std::size_t tries = p.size(); p.size() > 3 && tries > 0;) {  // what is left after them is left out
      tries = p.size() == corners ? tries - 1 : p.size();
      corners = p.size();
      first %= p.size();
      const MeshPoint a = at(corner(first, 0)), b = at(corner(first, 1)), c = at(corner(first, 2));
      const float bend = (b[x] - a[x]) * (c[y] - b[y]) - (b[y] - a[y]) * (c[x] - b[x]), area = a[x] * b[y] - a[y] * b[x];
      const auto holds = [&](const MeshPoint& t) {
        bool inside = false;
        for (const auto& [i, j] : {std::pair{&a, &c}, std::pair{&b, &a}, std::pair{&c, &b}})
          if (((*i)[y] > t[y]) != ((*j)[y] > t[y]) && t[x] < ((*j)[x] - (*i)[x]) * (t[y] - (*i)[y]) / ((*j)[y] - (*i)[y]) + (*i)[x]) inside = !inside;
        return inside;
      };
      bool ear = !(bend * area < 0);
      for (std::size_t k = 3; ear && k < p.size(); ++k) ear = !holds(at(corner(first, k)));
      if (!ear) {
        ++first;
        continue;
      }
      mesh_.faces.push_back({corner(first, 0), corner(first, 1), corner(first, 2)});
      p.erase(p.begin() + static_cast<std::ptrdiff_t>((first + 1) % p.size()));
    }
    if (p.size() == 3) mesh_.faces.push_back({p[0], p[1], p[2]});
  }

  std::optional<Mesh> finished() {
    const auto bad = std::find_if_not(mesh_.points.begin(), mesh_.points.end(), is_finite);
    if (bad != mesh_.points.end()) return refuse(cat("point ", bad - mesh_.points.begin() + 1, " is not finite"), "write the mesh again");
    return std::move(mesh_);
  }

  std::string_view bytes_;
  Diagnostics& diagnostics_;
  Mesh mesh_;
  std::size_t at_ = 0;
  int line_ = 0;
  std::vector<std::string_view> words_;
};

// Solids.

struct Triangle {
  Vec3<double> a, b, c;
  Vec3<double> normal() const { return 0.5 * cross(b - a, c - a); }  // of the length of its area
  double area() const { return std::sqrt(dot(normal(), normal())); }
  Vec3<double> centre() const { return (1.0 / 3) * (a + b + c); }
};

}  // namespace

std::optional<Mesh> read_mesh(std::string_view bytes, const std::string& file, Diagnostics& diagnostics) {
  std::string ending = file.substr(std::min(file.rfind('.'), file.size()));
  std::transform(ending.begin(), ending.end(), ending.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  MeshReader reader(bytes, diagnostics);
  if (ending == ".stl") return reader.stl();
  if (ending == ".obj") return reader.obj();
  if (ending == ".msh") return reader.msh();
  diagnostics.error(0, "mesh", cat("meshes of the kind ", in_quotes(ending), " are not read"), "write it as STL, OBJ or MSH");
  return {};
}

std::optional<MeshSolid> solid_of(Mesh mesh, MeshInertia inertia, const MeshTransform& transform, int most_points, std::string& problem) {
  constexpr double kLeast = 1e-15;  // mjMINVAL, of areas and volumes
  const auto refuse = [&](std::string why) {
    problem = std::move(why);
    return std::nullopt;
  };
  if (mesh.points.size() < 4) return refuse(cat("it has ", mesh.points.size(), " points, and MuJoCo needs four"));
  std::vector<Vec3<double>> points;
  for (const MeshPoint& p : mesh.points) points.push_back({double{p[0]}, double{p[1]}, double{p[2]}});
  const auto triangle = [&](const MeshFace& f) {
    return Triangle{points[static_cast<std::size_t>(f[0])], points[static_cast<std::size_t>(f[1])], points[static_cast<std::size_t>(f[2])]};
  };
  if (inertia == MeshInertia::exact) {
    std::set<std::pair<int, int>> edges;
    for (const MeshFace& f : mesh.faces)
      if (triangle(f).area() > std::sqrt(kLeast))
        for (std::size_t k = 0; k < 3; ++k)
          if (!edges.emplace(f[k], f[(k + 1) % 3]).second)
            return refuse(cat("two faces run from point ", f[k] + 1, " to point ", f[(k + 1) % 3] + 1, " the same way: one of them is badly oriented"));
  }
  std::vector<MeshFace> hull;
  if (inertia == MeshInertia::convex || mesh.faces.empty()) {
    hull = convex_hull(mesh.points, kMostHullTests);
    if (hull.empty()) return refuse("its points lie in a plane, or there are too many, so that it has no convex hull");
    std::set<int> corners;
    for (const MeshFace& f : hull) corners.insert(f.begin(), f.end());
    if (most_points >= 0 && corners.size() > static_cast<std::size_t>(most_points))
      return refuse(cat("its hull has ", corners.size(), " points, and which of them maxhullvert=\"", most_points, "\" keeps is a matter of the program"));
  }
  if (mesh.faces.empty()) mesh.faces = hull;
  const Vec3<double>& s = transform.scale;
  if (!(s.x * s.y * s.z > 0))
    for (std::vector<MeshFace>* faces : {&mesh.faces, &hull})
      for (MeshFace& f : *faces) std::swap(f[1], f[2]);
  for (Vec3<double>& p : points) {
    p = tmul(transform.R, p - transform.origin);
    p = {s.x * p.x, s.y * p.y, s.z * p.z};
  }
  Vec3<double> middle{};
  double area = 0;
  for (const MeshFace& f : mesh.faces) {
    const Triangle t = triangle(f);
    area += t.area();
    middle = middle + t.area() * t.centre();
  }
  if (!(area >= kLeast)) return refuse(cat("its area, ", rounded(area), ", is too small for MuJoCo"));
  middle = (1 / area) * middle;

  // Pyramids from a point to the faces: their volumes, and the sums that weigh them.
  const bool shell = inertia == MeshInertia::shell;
  const std::vector<MeshFace>& faces = inertia == MeshInertia::convex ? hull : mesh.faces;
  const auto each = [&](const Vec3<double>& from, const auto& act) {
    for (const MeshFace& f : faces) {
      Triangle t = triangle(f);
      t.a = t.a - from, t.b = t.b - from, t.c = t.c - from;
      const double volume = shell ? t.area() : dot(t.centre(), t.normal()) / 3;
      act(t, inertia == MeshInertia::legacy ? std::abs(volume) : volume);
    }
  };
  double volume = 0;
  Vec3<double> centre{};
  each(middle, [&](const Triangle& t, double v) { volume += v, centre = centre + (0.75 * v) * t.centre(); });
  if (!shell && volume < 0) return refuse("its volume is negative: its triangles are badly oriented");
  if (!(volume >= kLeast)) return refuse(cat("its volume, ", rounded(volume), ", is too small for MuJoCo; inertia=\"shell\" takes its area"));
  MeshSolid out;
  out.X.p = shell ? middle : middle + (1 / volume) * centre;
  Sym3<double> P{};
  each(out.X.p, [&](const Triangle& t, double v) {
    out.volume += v;
    const double w = v / (shell ? 12 : 20);
    const auto sum = [&](double Vec3<double>::*i, double Vec3<double>::*j) {
      const double all_i = t.a.*i + t.b.*i + t.c.*i, all_j = t.a.*j + t.b.*j + t.c.*j;
      return w * (t.a.*i * t.a.*j + t.b.*i * t.b.*j + t.c.*i * t.c.*j + all_i * all_j);
    };
    constexpr auto x = &Vec3<double>::x, y = &Vec3<double>::y, z = &Vec3<double>::z;
    P = P + Sym3<double>{sum(x, x), sum(y, y), sum(z, z), sum(x, y), sum(x, z), sum(y, z)};
  });
  const PrincipalAxes axes = principal_axes({P.yy + P.zz, P.xx + P.zz, P.xx + P.yy, -P.xy, -P.xz, -P.yz});
  const Mat3<double>& A = axes.R;
  out.X.R = {A.xz, A.xy, -A.xx, A.yz, A.yy, -A.yx, A.zz, A.zy, -A.zx};
  out.moments = {axes.moments.z, axes.moments.y, axes.moments.x};
  const Vec3<double>& m = out.moments;
  if (!(m.z > 0)) return refuse("its moments of inertia are not positive: it is not closed, or badly oriented");
  if (m.y + m.z < m.x * (1 - 1e-6) - 1e-9) return refuse("its moments of inertia break the triangle inequality: it is not closed, or badly oriented");
  return out;
}

}  // namespace ulna::internal
