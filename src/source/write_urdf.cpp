#include <algorithm>
#include <cmath>

#include <ulna/source/load.hpp>
#include <ulna/spatial/spatial.hpp>

#include "source/writers.hpp"
#include "spatial/rpy.hpp"
#include "text/message.hpp"
#include "text/xml.hpp"

namespace ulna ULNA_API {

using namespace internal;

namespace {

constexpr double kNoLimit = 1e9;  // URDF has no word for "unlimited" that all its readers take

/// The sine of pi is 1e-16 and means 0: right angles become exact, so that rotated vectors keep their digits and zeros.
Mat3<double> without_rounding(Mat3<double> R) {
  for (double* entry : {&R.xx, &R.xy, &R.xz, &R.yx, &R.yy, &R.yz, &R.zx, &R.zy, &R.zz})
    if (std::abs(*entry - std::round(*entry)) <= kEntryRounding) *entry = std::round(*entry);
  return R;
}

class UrdfWriter {
 public:
  UrdfWriter(const Model& model, Diagnostics& diagnostics) : model_(model), diagnostics_(diagnostics) {}

  std::optional<std::string> write() {
    bool good = check_names(diagnostics_, model_, "URDF");
    for (const Loop& loop : model_.loops()) good = check_name(diagnostics_, cat("loop ", in_quotes(loop.name)), loop.name, loop.line, "URDF") && good;
    for (const Joint& joint : model_.joints())
      if (joint.type == JointType::ball)
        diagnostics_.error(joint.line, Element::joint(joint.name), "it is a ball joint, which URDF does not have", "convert to SDF or MJCF"), good = false;
    if (!good) return {};

    place_links();
    const bool rotors = std::any_of(model_.joints().begin(), model_.joints().end(), has_rotor);
    out_ += "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<!-- Written by Ulna. SI units, radians. -->\n";
    write_gravity();
    const bool rates = std::any_of(model_.joints().begin(), model_.joints().end(), has_rate_limit);
    const bool further = std::any_of(model_.joints().begin(), model_.joints().end(), [](const Joint& joint) { return has_further(joint.friction); });
    out_ += cat("<robot name=\"", xml_text(model_.name()), "\"", rates ? " version=\"1.2\"" : "", rotors ? " xmlns:drake=\"http://drake.mit.edu\"" : "",
                further ? " xmlns:ulna=\"urn:ulna\"" : "", ">\n");
    write_base();
    for (std::size_t i = 0; i < model_.links().size(); ++i) write_link(i);
    for (std::size_t j = 0; j < model_.joints().size(); ++j) write_joint(j);
    for (const Loop& loop : model_.loops()) write_loop(loop);
    for (const Joint& joint : model_.joints())
      if (has_rotor(joint)) write_rotor(joint);
    out_ += "</robot>\n";
    warn_of_order(diagnostics_, model_, "URDF");
    warn_of_mjcf_forces();
    warn_of_missing_limits();
    return std::move(out_);
  }

 private:
  static bool has_rotor(const Joint& joint) { return joint.type != JointType::fixed && (joint.rotor != 0 || joint.gear != 1); }

  static bool has_rate_limit(const Joint& joint) {
    return joint.type != JointType::fixed &&
           std::any_of(std::begin(kRateLimits), std::end(kRateLimits), [&](const RateLimit& limit) { return std::isfinite(joint.*limit.number); });
  }

  /// X_NL: the model's link frame L in the frame N that URDF gives the link. They differ where a moving joint's frame M is not the link's.
  void place_links() {
    X_NL_.assign(model_.links().size(), {});
    for (const Joint& joint : model_.joints())
      if (joint.type != JointType::fixed) X_NL_[joint.child] = {without_rounding(joint.X_MB.R), joint.X_MB.p};
  }

  void write_gravity() {
    const Vec3<double>& g = model_.gravity();
    if (g == Vec3<double>{0, 0, -9.81}) return;
    out_ += cat("<!-- Gravity ", xml_numbers(g), " m/s², in the axes of the root link: not part of URDF, so tell the program that reads this file. -->\n");
    diagnostics_.warning(0, "gravity",
                         cat("URDF cannot carry it, and it is not (0, 0, -9.81) but (", xml_number(g.x), ", ", xml_number(g.y), ", ", xml_number(g.z), ")"),
                         cat("load the file with --gravity ", xml_number(g.x), ",", xml_number(g.y), ",", xml_number(g.z)));
  }

