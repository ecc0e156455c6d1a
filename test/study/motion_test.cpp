// The motions that the page itself makes stay within the limits of the robot, which are compared here number by number.
#include <gtest/gtest.h>

#include <cmath>

#include <ulna/source/load.hpp>

#include "study/data.hpp"
#include "study/page_parts.hpp"

namespace ulna::internal {
namespace {

/// The largest share of a limit that a row uses: 1 is the limit itself. Positions count from the middle of their range.
double largest_share(const Model& model, const sim::Trajectory& t) {
  const std::size_t n = model.driven().size(), nv = model.nv();
  double most = 0;
  const auto take = [&](double value, double limit) {
    if (std::isfinite(limit) && limit > 0) most = std::max(most, std::abs(value) / limit);
  };
  const std::vector<std::size_t> driven = model.driven();
  for (std::size_t row = 0; row < t.rows(); ++row) {
    // Of trees: the joints come last in q, v and tau.
    const double *q = &t.q[(row + 1) * t.positions] - n, *v = &t.v[(row + 1) * nv] - n, *tau = &t.tau[(row + 1) * nv] - n;
    for (std::size_t k = 0; k < n; ++k) {
      const Joint& joint = model.joints()[driven[k]];
      if (joint.type != JointType::continuous && std::isfinite(joint.upper - joint.lower))
        take(q[k] - 0.5 * (joint.lower + joint.upper), 0.5 * (joint.upper - joint.lower));
      take(v[k], joint.velocity);
      take(tau[k], joint.effort);
    }
  }
  return most;
}

TEST(StudyMotions, NoBuiltInRobotBreaksALimit) {
  std::size_t limited = 0;
  for (const BuiltinRobot& robot : builtin_robots())
    for (const RootJoint base : {RootJoint::fixed, RootJoint::free}) {
      LoadOptions options;
      options.base = base;
      const LoadResult read = try_load(std::string(robot.id), options);
      if (!read.model || (base == RootJoint::free && read.model->closed())) continue;
      const Model& model = *read.model;
      SCOPED_TRACE(model.name() + (base == RootJoint::free ? ", free" : ""));
      const Analysis analysis(model);
      const StudyMotion motion = internal::response(analysis, {});
      const sim::TorqueStudy torques = reference_torques(analysis, {});
      EXPECT_EQ(motion.run.ending, sim::Ending::done) << motion.run.message;
      EXPECT_EQ(torques.run.ending, sim::Ending::done) << torques.run.message;
      for (const sim::Trajectory* t : {&motion.run.trajectory, &torques.run.trajectory}) {
        EXPECT_TRUE(broken_limits(model, *t).empty()) << to_string(model, broken_limits(model, *t).front());
        if (model.closed()) continue;
        const double share = largest_share(model, *t);
        EXPECT_LE(share, 1 + 1e-9);
        limited += share > 0 ? 1 : 0;
        // And they are motions: every joint goes half of its range, or far enough to see.
        const std::vector<std::size_t> driven = model.driven();
        for (std::size_t k = 0; k < driven.size(); ++k) {
          const Joint& joint = model.joints()[driven[k]];
          const std::size_t at = t->positions - driven.size() + k;
          double low = INFINITY, high = -INFINITY;
          for (std::size_t row = 0; row < t->rows(); ++row)
            low = std::min(low, t->q[row * t->positions + at]), high = std::max(high, t->q[row * t->positions + at]);
          EXPECT_GE(high - low, 0.9 * std::min(0.5 * (joint.upper - joint.lower), joint.type == JointType::prismatic ? 0.3 : 1.2)) << joint.name;
        }
      }
    }
  EXPECT_GT(limited, 40u);
}

// A drive that barely holds its weight, and one that is slow: the motion takes its time.
TEST(StudyMotions, WeakDrivesMoveSlowly) {
  // A rod of 2 kg, its mass centre 0.5 m out: at most 2 * 9.81 * 0.5 = 9.81 N m against gravity.
  const auto rod = [](double effort, double velocity) {
    Description d;
    d.name = "rod";
    d.links.resize(2);
    d.links[0].name = "base", d.links[1].name = "rod";
    d.links[1].mass = 2, d.links[1].com = {0.5, 0, 0}, d.links[1].inertia = {0.01, 0.2, 0.2, 0, 0, 0}, d.links[1].inertial = true;
    d.joints.push_back({{}, "base", "rod", ""});
    Joint& joint = d.joints[0].joint;
    joint.name = "hinge", joint.type = JointType::revolute, joint.axis = {0, 1, 0};
    joint.lower = -2, joint.upper = 2, joint.effort = effort, joint.velocity = velocity;
    return build(d);
  };
  const Model strong = rod(1000, 1000), weak = rod(9.9, 1000), slow = rod(1000, 0.1), too_weak = rod(5, 1000);
  const auto end_of = [](const Model& model, bool keeps) {
    const Analysis robot(model);
    const sim::Trajectory t = internal::response(robot, {}).run.trajectory, r = reference_torques(robot, {}).run.trajectory;
    EXPECT_EQ(largest_share(model, t) <= 1 + 1e-9, keeps);
    EXPECT_EQ(largest_share(model, r) <= 1 + 1e-9, keeps);
    return t.t.back();
  };
  const double usual = end_of(strong, true);
  EXPECT_LT(usual, 3);
  EXPECT_GT(end_of(weak, true), 1.2 * usual);
  // 1.2 rad at 0.1 rad/s cannot take less than 12 s.
  EXPECT_GT(end_of(slow, true), 12);
  // What no motion keeps is not made slower for.
  EXPECT_LT(end_of(too_weak, false), 1.5 * usual);
}

}  // namespace
}  // namespace ulna::internal
