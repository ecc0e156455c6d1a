#include <gtest/gtest.h>

#include <ulna/source/load.hpp>

#include "formulation/support_frames.hpp"
#include "model/moving_tree.hpp"
#include "support/builtin.hpp"
#include "support/cases.hpp"

namespace ulna::test {
namespace {

double gap(const RealMatrix3& R, const RealVector3& p, const Pose<double>& X) {
  const Mat3<double>& m = X.R;
  const double entries[9] = {m.xx, m.xy, m.xz, m.yx, m.yy, m.yz, m.zx, m.zy, m.zz};
  Real most = 0;
  for (int k = 0; k < 9; ++k) most = std::max(most, std::abs(R(k / 3, k % 3) - entries[k]));
  const double at[3] = {X.p.x, X.p.y, X.p.z};
  for (int k = 0; k < 3; ++k) most = std::max(most, std::abs(p(k) - at[k]));
  return static_cast<double>(most);
}

/// Frames where the oracle's links are, and torques that the oracle agrees with.
template <class Chain>
void expect_same_robot(const Model& model, const Chain& chain, Random& random) {
  const MovingTree tree = merge_fixed(model, 1e-9);
  ASSERT_EQ(chain.size(), tree.bodies.size());
  const double cond = frame_condition(chain, model);
  for (int k = 0; k < kStates; ++k) {
    const State state = random_state(model, random);
    const Oracle oracle(model, state.q, state.v, state.a, rigid_bodies_only());
    const std::vector<Pose<double>> X_WF = chain_poses(chain, state.q);
    double size = 1;
    for (const Pose<double>& X : X_WF) size = std::max({size, std::abs(X.p.x), std::abs(X.p.y), std::abs(X.p.z)});
    for (std::size_t i = 0; i < tree.bodies.size(); ++i) {
      const std::size_t link = model.joints()[tree.bodies[i].joint].child;
      const Pose<double> X_WL = X_WF[i + 1] * chain.X_BF[i].inverse() * tree.X_BL[link];
      EXPECT_LT(gap(oracle.link(link).R_WL, oracle.link(link).p_WL, X_WL), size * tolerance(steps(model), std::sqrt(cond))) << "body " << i;
      EXPECT_TRUE(chain.rows[i].mass != 0 || chain.rows[i].com == Vec3<double>{});
    }
    const std::vector<double> tau = chain_torques(chain, state), expected = doubles(oracle.torques());
    EXPECT_LT(relative_error(tau, expected), tolerance(steps(model), cond * torque_condition(oracle))) << "cond " << cond;
  }
}

void expect_dh_form(const Model& model, Random& random) {
  const DhChain<double> dh = make_dh_chain(model);
  const MdhChain<double> mdh = make_mdh_chain(model);
  {
    SCOPED_TRACE("standard");
    expect_same_robot(model, dh, random);
  }
  {
    SCOPED_TRACE("modified");
    expect_same_robot(model, mdh, random);
  }
  const DhRow<double>& first = mdh.rows[0];
  EXPECT_TRUE(first.a == 0 && first.alpha == 0 && first.d == 0 && first.theta == 0 && first.cos_alpha == 1 && first.sin_alpha == 0);
  for (const auto* rows : {&dh.rows, &mdh.rows})
    for (const DhRow<double>& row : *rows) {
      EXPECT_NEAR(row.cos_alpha, std::cos(row.alpha), 4e-16);
      EXPECT_NEAR(row.sin_alpha, std::sin(row.alpha), 4e-16);
      EXPECT_NEAR(row.cos_theta, std::cos(row.theta), 4e-16);
      EXPECT_NEAR(row.sin_theta, std::sin(row.theta), 4e-16);
    }
}

TEST(Frames, ChainsInAnyArrangementOfAxes) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    Random random(seed);
    const Model model = unchecked(arranged_chain(seed, 1 + seed % 8));
    ASSERT_EQ(why_not_a_chain(model), "");
    expect_dh_form(model, random);
  }
}

