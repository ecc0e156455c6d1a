// A robot with a joint that follows another one with a multiplier: a gear, or a lead screw.
#pragma once

#include <string>

#include <ulna/ulna.hpp>

namespace ulna::test {

/// `leader`: the type of the joint that leads. A third joint stands beside.
inline Model geared(const std::string& leader, const std::string& multiplier) {
  const auto link = [](const char* name, const char* com) {
    return std::string("<link name=\"") + name + "\"><inertial><origin xyz=\"" + com +
           R"("/><mass value="1"/><inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>)";
  };
  return parse(R"(<robot name="geared"><link name="b"/>)" + link("l1", "0.1 0.2 0.3") + link("l2", "0.1 0.2 0.3") + link("l3", "0 0 0.3") +
                   R"(<joint name="j1" type=")" + leader + R"("><parent link="b"/><child link="l1"/><axis xyz="0 0 1"/>
<limit lower="-1" upper="1" effort="1" velocity="1"/></joint>
<joint name="j2" type="continuous"><parent link="l1"/><child link="l2"/><origin xyz="0.3 0 0" rpy="1.5 0 0"/><axis xyz="0 1 0"/>
<mimic joint="j1" multiplier=")" +
                   multiplier + R"(" offset="0.5"/></joint>
<joint name="j3" type="continuous"><parent link="b"/><child link="l3"/><origin xyz="0.3 0 0" rpy="1.5 0 0"/><axis xyz="0 0 1"/></joint></robot>)",
               "geared.urdf");
}

}  // namespace ulna::test
