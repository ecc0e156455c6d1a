// A robot whose second joint follows the first, and how far it uses its limits.
#pragma once

#include <string>
#include <vector>

#include <ulna/check/check.hpp>
#include <ulna/source/load.hpp>

namespace ulna::test {

/// Two pendulums of 1 kg at 0.1 m, joints 0.2 m apart, about y; the second follows the first.
inline std::string follower_urdf(const std::string& mimic, const std::string& limits,
                                 const std::string& leads = R"(lower="-3" upper="3" effort="100" velocity="3")") {
  const std::string body = R"(<inertial><origin xyz="0.1 0 0"/><mass value="1"/><inertia ixx=".01" ixy="0" ixz="0" iyy=".01" iyz="0" izz=".01"/></inertial>)";
  return R"(<robot name="g"><link name="b"/><link name="l1">)" + body + R"(</link><link name="l2">)" + body + R"(</link>
<joint name="lead" type="revolute"><parent link="b"/><child link="l1"/><axis xyz="0 1 0"/><limit )" +
         leads + R"(/></joint>
<joint name="follow" type="revolute"><origin xyz=".2 0 0"/><parent link="l1"/><child link="l2"/><axis xyz="0 1 0"/><mimic joint="lead" )" +
         mimic + R"(/><limit )" + limits + R"(/></joint></robot>)";
}

/// The use of one limit, or none.
inline const LimitUse* broken(const std::vector<LimitUse>& all, const Model& model, const std::string& joint, LimitKind kind, int side = 1) {
  for (const LimitUse& use : all)
    if (model.joints()[use.joint].name == joint && use.kind == kind && use.side == side) return &use;
  return nullptr;
}

}  // namespace ulna::test