  /// A base that moves, as ROS writes it: a joint below a link for the world.
  void write_base() {
    if (model_.base() == RootJoint::fixed) return;
    std::string world = "world", joint = "base";
    while (model_.find_link(world)) world += "_";
    while (model_.find_joint(joint)) joint += "_";
    const bool planar = model_.base() == RootJoint::planar;
    out_ += cat("  <link name=\"", world, "\"/>\n  <joint name=\"", joint, "\" type=\"", planar ? "planar" : "floating", "\">\n    <parent link=\"", world,
                "\"/>\n    <child link=\"", xml_text(model_.links().front().name), "\"/>\n", planar ? "    <axis xyz=\"0 0 1\"/>\n" : "", "  </joint>\n");
  }

  void write_origin(const char* indent, const Pose<double>& X) {
    if (X == Pose<double>{}) return;
    out_ += cat(indent, "<origin xyz=\"", xml_numbers(X.p), "\" rpy=\"", xml_numbers(rpy_of(X.R)), "\"/>\n");
  }

  void write_link(std::size_t i) {
    const Link& link = model_.links()[i];
    const std::string name = xml_text(link.name);
    if (link.partial)
      diagnostics_.warning(link.line, Element::link(link.name), "URDF cannot say that an inertia is partial",
                           "load the file with --unchecked if it is refused");
    if (link.mass == 0 && link.inertia == Sym3<double>{}) {
      out_ += cat("  <link name=\"", name, "\"/>\n");
      return;
    }
    const Pose<double>& X = X_NL_[i];
    const Sym3<double> I = X.R == Mat3<double>::identity() ? link.inertia : congruence(X.R, link.inertia);
    out_ += cat("  <link name=\"", name, "\">\n    <inertial>\n");
    write_origin("      ", {Mat3<double>::identity(), X == Pose<double>{} ? link.com : X.p + X.R * link.com});
    out_ += cat("      <mass value=\"", xml_number(link.mass), "\"/>\n      <inertia ixx=\"", xml_number(I.xx), "\" ixy=\"", xml_number(I.xy), "\" ixz=\"",
                xml_number(I.xz), "\" iyy=\"", xml_number(I.yy), "\" iyz=\"", xml_number(I.yz), "\" izz=\"", xml_number(I.zz),
                "\"/>\n    </inertial>\n  </link>\n");
  }

  void write_joint(std::size_t j) {
    const Joint& joint = model_.joints()[j];
    const std::optional<Mimic>& coupling = model_.coupling(j);
    const auto link_name = [&](std::size_t link) { return xml_text(model_.links()[link].name); };
    const bool fixed = joint.type == JointType::fixed;
    // A revolute joint without limits is what URDF calls continuous.
    const bool endless = joint.type == JointType::revolute && std::isinf(joint.lower) && std::isinf(joint.upper);
    const JointType type = endless ? JointType::continuous : joint.type;
    out_ += cat("  <joint name=\"", xml_text(joint.name), "\" type=\"", to_string(type), "\"", independence(j), ">\n");
    const Pose<double> X_NF = X_NL_[joint.parent] * joint.X_PF;
    write_origin("    ", fixed ? X_NF * joint.X_MB : X_NF);
    out_ += cat("    <parent link=\"", link_name(joint.parent), "\"/>\n    <child link=\"", link_name(joint.child), "\"/>\n");
    if (!fixed) {
      out_ += cat("    <axis xyz=\"", xml_numbers(joint.axis), "\"/>\n");
      write_limits(joint, type);
      const Friction& friction = joint.friction;
      if (friction.rubs())
        out_ += cat("    <dynamics damping=\"", xml_number(friction.viscous), "\" friction=\"", xml_number(friction.coulomb),
                    friction.static_level != 0 ? cat("\" static=\"", xml_number(friction.static_level)) : "", "\"", further_of(friction), ">\n");
      if (coupling)  // as the file states it: a reader may lock a joint within the chain
        out_ += cat("    <mimic joint=\"", xml_text(model_.joints()[coupling->leader].name), "\" multiplier=\"", xml_number(coupling->multiplier),
                    "\" offset=\"", xml_number(coupling->offset), "\"/>\n");
    }
    out_ += "  </joint>\n";
  }

  /// In an element of Ulna's own, which other readers pass over: urdfdom 6.0, Pinocchio 4.1, MuJoCo and Drake 1.51 do.
  static std::string further_of(const Friction& friction) {
    std::string out;
    for (const FrictionField& field : further_friction())
      if (field.given(friction)) out += cat(" ", field.name, "=\"", xml_number(friction.*field.number), "\"");
    return out.empty() ? "/" : cat("><ulna:friction", out, "/></dynamics");
  }

