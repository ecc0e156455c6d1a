#include "source/mjcf_inertia.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "text/message.hpp"

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

/// A shell has no closed form. MuJoCo takes Thomsen's approximation of the area, and the inertia of what is added where each half axis grows by 1 µm, a layer
/// that is not equally thick. Written here without the difference of two large numbers.
Shape ellipsoid(double a, double b, double c, bool shell) {
  const Vec3<double> solid{(b * b + c * c) / 5, (a * a + c * c) / 5, (a * a + b * b) / 5};
  if (!shell) return {4.0 / 3 * kPi * a * b * c, solid};
  constexpr double p = 1.6075, e = 1e-6;
  const double mean = (std::pow(a * b, p) + std::pow(b * c, p) + std::pow(c * a, p)) / 3;
  const double more = e * (a * b + b * c + c * a) + e * e * (a + b + c) + e * e * e, outer = a * b * c + more;  // volumes, but for a factor
  const auto moment = [&](double u, double v, double inner) { return inner + outer / more * e * (2 * (u + v) + 2 * e) / 5; };
  return {4 * kPi * std::pow(mean, 1 / p), {moment(b, c, solid.x), moment(a, c, solid.y), moment(a, b, solid.z)}};
}

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

/// What a <geom> adds to its body.
struct GeomMass {
  enum class Verdict {
    none,    // it has no mass: a group that does not count, mass or density 0, a plane, a shape too small for MuJoCo
    known,   // a sphere, capsule, cylinder, ellipsoid or box
    unknown  // it has mass, but not by what is read here
  };
  Verdict verdict = Verdict::none;
  std::string what{};  // of an unknown one: "a height field"
  std::string why{}, cure{};
  double mass = 0;         // [kg]
  Pose<double> X_BG{};     // centre and axes of the shape, in the body
  Vec3<double> moments{};  // about that centre and those axes [kg m²]
};

/// Half sizes of a shape in place of a mesh, of the same inertia as a box.
std::vector<double> fitted_size(const MeshSolid& solid, const std::string& type, double scale) {
  const Vec3<double>& m = solid.moments;
  const auto half = [&](double twice) { return 0.5 * std::sqrt(6 * std::max(twice, 0.0) / solid.volume); };
  const double x = half(m.y + m.z - m.x), y = half(m.x + m.z - m.y), z = half(m.x + m.y - m.z), r = (x + y) / 2;
  if (type == "sphere") return {scale * (x + y + z) / 3, 0, 0};
  if (type == "capsule") return {scale * r, scale * std::max(0.0, z - r / 2), 0};
  if (type == "cylinder") return {scale * r, scale * z, 0};
  return {scale * x, scale * y, scale * z};
}

