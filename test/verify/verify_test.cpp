// The certificate: all formulations agree on everything they take, and a wrong number would be noticed.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include <ulna/ulna.hpp>
#include <ulna/verify/verify.hpp>
#include "verify/reference.hpp"

#include "dynamics/terms.hpp"
#include "support/geared.hpp"
#include "support/oracle.hpp"
#include "support/random_model.hpp"
#include "support/soak.hpp"
#include "verify/agreement.hpp"

namespace ulna::test {
namespace {

VerifyOptions few(int samples, std::uint64_t seed = 1) {
  VerifyOptions options;
  options.samples = samples;
  options.seed = seed;
  return options;
}

int applying(const Certificate& c) {
  int count = 0;
  for (const FormulationCheck& f : c.formulations) count += f.applies;
  return count;
}

class Builtin : public ::testing::TestWithParam<const char*> {};
TEST_P(Builtin, AllFormulationsAgree) { expect_agreement(verify(load(GetParam()), few(20))); }
INSTANTIATE_TEST_SUITE_P(Verify, Builtin,
                         ::testing::Values("planar-2r", "planar-3r", "stanford", "puma560", "puma560-mdh", "ur5", "panda", "iiwa14", "scara", "space-arm",
                                           "torso", "humanoid-38"));

TEST(Verify, EveryFormulationTakesTheStanfordArm) {
  for (const FormulationCheck& f : verify(load("stanford"), few(1)).formulations)
    if (f.id == "albus")  // a table over q, v and a, which has room for five joints
      EXPECT_NE(f.why_not.find("more than the 4 MiB allowed"), std::string::npos) << f.why_not;
    else
      EXPECT_TRUE(f.applies) << f.id << ": " << f.why_not;
}

// The terms of eq. 2.11 of Turney, Mudge & Lee, and Lin's D_mkj: against the symbols of Christoffel of a reference that knows none of them. Others do not
// apply.
TEST(Verify, CoriolisMatrixAndGravityOfThePapers) {
  for (const Quantity quantity : {Quantity::gravity, Quantity::coriolis}) {
    std::set<std::string> compared;
    for (const FormulationCheck& f : verify(load("general-RRPRPR"), few(3)).formulations) {
      if (f.quantity != quantity) continue;
      EXPECT_TRUE(f.applies && f.agree) << f.id << ": " << f.why_not << " " << f.max_relative_difference;
      compared.insert(f.id);
    }
    EXPECT_EQ(compared, (std::set<std::string>{"lagrange", "strobing", "renaud", "lin", "templates"})) << result_name(quantity);
  }
  const std::string why = why_not(*find_formulation("lagrange"), Quantity::coriolis, Prepared(with_base(load("panda"), RootJoint::free)));
  EXPECT_NE(why.find("free base as joints"), std::string::npos) << why;
}

// All mixtures of revolute and prismatic joints up to four, and some of five to eight: 60 chains. In `make soak` all.
TEST(Verify, ChainsOfEveryMixture) {
  int chains = 0;
  for (int n = 1; n <= 8; ++n) {
    const int step = n <= 4 || soaks() ? 1 : n == 5 ? 3 : n == 6 ? 7 : n == 7 ? 31 : 63;
    for (int bits = 0; bits < (1 << n); bits += step) {
      std::string types;
      for (int i = 0; i < n; ++i) types += (bits >> i) & 1 ? 'P' : 'R';
      SCOPED_TRACE(types);
      expect_agreement(verify(load("general-" + types), few(3, static_cast<std::uint64_t>(bits) + 1)));
      ++chains;
    }
  }
  EXPECT_GE(chains, so_many(55, 500));
}

// Chains with arbitrary axes, fixed joints in between, rotors and massless links: DH frames are found for them first.
TEST(Verify, RandomChains) {
  for (std::uint64_t seed = 1; seed <= so_many(20u, 100u); ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    RandomOptions options;
    options.branches = false;
    options.most = 8;
    const Certificate c = verify(random_model(seed, options), few(3, seed));
    expect_agreement(c);
    EXPECT_GT(applying(c), 15);
  }
}

TEST(Verify, RandomTrees) {
  for (std::uint64_t seed = 1; seed <= so_many(40u, 100u); ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    expect_agreement(verify(random_model(seed), few(3, seed)));
  }
}

// A mass centre that a CAD program left next to the axis: M couples slide and turn by 2e-30 kg m, which plans drop, and nobody could ever feel.
TEST(Verify, AResidueInAMassCentreIsNoDisagreement) {
  const LoadResult read = try_parse(R"(<robot name="dust"><link name="b"/>
    <link name="l1"><inertial><mass value="1"/><inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>
    <link name="l2"><inertial><origin xyz="1e-30 0 0"/><mass value="2"/><inertia ixx="0.1" iyy="0.2" izz="0.15" ixy="0" ixz="0" iyz="0"/></inertial></link>
    <joint name="j1" type="prismatic"><parent link="b"/><child link="l1"/><axis xyz="1 0 0"/><limit lower="-1" upper="1" effort="9" velocity="1"/></joint>
    <joint name="j2" type="continuous"><parent link="l1"/><child link="l2"/><axis xyz="0 0 1"/></joint></robot>)",
                                    "dust.urdf");
  ASSERT_TRUE(read.model);
  expect_agreement(verify(*read.model, few(20)));
}

TEST(Verify, IsDeterministic) {
  const Certificate a = verify(load("scara"), few(5)), b = verify(load("scara"), few(5)), c = verify(load("scara"), few(5, 2));
  EXPECT_EQ(a.witnesses[0].tau, b.witnesses[0].tau);
  EXPECT_NE(a.witnesses[0].tau, c.witnesses[0].tau);
  for (std::size_t i = 0; i < a.formulations.size(); ++i) EXPECT_EQ(a.formulations[i].max_relative_difference, b.formulations[i].max_relative_difference);
}

TEST(Verify, TheReferenceIsTheOracles) {
  // Two slow recursions written independently of each other: this one in the library, the other in the tests.
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    const Model model = random_model(seed);
    const Reference reference(model);
    StateSampler sampler(model, seed);
    std::vector<double> q, v, a;
    sampler.next(q, v, a);
    std::vector<long double> tau;
    reference.torque({q.begin(), q.end()}, {v.begin(), v.end()}, {a.begin(), a.end()}, tau);
    const Oracle oracle(model, q, v, a);
    const RealVector expected = oracle.torques();
    // A model's rotations and axes are such to double rounding only, and the two use them differently.
    const double rounding = 4 * std::numeric_limits<double>::epsilon();
    for (std::size_t i = 0; i < tau.size(); ++i)
      EXPECT_LE(static_cast<double>(std::abs(tau[i] - expected(static_cast<Eigen::Index>(i)))), rounding * oracle.torque_size());
  }
}

