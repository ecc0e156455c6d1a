// The built-in robots with loops. The Delta against its closed form: the platform, which does not turn, is where three spheres meet, one about each elbow less
// the platform's joint (R. Clavel, thesis 989, EPFL, 1991; the textbook solution of forward kinematics).
#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include <ulna/dynamics/on_plan.hpp>

#include "loop/machines.hpp"

namespace ulna::test {
namespace {

/// The lower point at distance r from three centres.
Vec3<double> below(const Vec3<double> (&c)[3], double r) {
  const auto minus = [](const Vec3<double>& a, const Vec3<double>& b) { return a - b; };
  const Vec3<double> d = minus(c[1], c[0]), e = minus(c[2], c[0]);
  const double length = std::sqrt(dot(d, d));
  const Vec3<double> x = (1 / length) * d;
  const double i = dot(x, e);
  const Vec3<double> across = e - i * x;
  const double j = std::sqrt(dot(across, across));
  const Vec3<double> y = (1 / j) * across, z = cross(x, y);
  const double px = length / 2, py = (i * i + j * j - 2 * i * px) / (2 * j), pz = std::sqrt(r * r - px * px - py * py);
  const Vec3<double> one = c[0] + px * x + py * y + pz * z, other = c[0] + px * x + py * y - pz * z;
  return one.z < other.z ? one : other;
}

TEST(Delta, IsItsClosedForm) {
  const LoopRobot robot = loop_robot("delta");
  ASSERT_EQ(robot.mobility(), 3u);
  ASSERT_EQ(robot.redundant(), 0u);
  const Plan plan = make_plan(robot.tree());
  Workspace ws(plan);
  const std::size_t platform = robot.tree().find_link("platform").value();
  const double third = 2.0943951023931957;
  for (const Vec3<double>& angles : {Vec3<double>{0, 0, 0}, {0.3, -0.2, 0.5}, {0.9, 0.8, 0.7}, {-0.4, 0.2, 0.6}}) {
    const double given[] = {angles.x, angles.y, angles.z};
    std::vector<double> q(robot.nv(), 0.0);
    Vec3<double> centres[3];
    for (std::size_t k = 0; k < 3; ++k) {
      q[robot.independent()[k]] = given[k];
      const double phi = third * static_cast<double>(k), out = 0.2 + 0.3 * std::cos(given[k]) - 0.05;
      centres[k] = {out * std::cos(phi), out * std::sin(phi), -0.3 * std::sin(given[k])};
    }
    ASSERT_TRUE(robot.assemble(q).closed);
    const Pose<double> X = link_pose(plan, ws, q, platform);
    const Vec3<double> p = below(centres, 0.8);
    EXPECT_NEAR(X.p.x, p.x, 1e-11);
    EXPECT_NEAR(X.p.y, p.y, 1e-11);
    EXPECT_NEAR(X.p.z, p.z, 1e-11);
    EXPECT_NEAR(X.R.xx, 1, 1e-11);
    EXPECT_NEAR(X.R.yy, 1, 1e-11);
    EXPECT_NEAR(X.R.zx, 0, 1e-11);
  }
}

/// Drives that have turned many times, and stay as they are: the platform is where it was, not above.
TEST(Delta, FarAnglesAreNearOnes) {
  const LoopRobot robot = loop_robot("delta");
  const Plan plan = make_plan(robot.tree());
  Workspace ws(plan);
  const std::size_t platform = robot.tree().find_link("platform").value();
  std::mt19937 random(4);
  std::uniform_real_distribution<double> uniform(-1, 1);
  for (int trial = 0; trial < 10; ++trial) {
    std::vector<double> q(robot.nv(), 0.0);
    Vec3<double> centres[3];
    for (std::size_t k = 0; k < 3; ++k) {
      const double angle = 0.2 + 0.7 * uniform(random), phi = 2.0943951023931957 * static_cast<double>(k), out = 0.2 + 0.3 * std::cos(angle) - 0.05;
      centres[k] = {out * std::cos(phi), out * std::sin(phi), -0.3 * std::sin(angle)};
      q[robot.independent()[k]] = angle + 2 * std::acos(-1.0) * std::round(150 * uniform(random));
    }
    const Closure closure = robot.assemble(q);
    ASSERT_TRUE(closure.closed && !closure.crossed);
    const Vec3<double> p = below(centres, 0.8), at = link_pose(plan, ws, q, platform).p;
    EXPECT_NEAR(at.x, p.x, 1e-10);
    EXPECT_NEAR(at.y, p.y, 1e-10);
    EXPECT_NEAR(at.z, p.z, 1e-10);
  }
}

TEST(BuiltIn, RobotsWithLoopsAreThere) {
  const struct {
    const char* id;
    std::size_t mobility, redundant;
  } cases[] = {{"four-bar", 1, 3}, {"five-bar", 2, 3}, {"delta", 3, 0}, {"palletizer", 4, 6}};
  for (const auto& [id, mobility, redundant] : cases) {
    const LoopRobot robot = loop_robot(id);
    EXPECT_EQ(robot.mobility(), mobility) << id;
    EXPECT_EQ(robot.redundant(), redundant) << id;
    EXPECT_GT(robot.singularity(), 0.02) << id;
    EXPECT_EQ(robot.model().nv(), mobility) << id;
    EXPECT_EQ(robot.model().nv_tree(), robot.nv()) << id;
    EXPECT_EQ(load(id, {.loops = LoopPolicy::ignore, .unchecked = true}).nv(), robot.nv());  // open, wrists of the Delta have no inertia
  }
}

/// The hand stays level, whatever the arms do.
TEST(Palletizer, KeepsItsHandLevel) {
  const LoopRobot robot = loop_robot("palletizer");
  const Plan plan = make_plan(robot.tree());
  Workspace ws(plan);
  std::vector<double> q(robot.nv(), 0.0);
  const double given[] = {0.4, -0.3, 0.5, 0.2};
  for (std::size_t k = 0; k < 4; ++k) q[robot.independent()[k]] = given[k];
  ASSERT_TRUE(robot.assemble(q).closed);
  EXPECT_NEAR(link_pose(plan, ws, q, robot.tree().find_link("hand").value()).R.zz, 1, 1e-12);
}

}  // namespace
}  // namespace ulna::test
