// What MJCF says beside the tree: tendons, actuators, equalities between joints, loops.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <ulna/source/load.hpp>

#include "source/mjcf_joints.hpp"

namespace ulna::internal {

/// A tendon, of which the inertia along its length matters here.
struct MjcfTendon {
  MjcfNode node;
  bool fixed = false;                                  // a linear combination of joints; else a path through sites
  double armature = 0;                                 // its own, and that of its actuators [kg, or kg m² where the length is an angle]
  std::vector<std::pair<std::string, double>> joints;  // of a fixed one, with their coefficients
};
using MjcfTendons = std::vector<MjcfTendon>;

MjcfTendon read_tendon(const MjcfNode& node, const MjcfDefaults& defaults, MjcfFiles& files);
/// Force limits, damping and armature of its joint; armature of its tendon.
void read_actuator(const MjcfNode& node, const MjcfDefaults& defaults, MjcfJoints& joints, MjcfTendons& tendons, Description& robot);
/// Effort limits of the joints, from all actuators together.
void limit_efforts(const MjcfJoints& joints, Description& robot);
/// The armature of a tendon of one joint is that joint's; of several joints it is refused.
void add_tendons(const MjcfTendons& tendons, const MjcfJoints& joints, Description& robot);
/// A linear equality of two joints is a mimic; connect and weld are loops; the rest is told. `inactive`: a flag disables all.
void read_equality(const MjcfNode& node, bool inactive, const MjcfDefaults& defaults, const MjcfJoints& joints, LoopPolicy loops, Description& robot);

}  // namespace ulna::internal
