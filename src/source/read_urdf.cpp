#include "source/readers.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <ulna/spatial/spatial.hpp>

#include "source/in_series.hpp"
#include "source/xml.hpp"
#include "text/message.hpp"
#include "text/words.hpp"

namespace ulna::internal {

namespace {

/// The placement its <origin> gives; identity when there is none.
Pose<double> origin_of(const XmlElement& parent) {
  const XmlElement element = parent.child("origin");
  Pose<double> pose;
  if (const XmlElement sdf = parent.child("pose")) sdf.error("it is SDFormat's, and URDF has <origin>", "write <origin xyz=\"x y z\" rpy=\"r p y\"/>");
  if (!element) return pose;
  element.expect_numbers({"xyz", "rpy", "quat_xyzw"});
  pose.p = element.vector("xyz", {});
  if (element.has("quat_xyzw")) {
    if (element.has("rpy")) element.error_at("quat_xyzw", "it states the rotation twice, as rpy and as quat_xyzw", "keep one of them");
    const std::vector<double> q = element.numbers("quat_xyzw", 4, 4);
    if (q.empty()) return pose;
    const double length = std::hypot(std::hypot(q[0], q[1]), std::hypot(q[2], q[3]));
    if (std::abs(length - 1) < kGivenDigits)
      pose.R = rotation_of({q[0], q[1], q[2], q[3]});
    else
      element.error_at("quat_xyzw", cat("the quaternion has length ", length), "write x y z w of a unit quaternion");
    return pose;
  }
  const Vec3<double> rpy = element.vector("rpy", {});
  if (rpy != Vec3<double>{}) pose.R = rotation_rpy(rpy.x, rpy.y, rpy.z);
  return pose;
}

/// Known names that change no number.
const std::vector<std::string> kWithoutEffect{"visual",
                                              "collision",
                                              "material",
                                              "gazebo",
                                              "ros2_control",
                                              "sensor",
                                              "version",
                                              "safety_controller",
                                              "calibration",
                                              "hardwareInterface",
                                              "mechanicalReduction",
                                              "motorTorqueConstant"};

class UrdfReader {
 public:
  UrdfReader(const XmlDocument& xml, Diagnostics& diagnostics, const ReadLimits& limits, LoopDescription& loops, std::vector<RotorAxis>* rotors)
      : context_{xml, diagnostics, limits, {}, &kWithoutEffect}, loops_(loops), rotors_(rotors) {
    robot_.file = diagnostics.file();
  }

  Description read() {
    XmlElement root(context_, context_.xml.root(), "robot");
    read_robot_name(root);
    root.expect({"name", "version"}, {"link", "joint", "material", "transmission", "gazebo", "ros2_control", "sensor", "loop", "version"});
    for (const pugi::xml_node& node : root.node().children()) {
      if (too_many_problems(context_.xml.line(node), context_.diagnostics)) return robot_;
      const std::string_view name = node.name();
      if (name == "link") read_link(node);
      if (name == "joint") {
        if (robot_.joints.size() == context_.limits.joints) {
          root.error(cat("it has more than ", context_.limits.joints, " joints"), how_to_raise(&ReadLimits::joints));
          robot_.links.clear();  // what is missing would be found, joint by joint
          return robot_;
        }
        read_joint(node);
      }
      if (name == "loop") read_loop(node);
      if (name == "gazebo" || name == "ros2_control" || name == "sensor" || name == "version") context_.unused.add(tag_text(name), context_.xml.line(node));
    }
    read_transmissions(root.node());
    place_free_joints();
    if (!root.node().child("link")) root.error("it has no links", "add <link name=\"...\"/> elements");
    context_.unused.report(context_.diagnostics);
    return robot_;
  }

 private:
  void read_robot_name(XmlElement& root) {
    robot_.name = root.node().attribute("name").value();
    if (root.check_robot_name("name") && robot_.name.empty()) {
      root.warning("it has no name, and ROS refuses such a file", "write <robot name=\"...\">; called 'robot' here");
      robot_.name = "robot";
    }
    root = XmlElement(context_, root.node(), Element::robot(robot_.name));
  }

