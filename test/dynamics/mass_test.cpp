// The inertia matrix: symmetric to the bit, positive, and the one that partial velocities give.
#include "support/cases.hpp"

namespace ulna::test {
namespace {

TEST(Mass, EqualsOracleAndIsSymmetricToTheBit) {
  for_each_case({.mimic = true}, [](const Model& model, const State& s, Random& random) {
    const bool rotor = random.chance(0.5);
    const Eigen::MatrixXd M = mass_of(make_plan(model), s.q, rotor);
    const Oracle oracle(model, s.q, s.v, s.a, {.rotor = rotor});
    EXPECT_LT(relative_error(M, doubles(oracle.mass_matrix())), tolerance(steps(model)));
    for (Eigen::Index i = 0; i < M.rows(); ++i)
      for (Eigen::Index j = 0; j < i; ++j) ASSERT_EQ(M(i, j), M(j, i)) << i << ", " << j;
  });
}

TEST(Mass, IsPositiveDefinite) {
  for_each_case({.mimic = true}, [](const Model& model, const State& s, Random&) {
    // build() has refused singular models, so that the smallest eigenvalue of the exact matrix is positive; Cholesky must see it.
    const Eigen::MatrixXd M = mass_of(make_plan(model), s.q);
    EXPECT_EQ(Eigen::LLT<Eigen::MatrixXd>(M).info(), Eigen::Success) << "condition " << condition_number(M);
  });
}

TEST(Mass, RotorStandsOnTheDiagonalOnly) {
  for_each_case({.most = 12}, [](const Model& model, const State& s, Random&) {
    const Plan plan = make_plan(model);
    const Eigen::MatrixXd with = mass_of(plan, s.q, true), without = mass_of(plan, s.q, false);
    const Eigen::MatrixXd rotors = with - without;
    for (Eigen::Index i = 0; i < rotors.rows(); ++i)
      for (Eigen::Index j = 0; j < rotors.cols(); ++j) {
        const Joint& joint = model.joints()[model.independent()[i]];
        const double wanted = i == j ? joint.gear * joint.gear * joint.rotor : 0;
        EXPECT_NEAR(rotors(i, j), wanted, tolerance(1, 1, 2) * with(i, i));
      }
  });
}

TEST(Mass, ColumnsAreTorquesOfUnitAccelerations) {
  for_each_case({.mimic = true}, [](const Model& model, const State& s, Random&) {
    Plan plan = make_plan(model);
    const Eigen::MatrixXd M = mass_of(plan, s.q);
    plan.gravity = {};
    for (Eigen::Index k = 0; k < M.cols(); ++k) {
      State unit{s.q, zeros(s.v), zeros(s.a)};
      unit.a[k] = 1;
      const Eigen::VectorXd column = M.col(k);
      const double cond = M.cwiseAbs().maxCoeff() / column.cwiseAbs().maxCoeff();
      EXPECT_LT(relative_error(inverse_of(plan, unit), column), tolerance(steps(model), cond)) << "column " << k;
    }
  });
}

TEST(Mass, WritesNothingOutsideItsView) {
  const Model model = random_model(7);
  const Plan plan = make_plan(model);
  Workspace ws(plan);
  Random random(7);
  const State s = random_state(model, random);
  Eigen::MatrixXd big = Eigen::MatrixXd::Constant(plan.nv + 3, plan.nv + 2, -7);
  mass_matrix(plan, ws, s.q, MatrixView<double>(&big(1, 1), plan.nv, plan.nv, big.rows()));
  EXPECT_EQ(big.block(1, 1, plan.nv, plan.nv), mass_of(plan, s.q));
  big.block(1, 1, plan.nv, plan.nv).setConstant(-7);
  EXPECT_EQ(big, Eigen::MatrixXd::Constant(plan.nv + 3, plan.nv + 2, -7));
}

}  // namespace
}  // namespace ulna::test
