// Mechanisms that have a closed form: the parallelogram and the slider-crank.
#include <cmath>

#include <gtest/gtest.h>

#include "loop/machines.hpp"

namespace ulna::test {
namespace {

/// Cranks of 0.5 m a metre apart and a rod of a metre between their ends; masses stand at the links' origins. Gravity along -y.
constexpr const char* kParallelogram = R"(<robot name="parallelogram">
<link name="base"/>
<link name="left"><inertial><mass value="2"/><inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.03"/></inertial></link>
<link name="rod"><inertial><mass value="3.3"/><inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.05"/></inertial></link>
<link name="right"><inertial><mass value="2"/><inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.04"/></inertial></link>
<joint name="a" type="continuous" independent="true"><parent link="base"/><child link="left"/><axis xyz="0 0 1"/></joint>
<joint name="b" type="continuous" independent="false"><parent link="left"/><child link="rod"/><origin xyz="0.5 0 0"/><axis xyz="0 0 1"/></joint>
<joint name="c" type="continuous" independent="false"><parent link="base"/><child link="right"/><origin xyz="1 0 0"/><axis xyz="0 0 1"/></joint>
<loop name="pin" type="TYPE"><predecessor link="rod"><origin xyz="1 0 0"/></predecessor><successor link="right"><origin xyz="0.5 0 0"/></successor>
<axis xyz="0 0 1"/></loop>
</robot>)";

LoopRobot parallelogram(const std::string& type) {
  std::string text = kParallelogram;
  text.replace(text.find("TYPE"), 4, type);
  return LoopRobot(parse(text, "p.urdf", {.gravity = Vec3<double>{0, -9.81, 0}}));
}

TEST(Parallelogram, IsItsClosedForm) {
  const struct {
    const char* type;
    std::size_t redundant;
  } cases[] = {{"revolute", 3}, {"spherical", 1}};
  for (const auto& [type, redundant] : cases) {
    const LoopRobot robot = parallelogram(type);
    EXPECT_EQ(robot.mobility(), 1u);
    EXPECT_EQ(robot.redundant(), redundant) << type;
    EXPECT_EQ(robot.independent_names(), std::vector<std::string>{"a"});
    for (const double angle : {0.4, 1.1, 2.0, 2.9}) {
      std::vector<double> q{angle, -angle + 0.02, angle - 0.01};
      const Closure closure = robot.close(q);
      ASSERT_TRUE(closure.closed);
      EXPECT_FALSE(closure.crossed);
      EXPECT_NEAR(q[1], -angle, 1e-13);
      EXPECT_NEAR(q[2], angle, 1e-13);
      const std::vector<double> u{1.7}, u_dot{-0.6};
      std::vector<double> v(3), a(3), tau(1), gravity(1), back(1);
      robot.velocities(q, u, v);
      robot.accelerations(q, u, u_dot, a);
      for (std::size_t k = 0; k < 3; ++k) {
        EXPECT_NEAR(v[k], (k == 1 ? -1 : 1) * u[0], 1e-12);
        EXPECT_NEAR(a[k], (k == 1 ? -1 : 1) * u_dot[0], 1e-11);
      }
      // The rod does not turn: M = I_left + I_right + m l², and its weight alone is lifted.
      const double M = 0.03 + 0.04 + 3.3 * 0.25, weight = 3.3 * 9.81 * 0.5 * std::cos(angle);
      std::vector<double> mass(1);
      robot.mass(q, {mass.data(), 1, 1});
      EXPECT_NEAR(mass[0], M, 1e-13);
      robot.gravity(q, gravity);
      EXPECT_NEAR(gravity[0], weight, 1e-12);
      robot.inverse(q, u, u_dot, tau);
      EXPECT_NEAR(tau[0], M * u_dot[0] + weight, 1e-12);
      robot.forward(q, u, tau, back);
      EXPECT_NEAR(back[0], u_dot[0], 1e-12);
      const Energy energy = robot.energy(q, u);
      EXPECT_NEAR(energy.kinetic, 0.5 * M * u[0] * u[0], 1e-12);
      // The right crank, which is weightless about its axis, is driven through the pin alone: its angular momentum changes by the pin's force.
      const LoopRobot::Reaction pin = robot.reactions(q, u, u_dot).front();  // on the right crank, in the axes of the rod, which are the base's
      EXPECT_NEAR(0.5 * (std::cos(angle) * pin.force.y - std::sin(angle) * pin.force.x), 0.04 * u_dot[0], 1e-12);
    }
  }
}

TEST(Parallelogram, TheReferenceIsNotTheCrossedAssembly) {
  const LoopRobot robot = parallelogram("revolute");
  EXPECT_NEAR(robot.reference()[0], -robot.reference()[1], 1e-9);
  std::vector<double> q{0.8, 0, 0};
  ASSERT_TRUE(robot.assemble(q).closed);
  EXPECT_NEAR(q[1], -0.8, 1e-12);
}

TEST(Parallelogram, AnotherBranchIsTold) {
  const LoopRobot robot = parallelogram("revolute");
  std::vector<double> crossed{0.8, 0.1, 0.1};  // on the other side of the flat assembly from the parallelogram
  std::vector<double> q = crossed;
  ASSERT_TRUE(robot.close(q).closed);
  const bool parallel = std::abs(q[1] + 0.8) < 1e-9;
  EXPECT_EQ(robot.close(crossed).crossed, parallel);
}

TEST(SliderCrank, IsItsClosedForm) {
  const double r = 0.3, l = 1.1, m = 2.5;
  const LoopRobot robot = slider_crank(r, l, m);
  EXPECT_EQ(robot.mobility(), 1u);
  for (const double angle : {0.2, 1.0, 1.5707963267948966, 2.6, 4.0}) {
    const double s = std::sin(angle), c = std::cos(angle), root = std::sqrt(l * l - r * r * s * s);
    const double x = r * c + root;
    const double x1 = -r * s - r * r * s * c / root;                                                                   // dx/dq
    const double x2 = -r * c - r * r * (c * c - s * s) / root - r * r * r * r * s * s * c * c / (root * root * root);  // d²x/dq²
    std::vector<double> q{angle, -angle - std::asin(r * s / l) + 0.05, x + 0.02};
    ASSERT_TRUE(robot.close(q).closed);
    EXPECT_NEAR(q[2], x, 1e-12);
    const double speed = 2.3, rate = -1.4;
    const std::vector<double> u{speed}, u_dot{rate};
    std::vector<double> v(3), a(3), tau(1);
    robot.velocities(q, u, v);
    robot.accelerations(q, u, u_dot, a);
    EXPECT_NEAR(v[2], x1 * speed, 1e-12);
    EXPECT_NEAR(a[2], x1 * rate + x2 * speed * speed, 1e-11);
    robot.inverse(q, u, u_dot, tau);
    EXPECT_NEAR(tau[0], m * a[2] * x1, 1e-11);
  }
}

}  // namespace
}  // namespace ulna::test
