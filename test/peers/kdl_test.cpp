// Orocos KDL: torques by its tree recursion, inertia matrices by columns of that and, for chains, by its composite bodies.
#ifdef ULNA_HAVE_KDL
#include <kdl/chaindynparam.hpp>

#include "kdl_peer.hpp"
#include "peers/robots.hpp"

namespace ulna::test {
namespace {

using peers::KdlPeer;

class Kdl : public ::testing::TestWithParam<std::string> {};

TEST_P(Kdl, TorquesAndInertiaMatrix) {
  const Model model = load(GetParam());
  const Plan plan = make_plan(model);
  KdlPeer peer(model);
  const Effects bare{.rotor = false};
  for_each_state(model, [&](const State& s) {
    EXPECT_LT(relative_error(inverse_of(plan, s, bare), peer.torques(s.q, s.v, s.a)), peer_tolerance(model, s, bare));
    EXPECT_LT(relative_error(mass_of(plan, s.q, false), square(peer.mass(s.q))), 2 * tolerance(steps(model)));
  });
}

TEST_P(Kdl, InertiaMatrixAndGravityOfChains) {
  const Model model = load(GetParam());
  const Plan plan = make_plan(model);
  const std::optional<KDL::Chain> chain = KdlPeer(model).chain();
  if (!chain) GTEST_SKIP() << GetParam() << " branches; KDL's ChainDynParam takes chains";
  KDL::ChainDynParam solver(*chain, peers::kdl_vector(model.gravity()));
  const auto n = static_cast<unsigned>(model.nv());
  for_each_state(model, [&](const State& s) {
    KDL::JntArray q(n), g(n);
    q.data = Eigen::Map<const Eigen::VectorXd>(s.q.data(), model.nv());
    KDL::JntSpaceInertiaMatrix H(static_cast<int>(model.nv()));
    ASSERT_EQ(solver.JntToMass(q, H), KDL::SolverI::E_NOERROR);
    EXPECT_LT(relative_error(mass_of(plan, s.q, false), H.data), 2 * tolerance(steps(model)));
    ASSERT_EQ(solver.JntToGravity(q, g), KDL::SolverI::E_NOERROR);
    Workspace ws(plan);
    std::vector<double> gravity(n);
    gravity_forces(plan, ws, s.q, gravity);
    EXPECT_LT(relative_error(gravity, g.data), peer_tolerance(model, {s.q, zeros(s.v), zeros(s.a)}, {}));
  });
}

INSTANTIATE_TEST_SUITE_P(Builtin, Kdl, ::testing::ValuesIn(builtin_ids()), test_name);

}  // namespace
}  // namespace ulna::test
#endif
