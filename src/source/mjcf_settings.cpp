#include "source/mjcf_settings.hpp"

#include <algorithm>
#include <cmath>

#include "source/mjcf_schema.hpp"
#include "text/cat.hpp"
#include "text/names.hpp"
#include "text/quote.hpp"

namespace ulna::internal {

namespace {

double length(const Vec3<double>& v) { return std::hypot(v.x, v.y, v.z); }

Mat3<double> from_columns(const Vec3<double>& x, const Vec3<double>& y, const Vec3<double>& z) { return {x.x, y.x, z.x, x.y, y.y, z.y, x.z, y.z, z.z}; }

}  // namespace

Mat3<double> rotation_of_quaternion(double w, double x, double y, double z) {
  const double n = w * w + x * x + y * y + z * z;
  return {(w * w + x * x - y * y - z * z) / n, 2 * (x * y - w * z) / n, 2 * (x * z + w * y) / n, 2 * (x * y + w * z) / n,
          (w * w - x * x + y * y - z * z) / n, 2 * (y * z - w * x) / n, 2 * (x * z - w * y) / n, 2 * (y * z + w * x) / n,
          (w * w - x * x - y * y + z * z) / n};
}

Mat3<double> rotation_from_z(const Vec3<double>& v) {
  const Vec3<double> to = (1 / length(v)) * v;
  const Vec3<double> axis{-to.y, to.x, 0};  // z × to
  const double sine = length(axis);
  if (sine < 1e-15) return to.z > 0 ? Mat3<double>::identity() : rotation_of_quaternion(0, 1, 0, 0);
  return rotation_about((1 / sine) * axis, std::atan2(sine, to.z));
}

void MjcfSettings::read_compiler(const MjcfNode& node) {
  const MjcfDefaults none;
  const MjcfElement element(node, "<compiler>", none, "");
  const XmlElement own = element.own();
  expect_known(own, "compiler");
  if (own.has("angle")) angle = element.word("angle", {"degree", "radian"}) == "degree" ? 0.017453292519943295 : 1;
  if (own.has("autolimits")) autolimits = element.is("autolimits");
  if (own.has("balanceinertia")) balance = element.is("balanceinertia");
  if (own.has("fusestatic")) fusestatic = element.is("fusestatic"), fusestatic_line = node.main_line();
  if (own.has("alignfree")) alignfree = element.is("alignfree");
  if (own.has("coordinate") && element.word("coordinate", {"local", "global"}) == "global")
    own.error_at("coordinate", "global coordinates are not read; MuJoCo has dropped them, too", "let MuJoCo 2.3.3 or older save the file in local coordinates");
  if (own.has("inertiafromgeom")) {
    const std::string word = element.word("inertiafromgeom", {"auto", "true", "false"});
    from_geoms = word == "auto" ? FromGeoms::automatic : word == "true" ? FromGeoms::always : FromGeoms::never;
  }
  boundmass = element.not_negative("boundmass", boundmass);
  boundinertia = element.not_negative("boundinertia", boundinertia);
  if (const std::vector<double> range = element.numbers("inertiagrouprange", 2, 2); !range.empty()) least_group = range[0], most_group = range[1];
  if (own.has("settotalmass")) {
    const double total = element.number("settotalmass", -1);
    total_mass = total > 0 ? std::optional<double>(total) : std::nullopt;
    total_mass_line = node.main_line();
  }
  if (own.has("eulerseq")) {
    const std::string sequence = element.text("eulerseq", "xyz");
    if (sequence.size() == 3 && sequence.find_first_not_of("xyzXYZ") == std::string::npos)
      eulerseq = sequence;
    else
      own.error_at("eulerseq", cat("eulerseq is ", in_quotes(sequence)),
                   "write three letters: x, y, z for axes that turn with the body, X, Y, Z for axes that stay");
  }
}

void MjcfSettings::read_option(const MjcfNode& node, MjcfFiles& files) {
  const XmlElement element = node.element("<option>");
  expect_known(element, "option");
  gravity = element.vector("gravity", gravity);
  for (const char* fluid : {"density", "viscosity"})
    if (element.number(fluid, 0) != 0) node.file->context.unused.add(cat("<option>, attribute '", fluid, "' (forces of a fluid)"), node.line());
  for (const MjcfNode& child : files.children(node)) {
    if (child.name() != "flag") continue;
    const MjcfDefaults none;
    const MjcfElement flag(child, "<option> <flag>", none, "");
    expect_known(flag.own(), "flag");
    const auto read = [&](const char* name, bool& off) {
      if (flag.has(name)) off = flag.word(name, {"enable", "disable"}) == "disable";
    };
    read("gravity", no_gravity);
    if (flag.has("gravity")) gravity_flag = child;
    read("constraint", no_constraints);
    read("equality", no_equalities);
  }
}

Mat3<double> MjcfSettings::orientation(const MjcfElement& element) const {
  const XmlElement own = element.own();
  std::vector<std::string> given;
  for (const char* name : kMjcfOrientations)
    if (own.has(name)) given.emplace_back(name);
  if (given.size() > 1) {
    own.error(cat("it has several orientations: ", joined(given)), "keep one of them");
    return Mat3<double>::identity();
  }
  const auto zero = [&](const char* attribute) {
    element.holder(attribute).error_at(attribute, cat(attribute, " gives no direction: its vectors are zero or parallel"), "correct the numbers");
    return Mat3<double>::identity();
  };
  const std::string form = element.nearest_of(kMjcfOrientations);
  if (form == "axisangle") {
    const std::vector<double> v = element.numbers("axisangle", 4, 4);
    if (v.empty()) return Mat3<double>::identity();
    const Vec3<double> axis{v[0], v[1], v[2]};
    return length(axis) > 0 ? rotation_about((1 / length(axis)) * axis, angle * v[3]) : zero("axisangle");
  }
  if (form == "xyaxes") {
    const std::vector<double> v = element.numbers("xyaxes", 6, 6);
    if (v.empty()) return Mat3<double>::identity();
    Vec3<double> x{v[0], v[1], v[2]}, y{v[3], v[4], v[5]};
    if (length(x) == 0) return zero("xyaxes");
    x = (1 / length(x)) * x;
    y = y - dot(x, y) * x;
    if (length(y) < 1e-12 * std::hypot(v[3], v[4], v[5]) || length(y) == 0) return zero("xyaxes");
    y = (1 / length(y)) * y;
    return from_columns(x, y, cross(x, y));
  }
  if (form == "zaxis") {
    const Vec3<double> z = element.vector("zaxis", {0, 0, 1});
    return length(z) > 0 ? rotation_from_z(z) : zero("zaxis");
  }
  if (form == "euler") {
    const std::vector<double> v = element.numbers("euler", 3, 3);
    Mat3<double> R = Mat3<double>::identity();
    for (std::size_t i = 0; i < v.size(); ++i) {
      const char letter = eulerseq[i];
      const bool stays = letter >= 'X' && letter <= 'Z';
      const char axis = static_cast<char>(stays ? letter - 'X' + 'x' : letter);
      const double turn = angle * v[i];
      const Mat3<double> step = axis == 'x' ? rotation_x(turn) : axis == 'y' ? rotation_y(turn) : rotation_z(turn);
      R = stays ? step * R : R * step;
    }
    return R;
  }
  const std::vector<double> q = element.numbers("quat", 4, 4);
  if (q.empty()) return Mat3<double>::identity();
  const double largest = std::max({std::abs(q[0]), std::abs(q[1]), std::abs(q[2]), std::abs(q[3])});
  if (largest == 0) return zero("quat");
  return rotation_of_quaternion(q[0] / largest, q[1] / largest, q[2] / largest, q[3] / largest);
}

Pose<double> MjcfSettings::pose(const MjcfElement& element) const { return {orientation(element), element.vector("pos", {})}; }

}  // namespace ulna::internal
