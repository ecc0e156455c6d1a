#include "source/mjcf_geom.hpp"

#include <array>
#include <cmath>
#include <numbers>

#include "text/cat.hpp"

namespace ulna::internal {

namespace {

constexpr double kPi = std::numbers::pi;

struct Shape {
  double volume = 0;
  Vec3<double> moments{};  // of a body of mass 1, about its centre
};

Shape sphere(double r) { return {4.0 / 3 * kPi * r * r * r, {0.4 * r * r, 0.4 * r * r, 0.4 * r * r}}; }

Shape cylinder(double r, double half) {
  const double h = 2 * half, across = (3 * r * r + h * h) / 12;
  return {kPi * r * r * h, {across, across, r * r / 2}};
}

/// A cylinder between two half balls, whose mass centres are at 3/8 of the radius from their flat faces.
Shape capsule(double r, double half) {
  const double h = 2 * half, volume = kPi * r * r * (h + 4.0 / 3 * r);
  const double ball = (4.0 / 3 * r) / (h + 4.0 / 3 * r), middle = 1 - ball;
  const double across = middle * (3 * r * r + h * h) / 12 + ball * (0.4 * r * r + 0.375 * r * h + h * h / 4);
  return {volume, {across, across, middle * r * r / 2 + ball * 0.4 * r * r}};
}

Shape ellipsoid(double a, double b, double c) { return {4.0 / 3 * kPi * a * b * c, {(b * b + c * c) / 5, (a * a + c * c) / 5, (a * a + b * b) / 5}}; }

Shape box(double a, double b, double c) { return {8 * a * b * c, {(b * b + c * c) / 3, (a * a + c * c) / 3, (a * a + b * b) / 3}}; }

std::size_t sizes_of(const std::string& type, bool fromto) {
  if (type == "sphere") return 1;
  if (type == "capsule" || type == "cylinder") return fromto ? 1 : 2;
  return fromto ? 1 : 3;
}

}  // namespace

GeomMass mass_of_geom(const MjcfElement& geom, const Pose<double>& X_BF, const MjcfSettings& settings) {
  using Verdict = GeomMass::Verdict;
  const double group = geom.number("group", 0);
  if (group < settings.least_group || group > settings.most_group) return {};
  const std::string type = geom.word("type", {"sphere", "plane", "hfield", "capsule", "ellipsoid", "cylinder", "box", "mesh", "sdf"});
  if (type == "plane" || type == "hfield") return {};
  const bool stated = geom.has("mass");
  const double mass = geom.not_negative("mass", 0), density = geom.number("density", 1000);
  if (stated ? mass == 0 : density == 0) return {};
  if (type == "mesh" || geom.has("mesh")) return {Verdict::unknown, "a mesh"};
  if (type == "sdf") return {Verdict::unknown, "a signed distance field"};
  if (geom.text("shellinertia", "false") == "true") return {Verdict::unknown, "a shell (shellinertia)"};

  const std::vector<double> ends = geom.numbers("fromto", 6, 6);
  const bool fromto = !ends.empty() && type != "sphere";
  const std::size_t needed = sizes_of(type, fromto);
  std::vector<double> size = geom.numbers("size", 1, 3);
  if (size.size() < needed) {
    if (!geom.has("size") || !size.empty())
      geom.own().error(cat("a ", type, " needs ", needed, needed == 1 ? " number" : " numbers", " in its size, and has ", size.size()), "write them");
    return {};
  }
  for (std::size_t i = 0; i < needed; ++i)
    if (!(size[i] > 0)) {
      geom.holder("size").error_at("size", cat("component ", i + 1, " of a ", type, "'s size is ", size[i]), "write positive numbers");
      return {};
    }
  size.resize(3, 0);
  Pose<double> X_FG = settings.pose(geom);
  if (fromto) {
    const Vec3<double> from{ends[0], ends[1], ends[2]}, to{ends[3], ends[4], ends[5]}, along = from - to;
    const double half = std::hypot(along.x, along.y, along.z) / 2;
    if (!(half > 0)) {
      geom.holder("fromto").error_at("fromto", "its two points are the same", "correct one of them");
      return {};
    }
    X_FG = {rotation_z_to((1 / (2 * half)) * along), 0.5 * (from + to)};
    if (type == "box" || type == "ellipsoid")
      size = {size[0], size[0], half};
    else
      size[1] = half;
  }
  const Shape shape = type == "sphere"      ? sphere(size[0])
                      : type == "capsule"   ? capsule(size[0], size[1])
                      : type == "cylinder"  ? cylinder(size[0], size[1])
                      : type == "ellipsoid" ? ellipsoid(size[0], size[1], size[2])
                                            : box(size[0], size[1], size[2]);
  const double m = stated ? mass : density * shape.volume;
  const Pose<double> X_BG = X_BF * X_FG;
  const Sym3<double> about_centre{m * shape.moments.x, m * shape.moments.y, m * shape.moments.z, 0, 0, 0};
  return {Verdict::known, {}, pseudo_inertia(m, X_BG.p, congruence(X_BG.R, about_centre))};
}

}  // namespace ulna::internal