TEST(Frames, EveryMixtureOfJoints) {
  for (std::size_t n = 1; n <= 5; ++n)
    for (std::size_t mixture = 0; mixture < std::size_t{1} << n; ++mixture)
      for (std::uint64_t seed = 1; seed <= 6; ++seed) {
        SCOPED_TRACE(::testing::Message() << "n " << n << " mixture " << mixture << " seed " << seed);
        std::vector<bool> prismatic;
        for (std::size_t i = 0; i < n; ++i) prismatic.push_back((mixture >> i & 1) != 0);
        Random random(seed);
        expect_dh_form(unchecked(arranged_chain(seed, n, prismatic)), random);
      }
}

TEST(Frames, RandomChainsOfFiles) {
  RandomOptions options;
  options.branches = false;
  options.most = 12;
  for (std::uint64_t seed = 1; seed <= kModels; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    Random random(seed);
    expect_dh_form(random_model(seed, options), random);
  }
}

TEST(Frames, BuiltInRobots) {
  std::vector<std::string> ids{"general-R", "general-P", "general-PP", "general-RPRPRP", "general-RRRRRRRRRRRRRRRRRRRR"};
  for (const BuiltinRobot& robot : test::builtin_trees()) ids.emplace_back(robot.id);
  int chains = 0;
  for (const std::string& id : ids) {
    SCOPED_TRACE(id);
    LoadOptions options;
    options.mimic = MimicPolicy::ignore;
    const Model model = load(id, options);
    if (!why_not_a_chain(model).empty()) continue;
    ++chains;
    Random random(1);
    expect_dh_form(model, random);
  }
  EXPECT_GE(chains, 13);
}

// --- own frames are kept -------------------------------------------------------------------------------------------------------------------------

Row random_row(Random& random, bool special) {
  constexpr double kQuarter = std::numbers::pi / 2;
  Row row;
  row.prismatic = random.chance(0.3);
  row.a = special && random.chance(0.5) ? 0 : random.uniform(-1, 1);
  row.d = special && random.chance(0.5) ? 0 : random.uniform(-1, 1);
  row.alpha = special ? kQuarter * random.integer(-1, 2) : random.uniform(-3, 3);
  row.theta = special ? kQuarter * random.integer(-1, 2) : random.uniform(-3, 3);
  set_random_inertia(row.link, random);
  return row;
}

/// Rows in the frames of the file: X_MB holds all of a standard row, X_PF all of a modified one, as the reader writes them.
Description description_of(const std::vector<Row>& rows, bool standard) {
  Description arm;
  arm.name = "arm";
  for (const Row& row : rows) append(arm, standard, row);
  for (std::size_t i = 0; standard && i < rows.size(); ++i) {
    Joint& joint = arm.joints[i].joint;
    joint.X_MB = joint.X_PF * joint.X_MB;
    joint.X_PF = {};
  }
  return arm;
}

void expect_row(const DhRow<double>& made, const Row& row, bool exact) {
  EXPECT_EQ(made.prismatic, row.prismatic);
  EXPECT_NEAR(made.a, row.a, 1e-14);
  EXPECT_NEAR(made.d, row.d, 1e-14);
  EXPECT_NEAR(made.cos_alpha, std::cos(row.alpha), 1e-14);
  EXPECT_NEAR(made.sin_alpha, std::sin(row.alpha), 1e-14);
  EXPECT_NEAR(made.cos_theta, std::cos(row.theta), 1e-14);
  EXPECT_NEAR(made.sin_theta, std::sin(row.theta), 1e-14);
  EXPECT_NEAR(made.com.x, row.link.com.x, 1e-14);
  EXPECT_NEAR(made.com.y, row.link.com.y, 1e-14);
  EXPECT_NEAR(made.com.z, row.link.com.z, 1e-14);
  EXPECT_NEAR(made.inertia.xy, row.link.inertia.xy, 1e-14);
  EXPECT_NEAR(made.inertia.zz, row.link.inertia.zz, 1e-14);
  if (!exact) return;
  for (const double entry : {made.cos_alpha, made.sin_alpha, made.cos_theta, made.sin_theta}) EXPECT_TRUE(entry == 0 || std::abs(entry) == 1) << entry;
  EXPECT_EQ(made.a == 0, row.a == 0);
  EXPECT_EQ(made.d == 0, row.d == 0);
}

