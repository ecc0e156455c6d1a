// The search for the fewest operations: it reaches the bounds that are known, and its programs compute what an independent recursion does.
#include <ulna/trace/best.hpp>

#include <ulna/expr/program.hpp>
#include <ulna/source/load.hpp>

#include "formulation/support_nasser.hpp"
#include "support/builtin.hpp"

namespace ulna::test {
namespace {

constexpr Quantity kQuantities[] = {Quantity::inverse, Quantity::mass, Quantity::bias, Quantity::forward};

long arithmetic(const OperationCounts& c) { return c.mul + c.add + c.div; }

/// Every quantity's best program at one state against the plain dynamics in long double. Returns the largest error over what rounding allows.
void check(const Model& model, Random& random) {
  const State s = random_state(model, random);
  const Oracle oracle(model, s.q, s.v, s.a);
  const std::vector<double> tau = doubles(oracle.torques()), none = zeros(s.v);
  const Eigen::MatrixXd M = doubles(oracle.mass_matrix());
  const std::size_t n = steps(model);
  for (const Quantity quantity : kQuantities) {
    SCOPED_TRACE(std::string(result_name(quantity)));
    const Best best = find_best(model, quantity);
    EXPECT_EQ(best.counts, best.program.counts());
    EXPECT_EQ(best.steps.back().counts, best.counts);
    for (std::size_t k = 1; k < best.steps.size(); ++k) EXPECT_LE(arithmetic(best.steps[k].counts), arithmetic(best.steps[k - 1].counts));
    std::vector<double> inputs = s.q;
    const auto add = [&inputs](const std::vector<double>& more) { inputs.insert(inputs.end(), more.begin(), more.end()); };
    if (quantity != Quantity::mass) add(s.v);
    if (quantity == Quantity::inverse) add(s.a);
    if (quantity == Quantity::forward) add(tau);
    std::vector<double> out(best.program.results.size());
    Evaluation(best.program)(inputs, out);
    // Mass that is counted to another link makes terms a few times larger than those of the oracle.
    constexpr double kMoved = 16;
    const auto name = [&](const char* what) { return std::string("best ") + what + ": error / bound"; };
    if (quantity == Quantity::inverse) {
      EXPECT_LT(record(name("torque"), relative_error(out, tau) / tolerance(n, kMoved * torque_condition(oracle))), 1);
    } else if (quantity == Quantity::bias) {
      const Oracle still(model, s.q, s.v, none);
      EXPECT_LT(record(name("bias"), relative_error(out, doubles(still.torques())) / tolerance(n, kMoved * torque_condition(still))), 1);
    } else if (quantity == Quantity::mass) {
      const Eigen::MatrixXd got = Eigen::Map<Eigen::MatrixXd>(out.data(), M.rows(), M.cols());
      EXPECT_LT(record(name("mass"), relative_error(got, M) / tolerance(n, kMoved)), 1);
      EXPECT_EQ(largest(Eigen::MatrixXd(got - got.transpose())), 0);
    } else {  // what is left over of the equations of motion: then the condition of M does not matter
      const Eigen::Map<Eigen::VectorXd> a(out.data(), M.rows());
      const Eigen::VectorXd left = M * (a - Eigen::Map<const Eigen::VectorXd>(s.a.data(), M.rows()));
      const double size = std::max(oracle.torque_size(), largest(Eigen::VectorXd(M.cwiseAbs() * a.cwiseAbs())));
      EXPECT_LT(record(name("acceleration"), largest(left) / size / tolerance(n, kMoved)), 1);
    }
  }
}

TEST(Best, ComputesTheDynamicsOfBuiltInRobots) {
  for (const BuiltinRobot& robot : test::builtin_trees()) {
    SCOPED_TRACE(robot.id);
    Random random(5);
    check(load(std::string(robot.id)), random);
  }
}

TEST(Best, ComputesTheDynamicsOfRandomTrees) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    Random random(seed);
    check(random_model(seed + 300, {.most = 9, .mimic = seed % 4 == 0}), random);
  }
}

TEST(Best, ComputesTheDynamicsOfMixedChains) {
  for (const char* id : {"general-P", "general-R", "general-PP", "general-RPRPR", "general-PRPRP", "general-PPRRPR", "general-RRPPRR"}) {
    SCOPED_TRACE(id);
    Random random(7);
    check(load(id), random);
  }
}

void expect_at_most(const char* robot, Quantity quantity, long mul, long add) {
  const Best best = find_best(load(robot), quantity, {.rotor = false});
  EXPECT_LE(best.counts.mul, mul) << robot << " " << result_name(quantity);
  EXPECT_LE(best.counts.add, add) << robot << " " << result_name(quantity);
}

