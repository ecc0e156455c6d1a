// MuJoCo: torques, inertia matrix and accelerations, rotors ("armature") included. It refuses bodies that cannot exist; those are skipped.
#ifdef ULNA_HAVE_MUJOCO
#include <optional>

#include <ulna/verify/verify.hpp>

#include "mujoco_peer.hpp"
#include "peers/robots.hpp"

namespace ulna::test {
namespace {

using peers::MujocoPeer;

class Mujoco : public ::testing::TestWithParam<std::string> {};

TEST_P(Mujoco, TorquesInertiaMatrixAndAccelerations) {
  const Model model = load(GetParam());
  const Plan plan = make_plan(model);
  std::optional<MujocoPeer> peer;
  try {
    peer.emplace(model);
  } catch (const peers::Refused& why) {
    GTEST_SKIP() << "MuJoCo refuses " << GetParam() << ": " << why.what();
  }
  for_each_state(model, [&](const State& s) {
    EXPECT_LT(relative_error(inverse_of(plan, s), peer->torques(s.q, s.v, s.a)), peer_tolerance(model, s, {}));
    const Eigen::MatrixXd M = mass_of(plan, s.q);
    EXPECT_LT(relative_error(M, square(peer->mass(s.q))), 2 * tolerance(steps(model)));
    const std::vector<double> tau = inverse_of(plan, s);
    const double kappa = condition_number(M) + Oracle(model, s.q, s.v, s.a).torque_size() * inverted(M).norm() / largest(s.a);
    EXPECT_LT(relative_error(forward_of(plan, s, tau), peer->accelerations(s.q, s.v, tau)), 2 * tolerance(steps(model), kappa));
  });
}

/// Its free joint, in its own conventions, against our templates: positions and attitudes anywhere.
TEST(MujocoFreeJoint, TorquesInertiaMatrixAndAccelerations) {
  for (const char* id : {"mini-cheetah", "humanoid-32", "servicer", "panda"}) {
    SCOPED_TRACE(id);
    const Model model = with_base(load(id), RootJoint::free);
    const Plan plan = make_plan(model);
    MujocoPeer peer(model);
    StateSampler sampler(model, 1);
    State s;
    for (int k = 0; k < kPeerStates; ++k) {
      sampler.next(s.q, s.v, s.a);
      const double bound = 2e-11;  // inertias about the mass centre of the whole robot, which may be metres from a light link
      EXPECT_LT(relative_error(inverse_of(plan, s), peer.torques(s.q, s.v, s.a)), bound);
      EXPECT_LT(relative_error(mass_of(plan, s.q), square(peer.mass(s.q))), bound);
      const std::vector<double> tau = inverse_of(plan, s);
      EXPECT_LT(relative_error(s.a, peer.accelerations(s.q, s.v, tau)), bound * condition_number(mass_of(plan, s.q)));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Builtin, Mujoco, ::testing::ValuesIn(builtin_ids()), test_name);

}  // namespace
}  // namespace ulna::test
#endif
