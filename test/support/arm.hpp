// Descriptions by hand, for tests: links, joints, and serial arms from DH rows. No reader is involved, so the dynamics are tested alone.
#pragma once

#include <string>
#include <utility>

#include <ulna/model/model.hpp>
#include <ulna/spatial/spatial.hpp>

#include "text/message.hpp"

namespace ulna::test {

/// A link without inertia.
inline Link frame(std::string name) {
  Link link;
  link.name = std::move(name);
  return link;
}
inline Link body(std::string name, double mass, const Vec3<double>& com = {}, const Sym3<double>& inertia = {}) {
  Link link = frame(std::move(name));
  link.mass = mass;
  link.com = com;
  link.inertia = inertia;
  link.inertial = true;
  return link;
}
/// Frames of parent and child coincide at q = 0, but for `p`.
inline Description::JointEntry joint(std::string name, JointType type, std::string parent, std::string child, const Vec3<double>& axis = {0, 0, 1},
                                     const Vec3<double>& p = {}) {
  Description::JointEntry entry;
  entry.joint.name = std::move(name);
  entry.joint.type = type;
  entry.joint.axis = axis;
  entry.joint.X_PF.p = p;
  entry.parent = std::move(parent);
  entry.child = std::move(child);
  return entry;
}

struct Row {
  bool prismatic = false;
  double a = 0, d = 0, alpha = 0, theta = 0;  // theta of a revolute joint and d of a prismatic one are what q is added to
  Link link{};
};

namespace detail {
inline Pose<double> turn_x(double angle) { return {rotation_x(angle), {}}; }
inline Pose<double> turn_z(double angle) { return {rotation_z(angle), {}}; }
inline Pose<double> shift(double x, double z) { return {Mat3<double>::identity(), {x, 0, z}}; }
}  // namespace detail

/// Adds one joint and its link at the end of the chain. standard: Rz(theta) Tz(d) Tx(a) Rx(alpha); modified: Rx(alpha) Tx(a) Rz(theta) Tz(d).
inline void append(Description& arm, bool standard, const Row& row) {
  if (arm.links.empty()) arm.links.push_back(frame("base"));
  Description::JointEntry entry;
  entry.joint.name = cat("q", arm.joints.size() + 1);
  entry.joint.type = row.prismatic ? JointType::prismatic : JointType::revolute;
  const Pose<double> along = detail::turn_z(row.theta) * detail::shift(0, row.d), across = detail::turn_x(row.alpha) * detail::shift(row.a, 0);
  entry.joint.X_PF = standard ? along : across * along;
  if (standard) entry.joint.X_MB = across;
  entry.parent = arm.links.back().name;
  Link link = row.link;
  link.name = cat("link", arm.links.size());
  entry.child = link.name;
  arm.joints.push_back(entry);
  arm.links.push_back(link);
}

/// Built without check(): published and made-up parameters need not be those of a body that can exist.
inline Model unchecked(const Description& description) {
  Diagnostics diagnostics;
  std::optional<Model> model = build(description, diagnostics);
  if (!model) throw SourceError(diagnostics.all());
  return *std::move(model);
}

}  // namespace ulna::test