  // Links.

  void read_link(const pugi::xml_node& node) {
    Link link;
    link.line = context_.xml.line(node);
    const std::optional<std::string> name = XmlElement(context_, node, "<link>").require_name("name");
    link.name = name.value_or("");
    const XmlElement element(context_, node, name ? Element::link(*name) : "<link>");
    element.expect({"name", "type"}, {"inertial", "visual", "collision", "mass", "inertia"});
    for (const char* inner : {"mass", "inertia"})
      if (const XmlElement stray = element.child(inner)) stray.error("it is not inside <inertial>", "move it there");
    if (const XmlElement inertial = element.child("inertial")) read_inertial(inertial, link);
    if (name) robot_.links.push_back(std::move(link));  // nothing can refer to a link without a name
  }

  void read_inertial(const XmlElement& inertial, Link& link) {
    inertial.expect({}, {"origin", "mass", "inertia"});
    link.inertial = true;
    const Pose<double> X_LC = origin_of(inertial);  // C: mass centre, axes of the tensor
    link.com = X_LC.p;
    if (const XmlElement mass = inertial.require_child("mass", "<mass value=\"...\"/>")) {
      mass.expect({"value"}, {});
      link.mass = mass.require_number("value");
    }
    const XmlElement tensor = inertial.require_child("inertia", "<inertia ixx=\"...\" ixy=\"...\" ixz=\"...\" iyy=\"...\" iyz=\"...\" izz=\"...\"/>");
    if (!tensor) return;
    tensor.expect_numbers({"ixx", "ixy", "ixz", "iyy", "iyz", "izz"});
    const Sym3<double> I_C{tensor.require_number("ixx"), tensor.require_number("iyy"), tensor.require_number("izz"),
                           tensor.require_number("ixy"), tensor.require_number("ixz"), tensor.require_number("iyz")};
    link.inertia = X_LC.R == Mat3<double>::identity() ? I_C : congruence(X_LC.R, I_C);
  }

  // Joints.

  void read_joint(const pugi::xml_node& node) {
    Description::JointEntry entry;
    Joint& joint = entry.joint;
    joint.line = context_.xml.line(node);
    const std::optional<std::string> name = XmlElement(context_, node, "<joint>").require_name("name");
    joint.name = name.value_or(cat("(no name, line ", joint.line, ")"));  // unlike any other: the topology is checked all the same
    const XmlElement element(context_, node, name ? Element::joint(*name) : "<joint>");
    element.expect({"name", "type", "independent"}, {"origin", "parent", "child", "axis", "limit", "dynamics", "mimic", "safety_controller", "calibration"});
    for (const char* unused : {"safety_controller", "calibration"})
      if (const pugi::xml_node found = node.child(unused)) context_.unused.add(tag_text(unused), context_.xml.line(found));
    joint.type = read_type(element);
    const std::string_view type = node.attribute("type").value();
    if (type == "floating" || type == "planar") {
      roots_.push_back({robot_.joints.size(), type == "planar" ? RootJoint::planar : RootJoint::free, static_cast<bool>(node.child("axis"))});
    }
    joint.X_PF = origin_of(element);
    entry.parent = read_link_name(element, "parent");
    entry.child = read_link_name(element, "child");
    read_axis(element, joint);
    read_limit(element, joint);
    read_friction(element, joint);
    read_mimic(element, entry);
    read_independent(element, joint);
    robot_.joints.push_back(std::move(entry));
  }

  static JointType read_type(const XmlElement& element) {
    const std::optional<std::string> type = element.require_name("type");
    if (!type) return JointType::fixed;
    for (const JointType known : {JointType::fixed, JointType::revolute, JointType::continuous, JointType::prismatic})
      if (*type == to_string(known)) return known;
    if (*type != "floating" && *type != "planar")
      element.error_at(
          "type", cat("unknown joint type ", in_quotes(*type)),
          cat("write revolute, continuous, prismatic or fixed", did_you_mean(*type, {"revolute", "continuous", "prismatic", "fixed", "floating", "planar"})));
    return JointType::fixed;
  }