TEST(Verify, HashSeesEveryNumber) {
  const Model model = load("scara");
  EXPECT_EQ(model_hash(model), model_hash(load("scara")));
  EXPECT_NE(model_hash(model), model_hash(with_gravity(model, {0, 0, -9.8})));
  EXPECT_NE(model_hash(model), model_hash(load("general-RRPR")));
  EXPECT_EQ(model_hash(model).size(), 16u);
}

// Laws that differentiate energies: what does not move, and what hardly moves, must not drown the derivative in rounding.
TEST(Verify, HeavyBasesAndSlowJointsAreSound) {
  const auto camera = [](const char* joint) {
    return parse(R"(<robot name="camera_on_a_base">
<link name="base"><inertial><origin xyz="0 0 0.3"/><mass value="200"/><inertia ixx="10" ixy="0" ixz="0" iyy="10" iyz="0" izz="10"/></inertial></link>
<link name="camera"><inertial><mass value="0.05"/><inertia ixx="1e-5" ixy="0" ixz="0" iyy="1e-5" iyz="0" izz="1e-5"/></inertial></link>
)" + std::string(joint) +
                     "</joint></robot>",
                 "camera.urdf");
  };
  expect_agreement(
      verify(camera(R"(<joint name="pan" type="continuous"><origin xyz="0 0 1"/><parent link="base"/><child link="camera"/><axis xyz="0 0 1"/>)"), few(1000)));
  for (const char* velocity : {"0", "1e-9", "1e-4"}) {  // a mount that follows the stars
    SCOPED_TRACE(velocity);
    const std::string tilt =
        std::string(R"(<joint name="tilt" type="revolute"><origin xyz="0 0 1"/><parent link="base"/><child link="camera"/><axis xyz="1 0 0"/>)") +
        R"(<limit lower="-1" upper="1" effort="1" velocity=")" + velocity + "\"/>";
    expect_agreement(verify(camera(tilt.c_str()), few(1000)));
  }
}

// A velocity limit of 0 is written where nobody knew one: such a robot is verified in motion, too.
TEST(Verify, StatesHaveRatesWhereTheLimitIsZero) {
  Description d;
  d.links = {Link{"base"}, Link{"arm", 1, {0, 0, 0.1}, {0.1, 0.1, 0.1, 0, 0, 0}}};
  Description::JointEntry entry;
  entry.joint.name = "j";
  entry.joint.type = JointType::revolute;
  entry.joint.velocity = 0;
  entry.parent = "base";
  entry.child = "arm";
  d.joints = {entry};
  Diagnostics diagnostics("test");
  const std::optional<Model> model = build(d, diagnostics);
  ASSERT_TRUE(model);
  std::vector<double> q, v, a;
  StateSampler(*model, 1).next(q, v, a);
  EXPECT_GT(std::abs(v[0]), 0.01);
}

// The papers' accelerations have free joints; the templates' follow, and are compared.
TEST(Verify, TemplatesGiveAccelerationsOfMimicJoints) {
  const Certificate certificate = verify(geared("revolute", "-3.5"), few(20));
  expect_agreement(certificate);
  const auto row = std::find_if(certificate.formulations.begin(), certificate.formulations.end(),
                                [](const FormulationCheck& f) { return f.id == "templates" && f.quantity == Quantity::forward; });
  ASSERT_NE(row, certificate.formulations.end());
  EXPECT_TRUE(row->applies) << row->why_not;
  EXPECT_GT(row->max_relative_difference, 0);
}

// What rounding cannot explain is no agreement: gravity changed in the tenth digit.
TEST(Verify, SmallErrorsAreSeen) {
  const Model model = load("scara");
  const Reference right(model), wrong(with_gravity(model, {0, 0, -9.81 * (1 + 1e-10)}));
  const std::vector<long double> q(4, 0.1L), rest(4, 0);
  std::vector<long double> a, b;
  right.torque(q, rest, rest, a);
  wrong.torque(q, rest, rest, b);
  const double force = Terms(model).torque(std::vector<double>(4, 0.1), std::vector<double>(4), std::vector<double>(4)).force;
  EXPECT_GT(static_cast<double>(std::abs(a[2] - b[2])) / force, 100 * verify_tolerance(4));
}

}  // namespace
}  // namespace ulna::test
