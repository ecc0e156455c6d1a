
#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "source/readers.hpp"
#include "source/source_text.hpp"
#include "source/yaml.hpp"
#include "text/message.hpp"

namespace ulna::internal {

namespace {

enum class Convention { standard, modified };

// Made on first use: a program may load a model before main() begins.
const std::vector<std::string>& top_keys() {
  static const std::vector<std::string> keys{"robot", "description", "convention", "gravity", "base", "links", "loops"};
  return keys;
}
const std::vector<std::string>& row_keys() {
  static const std::vector<std::string> keys = [] {
    std::vector<std::string> all{"joint",    "name",         "link",         "a",    "alpha",      "d",          "theta", "mass",  "com",
                                 "inertia",  "inertia_is",   "rotor",        "gear", "rotor_axis", "rotor_link", "lower", "upper", "effort",
                                 "velocity", "acceleration", "deceleration", "jerk", "independent"};
    for (const FrictionField& field : kFrictionFields) all.emplace_back(field.name);
    return all;
  }();
  return keys;
}
const std::vector<std::string>& joint_types() {
  static const std::vector<std::string> types{"revolute", "continuous", "prismatic", "fixed"};
  return types;
}

Pose<double> turn_x(double angle) { return {rotation_x(angle), {}}; }
Pose<double> turn_z(double angle) { return {rotation_z(angle), {}}; }
Pose<double> shift(double x, double z) { return {Mat3<double>::identity(), {x, 0, z}}; }

struct DhRow {
  double a = 0, alpha = 0, d = 0, theta = 0;
};

/// The joint moves along or about z_{i-1}, the axis the row begins with: all of the row lies behind the joint.
/// A = Rz(theta) Tz(d) Tx(a) Rx(alpha).
void place_standard(Joint& joint, const DhRow& row) { joint.X_MB = turn_z(row.theta) * shift(row.a, row.d) * turn_x(row.alpha); }

/// The joint moves along or about z_i, the axis the row ends with: all of the row lies before the joint.
/// A = Rx(alpha) Tx(a) Rz(theta) Tz(d).
void place_modified(Joint& joint, const DhRow& row) { joint.X_PF = turn_x(row.alpha) * shift(row.a, 0) * turn_z(row.theta) * shift(0, row.d); }

class DhReader {
 public:
  DhReader(Diagnostics& diagnostics, const ReadLimits& limits, LoopDescription& loops, std::vector<RotorAxis>* rotors)
      : diagnostics_(diagnostics), limits_(limits), loops_(loops), rotors_(rotors) {
    robot_.file = diagnostics.file();
  }

  Description read(const YamlNode& root) {
    if (root.kind != YamlNode::Kind::mapping) {
      const bool is_xml = root.text.substr(0, 1) == "<";
      diagnostics_.error(root.line, "file",
                         is_xml ? std::string("this is XML, not a DH table in YAML") : cat("a DH table is a mapping, but this is ", describe(root)),
                         is_xml ? "name a URDF file .urdf" : "begin with 'robot: name', 'convention: ...' and 'links:'");
      return robot_;
    }
    YamlFields top(root, "", top_keys(), diagnostics_);
    top.require("robot");
    robot_.name = top.name("robot", "robot", limits_);
    top.word("description", "");
    robot_.gravity = top.vector("gravity", robot_.gravity);
    read_convention(top);
    read_base(top);
    read_rows(top);
    if (const YamlNode* loops = top.find("loops")) read_loop_list(*loops, diagnostics_, limits_, loops_);
    return robot_;
  }

 private:
  void read_convention(YamlFields& top) {
    const std::string cure = "write 'standard' (Rz Tz Tx Rx, the axis of joint i is z of frame i-1) or 'modified' (Craig: Rx Tx Rz Tz, it is z of frame i)";
    const YamlNode* node = top.find("convention");
    if (!node) {
      diagnostics_.error(1, "file", "the key 'convention' is missing", cure);
      return;
    }
    const std::string name = top.word("convention", "standard");
    if (name == "modified") convention_ = Convention::modified;
    if (name != "standard" && name != "modified")
      top.error("convention", cat("unknown convention ", in_quotes(name)), cat(cure, did_you_mean(name, {"standard", "modified"})));
  }