  /// ROS writes a base that moves as a floating or planar joint between a link for the world, which is the root, and the robot: q then says where the robot's
  /// own root is in the world, and the link for the world is no part of the robot. Anywhere else such a joint is several in its place.
  void place_free_joints() {
    if (roots_.empty() || context_.diagnostics.has_errors()) return;
    for (auto free = roots_.rbegin(); free != roots_.rend(); ++free) {  // the last first: places of the others stay
      const auto place = robot_.joints.begin() + static_cast<std::ptrdiff_t>(free->joint);
      Description::JointEntry entry = *place;
      const std::string_view type = free->base == RootJoint::planar ? "planar" : "floating";
      if (entry.joint.mimic)
        return context_.diagnostics.error(entry.joint.line, Element::joint(entry.joint.name), cat("a ", type, " joint cannot mimic another"), "remove <mimic>");
      Vec3<double>& axis = entry.joint.axis;
      const double length = std::hypot(axis.x, axis.y, axis.z);
      if (length == 0)
        return context_.diagnostics.error(entry.joint.line, Element::joint(entry.joint.name), "the axis is zero", "write the normal of its plane");
      axis = (1 / length) * axis;
      robot_.joints.erase(place);
      if (frees_base(*free, entry)) {
        if (!(entry.joint.X_PF == Pose<double>{}))
          context_.diagnostics.warning(entry.joint.line, Element::joint(entry.joint.name), "its origin is not used: q says where the root link is in the world",
                                       "remove <origin>");
        std::erase_if(robot_.links, [&](const Link& link) { return link.name == entry.parent; });
        robot_.base = free->base;
        continue;
      }
      const std::vector<Joint> parts = parts_of(*free, entry.joint);
      context_.diagnostics.note(entry.joint.line, Element::joint(entry.joint.name),
                                cat("a ", type, " joint inside the tree: ", listed(names_of(parts, &Joint::name), "and"), " stand in its place"),
                                "their numbers are along the axes of its origin; limits and friction of it are not used");
      std::vector<Description::JointEntry> series = in_series(entry, parts, robot_.links);
      robot_.joints.insert(robot_.joints.begin() + static_cast<std::ptrdiff_t>(free->joint), series.begin(), series.end());
    }
  }

  struct FreeJoint {  // of several degrees of freedom
    std::size_t joint;
    RootJoint base;  // that it makes at the root
    bool axis_given;
  };

  /// Whether it carries the whole robot, in the world's own plane; `entry` is not among the joints.
  bool frees_base(const FreeJoint& free, const Description::JointEntry& entry) const {
    if (free.base == RootJoint::planar && free.axis_given && !(std::fabs(entry.joint.axis.z - 1) < kGivenDigits)) return false;
    return std::none_of(robot_.joints.begin(), robot_.joints.end(),
                        [&](const Description::JointEntry& other) { return other.child == entry.parent || other.parent == entry.parent; });
  }

  static std::vector<Joint> parts_of(const FreeJoint& free, const Joint& whole) {
    if (free.base == RootJoint::planar) {
      const Mat3<double> R = rotation_z_to(whole.axis);  // its axis is across the plane
      return {part_of_series(whole, "_x", JointType::prismatic, R * Vec3<double>{1, 0, 0}),
              part_of_series(whole, "_y", JointType::prismatic, R * Vec3<double>{0, 1, 0}), part_of_series(whole, "", JointType::continuous, whole.axis)};
    }
    return {part_of_series(whole, "_x", JointType::prismatic, {1, 0, 0}), part_of_series(whole, "_y", JointType::prismatic, {0, 1, 0}),
            part_of_series(whole, "_z", JointType::prismatic, {0, 0, 1}), part_of_series(whole, "", JointType::ball, {0, 0, 1})};
  }

  static std::string read_link_name(const XmlElement& element, const char* role) {
    const XmlElement end = element.require_child(role, cat("<", role, " link=\"...\"/>"));
    if (!end) return {};
    end.expect({"link"}, {});
    return end.require_name("link").value_or("");
  }

