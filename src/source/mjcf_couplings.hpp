// Joints of MJCF, and what couples them beside the tree: tendons, actuators, equalities, loops.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include <ulna/model/model.hpp>
#include <ulna/source/load.hpp>

#include "source/mjcf_defaults.hpp"

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

/// Where bodies and sites stand in the configuration that the file states, MuJoCo's qpos0.
struct MjcfFrames {
  struct Site {
    MjcfPlaced placed;
    std::string body;
  };
  std::map<std::string, Pose<double>, std::less<>> bodies;  // X_WB of each, and of the world
  std::map<std::string, Site, std::less<>> sites;
};

/// What the equalities of a file need to know, and what they make.
struct MjcfEqualities {
  const MjcfDefaults& defaults;
  const MjcfSettings& settings;
  const MjcfJoints& joints;
  const MjcfFrames& frames;
  LoopPolicy policy = LoopPolicy::honour;
  Description& robot;
  LoopDescription& loops;

  /// A linear equality of two joints is a mimic, a curved one an error; connect and weld are loops; the rest is told.
  void read(const MjcfNode& node);

 private:
  void read_loop(const MjcfElement& element);
  void read_joint(const MjcfElement& element);
};

}  // namespace ulna::internal
