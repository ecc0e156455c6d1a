#include <ulna/source/load.hpp>

#include <array>

#include "source/embedded_models.hpp"

namespace ulna ULNA_API {

using namespace internal;

namespace {

struct Row {
  std::string_view id;
  std::string_view summary;
};

constexpr std::array kRows{
    Row{"planar-2r", "two-link arm in a vertical plane, the textbook example"},
    Row{"planar-3r", "three-link arm in a vertical plane, one joint to spare"},
    Row{"stanford", "Stanford arm: five revolute joints and a prismatic one (Kane & Levinson 1983)"},
    Row{"puma560", "Unimation PUMA 560, standard DH, with rotors and friction (Corke & Armstrong-Helouvry 1994)"},
    Row{"puma560-mdh", "Unimation PUMA 560, modified DH (Craig's convention)"},
    Row{"ur5", "Universal Robots UR5, six revolute joints"},
    Row{"panda", "Franka Emika Panda with hand, seven revolute joints"},
    Row{"iiwa14", "KUKA LBR iiwa 14 R820, seven revolute joints"},
    Row{"scara", "SCARA arm: three revolute joints and a prismatic one"},
    Row{"space-arm", "Space-Station-class arm in orbit: seven revolute joints, no gravity"},
    Row{"servicer", "servicing satellite of 500 kg with a six-joint arm, no gravity; --base free lets it fly"},
    Row{"torso", "two-armed torso with head on a pedestal: a tree of 18 joints"},
    Row{"mini-cheetah", "MIT Mini Cheetah: a quadruped of twelve joints, with rotors and friction; --base free frees it"},
    Row{"humanoid-32", "humanoid of 32 joints on its pelvis; --base free frees it"},
    Row{"humanoid-38", "humanoid with its free base as six joints: a tree of 38 joints"},
    Row{"four-bar", "crank and rocker in a vertical plane: a loop of three joints, one degree of freedom"},
    Row{"five-bar", "five-bar in a horizontal plane with both motors on the ground"},
    Row{"delta", "Delta robot after Clavel: three motors, two loops, a platform that stays level"},
    Row{"palletizer", "palletizing robot of four axes with two parallelograms that keep its hand level"},
};

/// A robot whose file did not come with this build is not offered.
std::vector<BuiltinRobot> offered() {
  std::vector<BuiltinRobot> list;
  for (const Row& row : kRows)
    for (const EmbeddedModel& model : embedded_models())
      if (model.file.substr(0, model.file.rfind('.')) == row.id) list.push_back({row.id, row.summary, model.file, model.text});
  return list;
}

}  // namespace

const std::vector<BuiltinRobot>& builtin_robots() {
  static const std::vector<BuiltinRobot> robots = offered();
  return robots;
}

}  // namespace ULNA_API