  /// Exactly along a coordinate axis stays exact; within kGivenDigits of unit length is rounding in the file.
  static void read_axis(const XmlElement& joint_element, Joint& joint) {
    joint.axis = {1, 0, 0};
    const XmlElement element = joint_element.child("axis");
    if (!element) return;
    element.expect({"xyz"}, {});
    if (!element.has("xyz")) {
      element.error("attribute 'xyz' is missing", "write <axis xyz=\"0 0 1\"/>");
      return;
    }
    const Vec3<double> axis = element.vector("xyz", joint.axis);
    joint.axis = axis;
    if (joint.type == JointType::fixed) return;  // exporters write 0 0 0 there
    const double length = std::hypot(axis.x, axis.y, axis.z);
    if (length == 0) {
      element.error_at("xyz", "the axis is zero", "write the direction of the joint's axis, such as 0 0 1");
      return;
    }
    if (std::abs(length - 1) > kGivenDigits) element.warning(cat("the axis has length ", length), "it was scaled to 1; write a unit vector");
    joint.axis = {axis.x / length, axis.y / length, axis.z / length};
  }

  static void read_limit(const XmlElement& joint_element, Joint& joint) {
    const XmlElement element = joint_element.child("limit");
    const bool bounded = joint.type == JointType::revolute || joint.type == JointType::prismatic;
    if (!element) {
      if (bounded)
        joint_element.warning("<limit> is missing, and ROS refuses such a file",
                              "add <limit lower=\"...\" upper=\"...\" effort=\"...\" velocity=\"...\"/>; unlimited here");
      return;
    }
    element.expect({"lower", "upper", "effort", "velocity", "acceleration", "deceleration", "jerk"}, {});
    constexpr double kWrong = std::numeric_limits<double>::quiet_NaN();  // compares with nothing, so no second message follows
    const double lower = element.has("lower") ? element.number("lower", kWrong) : 0;
    const double upper = element.has("upper") ? element.number("upper", kWrong) : 0;
    const double effort = element.not_negative("effort", joint.effort), velocity = element.not_negative("velocity", joint.velocity);
    if (joint.type == JointType::fixed) return;
    joint.effort = effort;
    joint.velocity = velocity;
    for (const RateLimit& limit : kRateLimits) joint.*limit.number = element.not_negative(limit.name, joint.*limit.number);
    if (!element.has("effort") || !element.has("velocity")) {
      const bool both = !element.has("effort") && !element.has("velocity");
      element.warning(cat(both                    ? "effort and velocity are"
                          : element.has("effort") ? "velocity is"
                                                  : "effort is",
                          " missing, and ROS refuses such a file"),
                      "add the limits; unlimited here");
    }
    if (!bounded) return;
    if (!element.has("lower") && !element.has("upper"))
      element.warning("lower and upper are missing, so both are 0, as in ROS", "add the limits, or make the joint continuous or fixed");
    if (lower > upper) {
      element.error_at("lower", cat("the lower limit ", lower, " is above the upper limit ", upper), "swap or correct them");
      return;
    }
    if (!std::isnan(lower)) joint.lower = lower;
    if (!std::isnan(upper)) joint.upper = upper;
  }

  static void read_friction(const XmlElement& joint_element, Joint& joint) {
    const XmlElement element = joint_element.child("dynamics");
    if (!element) return;
    element.expect({"damping", "friction", "static"}, {"ulna:friction"});
    Friction friction{element.not_negative("damping", 0), element.not_negative("friction", 0), element.not_negative("static", 0)};
    if (const XmlElement further = element.child("ulna:friction")) {
      further.expect_numbers(friction_names());
      const char* const usual[] = {"damping", "friction", "static"};
      for (std::size_t k = 0; k < std::size(kFrictionFields); ++k) {
        const FrictionField& field = kFrictionFields[k];
        if (!further.has(field.name)) continue;
        if (k < std::size(usual) && element.has(usual[k])) further.error(cat(field.name, " stands here and as '", usual[k], "' in <dynamics>"), "say it once");
        friction.*field.number = field.any ? further.number(field.name, field.none) : further.not_negative(field.name, field.none);
      }
    }
    if (joint.type != JointType::fixed) joint.friction = friction;
  }