TEST(Frames, StandardTablesComeBack) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed)
    for (const bool special : {false, true}) {
      SCOPED_TRACE(::testing::Message() << "seed " << seed << " special " << special);
      Random random(seed);
      std::vector<Row> rows;
      for (std::uint64_t i = 0; i <= seed % 7; ++i) rows.push_back(random_row(random, special));
      const DhChain<double> chain = make_dh_chain(unchecked(description_of(rows, true)));
      EXPECT_EQ(chain.X_W0, Pose<double>{});
      EXPECT_EQ(chain.gravity_0, (Vec3<double>{0, 0, -9.81}));
      ASSERT_EQ(chain.size(), rows.size());
      for (std::size_t i = 0; i < rows.size(); ++i) expect_row(chain.rows[i], rows[i], special);
    }
}

TEST(Frames, ModifiedTablesComeBack) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed)
    for (const bool special : {false, true}) {
      SCOPED_TRACE(::testing::Message() << "seed " << seed << " special " << special);
      Random random(seed);
      std::vector<Row> rows;
      for (std::uint64_t i = 0; i <= seed % 7; ++i) rows.push_back(random_row(random, special));
      rows[0].a = rows[0].alpha = rows[0].d = rows[0].theta = 0;  // frame 0 is where frame 1 is at q = 0
      const MdhChain<double> chain = make_mdh_chain(unchecked(description_of(rows, false)));
      EXPECT_EQ(chain.X_W0, Pose<double>{});
      ASSERT_EQ(chain.size(), rows.size());
      for (std::size_t i = 0; i < rows.size(); ++i) expect_row(chain.rows[i], rows[i], special);
    }
}

TEST(Frames, TheStanfordArmInStandardFramesHasTwoLengths) {
  const DhChain<double> chain = make_dh_chain(load("stanford"));
  const double d[6] = {0, 0.1, 0, 0.6, 0, 0};
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_EQ(chain.rows[i].a, 0);
    EXPECT_EQ(chain.rows[i].d, d[i]);
    EXPECT_EQ(chain.rows[i].theta, 0);
  }
}

// --- the rest ------------------------------------------------------------------------------------------------------------------------------------

TEST(Frames, TheSameEveryTime) {
  const Model model = unchecked(arranged_chain(7, 8));
  const DhChain<double> one = make_dh_chain(model), two = make_dh_chain(model);
  for (std::size_t i = 0; i < one.size(); ++i) {
    EXPECT_EQ(one.rows[i].a, two.rows[i].a);
    EXPECT_EQ(one.rows[i].theta, two.rows[i].theta);
    EXPECT_EQ(one.X_BF[i], two.X_BF[i]);
  }
}

TEST(Frames, BodyTreeHoldsTheInertiaOfThePlan) {
  for_each_case({}, [](const Model& model, const State&, Random&) {
    const BodyTree<double> tree = make_body_tree(model);
    const MovingTree moving = merge_fixed(model, 1e-9);
    ASSERT_EQ(tree.size(), moving.bodies.size());
    EXPECT_EQ(tree.gravity, model.gravity());
    for (std::size_t i = 0; i < tree.size(); ++i) {
      const TreeBody<double>& body = tree.bodies[i];
      const Joint& joint = model.joints()[moving.bodies[i].joint];
      const PseudoInertia<double> sum = pseudo_inertia(body.mass, body.com, body.inertia), &expected = moving.bodies[i].inertia;
      EXPECT_EQ(body.parent, moving.bodies[i].parent);
      EXPECT_EQ(body.prismatic, joint.type == JointType::prismatic);
      EXPECT_EQ((Pose<double>{body.R_PB, body.p_PB}), moving.bodies[i].X_PB);
      EXPECT_EQ(body.rotor, joint.gear * joint.gear * joint.rotor);
      const double scale = tolerance(steps(model)) * (1 + expected.m + expected.S.trace());
      for (const double error :
           {sum.m - expected.m, sum.h.x - expected.h.x, sum.h.y - expected.h.y, sum.h.z - expected.h.z, sum.S.xx - expected.S.xx, sum.S.yy - expected.S.yy,
            sum.S.zz - expected.S.zz, sum.S.xy - expected.S.xy, sum.S.xz - expected.S.xz, sum.S.yz - expected.S.yz})
        EXPECT_LT(std::abs(error), scale);
    }
  });
}

