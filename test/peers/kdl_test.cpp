// Orocos KDL: torques by its tree recursion, inertia matrices by columns of that and, for chains, by its composite bodies.
#ifdef ULNA_HAVE_KDL
#include <kdl/chaindynparam.hpp>
#include <kdl/tree.hpp>
#include <kdl/treeidsolver_recursive_newton_euler.hpp>

#include "peers/robots.hpp"

namespace ulna::test {
namespace {

KDL::Vector vector_of(const Vec3<double>& v) { return {v.x, v.y, v.z}; }
KDL::Frame frame_of(const Pose<double>& X) {
  const Mat3<double>& R = X.R;
  return {KDL::Rotation(R.xx, R.xy, R.xz, R.yx, R.yy, R.yz, R.zx, R.zy, R.zz), vector_of(X.p)};
}

KDL::Segment segment_of(const Model& model, std::size_t j) {
  const Joint& joint = model.joints()[j];
  const Link& link = model.links()[static_cast<std::size_t>(joint.child)];
  const Sym3<double>& I = link.inertia;
  const KDL::RigidBodyInertia inertia(link.mass, vector_of(link.com), KDL::RotationalInertia(I.xx, I.yy, I.zz, I.xy, I.xz, I.yz));
  const KDL::Frame X_PB = frame_of(joint.X_PF * joint.X_MB);
  if (joint.type == JointType::fixed) return KDL::Segment(link.name, KDL::Joint(joint.name, KDL::Joint::Fixed), X_PB, inertia);
  const auto type = joint.type == JointType::prismatic ? KDL::Joint::TransAxis : KDL::Joint::RotAxis;
  return KDL::Segment(link.name, KDL::Joint(joint.name, vector_of(joint.X_PF.p), vector_of(joint.X_PF.R * joint.axis), type), X_PB, inertia);
}

class Peer {
 public:
  explicit Peer(const Model& model) : model_(model), tree_(model.links()[0].name) {
    for (std::size_t j = 0; j < model.joints().size(); ++j)
      tree_.addSegment(segment_of(model, j), model.links()[static_cast<std::size_t>(model.joints()[j].parent)].name);
    for (const int j : model.independent())
      place_.push_back(
          GetTreeElementQNr(tree_.getSegment(model.links()[static_cast<std::size_t>(model.joints()[static_cast<std::size_t>(j)].child)].name)->second));
  }

  std::vector<double> torques(const State& s, const Vec3<double>& gravity) const {
    KDL::TreeIdSolver_RNE solver(tree_, vector_of(gravity));
    KDL::JntArray q = sorted(s.q), v = sorted(s.v), a = sorted(s.a), tau(tree_.getNrOfJoints());
    EXPECT_EQ(solver.CartToJnt(q, v, a, {}, tau), KDL::SolverI::E_NOERROR);
    std::vector<double> out;
    for (const unsigned k : place_) out.push_back(tau(k));
    return out;
  }

  Eigen::MatrixXd mass(const State& s) const {
    const auto n = static_cast<Eigen::Index>(place_.size());
    Eigen::MatrixXd M(n, n);
    for (Eigen::Index k = 0; k < n; ++k) {
      State unit{s.q, zeros(s.v), zeros(s.a)};
      unit.a[static_cast<std::size_t>(k)] = 1;
      const std::vector<double> column = torques(unit, {});
      M.col(k) = Eigen::Map<const Eigen::VectorXd>(column.data(), n);
    }
    return M;
  }

  /// Empty when the robot branches.
  std::optional<KDL::Chain> chain() const {
    for (std::size_t j = 0; j < model_.joints().size(); ++j)
      if (model_.joints()[j].parent != static_cast<int>(j)) return {};
    KDL::Chain chain;
    tree_.getChain(model_.links().front().name, model_.links().back().name, chain);
    return chain;
  }

 private:
  KDL::JntArray sorted(const std::vector<double>& x) const {
    KDL::JntArray out(tree_.getNrOfJoints());
    for (std::size_t k = 0; k < x.size(); ++k) out(place_[k]) = x[k];
    return out;
  }

  const Model& model_;
  KDL::Tree tree_;
  std::vector<unsigned> place_;  // where KDL keeps each coordinate
};

class Kdl : public ::testing::TestWithParam<std::string> {};

TEST_P(Kdl, TorquesAndInertiaMatrix) {
  const Model model = load(GetParam());
  const Plan plan = make_plan(model);
  const Peer peer(model);
  const Effects bare{.rotor = false};
  for_each_state(model, [&](const State& s) {
    EXPECT_LT(relative_error(inverse_of(plan, s, bare), peer.torques(s, model.gravity())), peer_tolerance(model, s, bare));
    EXPECT_LT(relative_error(mass_of(plan, s.q, false), peer.mass(s)), 2 * tolerance(steps(model)));
  });
}

TEST_P(Kdl, InertiaMatrixAndGravityOfChains) {
  const Model model = load(GetParam());
  const Plan plan = make_plan(model);
  const std::optional<KDL::Chain> chain = Peer(model).chain();
  if (!chain) GTEST_SKIP() << GetParam() << " branches; KDL's ChainDynParam takes chains";
  KDL::ChainDynParam solver(*chain, vector_of(model.gravity()));
  const auto n = static_cast<unsigned>(model.nv());
  for_each_state(model, [&](const State& s) {
    KDL::JntArray q(n), g(n);
    q.data = Eigen::Map<const Eigen::VectorXd>(s.q.data(), model.nv());
    KDL::JntSpaceInertiaMatrix H(model.nv());
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
