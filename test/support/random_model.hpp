// Random robots and their states: one generator, whose arguments are what a robot may have. Descriptions are the same for the same arguments, everywhere.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <ulna/model/model.hpp>

#include "support/random.hpp"

namespace ulna::test {

/// Numbers near the edge. Without any of them: right angles, axes along z, and lengths and masses of common arms.
struct Edge {
  bool angles = true;    // off from right ones by 10^-k, k = 1 … 16; axes likewise
  bool residues = true;  // of 1e-12 … 1e-40 in offsets, mass centres, products of inertia and angles
  bool scales = true;    // lengths from millimetres to kilometres, of three decades in one robot, masses of twelve, compact links, links next to massless
};

/// What a joint, a link or a robot may have, by chance.
struct RandomOptions {
  int fewest = 1;  // moving joints
  int most = 30;
  bool prismatic = true;
  bool continuous = true;
  bool fixed = true;  // fixed joints in between
  bool branches = true;
  bool massless = true;  // some links without inertia between moving joints
  bool mimic = false;
  bool balls = false;  // ball joints among the others
  bool rotor = true;
  bool friction = true;
  bool identity_MB = false;    // link frames as in URDF
  std::optional<Edge> edge{};  // none: in general position, with quarter turns among the frames
};

/// Trees of every joint type. Every body can exist; of robots near the edge, some few are singular in doubles.
Description random_description(std::uint64_t seed, const RandomOptions& options = {});
/// Built and checked.
Model random_model(std::uint64_t seed, const RandomOptions& options = {});

/// What a robot has for sure: one of its joints, and each other one by chance.
struct SureFeatures {
  bool prismatic = false;
  bool mimic = false;   // leaders come first; chains may form
  bool tilted = false;  // three robots in ten: quarter turns that are off by a little, and by more than what plans take for a quarter
  bool rotor = false;
  bool viscous = false;
  bool coulomb = false;
};
/// Whether some frames were tilted: results must have that little in them.
bool add_features(Description& robot, Random& random, const SureFeatures& features);

/// A robot, and what machine code made for it may be asked to take on.
struct EdgeCase {
  Description robot;
  Description changed;  // the same joints with links, rotors and some gaps between joints of other numbers of the same kind
  Payload payload;      // for the last link
};
/// 2 to 7 joints, some of them sliding, some branches, rotors on some, some that follow another.
EdgeCase edge_case(std::uint64_t seed, const Edge& edge = {});
/// A chain of six or seven revolute joints as vendors write them, metres and kilograms of common arms, each right angle off by 10^-k.
EdgeCase almost_right_case(std::uint64_t seed);

/// One joint and its link in whole numbers, for what makes robots smaller until they are the smallest that fail: 0 is the simplest choice everywhere.
struct WholeJoint {
  int type = 0;               // 0 revolute, 1 prismatic, 2 continuous, 3 fixed
  std::size_t branch = 0;     // 0: on the last link; else on the one so many before
  int axis = 0;               // 0 to 5 along the frame's axes; beyond: askew
  int turn = 0, tilt = 0;     // of the frame, in steps of 30 degrees
  int x = 0, y = 0, z = 0;    // of the frame, in tenths
  int mass = 0;               // 0: the link has none, and its joint a rotor
  int com_x = 0, com_z = 0;   // tenths
  int width = 0, height = 0;  // of a box of that mass
  int rotor = 0;
  int follows = 0;  // 0: no; else it mimics the moving joint so many before, if there is one
  friend bool operator==(const WholeJoint&, const WholeJoint&) = default;
};
struct WholeRobot {
  std::vector<WholeJoint> joints;
  int length = 0, mass = 0;  // powers of ten that all lengths and masses are scaled by, see zigzag()
  int order = 0;             // how the joints are shuffled in the file
};
/// 0, 1, -1, 2, -2, …
double zigzag(int k);
/// With what is needed to be a sound robot put in: massless links get rotors.
Description random_description(const WholeRobot& robot);
/// With the last `size` joints, a limb, again so many times: from the link that they hang from, every other time as in a mirror.
WholeRobot with_limbs(WholeRobot robot, std::size_t size, std::size_t times);

struct State {
  std::vector<double> q, v, a;
};
struct StateOptions {
  bool far = false;     // angles of 1e3 to 6e5 rad
  bool rest = false;    // one speed in four is zero, of either sign
  bool floats = false;  // numbers that floats hold, quaternions apart
};
/// Angles over a full turn, slides within half a metre.
State random_state(const Model& model, Random& random, const StateOptions& options = {});

/// Mass, mass centre and inertia of some point masses near the origin.
void set_random_inertia(Link& link, Random& random);
/// The same of a link of this name.
Link random_link(std::string name, Random& random);
/// Adds a joint, named after its number, and the link that it carries, named likewise.
void append(Description& robot, Description::JointEntry entry, Link link, std::size_t parent);
/// Makes a joint follow another one.
void couple(Description::JointEntry& entry, const Description::JointEntry& leader, double multiplier, double offset);

}  // namespace ulna::test