TEST(Frames, AMasslessLinkMayHaveInertia) {
  Description arm = arranged_chain(3, 3);
  arm.links[2].mass = 0;
  arm.links[2].com = {0.1, 0.2, 0.3};
  arm.links[2].inertia = {0.1, 0.2, 0.25, 0.01, 0, 0};
  const Model model = unchecked(arm);
  Random random(3);
  expect_dh_form(model, random);
  EXPECT_EQ(make_body_tree(model).bodies[1].com, (Vec3<double>{}));
  EXPECT_EQ(make_dh_chain(model).rows[1].com, (Vec3<double>{}));
}

TEST(Frames, ATreeIsNoChain) {
  EXPECT_EQ(why_not_a_chain(load("torso")),
            "the joints 'left_shoulder_pitch' and 'right_shoulder_pitch' both follow joint 'waist_pitch', and a chain has one tip");
  EXPECT_THROW(make_dh_chain(load("torso")), std::invalid_argument);
  EXPECT_THROW(make_mdh_chain(load("torso")), std::invalid_argument);
  Description still;
  still.links = {body("base", 1), body("hand", 1)};
  still.joints = {joint("weld", JointType::fixed, "base", "hand")};
  EXPECT_EQ(why_not_a_chain(unchecked(still)), "the model has no moving joint");
  EXPECT_EQ(make_body_tree(unchecked(still)).size(), 0u);
}

TEST(Frames, NearlyParallelAxesAreRefusedAndSnapped) {
  Description arm;
  arm.links = {frame("base"), body("one", 1, {0.1, 0, 0}, {0.1, 0.1, 0.1}), body("two", 1, {0.1, 0, 0}, {0.1, 0.1, 0.1})};
  arm.joints = {joint("j1", JointType::revolute, "base", "one"), joint("j2", JointType::revolute, "one", "two", {0, 0, 1}, {0.5, 0.1, 0})};
  arm.joints[1].joint.X_PF.R = rotation_x(3.7e-6);  // pi/2 written as 1.5708
  const Model model = unchecked(arm);
  const std::string why = why_not_a_chain(model);
  EXPECT_NE(why.find("'j1' and 'j2' are parallel but for 3.7e-06 rad"), std::string::npos) << why;
  EXPECT_NE(why.find("snap angles with 1e-05"), std::string::npos) << why;
  EXPECT_THROW(make_dh_chain(model), std::invalid_argument);
  EXPECT_EQ(why_not_a_chain(model, 1e-5), "");
  EXPECT_EQ(make_dh_chain(model, 1e-5).rows[0].alpha, 0);
  EXPECT_EQ(make_mdh_chain(model, 1e-5).rows[1].alpha, 0);
}

// Lengths that are nothing beside the robot count where much mass hangs on them: 1e6 kg at 2e-13 m weigh 2e-6 N m, of a torque of 5 N m.
TEST(Frames, SmallLengthsOfHeavyLinksAreKept) {
  Description d;
  d.name = "heavy";
  d.links = {frame("l0"), body("l1", 1e6, {2e-13, 0, 0}, {10, 10, 10, 0, 0, 0}), body("l2", 1, {0.5, 0, 0}, {0.1, 0.1, 0.1, 0, 0, 0}),
             body("l3", 1, {0.5, 0, 0}, {0.1, 0.1, 0.1, 0, 0, 0})};
  d.joints = {joint("j1", JointType::continuous, "l0", "l1"), joint("j2", JointType::continuous, "l1", "l2", {0, 0, 1}, {3e-13, 0, 0.4}),
              joint("j3", JointType::continuous, "l2", "l3", {0, 0, 1}, {1, 0, 0})};
  const Model model = build(d);
  EXPECT_EQ(make_body_tree(model).bodies[0].com.x, 2e-13);
  const MdhChain<double> mdh = make_mdh_chain(model);
  EXPECT_EQ(mdh.rows[0].com.x, 2e-13);
  EXPECT_EQ(mdh.rows[1].a, 3e-13);
  EXPECT_EQ(make_dh_chain(model).rows[0].a, 3e-13);
}

}  // namespace
}  // namespace ulna::test
