// Runs integrated in generalized speeds of a choice move as those in the rates of the joints.
#include <gtest/gtest.h>

#include <cmath>

#include <ulna/formulation/speeds.hpp>
#include <ulna/sim/simulate.hpp>
#include <ulna/source/load.hpp>

namespace ulna::test {
namespace {

/// A motion under a wrench from 0.1 s to 0.3 s, with rotors where the robot has them.
sim::Scenario pushed(const char* robot, bool rotor) {
  sim::Scenario s(load(robot));
  s.duration = 0.5;
  s.rotor = rotor;
  s.integrator.tolerance = 1e-11;
  for (std::size_t k = 0; k < s.q.size(); ++k) s.q[k] = 0.3 + 0.2 * static_cast<double>(k), s.v[k] = 0.5 - 0.1 * static_cast<double>(k);
  s.disturbances.push_back({{s.model.links().size() - 1, Axes::world, {3, -2, 1}, {0.1, 0.2, -0.3}}, 0.1, 0.3});
  return s;
}

TEST(SimulateInSpeeds, MovesAsInJointRates) {
  struct Case {
    const char *robot, *choice;
    bool rotor;
  };
  for (const auto& [robot, choice, rotor] :
       {Case{"planar-2r", "u1 = v.shoulder, u2 = v.shoulder + v.elbow", true}, Case{"scara", "body-rates", true}, Case{"puma560", "body-rates", false},
        Case{"stanford", "u1 = 2*v.q1, u2 = v.q2 + q.q1, u3 = v.q6, u4 = v.q3 - v.q1, u5 = v.q4, u6 = v.q5", true}}) {
    SCOPED_TRACE(std::string(robot) + ": " + choice);
    const sim::Scenario usual = pushed(robot, rotor);
    const sim::Scenario own = sim::with_formulation(usual, "kane", std::make_shared<const Speeds>(choose_speeds(usual.model, choice)));
    const sim::Outcome a = sim::simulate(usual), b = sim::simulate(own);
    ASSERT_EQ(a.trajectory.rows(), b.trajectory.rows());
    double worst = 0;
    for (std::size_t k = 0; k < a.trajectory.q.size(); ++k) worst = std::max(worst, std::fabs(a.trajectory.q[k] - b.trajectory.q[k]));
    EXPECT_LT(worst, 1e-8);
    EXPECT_NE(a.trajectory.q, b.trajectory.q);  // another integration
  }
}

TEST(SimulateInSpeeds, RefusesOtherFormulations) {
  const sim::Scenario usual = pushed("planar-2r", true);
  EXPECT_THROW(sim::with_formulation(usual, "newton-euler", std::make_shared<const Speeds>(choose_speeds(usual.model, "body-rates"))), std::invalid_argument);
}

}  // namespace
}  // namespace ulna::test
