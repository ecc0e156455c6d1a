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

void read_friction_file(std::string_view text, Diagnostics& diagnostics, const ReadLimits& limits, Description& robot) {
  constexpr const char* kBegin = "friction: {joint: {viscous: 1, coulomb: 2}}";
  const std::optional<YamlNode> root = read_yaml_mapping(text, diagnostics, "a file of friction", kBegin, limits, "a file that begins with 'friction:'");
  if (!root) return;
  YamlFields top(*root, Element("the file"), {"friction"}, diagnostics);
  const YamlNode* joints = top.require("friction");
  if (joints == nullptr || joints->kind == YamlNode::Kind::faulty) return;
  if (joints->kind != YamlNode::Kind::mapping)
    return top.error("friction", cat("a mapping from joints to their friction belongs here, not ", describe(*joints)), cat("write '", kBegin, "'"));
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
      diagnostics.error(given.line, element, "it is fixed, and nothing rubs", "leave it out");
    } else if (std::find(seen.begin(), seen.end(), given.key) != seen.end()) {
      diagnostics.error(given.line, element, "its friction is given twice", "give it once");
    } else if (given.value.kind == YamlNode::Kind::mapping) {
      YamlFields fields(given.value, element, friction_names(), diagnostics);
      entry->joint.friction = read_friction(fields);
    } else if (given.value.kind != YamlNode::Kind::faulty) {
      diagnostics.error(given.line, element, cat("numbers of its friction belong here, not ", describe(given.value)), "write '{viscous: 1, coulomb: 2}'");
    }
    seen.push_back(given.key);
  }
}

}  // namespace ulna::internal