// Bounds that an earlier program, without the turned column of U and without mass handed to the next axis, reached on the same or similar robots. Kane &
// Levinson (1983) print 646/394 for the first.
TEST(Best, ReachesTheKnownBounds) {
  expect_at_most("stanford", Quantity::inverse, 124, 93);
  expect_at_most("puma560-mdh", Quantity::inverse, 178, 142);
  expect_at_most("panda", Quantity::inverse, 282, 272);
  expect_at_most("general-RRRRRR", Quantity::inverse, 379, 318);
  expect_at_most("general-RRRRRRR", Quantity::inverse, 460, 386);
  expect_at_most("panda", Quantity::mass, 173, 161);
  expect_at_most("panda", Quantity::forward, 590, 526);
}

// A prototype's counts of derivatives, none of which were found in print; forward mode through the torques takes 2836/2570 on the Panda.
TEST(Best, ReachesTheBoundsOfDerivatives) {
  expect_at_most("panda", Quantity::inverse_derivatives, 1050, 1025);
  expect_at_most("ur5", Quantity::inverse_derivatives, 356, 370);
  expect_at_most("general-RRRRRR", Quantity::inverse_derivatives, 1555, 1385);
  expect_at_most("general-RRRRRRR", Quantity::inverse_derivatives, 2110, 1845);
  expect_at_most("panda", Quantity::forward_derivatives, 1995, 1825);
}

// A link whose next axis is parallel is not turned.
TEST(Best, HoldsParallelAxesStill) {
  const Best best = find_best(load("ur5"), Quantity::inverse);
  EXPECT_LE(best.counts.mul + best.counts.add, 220);
  EXPECT_NE(best.links[1].find("axes not turned"), std::string::npos) << best.links[1];
  EXPECT_NE(best.links[2].find("axes not turned"), std::string::npos) << best.links[2];
  const OperationCounts mass = find_best(load("ur5"), Quantity::mass).counts;
  EXPECT_LE(mass.mul + mass.add, 90);
}

// One joint, by hand: tau = J a + m g c sin q for a pendulum, whatever frames the file uses.
TEST(Best, OneJointByHand) {
  EXPECT_EQ(find_best(load("general-P"), Quantity::mass).counts, OperationCounts{});
  const OperationCounts slide = find_best(load("general-P"), Quantity::inverse).counts;  // m (a - g_z)
  EXPECT_LE(slide.mul + slide.add, 2);
  EXPECT_EQ(slide.sincos, 0);
}

TEST(Best, IsDeterministic) {
  for (const char* robot : {"panda", "torso"})
    for (const Quantity quantity : {Quantity::inverse, Quantity::mass})
      EXPECT_EQ(find_best(load(robot), quantity).program.hash(), find_best(load(robot), quantity).program.hash()) << robot;
}

TEST(Best, ChoosesTheForwardMethodByCount) {
  EXPECT_EQ(find_best(load("panda"), Quantity::forward).method, "inertia matrix");
  EXPECT_EQ(find_best(load("humanoid-38"), Quantity::forward).method, "articulated bodies");
  EXPECT_EQ(find_best(load("panda"), Quantity::inverse).method, "");
}

TEST(Best, SaysWhatItDidToEachLink) {
  const Best best = find_best(load("panda"), Quantity::inverse);
  const std::size_t moving = make_plan(load("panda")).bodies.size();
  EXPECT_EQ(best.links.size(), moving);
  for (const std::string& words : best.links) EXPECT_NE(words.find("moved to the parent"), std::string::npos) << words;
  EXPECT_NE(best.links[2].find("origin slid by -0.316 m"), std::string::npos) << best.links[2];  // to the elbow: the file's d3
  EXPECT_NE(best.links[0].find("length unit"), std::string::npos) << best.links[0];
}

TEST(Best, ThreeMultiplicationRotationsTradeProductsForSums) {
  const Best best = find_best(load("panda"), Quantity::inverse);
  EXPECT_LT(best.short_rotations.mul, best.counts.mul);
  EXPECT_GT(best.short_rotations.add, best.counts.add);
  // One multiplication less and one addition more a rotation, two additions a joint.
  const long rotations = best.counts.mul - best.short_rotations.mul, additions = best.short_rotations.add - best.counts.add;
  EXPECT_GE(additions, rotations);
  EXPECT_LE(additions, rotations + 2 * 7);
}

TEST(Best, RotorsCanBeLeftOut) {
  const Best with = find_best(load("puma560-mdh"), Quantity::inverse), without = find_best(load("puma560-mdh"), Quantity::inverse, {.rotor = false});
  EXPECT_GT(arithmetic(with.counts), arithmetic(without.counts));
}

}  // namespace
}  // namespace ulna::test
