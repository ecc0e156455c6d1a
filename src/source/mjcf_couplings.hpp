// What MJCF says beside the tree: actuators, equalities between joints, loops.
#pragma once

#include <map>
#include <string>

#include <ulna/source/load.hpp>

#include "source/mjcf_settings.hpp"

namespace ulna::internal {

/// Of each joint, what the rest of the file needs to know of it.
struct MjcfJoint {
  std::size_t entry = kNone;  // in Description::joints
  double ref = 0;             // q of the placement that the file states [rad or m]
  double force_limit = 0;     // of all actuators that have one, at the joint; 0: none
  bool unlimited_force = false;
};
using MjcfJoints = std::map<std::string, MjcfJoint, std::less<>>;

void read_actuator(const MjcfNode& node, const MjcfDefaults& defaults, MjcfJoints& joints);
/// Effort limits of the joints, from all actuators together.
void limit_efforts(const MjcfJoints& joints, Description& robot);
/// A linear equality of two joints is a mimic; connect and weld are loops; the rest is told.
void read_equality(const MjcfNode& node, const MjcfDefaults& defaults, const MjcfJoints& joints, LoopPolicy loops, Description& robot);

}  // namespace ulna::internal
