// Loops that hold axes, drawn half a turn away from where they close: sines of the angles between the axes are zero there, too.
#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include <ulna/dynamics/on_plan.hpp>

#include "dynamics/loops-inl.hpp"
#include "loop/machines.hpp"
#include "support/soak.hpp"

namespace ulna::test {
namespace {

/// Frames A and B of the loop in the world, at q.
std::pair<Pose<double>, Pose<double>> ends(const Mechanism& robot, const std::vector<double>& q) {
  const Plan plan = make_plan(robot.tree());
  Workspace ws(plan);
  const Loop& loop = robot.loops().front();
  return {link_pose(plan, ws, q, loop.predecessor) * loop.X_PA, link_pose(plan, ws, q, loop.successor) * loop.X_SB};
}

TEST(HalfTurn, IsNoClosedLoop) {
  const unsigned seeds = so_many(12u, 500u);
  for (const LoopType type : {LoopType::fixed, LoopType::prismatic, LoopType::revolute, LoopType::cylindrical, LoopType::planar})
    for (unsigned seed = 1; seed <= seeds; ++seed) {
      RandomLoop loop = random_loop(type, loop_rows(type) + 1 + seed % 2, seed);
      // A joint's zero is where it was turned by half a turn, or nearly.
      Joint& joint = loop.robot.joints[seed % 2 == 0 ? 0 : loop.robot.joints.size() - 1].joint;
      const double angle = std::numbers::pi - (seed % 3 == 0 ? 0 : 1e-9 * seed);
      const Vec3<double> n = joint.axis;
      const double s = std::sin(angle), c = std::cos(angle);
      const auto rotated = [&](const Vec3<double>& x) { return c * x + s * cross(n, x) + ((1 - c) * dot(n, x)) * n; };
      const Vec3<double> x = rotated({1, 0, 0}), y = rotated({0, 1, 0}), z = rotated({0, 0, 1});
      joint.X_PF.R = joint.X_PF.R * Mat3<double>{x.x, y.x, z.x, x.y, y.y, z.y, x.z, y.z, z.z};
      Diagnostics diagnostics;
      std::optional<Mechanism> robot = Mechanism::make(build(loop.robot, diagnostics).value(), loop.loops, diagnostics);
      ASSERT_TRUE(robot) << to_string(type) << " " << seed << "\n" << (diagnostics.all().empty() ? "" : to_string(diagnostics.all().front()));
      const auto [A, B] = ends(*robot, robot->reference());
      const Vec3<double> axis = loop.loops.loops.front().loop.axis, a = A.R * axis, b = B.R * axis;
      EXPECT_NEAR(dot(a, b), 1, 1e-12) << to_string(type) << " " << seed;  // not -1
      if (type == LoopType::fixed || type == LoopType::prismatic) {
        const Mat3<double> R = A.R.transposed() * B.R;
        EXPECT_NEAR(R.xx + R.yy + R.zz, 3, 1e-12) << to_string(type) << " " << seed;
      }
      if (type == LoopType::fixed || type == LoopType::revolute) {
        EXPECT_NEAR(dot(Vec3<double>(A.p - B.p), Vec3<double>(A.p - B.p)), 0, 1e-22) << to_string(type) << " " << seed;
      }
    }
}

}  // namespace
}  // namespace ulna::test