  static void read_mimic(const XmlElement& joint_element, Description::JointEntry& entry) {
    const XmlElement element = joint_element.child("mimic");
    if (!element) return;
    element.expect_numbers({"joint", "multiplier", "offset"});
    const std::optional<std::string> leader = element.require_name("joint");
    const Mimic mimic{kNone, element.number("multiplier", 1), element.number("offset", 0)};
    if (!leader) return;
    entry.leader = *leader;
    entry.joint.mimic = mimic;
  }

  // Loops, as generalized_rbda writes them: <loop name="l" type="revolute"> <predecessor link="a"> <origin/> </predecessor> <successor link="b"> <origin/>
  // </successor> <axis xyz="0 0 1"/> </loop>, and 'independent' on joints.

  void read_independent(const XmlElement& element, const Joint& joint) {
    if (!element.has("independent")) return;
    const std::string_view text = element.node().attribute("independent").value();
    if (text != "true" && text != "false")
      element.error_at("independent", cat("independent is ", in_quotes(text)), "write true or false");
    else if (joint.type == JointType::fixed && text == "true")
      element.error_at("independent", "a fixed joint has no coordinate to be independent", "remove the attribute");
    else if (joint.type != JointType::fixed)
      loops_.marks.emplace_back(joint.name, text == "true");
  }

  void read_loop(const pugi::xml_node& node) {
    LoopDescription::Entry entry;
    Loop& loop = entry.loop;
    loop.file = context_.diagnostics.file();
    loop.line = context_.xml.line(node);
    const std::optional<std::string> name = XmlElement(context_, node, "<loop>").require_name("name");
    loop.name = name.value_or(cat("(no name, line ", loop.line, ")"));
    const XmlElement element(context_, node, name ? Element(cat("loop ", in_quotes(*name))) : "<loop>");
    element.expect({"name", "type"}, {"predecessor", "successor", "axis"});
    if (const std::optional<std::string> type = element.require_name("type")) {
      const std::optional<LoopType> known = *type == "continuous" ? LoopType::revolute : loop_type_named(*type);
      if (known)
        loop.type = *known;
      else
        element.error_at("type", cat("unknown loop type ", in_quotes(*type)), write_loop_type(*type));
    }
    entry.predecessor = read_loop_end(element, "predecessor", loop.X_PA);
    entry.successor = read_loop_end(element, "successor", loop.X_SB);
    if (const XmlElement axis = element.child("axis")) {
      Joint direction;
      direction.type = JointType::revolute;
      read_axis(element, direction);
      loop.axis = direction.axis;
    } else if (loop.type != LoopType::spherical && loop.type != LoopType::fixed) {
      element.error("<axis> is missing", "write <axis xyz=\"0 0 1\"/>, in the frames of both ends");
    }
    if (!entry.predecessor.empty() && !entry.successor.empty()) loops_.loops.push_back(std::move(entry));
  }

  static std::string read_loop_end(const XmlElement& element, const char* role, Pose<double>& X) {
    const XmlElement end = element.require_child(role, cat("<", role, " link=\"...\"/>"));
    if (!end) return {};
    end.expect({"link"}, {"origin"});
    X = origin_of(end);
    return end.require_name("link").value_or("");
  }

  // Rotors, as Drake writes them: <transmission> <joint name="j1"/> <actuator> <drake:rotor_inertia value="…"/> <drake:gear_ratio value="…"/>.

