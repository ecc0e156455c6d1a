// Robots that RapidCheck makes and makes smaller: a list of joints, each a handful of small whole numbers, so that a failure shrinks to few joints with zeros.
#pragma once

#include <rapidcheck.h>

#include <iosfwd>
#include <vector>

#include <ulna/model/model.hpp>

namespace ulna::test {

struct JointSpec {
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
  friend bool operator==(const JointSpec&, const JointSpec&) = default;
};

struct RobotSpec {
  std::vector<JointSpec> joints;
  int length = 0, mass = 0;  // powers of ten that all lengths and masses are scaled by
  int order = 0;             // how the joints are shuffled in the file
};

/// With what is needed to be a sound robot put in: massless links get rotors, a robot that nothing moves in gets a joint.
Description description_of(const RobotSpec& spec);

/// With the last `size` joints, a limb, again so many times: from the link that they hang from, every other time as in a mirror.
RobotSpec with_limbs(RobotSpec spec, std::size_t size, std::size_t times);

rc::Gen<RobotSpec> random_robot(std::size_t most);
/// How many of them the tests take: ULNA_ROBOTS of the environment, for long runs.
int robots();
std::ostream& operator<<(std::ostream& out, const RobotSpec& spec);

}  // namespace ulna::test