  /// X_R0: DH frame 0 in the frame of the root link R; how that stands in the world, and its inertia, which only matters where it moves.
  void read_base(YamlFields& top) {
    const YamlNode* node = top.find("base");
    if (!node || node->kind == YamlNode::Kind::faulty) return;
    if (node->kind != YamlNode::Kind::mapping) {
      top.error("base", cat("a placement belongs here, not ", describe(*node)), "write 'base: {xyz: [0, 0, 0], rpy: [0, 0, 0]}'");
      return;
    }
    YamlFields base(*node, "base", {"xyz", "rpy", "joint", "mass", "com", "inertia", "inertia_is"}, diagnostics_);
    const std::string joint = base.word("joint", "fixed");
    if (const std::optional<RootJoint> known = root_joint_named(joint))
      robot_.base = *known;
    else
      base.error("joint", cat("unknown kind of base ", in_quotes(joint)), cat("write fixed, planar or free", did_you_mean(joint, {"fixed", "planar", "free"})));
    if (base.has("mass")) read_inertia(base, root_);
    const Vec3<double> rpy = base.angle_vector("rpy", {});
    if (rpy != Vec3<double>{}) base_.R = rotation_rpy(rpy.x, rpy.y, rpy.z);
    base_.p = base.vector("xyz", {});
  }

  void read_rows(YamlFields& top) {
    const YamlNode* rows = top.require("links");
    if (!rows || rows->kind == YamlNode::Kind::faulty) return;
    if (rows->kind != YamlNode::Kind::sequence || rows->items.empty()) {
      top.error("links",
                rows->kind == YamlNode::Kind::sequence || rows->kind == YamlNode::Kind::null ? std::string("there are no rows")
                                                                                             : cat("rows belong here, not ", describe(*rows)),
                "write one row for each joint, from the base to the tip: '- {joint: revolute, a: 0, ...}'");
      return;
    }
    if (rows->items.size() > limits_.joints) {
      top.error("links", cat("there are ", rows->items.size(), " rows, more than ", limits_.joints, " joints"), how_to_raise(&ReadLimits::joints));
      return;
    }
    root_.name = "base";
    root_.line = top.line("links");
    robot_.links.push_back(root_);
    for (std::size_t i = 0; i < rows->items.size(); ++i) {
      if (too_many_problems(rows->items[i].line, diagnostics_)) return;
      read_row(rows->items[i], i + 1);
    }
  }

  void read_row(const YamlNode& node, std::size_t number) {
    Description::JointEntry entry;
    Link link;
    entry.joint.line = link.line = node.line;
    entry.joint.name = cat("j", number);
    link.name = cat("link", number);
    entry.parent = robot_.links.back().name;
    if (node.kind == YamlNode::Kind::mapping) {
      YamlFields row(node, cat("row ", number), row_keys(), diagnostics_);
      entry.joint.name = row.name("name", entry.joint.name, limits_);
      link.name = row.name("link", link.name, limits_);
      row.rename(Element::joint(entry.joint.name));
      read_joint(row, number, entry.joint);
      row.rename(Element::link(link.name));
      read_inertia(row, link);
    } else if (node.kind != YamlNode::Kind::faulty) {
      diagnostics_.error(node.line, cat("row ", number), cat("a row is a mapping, but this is ", describe(node)),
                         "write '- {joint: revolute, a: 0, alpha: 0, d: 0, theta: 0, mass: 0}'");
    }
    entry.child = link.name;
    robot_.links.push_back(std::move(link));
    robot_.joints.push_back(std::move(entry));
  }

  void read_joint(YamlFields& row, std::size_t number, Joint& joint) {
    joint.type = read_type(row);
    for (const char* key : {"a", "alpha", "d", "theta"}) row.require(key);
    const DhRow dh{row.number("a", 0), row.angle("alpha", 0), row.number("d", 0), row.angle("theta", 0)};
    if (convention_ == Convention::standard)
      place_standard(joint, dh);
    else
      place_modified(joint, dh);
    if (number == 1) joint.X_PF = base_ * joint.X_PF;
    if (joint.type == JointType::fixed) {
      std::vector<std::string> moving = friction_names();
      for (const char* key : {"rotor", "gear", "rotor_axis", "rotor_link", "lower", "upper", "effort", "velocity", "acceleration", "deceleration", "jerk"})
        moving.emplace_back(key);
      for (const std::string& key : moving)
        if (row.has(key)) row.warning(key, "it means nothing for a fixed joint", "remove it");
      return;
    }
    read_drive(row, joint);
    read_limits(row, joint);
    if (row.has("independent")) {
      const std::string word = row.word("independent", "true");
      if (word != "true" && word != "false")
        row.error("independent", cat("independent is ", in_quotes(word)), "write true or false");
      else
        loops_.marks.emplace_back(joint.name, word == "true");
    }
  }

  static JointType type_of(std::string_view name) {
    if (name == "continuous") return JointType::continuous;
    if (name == "prismatic") return JointType::prismatic;
    if (name == "fixed") return JointType::fixed;
    return JointType::revolute;
  }

  JointType read_type(YamlFields& row) {
    if (!row.require("joint")) return JointType::revolute;
    const std::string name = row.word("joint", "revolute");
    if (std::find(joint_types().begin(), joint_types().end(), name) == joint_types().end())
      row.error("joint", cat("unknown joint type ", in_quotes(name)), cat("write revolute, continuous, prismatic or fixed", did_you_mean(name, joint_types())));
    return type_of(name);
  }