  /// Of a robot with loops: whether v lists the joint.
  std::string independence(std::size_t j) const {
    const std::vector<std::size_t>& all = model_.independent();
    if (!model_.closed() || std::find(all.begin(), all.end(), j) == all.end()) return {};
    return std::find(driven_.begin(), driven_.end(), j) == driven_.end() ? " independent=\"false\"" : " independent=\"true\"";
  }

  void write_loop(const Loop& loop) {
    out_ += cat("  <loop name=\"", xml_text(loop.name), "\" type=\"", to_string(loop.type), "\">\n");
    const auto write_end = [&](const char* role, std::size_t link, const Pose<double>& X) {
      out_ += cat("    <", role, " link=\"", xml_text(model_.links()[link].name), "\">\n");
      write_origin("      ", X_NL_[link] * X);
      out_ += cat("    </", role, ">\n");
    };
    write_end("predecessor", loop.predecessor, loop.X_PA);
    write_end("successor", loop.successor, loop.X_SB);
    out_ += cat("    <axis xyz=\"", xml_numbers(loop.axis), "\"/>\n  </loop>\n");
  }

  void write_limits(const Joint& joint, JointType type) {
    const bool bounded = type != JointType::continuous;
    if (!bounded && std::isinf(joint.effort) && std::isinf(joint.velocity) && !has_rate_limit(joint)) return;
    const auto limit = [](double value) { return xml_number(std::isinf(value) ? std::copysign(kNoLimit, value) : value); };
    bool missing = std::isinf(joint.effort) || std::isinf(joint.velocity);
    out_ += "    <limit";
    if (bounded) {
      missing = missing || std::isinf(joint.lower) || std::isinf(joint.upper);
      out_ += cat(" lower=\"", limit(joint.lower), "\" upper=\"", limit(joint.upper), "\"");
    }
    out_ += cat(" effort=\"", limit(joint.effort), "\" velocity=\"", limit(joint.velocity), "\"");
    for (const RateLimit& rate : kRateLimits)
      if (std::isfinite(joint.*rate.number)) out_ += cat(" ", rate.name, "=\"", xml_number(joint.*rate.number), "\"");
    out_ += "/>\n";
    if (missing) without_limits_.push_back(joint.name);
  }

  void warn_of_missing_limits() {
    if (without_limits_.empty()) return;
    std::string names;
    for (const std::string& name : without_limits_) names += cat(names.empty() ? "" : ", ", in_quotes(name));
    diagnostics_.warning(0, without_limits_.size() == 1 ? Element::joint(without_limits_.front()) : Element(cat("joints ", names)),
                         "limits that URDF needs are missing in the model", cat("they were written as ", rounded(kNoLimit), ": put in real ones"));
  }

  /// Springs and gravity compensation come from MJCF alone.
  void warn_of_mjcf_forces() {
    for (const Joint& joint : model_.joints())
      if (joint.type != JointType::fixed && joint.stiffness != 0)
        diagnostics_.warning(joint.line, Element::joint(joint.name), "URDF has no springs", "it was left out; results depend on it with --springs on alone");
    for (const Link& link : model_.links())
      if (link.gravcomp != 0)
        diagnostics_.warning(link.line, Element::link(link.name), "URDF has no gravity compensation",
                             "it was left out; results depend on it with --springs on alone");
  }

  void write_rotor(const Joint& joint) {
    const std::string name = xml_text(joint.name);
    out_ += cat("  <transmission name=\"", name, "_transmission\">\n    <type>transmission_interface/SimpleTransmission</type>\n    <joint name=\"", name,
                "\"/>\n    <actuator name=\"", name, "_motor\">\n      <drake:rotor_inertia value=\"", xml_number(joint.rotor),
                "\"/>\n      <drake:gear_ratio value=\"", xml_number(joint.gear), "\"/>\n    </actuator>\n  </transmission>\n");
  }

  const Model& model_;
  Diagnostics& diagnostics_;
  std::string out_;
  const std::vector<std::size_t> driven_ = model_.driven();
  std::vector<Pose<double>> X_NL_;
  std::vector<std::string> without_limits_;
};

}  // namespace

std::optional<std::string> write_urdf(const Model& model, Diagnostics& diagnostics) { return UrdfWriter(model, diagnostics).write(); }

}  // namespace ULNA_API
