#include <algorithm>
#include <cmath>
#include <set>

#include <ulna/source/load.hpp>
#include <ulna/spatial/spatial.hpp>

#include "source/writers.hpp"
#include "spatial/rpy.hpp"
#include "text/message.hpp"
#include "text/xml.hpp"

namespace ulna ULNA_API {

using namespace internal;

namespace {

class SdfWriter {
 public:
  SdfWriter(const Model& model, Diagnostics& diagnostics) : model_(model), diagnostics_(diagnostics) {}

  std::optional<std::string> write() {
    if (!check_names(diagnostics_, model_, "SDFormat")) return {};
    if (model_.closed()) {
      diagnostics_.error(model_.loops().front().line, cat("loop ", in_quotes(model_.loops().front().name)), "SDFormat has no joints that close loops",
                         "open the loops (--loops ignore), or write URDF or MJCF");
      return {};
    }
    choose_names();
    const std::vector<Joint>& joints = model_.joints();
    const bool mimics = std::any_of(joints.begin(), joints.end(), [](const Joint& joint) { return joint.mimic.has_value(); });
    const bool of_drake = std::any_of(joints.begin(), joints.end(), [](const Joint& joint) {
      return joint.rotor != 0 || joint.gear != 1 || std::isfinite(joint.acceleration) || std::isfinite(joint.jerk);
    });
    const Vec3<double>& g = model_.gravity();
    world_ = !(g == Vec3<double>{0, 0, -9.81});
    out_ = cat("<?xml version=\"1.0\"?>\n<!-- Written by Ulna. SI units, radians. -->\n<sdf version=\"", mimics ? "1.11" : "1.7", "\"",
               of_drake ? " xmlns:drake=\"http://drake.mit.edu\"" : "", ">\n");
    if (world_) out_ += cat("<world name=\"world\">\n  <gravity>", xml_numbers(g), "</gravity>\n");
    out_ += cat("  <model name=\"", xml_text(model_.name()), "\">\n");
    write_root();
    for (std::size_t j = 0; j < joints.size(); ++j) {
      write_joint(j);
      write_link(j + 1);
    }
    out_ += cat("  </model>\n", world_ ? "</world>\n" : "", "</sdf>\n");
    warn_of_losses();
    return std::move(out_);
  }

 private:
  /// SDFormat has one list of names for links and joints; it keeps "world", names between two __, and :: for scopes.
  void choose_names() {
    std::set<std::string> taken{"world"};
    const auto choose = [&](const std::string& text, const char* more) {
      std::string name = text;
      for (std::size_t at = name.find("::"); at != std::string::npos; at = name.find("::", at)) name.replace(at, 2, "__");
      while (!taken.insert(name).second || (name.starts_with("__") && name.ends_with("__"))) name += more;
      renamed_ = renamed_ || name != text;
      return xml_text(name);
    };
    for (std::size_t i = 0; i < model_.links().size(); ++i)
      link_names_.push_back(i == 0 && root_is_world() ? "world" : choose(model_.links()[i].name, "_link"));
    for (const Joint& joint : model_.joints()) joint_names_.push_back(choose(joint.name, "_joint"));
    world_joint_ = "world_joint";
    while (taken.contains(world_joint_)) world_joint_ += "_";
  }
  bool root_is_world() const { return model_.links().front().name == "world" && model_.base() == RootJoint::fixed; }

  void write_pose(const char* indent, const Pose<double>& X, const std::string& relative) {
    if (X == Pose<double>{} && relative.empty()) return;
    out_ +=
        cat(indent, "<pose", relative.empty() ? "" : cat(" relative_to=\"", relative, "\""), ">", xml_numbers(X.p), " ", xml_numbers(rpy_of(X.R)), "</pose>\n");
  }

  void write_root() {
    const Link& root = model_.links().front();
    if (root_is_world()) {
      if (root.mass != 0)
        diagnostics_.warning(root.line, Element::link(root.name), "SDFormat keeps the name 'world' for the world, which has no mass", "its mass was left out");
      return;
    }
    write_link(0);
    if (model_.base() == RootJoint::fixed) {
      out_ += cat("    <joint name=\"", world_joint_, "\" type=\"fixed\">\n      <parent>world</parent>\n      <child>", link_names_[0],
                  "</child>\n    </joint>\n");
    } else {
      diagnostics_.warning(0, Element::robot(model_.name()), cat("the base is ", to_string(model_.base()), ", which SDFormat says by leaving the root free"),
                           cat("load the file with --base ", to_string(model_.base())));
    }
  }