GeomMass mass_of_geom(const MjcfElement& geom, const Pose<double>& X_BF, MjcfScope& scope) {
  const MjcfSettings& settings = scope.settings;
  using Verdict = GeomMass::Verdict;
  const double group = geom.number("group", 0);
  if (group < settings.least_group || group > settings.most_group) return {};
  const std::string type = geom.word("type", {"sphere", "plane", "hfield", "capsule", "ellipsoid", "cylinder", "box", "mesh", "sdf"});
  if (type == "plane") return {};
  const bool stated = geom.has("mass"), shell = geom.is("shellinertia");
  const double mass = geom.not_negative("mass", 0), density = geom.not_negative("density", 1000);
  if (stated ? mass == 0 : density == 0) return {};
  if (type == "sdf") return {Verdict::unknown, "a signed distance field"};
  if (type == "hfield") return {Verdict::unknown, "a height field"};
  Pose<double> X_FG = settings.pose(geom);
  const bool meshed = type == "mesh" || geom.has("mesh");
  const MjcfMeshes::Entry* mesh = nullptr;
  if (meshed) {
    mesh = &scope.meshes.find(geom.text("mesh", ""));
    if (geom.has("fromto")) geom.holder("fromto").error_at("fromto", "a geom with a mesh cannot have fromto", "remove one of them");
    if (!mesh->solid) return {Verdict::unknown, cat("of mesh ", in_quotes(geom.text("mesh", ""))), mesh->problem, mesh->cure};
    const MeshSolid& solid = *mesh->solid;
    if (type == "mesh") {
      if (shell)
        geom.holder("shellinertia").error_at("shellinertia", "MuJoCo reads the kind of inertia of a mesh from the asset", "write <mesh inertia=\"shell\">");
      const double m = stated ? mass : density * solid.volume;
      if (m <= kLeastMass || (stated && solid.volume <= kLeastVolume)) return {};
      return {Verdict::known, {}, {}, {}, m, X_BF * X_FG * solid.X, (m / solid.volume) * solid.moments};
    }
  }

  const std::vector<double> ends = geom.numbers("fromto", 6, 6);
  const bool fromto = !ends.empty();
  const std::vector<double> stated_size = geom.numbers("size", 1, 3);
  if (stated_size.empty() && geom.has("size")) return {};  // wrong, and reported
  std::vector<double> size = geom.merged("size", {0, 0, 0});
  if (meshed) {
    if (settings.fitaabb)
      return {Verdict::unknown, cat("fitted to mesh ", in_quotes(geom.text("mesh", ""))),
              "the box around it in its principal axes (fitaabb) is as good as MuJoCo's axes are, to 7 digits",
              "remove fitaabb, or write the size of the geom"};
    if (const Vec3<double>& m = mesh->solid->moments; m.y + m.z - m.x <= 1e-9 * m.x)
      return {Verdict::unknown, cat("fitted to mesh ", in_quotes(geom.text("mesh", ""))), "the mesh is flat, so that the geom has no thickness but rounding",
              "write the size of the geom"};
    size = fitted_size(*mesh->solid, type, geom.number("fitscale", 1));
    X_FG = X_FG * mesh->solid->X;
  }
  const std::size_t needed = sizes_of(type, fromto);
  for (std::size_t i = 0; i < needed; ++i)
    if (!(size[i] > 0)) {
      geom.holder("size").error(
          cat("a ", type, " needs ", needed, needed == 1 ? " positive number" : " positive numbers", " in its size, and number ", i + 1, " is ", size[i]),
          "write them, here or in its class");
      return {};
    }
  if (fromto && !meshed) {
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
                      : type == "ellipsoid" ? ellipsoid(size[0], size[1], size[2], shell)
                                            : box(size[0], size[1], size[2], shell);
  const double m = stated ? mass : density * shape.volume;
  if (m <= kLeastMass || (stated && shape.volume <= kLeastVolume)) return {};
  return {Verdict::known, {}, {}, {}, m, X_BF * X_FG, m * shape.moments};
}

Sym3<double> diagonal(const Vec3<double>& moments) { return {moments.x, moments.y, moments.z, 0, 0, 0}; }

MjcfMass read_inertial(const MjcfPlaced& placed, const Element& label) {
  const MjcfSettings& settings = placed.context->scope.settings;
  const MjcfDefaults none;
  const MjcfElement element(placed.node, label, none, "");
  const XmlElement own = element.own();
  expect_known(own, "inertial");
  if (!own.has("pos")) own.error("attribute 'pos' is missing", "write pos=\"x y z\", the mass centre");
  const Pose<double> X_BI = placed.X_BF * settings.pose(element);
  MjcfMass out{.mass = own.require_number("mass"), .com = X_BI.p, .R = X_BI.R, .stated = true, .by_inertial = true};
  const std::vector<double> full = own.numbers("fullinertia", 6, 6), moments = own.numbers("diaginertia", 3, 3);
  if (own.has("fullinertia")) {
    if (own.has("diaginertia")) own.error("it has both diaginertia and fullinertia", "keep one of them");
    if (!element.nearest_of(kMjcfOrientations).empty())
      own.error("fullinertia is in the axes of the body, so it cannot be combined with an orientation", "remove the orientation");
    if (!full.empty()) out.inertia = {full[0], full[1], full[2], full[3], full[4], full[5]};
    out.principal = false;
  } else if (!moments.empty()) {
    out.inertia = diagonal({moments[0], moments[1], moments[2]});
  }
  return out;
}

/// The sum of the geoms. One alone keeps its axes.
MjcfMass mass_of_geoms(const std::vector<MjcfPlaced>& inside, const Element& label) {
  MjcfMass out;
  std::vector<GeomMass> known;
  PseudoInertia<double> sum;
  for (const MjcfPlaced& placed : inside) {
    if (placed.node.name() != "geom") continue;
    MjcfScope& scope = placed.context->scope;
    const std::string_view name = placed.node.node.attribute("name").value();
    const MjcfElement geom(placed.node, label.with(name.empty() ? "<geom>" : cat("<geom> ", in_quotes(name))), scope.defaults, placed.childclass);
    const GeomMass mass = mass_of_geom(geom, placed.X_BF, scope);
    if (mass.verdict == GeomMass::Verdict::unknown && out.unknown == nullptr)
      out.unknown = &placed, out.what = mass.what, out.why = mass.why, out.cure = mass.cure;
    if (mass.verdict != GeomMass::Verdict::known) continue;
    known.push_back(mass);
    sum = sum + pseudo_inertia(mass.mass, mass.X_BG.p, congruence(mass.X_BG.R, diagonal(mass.moments)));
  }
  if (known.empty()) return out;
  out.mass = sum.m;
  out.com = (1 / sum.m) * sum.h;
  out.inertia = inertia_about_com(sum);
  out.principal = false;
  out.stated = true;
  if (known.size() == 1) out.com = known[0].X_BG.p, out.R = known[0].X_BG.R, out.inertia = diagonal(known[0].moments), out.principal = true;
  return out;
}

/// boundmass, boundinertia, balanceinertia.
void bound(const MjcfElement& body, const MjcfSettings& settings, MjcfMass& out) {
  const XmlElement own = body.own();
  if (settings.boundmass > out.mass) {
    own.note(out.stated ? cat("its mass ", out.mass, " was raised to boundmass ", settings.boundmass)
                        : cat("it states no mass and gets boundmass ", settings.boundmass,
                              "; MuJoCo takes the numbers of its own pos, which are its place in the parent, for the mass centre in the body"),
             "state its mass");
    out.mass = settings.boundmass;
  }
  if (settings.boundinertia <= 0 && !settings.balance) return;
  MjcfMass principal = in_principal_axes(out);
  Sym3<double>& I = principal.inertia;
  const Sym3<double> stated = I;
  for (double* moment : {&I.xx, &I.yy, &I.zz}) *moment = std::max(*moment, settings.boundinertia);
  if (I != stated) own.note(cat("principal moments were raised to boundinertia ", settings.boundinertia), "state moments that the body has");
  if (settings.balance && (I.xx + I.yy < I.zz || I.xx + I.zz < I.yy || I.yy + I.zz < I.xx)) {
    const double mean = (I.xx + I.yy + I.zz) / 3;
    own.warning(cat("its principal moments ", rounded(I.xx), ", ", rounded(I.yy), ", ", rounded(I.zz),
                    " break the triangle inequality: balanceinertia sets all to their mean"),
                "give moments that a body can have");
    I = diagonal({mean, mean, mean});
  }
  if (I != stated) out = principal;
}

}  // namespace

