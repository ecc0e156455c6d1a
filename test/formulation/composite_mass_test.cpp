// The inertia matrix by Walker & Orin, Renaud, Fijany & Bejczy, and link by link.
#include <ulna/formulation/formulation.hpp>
#include <ulna/source/load.hpp>

#include <gtest/gtest.h>

#include "formulation/counting.hpp"
#include "formulation/fijany_bejczy.hpp"
#include "formulation/link_by_link.hpp"
#include "formulation/renaud.hpp"
#include "formulation/rows.hpp"
#include "formulation/support_lin.hpp"
#include "formulation/walker_orin.hpp"
#include "formulation/walker_orin_chain.hpp"

namespace ulna::test {
namespace {

using composite_body::FijanyBejczy;
using composite_body::Renaud;
using composite_body::WalkerOrin;

/// The chain as a tree: frame i on frame i-1 at q = 0.
BodyTree<double> tree_of(const MdhChain<double>& chain) {
  BodyTree<double> tree;
  tree.gravity = chain.gravity_0;
  for (const DhRow<double>& row : chain.rows) {
    const double c = row.cos_theta, s = row.sin_theta, cb = row.cos_alpha, sb = row.sin_alpha;
    TreeBody<double> body;
    body.parent = static_cast<int>(tree.size()) - 1;
    body.prismatic = row.prismatic;
    body.R_PB = {c, -s, 0, cb * s, cb * c, -sb, sb * s, sb * c, cb};
    body.p_PB = {row.a, -row.d * sb, row.d * cb};
    body.mass = row.mass;
    body.com = row.com;
    body.inertia = row.inertia;
    tree.bodies.push_back(body);
  }
  return tree;
}

// One way to make each of them from an arm.
struct MakeWalkerOrin {
  template <class P, class T>
  static WalkerOrin<P, T> from(const MdhChain<double>& chain) {
    return WalkerOrin<P, T>(tree_of(chain).cast<P>());
  }
};
struct MakeRenaud {
  template <class P, class T>
  static Renaud<P, T> from(const MdhChain<double>& chain) {
    return Renaud<P, T>(chain.cast<P>());
  }
};
struct MakeFijanyBejczy {
  template <class P, class T>
  static FijanyBejczy<P, T> from(const MdhChain<double>& chain) {
    return FijanyBejczy<P, T>(chain.cast<P>());
  }
};

struct MakeLinkByLink {
  template <class P, class T>
  static composite_body::LinkByLink<P, T> from(const MdhChain<double>& chain) {
    return composite_body::LinkByLink<P, T>(chain.cast<P>());
  }
};

template <class Make>
class CompositeMass : public ::testing::Test {};
using Makers = ::testing::Types<MakeWalkerOrin, MakeRenaud, MakeFijanyBejczy, MakeLinkByLink>;
TYPED_TEST_SUITE(CompositeMass, Makers);

TYPED_TEST(CompositeMass, EqualsAnIndependentProgram) {
  for (const lin::ReferenceCase& c : lin::reference_cases()) {
    SCOPED_TRACE(c.types);
    const lin::Arm arm = lin::arm_of(c);
    EXPECT_LT(relative_error(lin::mass_by<double>(TypeParam::template from<double, double>(arm.chain), c.q), c.M), tolerance(c.q.size()));
  }
}

TYPED_TEST(CompositeMass, EveryMixtureEqualsTheOracle) {
  lin::for_each_arm([](const lin::Arm& arm, const State& s) {
    const RealMatrix M = Oracle(arm.model, s.q, s.v, s.a).mass_matrix();
    const double cond = lin::mass_condition(arm, s.q, M);
    const auto method = TypeParam::template from<double, double>(arm.chain);
    const std::vector<double> H = lin::mass_by<double>(method, s.q);
    EXPECT_LT(relative_error(H, doubles(M)), tolerance(s.q.size(), cond));
    EXPECT_LT(relative_error(lin::mass_by<float>(TypeParam::template from<float, float>(arm.chain), s.q), doubles(M)), tolerance<float>(s.q.size(), cond));
    EXPECT_EQ(lin::mass_by<Counted>(TypeParam::template from<double, Counted>(arm.chain), s.q), H);
  });
}

TYPED_TEST(CompositeMass, OneObjectServesManyStates) {
  Random random(7);
  const lin::Arm arm = lin::random_arm("PRRPRR", lin::Kind::general, random);
  auto method = TypeParam::template from<double, double>(arm.chain);
  for (int k = 0; k < 3; ++k) {
    const State s = random_state(arm.model, random);
    std::vector<double> H(s.q.size() * s.q.size());
    method.set_configuration(s.q.data());
    method.mass(H.data());
    EXPECT_EQ(H, lin::mass_by<double>(TypeParam::template from<double, double>(arm.chain), s.q));
  }
}

TEST(WalkerOrin, TakesTrees) {
  RandomOptions options;
  options.rotor = false;
  options.most = 12;
  for_each_case(options, [](const Model& model, const State& s, Random&) {
    const RealMatrix M = Oracle(model, s.q, s.v, s.a).mass_matrix();
    EXPECT_LT(relative_error(lin::mass_by<double>(WalkerOrin<double, double>(make_body_tree(model)), s.q), doubles(M)), tolerance(steps(model)));
  });
}

// A fork whose whole one side weighs nothing, and another side of two branches.
TEST(WalkerOrin, TakesMasslessBranches) {
  Description fork;
  fork.links = {frame("base"),
                frame("a"),
                frame("b"),
                frame("c"),
                body("d", 2, {0.1, 0.2, 0.3}, {0.1, 0.2, 0.25, 0.01, 0.02, 0.03}),
                body("e", 0, {}, {0.1, 0.2, 0.25, 0, 0, 0})};
  fork.joints = {joint("1", JointType::revolute, "base", "a"), joint("2", JointType::prismatic, "a", "b", {1, 0, 0}, {0, 0.3, 0}),
                 joint("3", JointType::revolute, "b", "c", {0, 1, 0}, {0.1, 0, 0}), joint("4", JointType::revolute, "a", "d", {0, 0.6, 0.8}, {0, 0, 0.4}),
                 joint("5", JointType::revolute, "a", "e", {1, 0, 0}, {0, 0.1, 0.4})};
  const Model model = unchecked(fork);
  const std::vector<double> q{0.3, -0.2, 1.1, 0.7, 0.4};
  const RealMatrix M = Oracle(model, q, q, q).mass_matrix();
  EXPECT_LT(relative_error(lin::mass_by<double>(WalkerOrin<double, double>(make_body_tree(model)), q), doubles(M)), tolerance(q.size()));
}

template <class Make>
OperationCounts counts(std::size_t n) {
  Random random(n);
  const lin::Arm arm = lin::random_arm(std::string(n, 'R'), lin::Kind::general, random);
  return lin::mass_counts(Make::template from<double, Counted>(arm.chain), std::vector<double>(n, 0.3));
}

TEST(Renaud, CostsWhatTheArticleSays) {
  for (std::size_t n = 2; n <= 8; ++n) {
    const auto k = static_cast<long>(n);
    const OperationCounts found = counts<MakeRenaud>(n);
    EXPECT_EQ(found.mul, (27 * k * k + 45 * k) / 2 - 68) << n;
    EXPECT_EQ(found.add, 9 * k * k + 26 * k - 64) << n;
    EXPECT_EQ(found.div + found.sincos, 0) << n;
  }
}

// The O(n) part of the original is not printed; the square one is (Lin's Table I: 4.5n² and 4n²).
TEST(FijanyBejczy, CostsAsDocumented) {
  for (std::size_t n = 4; n <= 8; ++n) {
    const auto k = static_cast<long>(n);
    const OperationCounts found = counts<MakeFijanyBejczy>(n);
    EXPECT_EQ(found.mul, (9 * k * k + 187 * k) / 2 - 210) << n;
    EXPECT_EQ(found.add, 4 * k * k + 67 * k - 147) << n;
    EXPECT_EQ(found.div + found.sincos, 0) << n;
  }
}

// In modified frames, as the table has them, the square part is the table's: 11n² and 8n².
// In either kind of frame the same matrix; the frames on the driving axes save one carrying of a composite body, whatever n is. Lin prints 45 and 28.
TEST(WalkerOrin, DrivingAxisFramesSave45Multiplications) {
  using composite_body::DhStep, composite_body::DrivingAxisStep, composite_body::WalkerOrinChain;
  for (const char* name : {"general-R", "general-RR", "general-RPR", "general-RRRR", "stanford", "puma560", "panda"}) {
    SCOPED_TRACE(name);
    const Prepared prepared(load(name));
    const std::size_t n = prepared.size();
    Random random(13);
    for (int k = 0; k < 5; ++k) {
      const State s = random_state(prepared.model, random);
      const RealMatrix M = Oracle(prepared.model, s.q, s.v, zeros(s.q), {.rotor = false}).mass_matrix();
      EXPECT_LT(relative_error(lin::mass_by<double>(WalkerOrinChain<double, DhStep<double>>(prepared.forms().dh->rows), s.q), doubles(M)), tolerance(n, 100));
      EXPECT_LT(relative_error(lin::mass_by<double>(WalkerOrinChain<double, DrivingAxisStep<double>>(prepared.forms().mdh->rows), s.q), doubles(M)),
                tolerance(n, 100));
    }
  }
  for (std::size_t n = 1; n <= 8; ++n) {
    const AsWritten counts = count_as_written(formulation_named("walker-orin"), Quantity::mass, Prepared(load("general-" + std::string(n, 'R'))));
    ASSERT_NE(counts.find(kSavedByFrames), nullptr);
    EXPECT_EQ(counts.find(kSavedByFrames)->counts.mul, 45) << n;
    EXPECT_EQ(counts.find(kSavedByFrames)->counts.add, 26) << n;
  }
}

TEST(WalkerOrin, CostsAsDocumented) {
  for (std::size_t n = 2; n <= 8; ++n) {
    const auto k = static_cast<long>(n);
    const OperationCounts found = counts<MakeWalkerOrin>(n);
    EXPECT_EQ(found.mul, 11 * k * k + 65 * k - 68) << n;
    EXPECT_EQ(found.add, 8 * k * k + 61 * k - 65) << n;
    EXPECT_EQ(found.div + found.sincos, 0) << n;
  }
}

// Forces in any joint's frame make the same matrix. The frames that the text names cost what is documented; by this count the third joint's is cheaper.
TEST(FijanyBejczy, TakesAnyFrame) {
  Random random(5);
  for (const char* id : {"general-RRRRRR", "general-RRPRPR", "general-PPRRPR", "general-RR", "general-R"}) {
    const Model model = load(id);
    const Prepared prepared(model);
    const State s = random_state(model, random);
    const Eigen::MatrixXd M = mass_of(make_plan(model), s.q, false);
    const std::size_t n = prepared.size();
    for (std::size_t k = 0; k <= n; ++k) {
      SCOPED_TRACE(testing::Message() << id << ", frame " << k);
      composite_body::FijanyBejczy<double, double> method(*prepared.forms().mdh, k);
      std::vector<double> H(n * n);
      method.set_configuration(s.q.data());
      method.mass(H.data());
      EXPECT_LT(relative_error(H, M), tolerance(n));
    }
  }
  for (std::size_t n = 4; n <= 8; ++n) {
    const Prepared arm(load("general-" + std::string(n, 'R')));
    const auto count = [&](std::size_t k) { return count_mass(composite_body::FijanyBejczy<double, Counted>(*arm.forms().mdh, k)).total; };
    const auto k = static_cast<long>(n);
    EXPECT_EQ(count(1).mul, count(2).mul + (n == 4 ? 12 : 15)) << n;
    EXPECT_EQ(count(1).add, count(2).add + (n == 4 ? 6 : 9)) << n;
    EXPECT_EQ(count(n - 1).mul - count(1).mul, 2 * k + 15) << n;
    EXPECT_EQ(count(n - 1).add - count(1).add, k + 9) << n;
    for (std::size_t j = 0; j < n; ++j) EXPECT_GE(count(j).mul + count(j).add, count(2).mul + count(2).add) << n << ", frame " << j;
  }
}

// From a model to the numbers, by the rows of the registry.
TEST(CompositeRows, TakeModels) {
  const std::vector<Formulation> rows{walker_orin_row(), renaud_row(), fijany_bejczy_row(), lin_row()};
  Random random(3);
  for (const char* id : {"general-R", "general-P", "general-RRRRRR", "general-RRPRPR", "general-PPRRPR", "puma560", "stanford"}) {
    SCOPED_TRACE(id);
    const Model model = load(id);
    const Prepared prepared(model);
    const State s = random_state(model, random);
    const std::size_t n = prepared.size();
    Effects effects;
    effects.rotor = false;
    const Oracle oracle(model, s.q, s.v, zeros(s.q), effects);
    const RealVector b = oracle.torques();
    const double cond = torque_condition(oracle);
    const Eigen::MatrixXd M = mass_of(make_plan(model), s.q, false);
    for (const Formulation& row : rows) {
      SCOPED_TRACE(row.id);
      ASSERT_EQ(row.why_not(prepared), "");
      const auto evaluator = row.make_double(prepared);
      std::vector<double> H(n * n), bias(n);
      evaluator->mass(s.q.data(), H.data());
      EXPECT_LT(relative_error(H, M), tolerance(n));
      if (!row.gives(Quantity::bias)) continue;
      evaluator->bias(s.q.data(), s.v.data(), bias.data());
      EXPECT_LT(relative_error(bias, doubles(b)), tolerance(n, cond));
    }
  }
}

TEST(CompositeRows, ChainsRefuseTrees) {
  RandomOptions options;
  options.fewest = 6;
  for (std::uint64_t seed = 1; seed < 20; ++seed) {
    const Prepared prepared(random_model(seed, options));
    EXPECT_EQ(walker_orin_row().why_not(prepared), "");
    for (const Formulation& row : {renaud_row(), fijany_bejczy_row(), lin_row()}) EXPECT_EQ(row.why_not(prepared), prepared.forms().why_not_chain);
  }
}

}  // namespace
}  // namespace ulna::test
