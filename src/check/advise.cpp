#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <tuple>

#include <ulna/check/check.hpp>
#include <ulna/model/model.hpp>
#include <ulna/spatial/spatial.hpp>

#include "check/stands_free.hpp"
#include "model/moving_tree.hpp"
#include "text/message.hpp"

namespace ulna ULNA_API {

using namespace internal;

namespace {

double norm_of(const Vec3<double>& v) { return std::sqrt(dot(v, v)); }

/// How far the joints of each link lie from its origin: the only measure of size a file without meshes gives.
std::vector<double> reach_of_links(const Model& model) {
  std::vector<double> reach(model.links().size(), 0);
  for (const Joint& joint : model.joints()) {
    double& below = reach[joint.parent];
    below = std::max(below, norm_of(joint.X_PF.p));
    double& above = reach[joint.child];
    above = std::max(above, norm_of(joint.X_MB.p));
  }
  return reach;
}

void advise_on_size(const Model& model, Diagnostics& diagnostics) {
  constexpr double kLongestLink = 20;                 // m
  constexpr double kHeaviestLink = 1e4;               // kg
  constexpr double kTooFar = 3;                       // times the distance of the link's joints
  constexpr double kTooLarge = 30, kTooSmall = 1e-5;  // inertia over mass times size squared
  const std::vector<double> reach = reach_of_links(model);
  for (const Joint& joint : model.joints()) {
    const double offset = std::max(norm_of(joint.X_PF.p), norm_of(joint.X_MB.p));
    if (offset > kLongestLink)
      diagnostics.note(joint.line, Element::joint(joint.name), cat("its offset is ", rounded(offset), " m"), "lengths are in metres; are these millimetres?");
  }
  for (std::size_t i = 0; i < model.links().size(); ++i) {
    const Link& link = model.links()[i];
    const Element element = Element::link(link.name);
    if (link.mass > kHeaviestLink) diagnostics.note(link.line, element, cat("its mass is ", link.mass, " kg"), "masses are in kilograms; are these grams?");
    if (!(link.mass > 0)) continue;
    const double com = norm_of(link.com);
    if (com > kLongestLink)
      diagnostics.note(link.line, element, cat("its mass centre lies ", rounded(com), " m from its origin"), "lengths are in metres; are these millimetres?");
    else if (reach[i] > 0.01 && com > kTooFar * reach[i])
      diagnostics.note(link.line, element, cat("its mass centre lies ", rounded(com), " m from its origin, its joints within ", rounded(reach[i]), " m"),
                       "check the mass centre's unit and decimal point");
    const double size = std::max(com, reach[i]);
    const double inertia = principal_moments(link.inertia).z;
    const double ratio = inertia / (link.mass * size * size);
    if (size > 0.01 && ratio > kTooLarge)
      diagnostics.note(link.line, element,
                       cat("its largest moment of inertia ", rounded(inertia), " kg m² is ", rounded(ratio), " times its mass times its size squared"),
                       "check the unit of the inertia, and that it is about the mass centre");
    if (size > 0.01 && ratio < kTooSmall && inertia > 0)
      diagnostics.note(link.line, element,
                       cat("its largest moment of inertia ", rounded(inertia), " kg m² is only ", rounded(ratio), " times its mass times its size squared"),
                       "check the unit of the inertia");
  }
}

void advise_on_twins(const Model& model, Diagnostics& diagnostics) {
  using Key = std::tuple<double, double, double, double, double, double, double, double, double, double>;
  std::map<Key, std::vector<const Link*>> groups;
  for (const Link& link : model.links())
    if (link.mass > 0) {
      const Sym3<double>& I = link.inertia;
      groups[{link.mass, link.com.x, link.com.y, link.com.z, I.xx, I.yy, I.zz, I.xy, I.xz, I.yz}].push_back(&link);
    }
  for (const auto& [key, links] : groups) {
    if (links.size() < 2) continue;
    std::string names;
    for (const Link* link : links) names += cat(names.empty() ? "" : ", ", in_quotes(link->name));
    diagnostics.note(links.front()->line, "links", cat(names, " have identical mass, mass centre and inertia"),
                     "fine for equal parts; otherwise one may be a copy that was not edited");
  }
}

void advise_on_angles(const Model& model, Diagnostics& diagnostics) {
  constexpr double kCoarse = 2e-3;  // 1.57 for pi/2, with room to spare
  for (const Joint& joint : model.joints()) {
    const Mat3<double> R = joint.X_PF.R * joint.X_MB.R;
    double worst = 0;
    for (const double entry : {R.xx, R.xy, R.xz, R.yx, R.yy, R.yz, R.zx, R.zy, R.zz})
      worst = std::max(worst, std::min({std::abs(entry), std::abs(entry - 1), std::abs(entry + 1)}));
    if (worst <= kSnap || worst > kCoarse) continue;
    const double tolerance = std::pow(10.0, std::ceil(std::log10(worst)));
    diagnostics.note(joint.line, Element::joint(joint.name), cat("its rotation is within ", rounded(worst), " of right angles"),
                     cat("write the angle with more digits (1.5707963267948966), or pass --snap ", tolerance, " to take it as exact"));
  }
}

}  // namespace

void advise(const Model& model, Diagnostics& diagnostics) {
  advise_on_size(model, diagnostics);
  advise_on_twins(model, diagnostics);
  advise_on_angles(model, diagnostics);
}

}  // namespace ULNA_API

namespace ulna::internal {

bool may_stand_free(const Model& model) {
  const Link& root = model.links().front();
  if (model.base() != RootJoint::fixed || root.name.find("world") != std::string::npos || root.name.find("ground") != std::string::npos) return false;
  const MovingTree tree = merge_fixed(model, 0);
  if (!(tree.base.m > 0)) return false;
  // A limb is the subtree of a child of the base, depth first: joint types, and how many joints back the parent is.
  std::vector<std::string> structure(tree.bodies.size());
  std::vector<std::size_t> limb(tree.bodies.size());
  for (std::size_t i = 0; i < tree.bodies.size(); ++i) {
    const MovingBody& body = tree.bodies[i];
    limb[i] = body.parent == kNone ? i : limb[body.parent];
    structure[limb[i]] += (model.joints()[body.joint].type == JointType::prismatic ? "P"
                           : model.joints()[body.joint].type == JointType::ball    ? "B"
                                                                                   : "R") +
                          (body.parent == kNone ? std::string() : std::to_string(i - body.parent));
  }
  std::map<std::string, int> limbs;
  for (std::size_t i = 0; i < tree.bodies.size(); ++i)
    if (limb[i] == i && ++limbs[structure[i]] >= 2) {
      const bool single = structure[i].size() == 1;  // a propeller, or a finger of a gripper: four make a craft
      if (!single || limbs[structure[i]] >= 4) return true;
    }
  return false;
}

}  // namespace ulna::internal
