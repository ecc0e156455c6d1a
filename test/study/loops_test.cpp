// Motions, drawing and numbers of robots with loops on the page of a study.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include <ulna/loop/mechanism.hpp>
#include <ulna/source/load.hpp>

#include "study/data.hpp"
#include "study/page_parts.hpp"
#include "text/json.hpp"
#include "verify/multipliers.hpp"

namespace ulna::internal {
namespace {

std::size_t times(const std::string& what, const std::string& text) {
  std::size_t n = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++n;
  return n;
}

TEST(StudyOfLoops, BothMotionsStayClosed) {
  for (const char* name : {"four-bar", "five-bar", "delta", "palletizer"}) {
    const Model model = load(name);
    const Analysis robot(model);
    const Mechanism loops = Mechanism::of(model);
    const StudyMotion response = internal::response(robot, {});
    EXPECT_EQ(response.run.ending, sim::Ending::done) << name << ": " << response.run.message;
    EXPECT_TRUE(response.run.audit.closed) << name;
    EXPECT_LT(response.run.audit.energy_drift, 1e-5 * response.run.audit.energy_scale) << name;
    ASSERT_EQ(response.inertia.size(), model.nv() * model.nv());
    const sim::TorqueStudy torques = reference_torques(robot, {});
    EXPECT_EQ(torques.run.ending, sim::Ending::done) << name << ": " << torques.run.message;
    ASSERT_EQ(torques.joints.size(), model.nv());
    const sim::Trajectory& t = torques.run.trajectory;
    const std::size_t nq = model.nq(), nv = model.nv();
    double most = 0;
    for (std::size_t row = 0; row < t.rows(); row += 20) {
      const double *q = &t.q[row * nq], *tau = &t.tau[row * nv];
      EXPECT_LT(loops.residual({q, nq}).residual, 1e-11) << name;
      const auto right = inverse_by_multipliers(loops, q, &t.v[row * nv], &t.a[row * nv], {});
      for (std::size_t k = 0; k < nv; ++k) {
        double sum = 0;
        for (std::size_t s = 0; s < sim::kShares; ++s) sum += torques.share(row, static_cast<sim::Share>(s))[k];
        EXPECT_NEAR(tau[k], static_cast<double>(right.tau[k]), 1e-9 * (1 + std::abs(tau[k]))) << name;
        EXPECT_NEAR(sum, tau[k], 1e-9 * (1 + std::abs(tau[k]))) << name;
        most = std::max(most, std::abs(tau[k]));
      }
    }
    EXPECT_GT(most, 1e-3) << name;
  }
}

TEST(StudyOfLoops, ClosuresAreDrawnAndAllJointsAreInTheReport) {
  const Model model = load("five-bar");
  const Analysis robot(model);
  const StudyMotion response = internal::response(robot, {});
  const sim::Trajectory& t = response.run.trajectory;
  Moments moments, way;
  for (const std::size_t row : {std::size_t{0}, t.rows() - 1}) moments.push_back(poses_at(robot, &t.q[row * t.positions]));
  for (std::size_t row = 0; row < t.rows(); row += 10) way.push_back(poses_at(robot, &t.q[row * t.positions]));
  const std::string drawing = robot_drawing(model, moments, way);
  EXPECT_EQ(times("class=\"loop-pin\"", drawing), 1u);
  EXPECT_EQ(times("class=\"loop-path\"", drawing), 1u);
  EXPECT_EQ(times("class=\"driven\"", drawing), 2u);
  EXPECT_EQ(times("class=\"passive\"", drawing), 2u);
  // Of a tree: two thick lines for each joint, along the links on its two sides, and nothing of loops.
  const Model tree = load("planar-2r");
  const std::string plain = robot_drawing(tree, {std::vector<Pose<double>>(tree.links().size())});
  EXPECT_EQ(times("class=\"link\"", plain), 2 * tree.joints().size());
  EXPECT_EQ(times("class=", plain), 2 * tree.joints().size());
  StringSink text;
  Json json(text);
  write_motion(json, model, "motion", t, response.poses, true);
  json.finish();
  const nlohmann::json motion = nlohmann::json::parse(text.text());
  EXPECT_EQ(motion["joints"].size(), 4u);
  for (const char* key : {"q", "v", "tau"}) {
    ASSERT_EQ(motion[key].size(), 4u) << key;
    for (const nlohmann::json& column : motion[key]) EXPECT_EQ(column.size(), t.rows()) << key;
  }
  // A passive joint moves, and nothing drives it.
  double speed = 0, effort = 0;
  for (std::size_t k = 0; k < t.rows(); ++k)
    speed = std::max(speed, std::abs(motion["v"][1][k].get<double>())), effort = std::max(effort, std::abs(motion["tau"][1][k].get<double>()));
  EXPECT_GT(speed, 0.1);
  EXPECT_EQ(effort, 0);
  EXPECT_TRUE(has_limits(model));
}

}  // namespace
}  // namespace ulna::internal