  void write_link(std::size_t i) {
    const Link& link = model_.links()[i];
    out_ += cat("    <link name=\"", link_names_[i], "\">\n");
    if (i > 0) write_pose("      ", model_.joints()[i - 1].X_MB, joint_names_[i - 1]);
    out_ += "      <inertial>\n";
    write_pose("        ", {Mat3<double>::identity(), link.com}, "");
    const Sym3<double>& I = link.inertia;
    const auto entry = [&](const char* key, double value) { return cat("<", key, ">", xml_number(value), "</", key, ">"); };
    out_ += cat("        <mass>", xml_number(link.mass), "</mass>\n        <inertia>", entry("ixx", I.xx), entry("ixy", I.xy), entry("ixz", I.xz),
                entry("iyy", I.yy), entry("iyz", I.yz), entry("izz", I.zz), "</inertia>\n      </inertial>\n    </link>\n");
    if (link.partial)
      diagnostics_.warning(link.line, Element::link(link.name), "SDFormat cannot say that an inertia is partial",
                           "load the file with --unchecked if it is refused");
  }

  void write_joint(std::size_t j) {
    const Joint& joint = model_.joints()[j];
    const bool fixed = joint.type == JointType::fixed;
    out_ += cat("    <joint name=\"", joint_names_[j], "\" type=\"", to_string(joint.type), "\">\n");
    write_pose("      ", joint.X_PF, joint.parent == 0 && root_is_world() ? "__model__" : link_names_[joint.parent]);
    out_ += cat("      <parent>", link_names_[joint.parent], "</parent>\n      <child>", link_names_[joint.child], "</child>\n");
    if (!fixed) {
      out_ += "      <axis>\n";
      if (joint.type != JointType::ball) out_ += cat("        <xyz>", xml_numbers(joint.axis), "</xyz>\n");
      write_limits(joint);
      const Friction& friction = joint.friction;
      if (friction.rubs(false) || joint.stiffness != 0)
        out_ += cat("        <dynamics><damping>", xml_number(friction.viscous), "</damping><friction>", xml_number(friction.coulomb), "</friction>",
                    joint.stiffness != 0 ? cat("<spring_stiffness>", xml_number(joint.stiffness), "</spring_stiffness><spring_reference>",
                                               xml_number(joint.rest), "</spring_reference>")
                                         : "",
                    "</dynamics>\n");
      if (const std::optional<Mimic>& coupling = model_.coupling(j))
        out_ += cat("        <mimic joint=\"", joint_names_[coupling->leader], "\"><multiplier>", xml_number(coupling->multiplier), "</multiplier><offset>",
                    xml_number(coupling->offset), "</offset><reference>0</reference></mimic>\n");
      out_ += "      </axis>\n";
      if (joint.rotor != 0 || joint.gear != 1)
        out_ += cat("      <drake:rotor_inertia>", xml_number(joint.rotor), "</drake:rotor_inertia>\n      <drake:gear_ratio>", xml_number(joint.gear),
                    "</drake:gear_ratio>\n");
    }
    out_ += "    </joint>\n";
  }

  void write_limits(const Joint& joint) {
    std::string limits;
    const auto add = [&](const char* key, double value) {
      if (std::isfinite(value)) limits += cat("<", key, ">", xml_number(value), "</", key, ">");
    };
    if (joint.type != JointType::continuous) add("lower", joint.lower), add("upper", joint.upper);
    add("effort", joint.effort), add("velocity", joint.velocity), add("drake:acceleration", joint.acceleration), add("drake:jerk", joint.jerk);
    if (!limits.empty()) out_ += cat("        <limit>", limits, "</limit>\n");
  }

  void warn_of_losses() {
    for (const Joint& joint : model_.joints()) {
      if (joint.type == JointType::fixed) continue;
      if (joint.friction.static_level != 0)
        diagnostics_.warning(joint.line, Element::joint(joint.name), "SDFormat has no level of static friction",
                             "it was left out: the joint breaks away at its Coulomb friction");
      if (has_further(joint.friction)) diagnostics_.warning(joint.line, Element::joint(joint.name), kViscousAndCoulomb, kFurtherLeftOut);
      if (std::isfinite(joint.deceleration))
        diagnostics_.warning(joint.line, Element::joint(joint.name), "SDFormat has no limit of deceleration", "it was left out");
    }
    for (const Link& link : model_.links())
      if (link.gravcomp != 0)
        diagnostics_.warning(link.line, Element::link(link.name), "SDFormat has no gravity compensation",
                             "it was left out; results depend on it with --springs on alone");
    if (renamed_)
      diagnostics_.warning(0, Element::robot(model_.name()),
                           "links and joints share one list of names in SDFormat, which keeps 'world', __name__ and ::", "some names were changed");
  }

  const Model& model_;
  Diagnostics& diagnostics_;
  std::string out_;
  std::vector<std::string> link_names_, joint_names_;
  std::string world_joint_;
  bool world_ = false, renamed_ = false;
};

}  // namespace

std::optional<std::string> write_sdf(const Model& model, Diagnostics& diagnostics) { return SdfWriter(model, diagnostics).write(); }

}  // namespace ULNA_API
