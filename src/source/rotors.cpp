// A rotor that spins about an axis of its own on a link is a body on a joint that follows the driven one: its gyroscopic coupling is that of any body.
#include <algorithm>
#include <cmath>

#include "source/readers.hpp"
#include "text/message.hpp"

namespace ulna::internal {

namespace {

/// A ring's moment across its axis is half of that about it; this one is a little thicker, so that rounding makes no negative density of it.
constexpr double kAcross = 0.51;

Sym3<double> ring(double about, const Vec3<double>& u) {
  const double across = kAcross * about, more = about - across;
  return {across + more * u.x * u.x, across + more * u.y * u.y, across + more * u.z * u.z, more * u.x * u.y, more * u.x * u.z, more * u.y * u.z};
}

void turn_rotor(const RotorAxis& rotor, Description& robot, bool bolted, Diagnostics& diagnostics) {
  const Element element = Element::joint(rotor.joint);
  const auto entry = std::find_if(robot.joints.begin(), robot.joints.end(), [&](const auto& one) { return one.joint.name == rotor.joint; });
  if (entry == robot.joints.end()) return;  // said where it was read
  const auto error = [&](const std::string& problem, const std::string& cure) { diagnostics.error(rotor.line, element, problem, cure); };
  const double length = std::hypot(rotor.axis.x, rotor.axis.y, rotor.axis.z);
  if (!(length > 0))
    return error("the axis of its rotor is zero", "write the direction of the rotor's axis, such as 0 0 1, in the axes of the link that holds it");
  if (!(entry->joint.rotor > 0)) return error("its rotor has an axis and no inertia", "give the rotor's inertia and the gear ratio, too");
  if (entry->joint.friction.load != 0)
    return error("its friction depends on the load, and its rotor has an axis: what the gear transmits is not known then",
                 "leave out the axis, or the load-dependent friction");
  const std::string name = rotor.joint + "_rotor", holder = rotor.link.empty() ? entry->parent : rotor.link;
  const auto taken = [&](const std::string& own) { return own == name; };
  if (std::any_of(robot.links.begin(), robot.links.end(), [&](const Link& one) { return taken(one.name); }) ||
      std::any_of(robot.joints.begin(), robot.joints.end(), [&](const auto& one) { return taken(one.joint.name); }))
    return error(cat("its rotor is called ", in_quotes(name), ", and that is the name of another link or joint"), "rename that one");
  const auto link = std::find_if(robot.links.begin(), robot.links.end(), [&](const Link& one) { return one.name == holder; });
  if (link == robot.links.end()) {
    if (rotor.link.empty()) return;  // a joint without a parent: the tree is refused
    return error(cat("the robot has no link ", in_quotes(rotor.link), " to hold its rotor"),
                 hint(rotor.link, names_of(robot.links, &Link::name), "name the link that the motor is bolted to"));
  }
  const bool root = std::none_of(robot.joints.begin(), robot.joints.end(), [&](const auto& one) { return one.child == holder; });
  const Vec3<double> u = (1 / length) * rotor.axis;
  const double inertia = entry->joint.rotor;
  Link body;
  body.name = name;
  body.inertial = true;
  body.inertia = ring(inertia, u);
  body.line = entry->joint.line;
  // The link's inertia holds the rotor's at rest. Which part of its mass is the rotor's changes nothing: an axis through the mass centre keeps it there.
  const Sym3<double> left = link->inertia - body.inertia;
  if (link->mass > 0 && (link->partial || body_fault(link->mass, principal_moments(left), 0) == BodyFault::none)) {
    body.mass = link->mass * inertia / std::max(link->inertia.trace(), 2 * inertia);
    link->mass -= body.mass;
    link->inertia = left;
  } else if (root && bolted) {
    body.mass = inertia;  // next to nothing: a radius of gyration of 1 m
  } else if (link->mass > 0) {
    return error(cat("link ", in_quotes(holder), " does not hold its rotor: the link's inertia, which the rotor is a part of, is smaller than the rotor's, ",
                     rounded(inertia), " kg m²"),
                 "correct the inertia of the rotor (on the motor's side) or of the link, or name the link that the motor is bolted to");
  } else {
    return error(cat("link ", in_quotes(holder), ", which holds its rotor, has no mass"), "name the link that the motor is bolted to");
  }
  Description::JointEntry spin;
  spin.joint.name = name;
  spin.joint.type = JointType::continuous;
  spin.joint.X_PF.p = link->com;
  spin.joint.axis = u;
  spin.joint.line = entry->joint.line;
  spin.joint.mimic = Mimic{kNone, entry->joint.gear, 0};
  spin.parent = holder;
  spin.child = name;
  spin.leader = rotor.joint;
  entry->joint.rotor = 0;
  diagnostics.note(rotor.line, element, cat("its rotor spins about its own axis: it is the link ", in_quotes(name), " on ", in_quotes(holder)),
                   "leave out the axis for a rotor on the diagonal of the inertia matrix alone");
  robot.links.push_back(std::move(body));
  robot.joints.push_back(std::move(spin));
}

}  // namespace

void turn_rotors(const std::vector<RotorAxis>& rotors, Description& robot, bool bolted, Diagnostics& diagnostics) {
  for (const RotorAxis& rotor : rotors) {
    Diagnostics own(rotor.file.empty() ? diagnostics.file() : rotor.file);
    turn_rotor(rotor, robot, bolted, own);
    diagnostics.append(own);
  }
}

}  // namespace ulna::internal