  void read_drive(YamlFields& row, Joint& joint) {
    joint.rotor = row.number("rotor", 0);
    joint.gear = row.number("gear", 1);
    if (joint.gear == 0) {
      row.error("gear", "a gear ratio of 0 would uncouple the motor", "write motor turns per joint turn, or leave the key out");
      joint.gear = 1;
    }
    joint.friction = read_friction(row);
    if (const std::optional<RotorAxis> rotor = read_rotor_axis(row, "rotor_axis", "rotor_link", joint.name, limits_); rotor && rotors_ != nullptr)
      rotors_->push_back(*rotor);
  }

  void read_limits(YamlFields& row, Joint& joint) {
    joint.effort = row.not_negative("effort", joint.effort);
    joint.velocity = row.not_negative("velocity", joint.velocity);
    for (const RateLimit& limit : kRateLimits) joint.*limit.number = row.not_negative(limit.name, joint.*limit.number);
    if (joint.type == JointType::continuous) {
      for (const char* key : {"lower", "upper"})
        if (row.has(key)) row.warning(key, "a continuous joint has no limits; it is ignored", "write 'joint: revolute', or remove the limit");
      return;
    }
    const bool revolute = joint.type == JointType::revolute;
    const double lower = revolute ? row.angle("lower", joint.lower) : row.number("lower", joint.lower);
    const double upper = revolute ? row.angle("upper", joint.upper) : row.number("upper", joint.upper);
    if (lower > upper) {
      row.error("lower", cat("the lower limit ", lower, " is above the upper limit ", upper), "swap or correct them");
      return;
    }
    joint.lower = lower;
    joint.upper = upper;
  }

  void read_inertia(YamlFields& row, Link& link) {
    link.inertial = true;
    const bool has_mass = row.require("mass") != nullptr;
    link.mass = row.number("mass", 0);
    if (has_mass && link.mass != 0)
      for (const char* key : {"com", "inertia"}) row.require(key);
    link.com = row.vector("com", {});
    read_tensor(row, link);
    const std::string completeness = row.word("inertia_is", "full");
    link.partial = completeness == "partial";
    if (completeness != "partial" && completeness != "full")
      row.error("inertia_is", cat("unknown word ", in_quotes(completeness)),
                cat("write 'full', or 'partial' when only what matters for the torques was published", did_you_mean(completeness, {"full", "partial"})));
  }

  void read_tensor(YamlFields& row, Link& link) {
    const YamlNode* node = row.find("inertia");
    if (!node || node->kind == YamlNode::Kind::faulty) return;
    const std::string cure = "write '[ixx, iyy, izz]' or '{ixx: , iyy: , izz: , ixy: , ixz: , iyz: }', about the mass centre";
    if (node->kind == YamlNode::Kind::mapping) {
      YamlFields tensor(*node, row.label("inertia"), {"ixx", "iyy", "izz", "ixy", "ixz", "iyz"}, diagnostics_);
      for (const char* key : {"ixx", "iyy", "izz"}) tensor.require(key);
      link.inertia = {tensor.number("ixx", 0), tensor.number("iyy", 0), tensor.number("izz", 0),
                      tensor.number("ixy", 0), tensor.number("ixz", 0), tensor.number("iyz", 0)};
    } else if (node->kind == YamlNode::Kind::sequence && node->items.size() == 3) {
      const Vec3<double> diagonal = row.vector("inertia", {});
      link.inertia = {diagonal.x, diagonal.y, diagonal.z, 0, 0, 0};
    } else if (node->kind == YamlNode::Kind::sequence) {
      row.error("inertia", cat("it has ", node->items.size(), node->items.size() == 1 ? " component" : " components", ", but a list needs 3"), cure);
    } else {
      row.error("inertia", cat("an inertia tensor belongs here, not ", describe(*node)), cure);
    }
  }

  Diagnostics& diagnostics_;
  const ReadLimits& limits_;
  LoopDescription& loops_;
  std::vector<RotorAxis>* rotors_;
  Description robot_;
  Convention convention_ = Convention::standard;
  Pose<double> base_;
  Link root_;
};

}  // namespace

Description read_dh(std::string_view text, Diagnostics& diagnostics, const ReadLimits& limits, LoopDescription* loops, std::vector<RotorAxis>* rotors) {
  LoopDescription left_out;
  Description nothing;
  nothing.file = diagnostics.file();
  if (!check_text(text, diagnostics)) return nothing;
  const std::optional<YamlNode> root = read_yaml(without_mark(text), diagnostics, "a DH table", limits);
  return root ? DhReader(diagnostics, limits, loops != nullptr ? *loops : left_out, rotors).read(*root) : nothing;
}

}  // namespace ulna::internal
