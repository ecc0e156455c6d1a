// Joints of a MJCF body.
#pragma once

#include <map>
#include <string>

#include <ulna/model/model.hpp>

#include "source/mjcf_settings.hpp"

namespace ulna::internal {

/// Of each joint, what the rest of the file needs to know of it.
struct MjcfJoint {
  std::size_t entry = kNone;  // in Description::joints; none of a free joint
  double ref = 0;             // q of the placement that the file states [rad or m]
  double force_limit = 0;     // of all actuators that have one, at the joint; 0: none
  bool unlimited_force = false;
  bool actuated = false;  // an actuator moves it, or a tendon that it is the first joint of
};
using MjcfJoints = std::map<std::string, MjcfJoint, std::less<>>;

/// Whether a <joint> is free, by itself or by its class.
bool is_free(const MjcfPlaced& placed, const MjcfDefaults& defaults);

/// A hinge or slide called joint.name, of a body that has the pose X_PB in its parent. Returns `ref`, q of that placement.
double read_joint(const MjcfPlaced& placed, const Pose<double>& X_PB, const MjcfDefaults& defaults, const MjcfSettings& settings, Joint& joint);

/// A free joint of this body: whether it asks for the axes of the body's inertia. Refuses what would change M, and notes its other forces.
bool read_free_joint(const MjcfPlaced& placed, const std::string& body, const MjcfDefaults& defaults, const MjcfSettings& settings);

/// Damping or stiffness: the linear term of a polynomial, of which MuJoCo takes further ones.
double linear_term(const MjcfElement& element, const char* attribute);

}  // namespace ulna::internal
