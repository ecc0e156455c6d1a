// Base parameters: as many as published, as many as the rank of the regressor, and sums that are all that torques depend on.
#include <gtest/gtest.h>

#include <Eigen/Dense>

#include <ulna/dynamics/on_plan.hpp>
#include <ulna/identify/identify.hpp>
#include <ulna/source/load.hpp>

#include "support/builtin.hpp"
#include "support/random_model.hpp"

namespace ulna::test {
namespace {

/// Regressors of many states, one below the other, columns of length 1.
Eigen::MatrixXd stacked(const Model& model, std::uint64_t seed) {
  const Plan plan = make_plan(model, {.lumping = Lumping::none});
  Workspace ws(plan);
  const auto n = static_cast<Eigen::Index>(plan.nv), columns = static_cast<Eigen::Index>(kBodyParameters * plan.sizes().bodies), states = 3 * columns / n + 5;
  Eigen::MatrixXd all(states * n, columns), Y(n, columns);
  Random random(seed);
  for (Eigen::Index s = 0; s < states; ++s) {
    const State state = random_state(model, random);
    regressor(plan, ws, state.q, state.v, state.a, Y);
    all.middleRows(s * n, n) = Y;
  }
  const double most = all.colwise().norm().maxCoeff();
  for (Eigen::Index c = 0; c < columns; ++c) {
    const double length = all.col(c).norm();
    if (length > 1e-12 * most)
      all.col(c) /= length;
    else
      all.col(c).setZero();
  }
  return all;
}

std::size_t rank(const Eigen::MatrixXd& A) {
  Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(A);
  const Eigen::VectorXd diagonal = qr.matrixR().diagonal().cwiseAbs();
  std::size_t count = 0;
  while (count < static_cast<std::size_t>(diagonal.size()) && diagonal[static_cast<Eigen::Index>(count)] > 1e-9 * diagonal[0]) ++count;
  return count;
}

struct Published {
  const char* robot;
  std::size_t count;
};

// PUMA 560: Mayeda, Yoshida & Osuka 1990 (IEEE Trans. Robotics and Automation 6(3)) and Gautier & Khalil 1990 count 36 for it and any 6R arm with the first two
// axes perpendicular. Panda: Gaz et al. 2019 (IEEE Robotics and Automation Letters 4(4)) have 43 without friction. In general 7 for each turning joint but the
// first, which has 1 where it stands upright.
TEST(BaseParameters, AreAsManyAsPublished) {
  for (const Published& row : {Published{"puma560", 36},
                               {"puma560-mdh", 36},
                               {"panda", 43},
                               {"general-RRRRRR", 36},
                               {"general-RRRRRRR", 43},
                               {"iiwa14", 43},
                               {"ur5", 36},
                               {"planar-2r", 6}})
    EXPECT_EQ(base_parameters(load(row.robot)).base.size(), row.count) << row.robot;
}

/// What holds for every robot.
void expect_right(const Model& model, std::uint64_t seed) {
  const BaseParameters found = base_parameters(model);
  const Eigen::MatrixXd Y = stacked(model, seed);
  EXPECT_EQ(found.base.size(), rank(Y));
  // Each parameter is the first of a sum, or part of some, or without effect.
  EXPECT_EQ(found.base.size() + found.only_in_sums.size() + found.no_effect.size(), found.parameters.size());
  EXPECT_EQ(without_effect(model), found.no_effect);
  // Torques are those of the first terms' columns times the sums, whatever the parameters are.
  const Plan plan = make_plan(model, {.lumping = Lumping::none});
  Workspace ws(plan);
  const auto n = static_cast<Eigen::Index>(plan.nv), columns = static_cast<Eigen::Index>(found.parameters.size());
  Eigen::MatrixXd R(n, columns);
  Random random(seed + 1);
  for (int k = 0; k < 5; ++k) {
    const State state = random_state(model, random);
    regressor(plan, ws, state.q, state.v, state.a, R);
    std::vector<double> pi = random.numbers(found.parameters.size(), -1, 1);
    const std::vector<double> sums = found.of(pi);
    Eigen::VectorXd by_sums = Eigen::VectorXd::Zero(n);
    for (std::size_t b = 0; b < sums.size(); ++b) by_sums += sums[b] * R.col(static_cast<Eigen::Index>(found.base[b].terms[0].parameter));
    const Eigen::VectorXd torque = R * Eigen::Map<const Eigen::VectorXd>(pi.data(), columns);
    const double size = R.cwiseAbs().rowwise().sum().maxCoeff() * static_cast<double>(1 + plan.bodies.size());
    EXPECT_LT((torque - by_sums).cwiseAbs().maxCoeff(), 1e-11 * size);
  }
}

TEST(BaseParameters, OfAllBuiltInRobots) {
  for (const BuiltinRobot& robot : test::builtin_trees()) {
    SCOPED_TRACE(robot.id);
    expect_right(load(std::string(robot.id)), 3);
  }
  for (const char* robot : {"general-PPP", "general-RPRPR", "general-PRP", "general-RRPRRR"}) {
    SCOPED_TRACE(robot);
    expect_right(load(robot), 3);
  }
}

TEST(BaseParameters, OfThreeHundredRandomTrees) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE(seed);
    expect_right(random_model(seed, {.most = 9, .mimic = seed % 3 == 0, .identity_MB = seed % 2 == 0}), seed);
    if (HasFailure()) return;
  }
}

// Gravity along the first axis hides what it would tell; gravity across does not. A weightless pendulum has its inertia alone.
TEST(BaseParameters, DependOnGravity) {
  const Model arm = load("planar-2r");
  EXPECT_EQ(base_parameters(arm).base.size(), 6u);                           // J, h_x, h_y of both
  EXPECT_EQ(base_parameters(with_gravity(arm, {0, 0, 0})).base.size(), 4u);  // J of both, h_x and h_y of the second
  expect_right(with_gravity(load("panda"), {0, 0, 0}), 4);
  expect_right(with_gravity(load("panda"), {1, 2, -9}), 4);
  EXPECT_EQ(base_parameters(with_gravity(load("panda"), {1, 2, -9})).base.size(), 45u);  // h_x and h_y of the first link, too
}

// Grouped by hand: a planar arm in which the second joint lies l1 = 1 m along x of the first link.
TEST(BaseParameters, GroupingsOfAPlanarArm) {
  const Model arm = parse(R"(<robot name="arm">
  <link name="base"/><link name="one"><inertial><mass value="2"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="two"><inertial><mass value="3"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="a" type="continuous"><parent link="base"/><child link="one"/><origin rpy="1.5707963267948966 0 0"/><axis xyz="0 0 1"/></joint>
  <joint name="b" type="continuous"><parent link="one"/><child link="two"/><origin xyz="0.5 0 0"/><axis xyz="0 0 1"/></joint></robot>)",
                          "arm.urdf");
  std::vector<std::string> sums;
  for (const BaseParameter& one : base_parameters(arm).base) sums.push_back(one.expression);
  EXPECT_EQ(sums, (std::vector<std::string>{"h_x.one + 0.5 m.two", "h_y.one", "J_zz.one + 0.25 m.two", "h_x.two", "h_y.two", "J_zz.two"}));
}

}  // namespace
}  // namespace ulna::test
