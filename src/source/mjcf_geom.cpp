#include "source/mjcf_geom.hpp"

#include <cmath>
#include <numbers>

#include "text/cat.hpp"

namespace ulna::internal {

namespace {

constexpr double kPi = std::numbers::pi;

// MuJoCo counts no geom below these. [m³, of a shell m²; kg]
constexpr double kLeastVolume = 1e-14, kLeastMass = 1e-14;

struct Shape {
  double volume = 0;       // of a shell: its area
  Vec3<double> moments{};  // of a body of mass 1, about its centre
};

// Shells have their mass on the surface, equally dense everywhere.

Shape sphere(double r, bool shell) {
  const double moment = (shell ? 2.0 / 3 : 0.4) * r * r;
  return {shell ? 4 * kPi * r * r : 4.0 / 3 * kPi * r * r * r, {moment, moment, moment}};
}

Shape cylinder(double r, double half, bool shell) {
  const double h = 2 * half;
  if (!shell) {
    const double across = (3 * r * r + h * h) / 12;
    return {kPi * r * r * h, {across, across, r * r / 2}};
  }
  const double ends = r / (r + h), side = 1 - ends;  // shares of the area: two discs, and the wall
  const double across = side * (6 * r * r + h * h) / 12 + ends * (r * r / 4 + half * half);
  return {2 * kPi * r * (r + h), {across, across, side * r * r + ends * r * r / 2}};
}

/// A cylinder between two half balls, whose mass centres are at 3/8 of the radius from their flat faces; those of half spheres at 1/2.
Shape capsule(double r, double half, bool shell) {
  const double h = 2 * half, caps = shell ? 2 * r : 4.0 / 3 * r;  // lengths of a cylinder with the volume, or the area, of the caps
  const double ball = caps / (h + caps), middle = 1 - ball, k = shell ? 2.0 / 3 : 0.4, centre = shell ? 0.5 : 0.375;
  const double across = middle * ((shell ? 6 : 3) * r * r + h * h) / 12 + ball * (k * r * r + centre * r * h + h * h / 4);
  return {(shell ? 2 * kPi * r : kPi * r * r) * (h + caps), {across, across, middle * r * r / (shell ? 1 : 2) + ball * k * r * r}};
}

Shape ellipsoid(double a, double b, double c) { return {4.0 / 3 * kPi * a * b * c, {(b * b + c * c) / 5, (a * a + c * c) / 5, (a * a + b * b) / 5}}; }

Shape box(double a, double b, double c, bool shell) {
  if (!shell) return {8 * a * b * c, {(b * b + c * c) / 3, (a * a + c * c) / 3, (a * a + b * b) / 3}};
  const double area = a * b + b * c + c * a;
  // Mean of x² over the faces: those at x = ±a have a², the others a²/3.
  const auto mean = [&](double u, double v, double w) { return u * u * (v * w + (area - v * w) / 3) / area; };
  const double x = mean(a, b, c), y = mean(b, c, a), z = mean(c, a, b);
  return {8 * area, {y + z, x + z, x + y}};
}

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
  if (type == "plane") return {};
  const bool stated = geom.has("mass"), shell = geom.is("shellinertia");
  const double mass = geom.not_negative("mass", 0), density = geom.not_negative("density", 1000);
  if (stated ? mass == 0 : density == 0) return {};
  if (type == "mesh" || geom.has("mesh")) return {Verdict::unknown, "a mesh"};
  if (type == "sdf") return {Verdict::unknown, "a signed distance field"};
  if (type == "hfield") return {Verdict::unknown, "a height field"};
  if (type == "ellipsoid" && shell) return {Verdict::unknown, "the shell of an ellipsoid"};

  const std::vector<double> ends = geom.numbers("fromto", 6, 6);
  const bool fromto = !ends.empty();
  const std::vector<double> stated_size = geom.numbers("size", 1, 3);
  if (stated_size.empty() && geom.has("size")) return {};  // wrong, and reported
  std::vector<double> size = geom.merged("size", {0, 0, 0});
  const std::size_t needed = sizes_of(type, fromto);
  for (std::size_t i = 0; i < needed; ++i)
    if (!(size[i] > 0)) {
      geom.holder("size").error(
          cat("a ", type, " needs ", needed, needed == 1 ? " positive number" : " positive numbers", " in its size, and number ", i + 1, " is ", size[i]),
          "write them, here or in its class");
      return {};
    }
  Pose<double> X_FG = settings.pose(geom);
  if (fromto) {
    const Vec3<double> from{ends[0], ends[1], ends[2]}, to{ends[3], ends[4], ends[5]}, along = from - to;
    const double half = std::hypot(along.x, along.y, along.z) / 2;
    const XmlElement holder = geom.holder("fromto");
    if (type == "sphere" || X_FG.p != Vec3<double>{}) {
      holder.error_at("fromto", type == "sphere" ? "a sphere cannot have fromto" : "fromto and pos both place the geom", "remove one of them");
      return {};
    }
    if (!(half > 0)) {
      holder.error_at("fromto", "its two points are the same", "correct one of them");
      return {};
    }
    X_FG = {rotation_z_to((1 / (2 * half)) * along), 0.5 * (from + to)};
    if (type == "box" || type == "ellipsoid")
      size = {size[0], size[0], half};
    else
      size[1] = half;
  }
  const Shape shape = type == "sphere"      ? sphere(size[0], shell)
                      : type == "capsule"   ? capsule(size[0], size[1], shell)
                      : type == "cylinder"  ? cylinder(size[0], size[1], shell)
                      : type == "ellipsoid" ? ellipsoid(size[0], size[1], size[2])
                                            : box(size[0], size[1], size[2], shell);
  const double m = stated ? mass : density * shape.volume;
  if (m <= kLeastMass || (stated && shape.volume <= kLeastVolume)) return {};
  return {Verdict::known, {}, m, X_BF * X_FG, m * shape.moments};
}

}  // namespace ulna::internal
