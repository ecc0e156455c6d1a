// Uses the installed library with Eigen objects, whose alignment and inlined code depend on this file's own flags.
#include <Eigen/Dense>
#include <cstdio>

#include <ulna/ulna.hpp>

#define REQUIRE(condition)                                         \
  do {                                                             \
    if (!(condition)) {                                            \
      std::fprintf(stderr, "line %d: %s\n", __LINE__, #condition); \
      return 1;                                                    \
    }                                                              \
  } while (false)

int main() {
  const ulna::Model model = ulna::load("panda");
  const ulna::Plan plan = ulna::make_plan(model);
  ulna::Workspace workspace(plan);
  REQUIRE(plan.nv == 7);

  Eigen::Matrix<double, 7, 1> q, v, a, tau, back;  // 56 bytes: aligned or not as the flags say
  q << 0.1, -0.4, 0.7, -1.9, 0.3, 1.6, 0.5;
  v << 0.5, 0.4, -0.3, 0.2, -0.1, 0.6, 0.7;
  a << 1, -2, 3, -4, 5, -6, 7;
  ulna::inverse_dynamics(plan, workspace, q, v, a, tau);
  ulna::forward_dynamics(plan, workspace, q, v, tau, back);
  REQUIRE((back - a).norm() < 1e-9 * a.norm());

  Eigen::Matrix<double, 7, 7> M;
  Eigen::VectorXd bias(7);
  ulna::mass_matrix(plan, workspace, q, M);
  ulna::bias_forces(plan, workspace, q, v, bias);
  REQUIRE((M * a + bias - tau).norm() < 1e-12 * tau.norm());
  REQUIRE(M.llt().info() == Eigen::Success);

  const ulna::PlanOf<float> single = plan.cast<float>();
  ulna::WorkspaceOf<float> single_workspace(single);
  Eigen::VectorXf qf = q.cast<float>(), vf = v.cast<float>(), af = a.cast<float>(), tauf(7);
  ulna::inverse_dynamics(single, single_workspace, qf, vf, af, tauf);
  REQUIRE((tauf.cast<double>() - tau).norm() < 1e-5 * tau.norm());

  const ulna::Pose<double> pose = ulna::link_pose(plan, workspace, q, *model.find_link("hand"));
  const ulna::Vec3<double> x{pose.R.xx, pose.R.yx, pose.R.zx};
  REQUIRE(std::abs(ulna::dot(x, x) - 1) < 1e-12);

  // Machine code made by the library, static or shared, called with this file's alignment.
  const ulna::Dynamics dynamics(model, {.threads = 2});
  Eigen::Matrix<double, 7, 1> fast;
  dynamics.inverse(q, v, a, fast);
  REQUIRE((fast - tau).norm() < 1e-12 * tau.norm());
  Eigen::MatrixXd Q = q.replicate(1, 1001), V = v.replicate(1, 1001), A = a.replicate(1, 1001), Tau(7, 1001);
  dynamics.inverse_batch(Q, V, A, Tau);
  for (int k = 0; k < 1001; ++k) REQUIRE(Tau.col(k) == fast);
  ulna::DynamicsF(model).inverse(qf, vf, af, tauf);
  REQUIRE((tauf.cast<double>() - tau).norm() < 1e-5 * tau.norm());
  const ulna::Dynamics loaded = dynamics.with_payload("hand", {.mass = 1.0});
  loaded.inverse(q, v, a, back);
  REQUIRE((back - tau).norm() > 1e-3 * tau.norm());
#if (defined(__x86_64__) || defined(__aarch64__)) && defined(__linux__)
  REQUIRE(dynamics.compiled(ulna::Quantity::inverse));
#endif

  bool refused = false;
  try {
    ulna::inverse_dynamics(plan, workspace, Eigen::VectorXd(6), v, a, tau);
  } catch (const std::invalid_argument&) {
    refused = true;
  }
  REQUIRE(refused);
  try {
    ulna::load("no-such-robot");
    REQUIRE(false);
  } catch (const ulna::SourceError& error) {
    REQUIRE(error.diagnostics().size() == 1);
  }
}
