// Joints of MJCF, and their couplings outside the tree: tendons, actuators, equalities, loops.
#pragma once

#include <string>

#include <ulna/model/model.hpp>
#include <ulna/source/load.hpp>

#include "source/mjcf_scope.hpp"

namespace ulna::internal {

/// Whether a <joint> is free, by itself or by its class.
bool is_free(const MjcfPlaced& placed);

/// A hinge or slide called joint.name, of a body that has the pose X_PB in its parent. Returns `ref`, q of that placement.
double read_joint(const MjcfPlaced& placed, const Pose<double>& X_PB, Joint& joint);

/// A free joint of this body: whether it is aligned with the body's inertia. Refuses what would change M, and notes its other forces.
bool read_free_joint(const MjcfPlaced& placed, const std::string& body);

/// Damping or stiffness: the linear term of a polynomial, of which MuJoCo takes further ones.
double linear_term(const MjcfElement& element, const char* attribute);

/// Adds a tendon to the names of its copy. One whose joints are not all in it belongs to another.
void read_tendon(const MjcfNode& node, MjcfContext& context);
/// Force limits, damping and armature of its joint; armature of its tendon.
void read_actuator(const MjcfNode& node, MjcfContext& context, Description& robot);
/// Effort limits of the joints, from all actuators together.
void limit_efforts(const MjcfJoints& joints, Description& robot);
/// The armature of a tendon of one joint is that joint's; of several joints it is refused.
void add_tendons(const MjcfContext& context, Description& robot);

/// Context and results of the equalities of a copy.
struct MjcfEqualities {
  const MjcfContext& context;
  bool active = true;  // the flags of the file allow any
  LoopPolicy policy = LoopPolicy::honour;
  Description& robot;
  LoopDescription& loops;

  /// A linear equality of two joints, or of two tendons of one joint each, is a mimic, a curved one an error; connect and weld are loops; the rest is reported.
  void read(const MjcfNode& node);

 private:
  struct Term {  // of a coordinate that an equality couples: a joint, or a tendon of one
    MjcfJoints::const_iterator joint;
    double scale = 1;
  };
  void read_loop(const MjcfElement& element);
  void read_coupling(const MjcfElement& element);
};

}  // namespace ulna::internal
