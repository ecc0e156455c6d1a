// Tests of every built-in robot.
#pragma once

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <ulna/source/load.hpp>

namespace ulna::test {

/// Built-in robots without loops, which every formulation takes.
inline std::vector<BuiltinRobot> builtin_trees() {
  std::vector<BuiltinRobot> trees;
  for (const BuiltinRobot& robot : builtin_robots())
    if (!load(std::string(robot.id)).closed()) trees.push_back(robot);
  return trees;
}

/// And those with loops.
inline std::vector<BuiltinRobot> builtin_loops() {
  std::vector<BuiltinRobot> robots;
  for (const BuiltinRobot& robot : builtin_robots())
    if (load(std::string(robot.id)).closed()) robots.push_back(robot);
  return robots;
}

inline std::vector<std::string> builtin_ids() {
  std::vector<std::string> ids;
  for (const BuiltinRobot& robot : builtin_trees()) ids.emplace_back(robot.id);
  return ids;
}

/// Test names may hold letters, digits and underscores only.
inline std::string test_name(const ::testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  for (char& c : name)
    if (c == '-') c = '_';
  return name;
}

}  // namespace ulna::test
