// A joint's motion, for everything outside the kernels.
#pragma once

#include <ulna/model/model.hpp>

namespace ulna::internal {

/// X_FM: frame M on the child side in frame F on the parent side. Of a joint with one coordinate; a ball joint stands at its zero.
inline Pose<double> joint_motion(const Joint& joint, double q) {
  if (joint.type == JointType::fixed || joint.type == JointType::ball) return {};
  if (joint.type == JointType::prismatic) return {Mat3<double>::identity(), q * joint.axis};
  return {rotation_about(joint.axis, q), {}};
}

/// Makes it a fixed joint that stands at q.
inline void hold(Joint& joint, double q) {
  joint.X_PF = joint.X_PF * joint_motion(joint, q);
  joint.type = JointType::fixed;
  joint.mimic.reset();
}

}  // namespace ulna::internal