MjcfMass in_principal_axes(MjcfMass body) {
  if (body.principal) return body;
  const PrincipalAxes axes = principal_axes(body.inertia);  // ascending
  const Mat3<double>& A = axes.R;
  body.R = body.R * Mat3<double>{A.xz, A.xy, -A.xx, A.yz, A.yy, -A.yx, A.zz, A.zy, -A.zx};
  body.inertia = diagonal({axes.moments.z, axes.moments.y, axes.moments.x});
  body.principal = true;
  return body;
}

MjcfMass mass_of_body(const MjcfElement& body, const std::vector<MjcfPlaced>& inside, const MjcfPlaced& placed) {
  const MjcfSettings& settings = placed.context->scope.settings;
  using FromGeoms = MjcfSettings::FromGeoms;
  const Element label = body.own().label();
  const MjcfPlaced* inertial = nullptr;
  for (const MjcfPlaced& part : inside) {
    if (part.node.name() != "inertial") continue;
    if (inertial != nullptr)
      part.node.element(label.with("<inertial>")).error(cat("it is given twice, first in line ", inertial->node.line()), "keep one of them");
    inertial = &part;
  }
  MjcfMass out;
  if (inertial != nullptr) out = read_inertial(*inertial, label.with("<inertial>"));
  if (settings.from_geoms == FromGeoms::always || (settings.from_geoms == FromGeoms::automatic && inertial == nullptr)) {
    const MjcfMass geoms = mass_of_geoms(inside, label);
    if (geoms.stated || geoms.unknown != nullptr) out = geoms;
  }
  if (out.unknown != nullptr) return out;
  if (!out.stated) out.com = body.vector("pos", {});  // as MuJoCo has it; it counts where boundmass gives a mass
  bound(body, settings, out);
  return out;
}

}  // namespace ulna::internal
