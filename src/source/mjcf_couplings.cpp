#include "source/mjcf_couplings.hpp"

#include <algorithm>
#include <cmath>

#include "source/mjcf_schema.hpp"
#include "text/cat.hpp"
#include "text/names.hpp"
#include "text/quote.hpp"

namespace ulna::internal {

namespace {

std::vector<std::string> names_of(const MjcfJoints& joints) {
  std::vector<std::string> out;
  for (const auto& [name, unused] : joints) out.push_back(name);
  return out;
}

std::string label_text(const MjcfNode& node) {
  const std::string_view name = node.node.attribute("name").value();
  return name.empty() ? tag_text(node.name()) : cat(tag_text(node.name()), " ", in_quotes(name));
}

}  // namespace

MjcfTendon read_tendon(const MjcfNode& node, const MjcfDefaults& defaults, MjcfFiles& files) {
  const MjcfElement element(node, label_text(node), defaults, "", "tendon");
  expect_known(element.own(), "tendon");
  MjcfTendon tendon{node, node.name() == "fixed", element.not_negative("armature", 0), {}};
  if (tendon.fixed)
    for (const MjcfNode& child : files.children(node)) {
      expect_known(child.element(), "<fixed>");
      tendon.joints.emplace_back(child.node.attribute("joint").value(), child.element().require_number("coef"));
    }
  return tendon;
}

void read_actuator(const MjcfNode& node, const MjcfDefaults& defaults, MjcfJoints& joints, MjcfTendons& tendons, Description& robot) {
  const MjcfElement element(node, label_text(node), defaults, "");
  expect_known(element.own(), node.name());
  const double ratio = element.merged("gear", {1, 0, 0, 0, 0, 0})[0];
  const double armature = ratio * ratio * element.not_negative("armature", 0);
  if (element.has("tendon")) {
    for (MjcfTendon& tendon : tendons)
      if (element.text("tendon", "") == tendon.node.node.attribute("name").value()) tendon.armature += armature;
  }
  const char* const attribute = element.has("joint") ? "joint" : "jointinparent";
  if (!element.has(attribute)) {
    node.file->context.unused.add(cat("<actuator>, ", tag_text(node.name()), " of something else than a joint"), node.line());
    return;
  }
  const std::string name = element.text(attribute, "");
  const auto found = joints.find(name);
  if (found == joints.end()) {
    element.own().error_at(attribute, cat("there is no joint ", in_quotes(name)), cat("correct the name", did_you_mean(name, names_of(joints))));
    return;
  }
  MjcfJoint& joint = found->second;
  if (joint.entry == kNone) {
    if (armature != 0)
      element.holder("armature")
          .error_at("armature", cat("joint ", in_quotes(name), " is free, and Ulna's M has no armature of a base"), "remove the armature");
    return;
  }
  if (ratio != 1)
    node.file->context.unused.add(
        "<actuator>, attribute 'gear' (it scales force limits, and armature and damping of the actuator by its square; armature of the joint is on the joint's "
        "side already)",
        node.line());
  robot.joints[joint.entry].joint.rotor += armature;
  robot.joints[joint.entry].joint.viscous += ratio * ratio * linear_term(element, "damping");
  const auto range = [&](const char* limits, const char* flag) -> double {
    const std::vector<double> r = element.numbers(limits, 2, 2);
    const std::string limited = element.word(flag, {"auto", "true", "false"});
    return r.empty() || limited == "false" ? 0 : std::max(std::abs(r[0]), std::abs(r[1]));
  };
  double force = range("forcerange", "forcelimited");
  if (force == 0 && node.name() == "motor") force = range("ctrlrange", "ctrllimited");  // a motor's force is its control
  if (force > 0 && ratio != 0)
    joint.force_limit += force * std::abs(ratio);
  else
    joint.unlimited_force = true;
}

void limit_efforts(const MjcfJoints& joints, Description& robot) {
  for (const auto& [name, joint] : joints) {
    if (joint.entry == kNone || joint.force_limit == 0 || joint.unlimited_force) continue;
    double& effort = robot.joints[joint.entry].joint.effort;
    effort = std::min(effort, joint.force_limit);
  }
}

void add_tendons(const MjcfTendons& tendons, const MjcfJoints& joints, Description& robot) {
  for (const MjcfTendon& tendon : tendons) {
    if (tendon.armature == 0) continue;
    const XmlElement own = tendon.node.element(label_text(tendon.node));
    if (!tendon.fixed || tendon.joints.size() != 1) {
      own.error(cat("it has the armature ", tendon.armature, " along its length, which couples joints in M; Ulna has no such inertia"),
                "remove it, or give each joint an armature of its own");
      continue;
    }
    const auto& [name, coefficient] = tendon.joints.front();
    const auto found = joints.find(name);
    if (found == joints.end() || found->second.entry == kNone)
      own.error(cat("there is no joint ", in_quotes(name), " that it could pull"), cat("correct the name", did_you_mean(name, names_of(joints))));
    else
      robot.joints[found->second.entry].joint.rotor += tendon.armature * coefficient * coefficient;
  }
}

void read_equality(const MjcfNode& node, bool inactive, const MjcfDefaults& defaults, const MjcfJoints& joints, LoopPolicy loops, Description& robot) {
  const MjcfElement element(node, label_text(node), defaults, "", "equality");
  const XmlElement own = element.own();
  expect_known(own, "equality");
  if (inactive || element.word("active", {"true", "false"}) == "false") {
    node.file->context.unused.add(cat("<equality>, ", tag_text(node.name()), " that is not active"), node.line());
    return;
  }
  if (node.name() == "connect" || node.name() == "weld") {
    if (loops != LoopPolicy::ignore)
      own.error("it closes a loop, and loops of MJCF are not computed in this version",
                "remove it, or pass --loops ignore (LoadOptions::loops) to compute the tree without it");
    else
      own.warning("it closes a loop: ignored, the tree is open here", "results are those of the mechanism without this loop");
    return;
  }
  if (node.name() != "joint") {
    node.file->context.unused.add(cat("<equality>, ", tag_text(node.name())), node.line());
    return;
  }
  const auto find = [&](const char* attribute) {
    const std::string name = own.node().attribute(attribute).value();
    const auto found = joints.find(name);
    if (found == joints.end())
      own.error_at(attribute, cat("there is no joint ", in_quotes(name)), cat("correct the name", did_you_mean(name, names_of(joints))));
    return found;
  };
  if (!own.require_name("joint1")) return;
  const auto follower = find("joint1");
  const auto leader = own.has("joint2") ? find("joint2") : joints.end();
  if (follower == joints.end() || (own.has("joint2") && leader == joints.end())) return;
  const std::vector<double> c = element.merged("polycoef", {0, 1, 0, 0, 0});
  if (follower->second.entry == kNone || (leader != joints.end() && leader->second.entry == kNone)) return;  // a ball or free joint: said already
  Description::JointEntry& entry = robot.joints[follower->second.entry];
  if (leader == joints.end()) {
    own.warning(cat("it holds joint ", in_quotes(follower->first), " at ", follower->second.ref + c[0], "; not honoured here"),
                cat("pass --lock ", follower->first, "=", follower->second.ref + c[0]));
    return;
  }
  if (c[2] != 0 || c[3] != 0 || c[4] != 0) {
    own.warning(
        cat("it binds joint ", in_quotes(follower->first), " to joint ", in_quotes(leader->first), " by a polynomial that is not linear; not honoured here"),
        "both joints are free; lock one, or write the line that is nearest in the range you use");
    return;
  }
  if (entry.joint.mimic) {
    own.warning(cat("joint ", in_quotes(follower->first), " follows ", in_quotes(entry.leader), " already; this equality is ignored"),
                "let every joint follow one other");
    return;
  }
  // q1 - ref1 = c0 + c1 (q2 - ref2)
  entry.joint.mimic = Mimic{kNone, c[1], follower->second.ref + c[0] - c[1] * leader->second.ref};
  entry.leader = leader->first;
}

}  // namespace ulna::internal
