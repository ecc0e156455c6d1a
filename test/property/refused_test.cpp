// Kernels that are right are not refused: random robots, and robots near the edge, pass the check that Dynamics makes of its own machine code.
#include <gtest/gtest.h>

#include <algorithm>

#include <ulna/robot/dynamics.hpp>
#include <ulna/source/load.hpp>

#include "property/edge_check.hpp"
#include "property/whole_robot.hpp"
#include "support/builtin.hpp"
#include "text/message.hpp"

namespace ulna::test {
namespace {

/// Empty, or the first kernel that was refused.
template <class T>
std::string first_refused(const Model& model, double snap) {
  DynamicsOptions options;
  options.snap = snap;
  options.threads = 1;
  options.quantities.push_back(Quantity::mass_inverse);
  options.links = {model.links().back().name};
  const DynamicsOf<T> dynamics(model, options);
  if (!dynamics.refused().empty()) return cat(sizeof(T) == 4 ? "floats: " : "doubles: ", to_string(dynamics.refused().front()));
  Payload payload;
  payload.mass = 0.7;
  payload.com = {0.02, -0.03, 0.11};
  payload.inertia = {0.011, 0.012, 0.013, 0, 0, 0};
  const DynamicsOf<T> loaded = dynamics.with_payload(model.links().back().name, payload);
  if (!loaded.refused().empty()) return cat(sizeof(T) == 4 ? "floats, loaded: " : "doubles, loaded: ", to_string(loaded.refused().front()));
  return {};
}

std::string first_refused(const Model& model) {
  for (const double snap : {1e-9, 0.0}) {
    for (const std::string& fault : {first_refused<double>(model, snap), first_refused<float>(model, snap)})
      if (!fault.empty()) return cat("snap ", snap, ", ", fault);
  }
  return {};
}

std::uint64_t seeds() { return static_cast<std::uint64_t>(std::max(1, robots() >= 100000 ? robots() / 20 : robots() / 80)); }

TEST(RefusedKernels, NoneOfTheRobotsThatComeWithUlna) {
  for (const BuiltinRobot& robot : test::builtin_trees()) EXPECT_EQ(first_refused(load(std::string(robot.id))), "") << robot.id;
}

TEST(RefusedKernels, NoneOfRobotsNearTheEdge) {
  for (std::uint64_t seed = 1; seed <= seeds(); ++seed) {
    const Model model = build(edge_case(seed).robot);
    const bool sound = EdgeCheck(model, 0, seed, 0).holds_accelerations(true);  // else nobody's accelerations mean anything in floats
    EXPECT_TRUE(!sound || first_refused(model).empty()) << "edge robot, seed " << seed << ": " << first_refused(model);
    EXPECT_EQ(first_refused(build(almost_right_case(seed).robot)), "") << "almost right arm, seed " << seed;
  }
}

TEST(RefusedKernels, NoneOfRandomRobots) {
  for (std::uint64_t seed = 1; seed <= seeds(); ++seed) {
    Diagnostics diagnostics("random");
    const std::optional<Model> model = build(random_description(whole_robot(10)(rc::Random(seed), 100).value()), diagnostics);
    if (!model || model->nv() == 0) continue;
    EXPECT_EQ(first_refused(*model), "") << "random robot, seed " << seed;
  }
}

}  // namespace
}  // namespace ulna::test