  void read_transmissions(const pugi::xml_node& root) {
    std::unordered_map<std::string_view, Joint*> joints;
    for (Description::JointEntry& entry : robot_.joints) joints.try_emplace(entry.joint.name, &entry.joint);
    for (pugi::xml_node node = root.child("transmission"); node; node = node.next_sibling("transmission")) {
      if (too_many_problems(context_.xml.line(node), context_.diagnostics)) return;
      pugi::xml_node motor;
      for (const pugi::xml_node& actuator : node.children("actuator")) {
        XmlElement(context_, actuator, "<actuator>")
            .expect({"name"},
                    {"drake:rotor_inertia", "drake:gear_ratio", "ulna:rotor_axis", "hardwareInterface", "mechanicalReduction", "motorTorqueConstant"});
        if (actuator.child("drake:rotor_inertia") || actuator.child("drake:gear_ratio") || actuator.child("ulna:rotor_axis")) motor = actuator;
        if (const pugi::xml_node reduction = actuator.child("mechanicalReduction"))
          context_.unused.add("<mechanicalReduction> (rotor and gear are read from <drake:rotor_inertia> and <drake:gear_ratio>)",
                              context_.xml.line(reduction));
      }
      if (motor)
        read_rotor(node, joints);
      else
        context_.unused.add("<transmission>", context_.xml.line(node));
    }
  }

  void read_rotor(const pugi::xml_node& node, const std::unordered_map<std::string_view, Joint*>& joints) {
    const pugi::xml_attribute name = node.attribute("name");
    const XmlElement element(context_, node, name ? Element(ElementKind::transmission, name.value()) : "<transmission>");
    const XmlElement joint_element = element.require_child("joint", "<joint name=\"...\"/>");
    const XmlElement motor = element.child("actuator");
    const XmlElement rotor_element = motor.child("drake:rotor_inertia"), gear_element = motor.child("drake:gear_ratio");
    const double rotor = rotor_element ? rotor_element.require_number("value") : 0;
    double gear = gear_element ? gear_element.require_number("value", 1) : 1;
    if (gear == 0) {
      gear_element.error_at("value", "a gear ratio of 0 would uncouple the motor", "write motor turns per joint turn");
      gear = 1;
    }
    const std::optional<std::string> joint_name = joint_element ? joint_element.require_name("name") : std::nullopt;
    if (!joint_name) return;
    const auto found = joints.find(*joint_name);
    if (found == joints.end()) {
      const auto names = names_of(robot_.joints, [](const Description::JointEntry& entry) { return entry.joint.name; });
      joint_element.error(cat("there is no joint ", in_quotes(*joint_name)), cat("correct the name", did_you_mean(*joint_name, names)));
      return;
    }
    Joint& joint = *found->second;
    if (joint.type == JointType::fixed) {
      element.warning(cat("joint ", in_quotes(joint.name), " is fixed, so its rotor means nothing"), "remove the transmission");
    } else if (joint.rotor != 0 || joint.gear != 1) {
      element.error(cat("joint ", in_quotes(joint.name), " has a rotor already"), "keep one transmission with rotor data for each joint");
    } else {
      joint.rotor = rotor;
      joint.gear = gear;
      if (const XmlElement axis = motor.child("ulna:rotor_axis")) read_rotor_axis(axis, joint.name);
    }
  }

  void read_rotor_axis(const XmlElement& element, const std::string& joint) {
    element.expect({"xyz", "link"}, {});
    RotorAxis rotor{joint, element.node().attribute("link").value(), {}, {}, context_.xml.line(element.node())};
    if (!element.has("xyz"))
      return element.error("attribute 'xyz' is missing", "write <ulna:rotor_axis xyz=\"0 0 1\"/>: the rotor's axis, in the axes of the link that holds it");
    rotor.axis = element.vector("xyz", {0, 0, 1});
    if (rotors_ != nullptr) rotors_->push_back(std::move(rotor));
  }

  XmlContext context_;
  LoopDescription& loops_;
  std::vector<RotorAxis>* rotors_;
  Description robot_;
  std::vector<FreeJoint> roots_;
};

}  // namespace

Description read_urdf(std::string_view text, Diagnostics& diagnostics, const ReadLimits& limits, LoopDescription* loops, std::vector<RotorAxis>* rotors) {
  LoopDescription left_out;
  Description nothing;
  nothing.file = diagnostics.file();
  if (!check_text(text, diagnostics)) return nothing;
  const XmlDocument xml(text, kUrdf, diagnostics, limits);
  return xml.root() ? UrdfReader(xml, diagnostics, limits, loops != nullptr ? *loops : left_out, rotors).read() : nothing;
}

}  // namespace ulna::internal
