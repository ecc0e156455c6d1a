// Poses and Jacobians of every link, and the principle of virtual work that ties them to wrenches.
#include "support/cases.hpp"
#include "support/difference.hpp"

namespace ulna::test {
namespace {

double reach_of(const Oracle& oracle, const Model& model) {
  double reach = 1;
  for (std::size_t i = 0; i < model.links().size(); ++i) reach = std::max(reach, static_cast<double>(oracle.link(i).p_WL.norm()));
  return reach;
}

TEST(Kinematics, PosesEqualOracle) {
  for_each_case({.mimic = true}, [](const Model& model, const State& s, Random&) {
    const Plan plan = make_plan(model);
    Workspace ws(plan);
    std::vector<Pose<double>> poses(model.links().size());
    link_poses(plan, ws, s.q, poses);
    const Oracle oracle(model, s.q, s.v, s.a);
    const double bound = tolerance(steps(model)) * reach_of(oracle, model);
    for (std::size_t i = 0; i < poses.size(); ++i) {
      EXPECT_EQ(poses[i], link_pose(plan, ws, s.q, i));
      const Pose<double>& X = poses[i];
      Eigen::Matrix3d R;
      R << X.R.xx, X.R.xy, X.R.xz, X.R.yx, X.R.yy, X.R.yz, X.R.zx, X.R.zy, X.R.zz;
      EXPECT_LT((R - oracle.link(i).R_WL.cast<double>()).cwiseAbs().maxCoeff(), bound) << "link " << i;
      EXPECT_LT((Eigen::Vector3d(X.p.x, X.p.y, X.p.z) - oracle.link(i).p_WL.cast<double>()).cwiseAbs().maxCoeff(), bound) << "link " << i;
    }
  });
}

TEST(Kinematics, JacobianIsTheSlopeOfThePose) {
  for_each_case({.most = 8, .mimic = true}, [](const Model& model, const State& s, Random& random) {
    const Plan plan = make_plan(model);
    Workspace ws(plan);
    const std::size_t link = random.below(model.links().size());
    Eigen::MatrixXd J(6, plan.nv), slope(6, plan.nv);
    jacobian(plan, ws, s.q, link, J);
    const Oracle now(model, s.q, s.v, s.a);
    for (Eigen::Index k = 0; k < J.cols(); ++k) {
      const auto moved = [&](Real t) {
        Reals q = reals(s.q);
        q[k] += t;
        return Oracle(model, q, reals(s.v), reals(s.a)).link(link);
      };
      const RealMatrix3 dR = derivative([&](Real t) -> RealMatrix3 { return moved(t).R_WL; }, 4);
      const RealMatrix3 spin = dR * now.link(link).R_WL.transpose();  // [w]x
      const RealVector3 dp = derivative([&](Real t) -> RealVector3 { return moved(t).p_WL; }, 4);
      slope.col(k) << static_cast<double>(spin(2, 1)), static_cast<double>(spin(0, 2)), static_cast<double>(spin(1, 0)), dp.cast<double>();
    }
    const double bound = (tolerance(steps(model)) + 16 * difference_tolerance<Real>()) * reach_of(now, model) * 4;
    EXPECT_LT((J - slope).cwiseAbs().maxCoeff(), bound) << "link " << link;
  });
}

TEST(Kinematics, JacobianEqualsOracleForEveryLink) {
  for_each_case({.mimic = true}, [](const Model& model, const State& s, Random&) {
    const Plan plan = make_plan(model);
    Workspace ws(plan);
    const Oracle oracle(model, s.q, s.v, s.a);
    Eigen::MatrixXd J(6, plan.nv);
    for (std::size_t i = 0; i < model.links().size(); ++i) {
      J.setConstant(std::numeric_limits<double>::quiet_NaN());
      jacobian(plan, ws, s.q, i, J);
      const double bound = tolerance(steps(model)) * 4 * reach_of(oracle, model);
      EXPECT_LT((J - doubles(oracle.jacobian(i))).cwiseAbs().maxCoeff(), bound) << "link " << i;
    }
  });
}

// Virtual work: a wrench on a link takes Jᵀ F off the joints, in link axes or world axes.
TEST(Kinematics, WrenchIsJacobianTransposed) {
  for_each_case({.mimic = true}, [](const Model& model, const State& s, Random& random) {
    const Plan plan = make_plan(model);
    Workspace ws(plan);
    const std::size_t link = random.below(model.links().size());
    const Vec3<double> force = random.vector(50), moment = random.vector(20);
    Eigen::MatrixXd J(6, plan.nv);
    jacobian(plan, ws, s.q, link, J);
    const Pose<double> X_WL = link_pose(plan, ws, s.q, link);
    const std::vector<double> free = inverse_of(plan, s);
    for (const Axes axes : {Axes::link, Axes::world}) {
      const Vec3<double> f = axes == Axes::link ? X_WL.R * force : force, n = axes == Axes::link ? X_WL.R * moment : moment;
      const Eigen::VectorXd taken = J.transpose() * (Eigen::VectorXd(6) << n.x, n.y, n.z, f.x, f.y, f.z).finished();
      const std::vector<Wrench> wrenches{{link, axes, force, moment}};
      const Effects effects{.wrenches = wrenches};
      const std::vector<double> held = inverse_of(plan, s, effects);
      std::vector<double> wanted;
      for (std::size_t k = 0; k < free.size(); ++k) wanted.push_back(free[k] - taken(static_cast<Eigen::Index>(k)));
      const double cond = Oracle(model, s.q, s.v, s.a, effects).torque_size() / std::max(largest(held), largest(wanted));
      EXPECT_LT(relative_error(held, wanted), tolerance(steps(model), 2 * cond));
    }
  });
}

}  // namespace
}  // namespace ulna::test
