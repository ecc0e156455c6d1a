#include <algorithm>

#include "source/readers.hpp"
#include "source/yaml.hpp"
#include "text/message.hpp"

namespace ulna::internal {

std::vector<std::string> friction_names() {
  std::vector<std::string> names;
  for (const FrictionField& field : kFrictionFields) names.emplace_back(field.name);
  return names;
}

Friction read_friction(YamlFields& fields) {
  Friction friction;
  for (const FrictionField& field : kFrictionFields)
    friction.*field.number = field.any ? fields.number(field.name, field.none) : fields.not_negative(field.name, field.none);
  return friction;
}

std::optional<RotorAxis> read_rotor_axis(YamlFields& fields, const char* axis, const char* link, const std::string& joint, const ReadLimits& limits) {
  if (!fields.has(axis)) {
    if (fields.has(link)) fields.error(link, "the rotor has no axis", cat("write '", axis, ": [0, 0, 1]' in the axes of that link, or leave it out"));
    return {};
  }
  return RotorAxis{joint, fields.name(link, "", limits), fields.vector(axis, {0, 0, 1}), fields.diagnostics().file(), fields.line(axis)};
}

namespace {

/// f(fields, joint) for each joint that stands at a key.
template <class F>
void each_joint(YamlFields& top, const char* key, const char* begin, const std::vector<std::string>& known, Description& robot, F f) {
  const YamlNode* joints = top.find(key);
  if (joints == nullptr || joints->kind == YamlNode::Kind::faulty) return;
  if (joints->kind != YamlNode::Kind::mapping)
    return top.error(key, cat("a mapping from joints to their ", key, " belongs here, not ", describe(*joints)), cat("write '", begin, "'"));
  Diagnostics& diagnostics = top.diagnostics();
  std::vector<std::string> names;
  for (const Description::JointEntry& entry : robot.joints)
    if (entry.joint.type != JointType::fixed) names.push_back(entry.joint.name);
  std::vector<std::string_view> seen;
  for (const YamlNode::Entry& given : joints->entries) {
    const Element element = Element::joint(given.key);
    const auto entry = std::find_if(robot.joints.begin(), robot.joints.end(), [&](const auto& one) { return one.joint.name == given.key; });
    if (entry == robot.joints.end()) {
      diagnostics.error(given.line, element, "the robot has no such joint", hint(given.key, names, "name a joint of the robot that moves"));
    } else if (entry->joint.type == JointType::fixed) {
      diagnostics.error(given.line, element, "it is fixed, and nothing rubs or turns", "leave it out");
    } else if (std::find(seen.begin(), seen.end(), given.key) != seen.end()) {
      diagnostics.error(given.line, element, cat("its ", key, " is given twice"), "give it once");
    } else if (given.value.kind == YamlNode::Kind::mapping) {
      YamlFields fields(given.value, element, known, diagnostics);
      f(fields, entry->joint);
    } else if (given.value.kind != YamlNode::Kind::faulty) {
      diagnostics.error(given.line, element, cat("numbers of its ", key, " belong here, not ", describe(given.value)), cat("write '", begin, "'"));
    }
    seen.push_back(given.key);
  }
}

}  // namespace

void read_friction_file(std::string_view text, Diagnostics& diagnostics, const ReadLimits& limits, Description& robot, std::vector<RotorAxis>& rotors) {
  constexpr const char *kBegin = "friction: {joint: {viscous: 1, coulomb: 2}}", *kRotors = "rotors: {joint: {inertia: 1e-4, gear: 100, axis: [0, 0, 1]}}";
  const std::optional<YamlNode> root = read_yaml_mapping(text, diagnostics, "a file of friction", kBegin, limits, "a file that begins with 'friction:'");
  if (!root) return;
  YamlFields top(*root, Element("the file"), {"friction", "rotors"}, diagnostics);
  if (!top.has("rotors")) top.require("friction");
  each_joint(top, "friction", kBegin, friction_names(), robot, [](YamlFields& fields, Joint& joint) { joint.friction = read_friction(fields); });
  each_joint(top, "rotors", kRotors, {"inertia", "gear", "axis", "link"}, robot, [&](YamlFields& fields, Joint& joint) {
    fields.require("inertia");
    joint.rotor = fields.not_negative("inertia", 0), joint.gear = fields.number("gear", 1);
    if (joint.gear == 0) fields.error("gear", "a gear ratio of 0 would uncouple the motor", "write motor turns per joint turn, or leave the key out");
    std::erase_if(rotors, [&](const RotorAxis& one) { return one.joint == joint.name; });
    if (std::optional<RotorAxis> rotor = read_rotor_axis(fields, "axis", "link", joint.name, limits)) rotors.push_back(*std::move(rotor));
  });
}

}  // namespace ulna::internal
