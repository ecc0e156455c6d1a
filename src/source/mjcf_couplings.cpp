#include "source/mjcf_couplings.hpp"

#include <algorithm>
#include <cmath>

#include "model/motion.hpp"
#include "text/message.hpp"

namespace ulna::internal {

namespace {

template <class Map>
std::vector<std::string> keys_of(const Map& map) {
  std::vector<std::string> out;
  for (const auto& [name, unused] : map) out.push_back(name);
  return out;
}

std::string label_text(const MjcfNode& node) {
  const std::string_view name = node.node.attribute("name").value();
  return name.empty() ? tag_text(node.name()) : cat(tag_text(node.name()), " ", in_quotes(name));
}

/// Of a segment: halfway between its ends, z along it; else as any other element.
Pose<double> site_pose(const MjcfContext::Site& site) {
  const MjcfScope& scope = site.placed.context->scope;
  const MjcfElement element(site.placed.node, label_text(site.placed.node), scope.defaults, site.placed.childclass);
  const std::vector<double> ends = element.numbers("fromto", 6, 6);
  if (ends.empty()) return site.placed.X_BF * scope.settings.pose(element);
  const Vec3<double> from{ends[0], ends[1], ends[2]}, to{ends[3], ends[4], ends[5]}, along = from - to;
  const double length = std::hypot(along.x, along.y, along.z);
  if (!(length > 0)) {
    element.holder("fromto").error_at("fromto", "its two points are the same", "correct one of them");
    return {};
  }
  return site.placed.X_BF * Pose<double>{rotation_from_z(along), 0.5 * (from + to)};
}

/// The entry of a map by an attribute; an error where there is none.
template <class Map>
typename Map::const_iterator find_named(const XmlElement& own, const char* attribute, const char* kind, const Map& map) {
  const std::string name = own.node().attribute(attribute).value();
  const auto found = map.find(name);
  if (found == map.end()) own.error_at(attribute, cat("there is no ", kind, " ", in_quotes(name)), cat("correct the name", did_you_mean(name, keys_of(map))));
  return found;
}

void read_limits(const MjcfElement& element, const MjcfSettings& settings, double unit, bool slides, Joint& joint) {
  const std::vector<double> range = element.numbers("range", 2, 2);
  const std::string limited = element.word("limited", {"auto", "true", "false"});
  const bool given = !range.empty() && (range[0] != 0 || range[1] != 0);
  bool bounded = limited == "true" || (limited == "auto" && given && settings.autolimits);
  if (limited == "auto" && given && !settings.autolimits)
    element.holder("range").warning("range is given, but limited is not, and autolimits is off",
                                    "the joint is unlimited here; write limited=\"true\" to use the range");
  if (bounded && range.empty()) {
    if (!element.has("range")) element.own().error("it is limited, but range is missing", "write range=\"lower upper\"");
    bounded = false;
  }
  joint.type = slides ? JointType::prismatic : bounded ? JointType::revolute : JointType::continuous;
  if (bounded) {
    joint.lower = unit * range[0];
    joint.upper = unit * range[1];
    if (joint.lower > joint.upper)
      element.holder("range").error_at("range", cat("the lower limit ", range[0], " is above the upper limit ", range[1]), "swap or correct them");
  }
  const std::vector<double> force = element.numbers("actuatorfrcrange", 2, 2);
  if (!force.empty() && element.word("actuatorfrclimited", {"auto", "true", "false"}) != "false" && (force[0] != 0 || force[1] != 0))
    joint.effort = std::max(std::abs(force[0]), std::abs(force[1]));
}

/// A cone about where the body stands in the file is no limit of one number.
void read_ball(const MjcfElement& element, Joint& joint) {
  joint.type = JointType::ball;
  const std::vector<double> range = element.numbers("range", 2, 2);
  if (element.word("limited", {"auto", "true", "false"}) != "false" && !range.empty() && range[1] != 0)
    element.holder("range").note(cat("joint ", in_quotes(joint.name), " is a ball joint that may turn by ", range[1], " at most"),
                                 "Ulna has no limit of a ball joint; no result depends on limits");
}

}  // namespace

void read_tendon(const MjcfNode& node, MjcfContext& context) {
  const MjcfElement element(node, label_text(node), context.scope.defaults, "", "tendon");
  expect_known(element.own(), "tendon");
  MjcfTendon tendon{node, node.name() == "fixed", element.not_negative("armature", 0), {}};
  if (tendon.fixed)
    for (const MjcfNode& child : context.scope.files.children(node)) {
      expect_known(child.element(), "<fixed>");
      tendon.joints.emplace_back(child.node.attribute("joint").value(), child.element().require_number("coef"));
    }
  context.tendons.emplace(node.node.attribute("name") ? node.node.attribute("name").value() : cat(" ", context.tendons.size()), std::move(tendon));
}

void read_actuator(const MjcfNode& node, MjcfContext& context, Description& robot) {
  MjcfJoints& joints = context.joints;
  const MjcfElement element(node, label_text(node), context.scope.defaults, "");
  expect_known(element.own(), node.name());
  const double ratio = element.merged("gear", {1, 0, 0, 0, 0, 0})[0];
  const double armature = ratio * ratio * element.not_negative("armature", 0);
  if (const auto tendon = context.tendons.find(element.text("tendon", "")); element.has("tendon") && tendon != context.tendons.end()) {
    tendon->second.armature += armature;
    if (tendon->second.fixed && !tendon->second.joints.empty())
      if (const auto pulled = joints.find(tendon->second.joints.front().first); pulled != joints.end()) pulled->second.actuated = true;
  }
  const char* const attribute = element.has("joint") ? "joint" : "jointinparent";
  if (!element.has(attribute)) {
    node.file->context.unused.add(cat("<actuator>, ", tag_text(node.name()), " of something else than a joint"), node.line());
    return;
  }
  const std::string name = element.text(attribute, "");
  const auto found = joints.find(name);
  if (found == joints.end()) {
    element.own().error_at(attribute, cat("there is no joint ", in_quotes(name)), cat("correct the name", did_you_mean(name, keys_of(joints))));
    return;
  }
  MjcfJoint& joint = found->second;
  joint.actuated = true;
  if (joint.entry == kNone) {
    if (armature != 0)
      element.holder("armature")
          .error_at("armature", cat("joint ", in_quotes(name), " is free, and Ulna's M has no armature of a base"), "remove the armature");
    return;
  }
  if (robot.joints[joint.entry].joint.type == JointType::ball) {  // it rotates about one axis, its gear
    joint.unlimited_force = true;
    if (armature != 0 || linear_term(element, "damping") != 0)
      element.own().error(cat("its armature and damping act about one axis of the ball joint ", in_quotes(name), ", and Ulna's about all three alike"),
                          "remove them, or give the joint armature and damping");
    return;
  }
  if (ratio != 1)
    node.file->context.unused.add(
        "<actuator>, attribute 'gear' (it scales force limits, and armature and damping of the actuator by its square; armature of the joint is on the joint's "
        "side already)",
        node.line());
  robot.joints[joint.entry].joint.rotor += armature;
  robot.joints[joint.entry].joint.friction.viscous += ratio * ratio * linear_term(element, "damping");
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

void add_tendons(const MjcfContext& context, Description& robot) {
  const MjcfJoints& joints = context.joints;
  for (const auto& [unused, tendon] : context.tendons) {
    if (tendon.armature == 0) continue;
    const XmlElement own = tendon.node.element(label_text(tendon.node));
    if (!tendon.fixed || tendon.joints.size() != 1) {
      own.error(cat("it has the armature ", tendon.armature, " along its length, which couples joints in M; Ulna has no such inertia"),
                "remove it, or give each joint an armature of its own");
      continue;
    }
    const auto& [name, coefficient] = tendon.joints.front();
    const auto found = joints.find(name);
    if (found == joints.end() || found->second.entry == kNone || robot.joints[found->second.entry].joint.type == JointType::ball)
      own.error(cat("there is no joint ", in_quotes(name), " that it could pull"), cat("correct the name", did_you_mean(name, keys_of(joints))));
    else
      robot.joints[found->second.entry].joint.rotor += tendon.armature * coefficient * coefficient;
  }
}

void MjcfEqualities::read(const MjcfNode& node) {
  const MjcfElement element(node, label_text(node), context.scope.defaults, "", "equality");
  expect_known(element.own(), "equality");
  if (!active || element.word("active", {"true", "false"}) == "false")
    node.file->context.unused.add(cat("<equality>, ", tag_text(node.name()), " that is not active"), node.line());
  else if (node.name() == "connect" || node.name() == "weld")
    read_loop(element);
  else if (node.name() == "joint" || node.name() == "tendon")
    read_coupling(element);
  else
    node.file->context.unused.add(cat("<equality>, ", tag_text(node.name())), node.line());
}

// MuJoCo's conditions: connect, p_1 = p_2; weld, X_1 = X_2. Sites are these frames themselves. Of bodies, the frame on body 1 is the anchor, or relpose, and
// that on body 2 the one which meets it in qpos0. The anchor of a weld is a point of body 2: with relpose it is the one that stands there; without, it is
// where the weld's softness is measured, and moves no frame.
void MjcfEqualities::read_loop(const MjcfElement& element) {
  const XmlElement own = element.own();
  if (policy == LoopPolicy::ignore)
    return own.warning("it closes a loop: ignored, the tree is open here", "results are those of the mechanism without this loop");
  const bool weld = element.node().name() == "weld", sites = own.has("site1") || own.has("site2"), bodies = own.has("body1") || own.has("body2");
  if (sites == bodies)
    return own.error(sites ? "it names sites and bodies" : "it names neither bodies nor sites",
                     "write body1 and body2 (none for the world), or site1 and site2");
  for (const char* needed : {"site1", "site2"})
    if (sites && !own.has(needed)) return own.error(cat(needed, " is missing"), "name both sites, or two bodies");
  if (bodies && !own.has("body1")) return own.error("body1 is missing", "name it; body2 may be left out, and is the world then");
  LoopDescription::Entry entry;
  Loop& loop = entry.loop;
  if (sites) {
    const auto A = find_named(own, "site1", "site", context.sites), B = find_named(own, "site2", "site", context.sites);
    if (A == context.sites.end() || B == context.sites.end()) return;
    entry.predecessor = A->second.link, entry.successor = B->second.link;
    loop.X_PA = site_pose(A->second), loop.X_SB = site_pose(B->second);
  } else {
    const auto P = find_named(own, "body1", "body", context.bodies);
    const auto named = own.has("body2") ? find_named(own, "body2", "body", context.bodies) : context.bodies.end();
    if (P == context.bodies.end() || (own.has("body2") && named == context.bodies.end())) return;
    const MjcfContext::Body S = named != context.bodies.end() ? named->second : MjcfContext::Body{std::string(kMjcfWorld), {}};
    entry.predecessor = P->second.link, entry.successor = S.link;
    if (!weld && !element.has("anchor")) return own.error("anchor is missing", "write the point of body1, in its frame, that body2 holds");
    if (!weld) loop.X_PA.p = element.vector("anchor", {});
    const std::vector<double> x = weld ? element.numbers("relpose", 7, 7) : std::vector<double>{};
    const std::optional<Mat3<double>> R = x.empty() ? std::nullopt : rotation_of_quaternion(&x[3]);
    if (R)  // in body 1; a quaternion of zeros means qpos0
      loop.X_PA = {*R, {x[0], x[1], x[2]}}, loop.X_SB.p = element.vector("anchor", {});
    else
      loop.X_SB = S.X_WB.inverse() * P->second.X_WB * loop.X_PA;
  }
  loop.type = weld ? LoopType::fixed : LoopType::spherical;
  loop.file = element.node().file->diagnostics.file();
  loop.line = own.line();
  loop.name = context.named(element.node());
  if (loop.name.empty()) loop.name = cat(element.node().name(), loops.loops.size() + 1);
  if (loops.loops.empty()) own.note("MuJoCo closes loops by springs (solref, solimp, torquescale); here they are closed exactly", "--loops ignore opens them");
  loops.loops.push_back(std::move(entry));
}

// Terms with a sum that the equality holds at c0: of joints q1 - ref1 - c1 (q2 - ref2) - …; of tendons likewise, with their lengths less those in qpos0.
void MjcfEqualities::read_coupling(const MjcfElement& element) {
  const XmlElement own = element.own();
  const bool tendons = element.node().name() == "tendon";
  const char *const first = tendons ? "tendon1" : "joint1", *const second = tendons ? "tendon2" : "joint2";
  if (!own.require_name(first)) return;
  const std::vector<double> c = element.merged("polycoef", {0, 1, 0, 0, 0});
  std::vector<Term> terms;
  bool linear = true;  // in joints
  const auto add = [&](const char* attribute, double scale) {
    if (!tendons) {
      const auto found = find_named(own, attribute, "joint", context.joints);
      if (found == context.joints.end()) return false;
      terms.push_back({found, scale});
      return true;
    }
    const auto found = find_named(own, attribute, "tendon", context.tendons);
    if (found == context.tendons.end()) return false;
    linear = linear && found->second.fixed;
    for (const auto& [name, coefficient] : found->second.joints) {
      const auto joint = context.joints.find(name);
      if (joint == context.joints.end()) return linear = false, true;
      auto same = std::find_if(terms.begin(), terms.end(), [&](const Term& t) { return t.joint == joint; });
      if (same == terms.end()) same = terms.insert(same, {joint, 0});
      same->scale += scale * coefficient;
    }
    return true;
  };
  if (!add(first, 1) || (own.has(second) && !add(second, -c[1]))) return;
  if (tendons) std::erase_if(terms, [](const Term& t) { return t.scale == 0; });
  if (std::any_of(terms.begin(), terms.end(), [](const Term& t) { return t.joint->second.entry == kNone; })) return;  // a ball or free joint: said already
  if (!linear || terms.empty() || terms.size() > 2)
    return own.warning("it couples tendons that pass more than two joints, or sites: it is not honoured here, and the joints are free",
                       "results are those of the mechanism without this equality");
  const auto name = [&](const Term& t) { return t.joint->second.name; };
  if (terms.size() == 1) {
    const double held = terms[0].joint->second.ref + c[0] / terms[0].scale;
    return own.warning(cat("it holds joint ", in_quotes(name(terms[0])), " at ", held, "; not honoured here"), cat("pass --lock ", name(terms[0]), "=", held));
  }
  if (own.has(second) && (c[2] != 0 || c[3] != 0 || c[4] != 0)) {
    const std::string what = cat("it binds joint ", in_quotes(name(terms[0])), " to joint ", in_quotes(name(terms[1])), " by a polynomial that is not linear");
    if (policy == LoopPolicy::ignore)
      own.warning(cat(what, ": ignored, both joints are free here"), "results are those of the mechanism without this equality");
    else
      own.error(
          cat(what, ", and Ulna couples joints by straight lines alone"),
          "write the line that is nearest in the range you use (polycoef=\"offset slope\"), or pass --loops ignore (LoadOptions::loops) to free both joints");
    return;
  }
  const auto entry_of = [&](const Term& t) -> Description::JointEntry& { return robot.joints[t.joint->second.entry]; };
  if (tendons && entry_of(terms[0]).joint.mimic) std::swap(terms[0], terms[1]);
  const Term &follower = terms[0], &leader = terms[1];
  Description::JointEntry& entry = entry_of(follower);
  if (entry.joint.mimic) {
    own.warning(cat("joint ", in_quotes(name(follower)), " follows ", in_quotes(entry.leader), " already; this equality is ignored"),
                "let every joint follow one other");
    return;
  }
  const double slope = -leader.scale / follower.scale;
  entry.joint.mimic = Mimic{kNone, slope, follower.joint->second.ref + c[0] / follower.scale - slope * leader.joint->second.ref};
  entry.leader = name(leader);
}

bool is_free(const MjcfPlaced& placed) {
  const std::string named = placed.node.node.attribute("class").value();  // that it is there, read_joint checks
  for (const MjcfNode& node : placed.context->scope.defaults.chain(placed.node, named.empty() ? placed.childclass : named, "joint"))
    if (const pugi::xml_attribute type = node.node.attribute("type")) return std::string_view(type.value()) == "free";
  return false;
}

double linear_term(const MjcfElement& element, const char* attribute) {
  const std::vector<double> values = element.merged(attribute, {0, 0, 0});
  const XmlElement holder = element.holder(attribute);
  if (values[0] < 0) {
    holder.error_at(attribute, cat(attribute, " ", values[0], " is negative"), "write a positive number");
    return 0;
  }
  if (values[1] != 0 || values[2] != 0) holder.warning(cat(attribute, " has terms of higher order, which are not used"), "only its first number is used");
  return values[0];
}

double read_joint(const MjcfPlaced& placed, const Pose<double>& X_PB, Joint& joint) {
  const MjcfSettings& settings = placed.context->scope.settings;
  const MjcfElement element(placed.node, Element::joint(joint.name), placed.context->scope.defaults, placed.childclass);
  const XmlElement own = element.own();
  expect_known(own, "joint");
  const std::string type = element.word("type", {"hinge", "slide", "ball", "free"});
  const bool slides = type == "slide", ball = type == "ball";
  const double unit = slides ? 1 : settings.angle, ref = ball ? 0 : unit * element.number("ref", 0);  // a ball has neither axis nor ref

  const Vec3<double> axis = placed.X_BF.R * element.vector("axis", {0, 0, 1});
  const double length = std::hypot(axis.x, axis.y, axis.z);
  if (ball)
    joint.axis = {0, 0, 1};
  else if (!(length > 0))
    element.holder("axis").error_at("axis", "the axis is zero", "write the direction of the joint's axis, such as 0 0 1");
  else
    joint.axis = {axis.x / length, axis.y / length, axis.z / length};
  const Vec3<double> anchor = slides ? Vec3<double>{} : placed.X_BF.p + placed.X_BF.R * element.vector("pos", {});
  if (ball)
    read_ball(element, joint);
  else
    read_limits(element, settings, unit, slides, joint);
  // The body stands as stated where q is `ref`: X_PB · at(anchor) · motion(q - ref) · at(-anchor).
  joint.X_PF = X_PB * Pose<double>{Mat3<double>::identity(), anchor};
  if (ref != 0) joint.X_PF = joint.X_PF * joint_motion(joint, -ref);
  joint.X_MB = {Mat3<double>::identity(), -anchor};
  joint.rotor = element.not_negative("armature", 0);
  joint.friction.viscous = linear_term(element, "damping");
  joint.friction.coulomb = element.not_negative("frictionloss", 0);
  joint.stiffness = linear_term(element, "stiffness");
  joint.rest = ball ? 0 : unit * element.number("springref", 0);
  if (joint.stiffness != 0)
    own.note(cat("a spring of ", joint.stiffness, slides ? " N/m" : " N m/rad", " acts at it, at rest at ", joint.rest),
             "results include it with --springs on");
  if (element.has("springdamper"))
    if (const std::vector<double> v = element.numbers("springdamper", 2, 2); !v.empty() && (v[0] != 0 || v[1] != 0))
      element.holder("springdamper")
          .warning("springdamper is not read: MuJoCo makes stiffness and damping of it from the inertia of the model", "write stiffness and damping");
  return ref;
}

bool read_free_joint(const MjcfPlaced& placed, const std::string& body) {
  const MjcfDefaults none;
  const bool alone = placed.node.name() == "freejoint";  // classes do not reach it
  const MjcfElement element(placed.node, Element::link(body).with(tag_text(placed.node.name())), alone ? none : placed.context->scope.defaults,
                            placed.childclass);
  expect_known(element.own(), placed.node.name());
  if (const double armature = element.number("armature", 0); armature != 0)
    element.holder("armature")
        .error_at("armature",
                  cat("the free joint of ", in_quotes(body), " has the armature ", armature,
                      ", which MuJoCo adds to the diagonal of M, and Ulna's M has no armature of a base"),
                  "write armature=\"0\" in the joint, or <freejoint/>, which no class reaches");
  for (const char* force : {"damping", "stiffness", "frictionloss"}) {
    const std::vector<double> values = element.numbers(force, 1, 3);
    if (std::any_of(values.begin(), values.end(), [](double v) { return v != 0; }))
      element.own().note(cat(force, " of a free joint acts on the base"), "no result includes it");
  }
  const std::string align = element.word("align", {"auto", "true", "false"});
  return align == "true" || (align == "auto" && placed.context->scope.settings.alignfree);
}

}  // namespace ulna::internal
