// Dynamics, one state at a time: machine code against the templates and against the independent oracle, on robots of every kind.
#include <ulna/robot/dynamics.hpp>
#include "dynamics/regressor-inl.hpp"

#include <cstdlib>

#include "jit/machine_code.hpp"
#include "support/arm.hpp"
#include "support/builtin.hpp"
#include "support/cases.hpp"
#include "support/compiled.hpp"
#include "support/soak.hpp"

namespace ulna::test {
namespace {

template <class T>
std::vector<T> as(const std::vector<double>& x) {
  return {x.begin(), x.end()};
}
template <class T>
std::vector<double> widened(const std::vector<T>& x) {
  return {x.begin(), x.end()};
}

/// Everything, at one state; forward dynamics at the torques that cause a. Differences are measured against what the terms are made of.
template <class T>
void compare(const Model& model, const DynamicsOf<T>& dynamics, const State& s, bool rotor = true) {
  const std::size_t n = model.nv();
  // The state as T sees it, and the oracle there.
  const std::vector<T> q = as<T>(s.q), v = as<T>(s.v), a = as<T>(s.a);
  Effects effects;
  effects.rotor = rotor;
  const Oracle oracle(model, widened(q), widened(v), widened(a), effects);
  const std::vector<double> zero(n, 0);
  const Oracle resting(model, widened(q), zero, zero, effects), coasting(model, widened(q), widened(v), zero, effects);
  const auto near = [&](const char* what, const std::vector<T>& got, const std::vector<double>& expected, double scale, double cond = 1) {
    double worst = 0;
    for (std::size_t k = 0; k < expected.size(); ++k) {
      const double gap = std::fabs(static_cast<double>(got[k]) - expected[k]);
      worst = std::isnan(gap) ? INFINITY : std::max(worst, gap);
    }
    EXPECT_LE(worst, scale * tolerance<T>(steps(model), cond)) << what;
  };
  std::vector<T> x(n), M(n * n);
  dynamics.inverse(q, v, a, x);
  near("inverse", x, doubles(oracle.torques()), oracle.torque_size());
  dynamics.bias(q, v, x);
  near("bias", x, doubles(coasting.torques()), coasting.torque_size());
  dynamics.gravity(q, x);
  near("gravity", x, doubles(resting.torques()), resting.torque_size());
  const Eigen::MatrixXd mass = doubles(oracle.mass_matrix());
  const double cond = condition_number(mass);
  dynamics.mass(q, MatrixView<T>(M.data(), n, n));
  near("mass", M, {mass.data(), mass.data() + mass.size()}, mass.cwiseAbs().maxCoeff());
  // C v is what coasting takes more than resting; the other laws of C are the templates', with which the kernels are compared.
  std::vector<T> C(n * n);
  dynamics.coriolis(q, v, MatrixView<T>(C.data(), n, n));
  std::vector<double> product(n, 0.0), rates;
  for (std::size_t k = 0; k < n * n; ++k) product[k % n] += static_cast<double>(C[k]) * static_cast<double>(v[k / n]);
  for (std::size_t k = 0; k < n; ++k) rates.push_back(static_cast<double>((coasting.torques() - resting.torques())[static_cast<Eigen::Index>(k)]));
  near("coriolis", as<T>(product), rates, coasting.torque_size(), 2);
  // Y times the bodies' parameters are torques, but for rotors; columns one by one are the templates', with which the kernels are compared.
  const Plan own = make_plan(model, {.lumping = Lumping::none});
  const std::size_t columns = kBodyParameters * own.sizes().bodies;
  std::vector<T> Y(n * columns);
  std::vector<double> pi(columns), torque(n, 0.0), size(n, 0.0);
  dynamics.regressor(q, v, a, MatrixView<T>(Y.data(), n, columns));
  for (std::size_t i = 0; i < own.sizes().bodies; ++i) kernel::parameters(own, i, pi.data() + kBodyParameters * i);
  for (std::size_t k = 0; k < Y.size(); ++k)
    torque[k % n] += static_cast<double>(Y[k]) * pi[k / n], size[k % n] += std::fabs(static_cast<double>(Y[k]) * pi[k / n]);
  near("regressor", as<T>(torque), doubles(Oracle(model, widened(q), widened(v), widened(a), {.rotor = false}).torques()),
       *std::max_element(size.begin(), size.end()), 2);
  if (cond * tolerance<T>(steps(model)) > 0.1) return;  // not a digit of an acceleration would be right
  const std::vector<T> tau = as<T>(doubles(oracle.torques()));
  dynamics.forward(q, v, tau, x);
  const Eigen::MatrixXd inverse = inverted(mass);
  const double pull = oracle.torque_size() * inverse.cwiseAbs().rowwise().sum().maxCoeff();
  near("forward", x, widened(a), std::max(pull, 1.0), cond);
  dynamics.mass_inverse(q, MatrixView<T>(M.data(), n, n));
  near("mass_inverse", M, {inverse.data(), inverse.data() + inverse.size()}, inverse.cwiseAbs().maxCoeff(), cond);
}

template <class T>
class DynamicsTest : public ::testing::Test {};
using Reals = ::testing::Types<double, float>;
TYPED_TEST_SUITE(DynamicsTest, Reals);

TYPED_TEST(DynamicsTest, OfEveryBuiltInRobotAgreesWithTheOracle) {
  for (const std::string& name : builtin_ids()) {
    const Model model = load(name);
    for (const InstructionSet set : available_sets()) {
      SCOPED_TRACE(::testing::Message() << name << " " << to_string(set));
      const DynamicsOf<TypeParam> dynamics(
          model, {.quantities = model.nv() < 20 ? and_also({Quantity::mass_inverse, Quantity::coriolis, Quantity::regressor}) : and_also({}), .most = set});
      EXPECT_EQ(dynamics.instruction_set(), set);
      for (const Quantity task : {Quantity::inverse, Quantity::forward, Quantity::mass, Quantity::bias, Quantity::gravity})
        EXPECT_TRUE(dynamics.compiled(task)) << to_string(task);
      Random random(5);
      for (int k = 0; k < 3; ++k) compare(model, dynamics, random_state(model, random));
    }
  }
}

TYPED_TEST(DynamicsTest, OfRandomRobotsAgreesWithTheOracle) {
  for (std::uint64_t seed = 1; seed <= so_many(20u, 60u); ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    const Model model = random_model(seed, {.most = seed % 10 == 0 ? 60 : 12, .mimic = seed % 3 == 0});
    Random random(seed);
    const std::vector<InstructionSet> sets = available_sets();
    const InstructionSet set = sets[seed % sets.size()];
    const DynamicsOf<TypeParam> dynamics(
        model, {.rotor = seed % 4 != 0, .quantities = and_also({Quantity::mass_inverse, Quantity::coriolis, Quantity::regressor}), .most = set});
    EXPECT_TRUE(dynamics.compiled(Quantity::mass_inverse) && dynamics.compiled(Quantity::coriolis));
    compare(model, dynamics, random_state(model, random), seed % 4 != 0);
  }
}

/// The same state many turns away: what the joints' sines are there, extended precision knows.
State far(const Model& model, State s, Random& random) {
  for (std::size_t k = 0; k < s.q.size(); ++k)
    if (model.joints()[model.independent()[k]].type != JointType::prismatic) s.q[k] = random.uniform(-1e6, 1e6);
  return s;
}

// Frames that the search turns add an angle to the joint's, which must not be rounded at the size of a large angle.
TYPED_TEST(DynamicsTest, FarFromZeroAgreesWithTheOracle) {
  std::vector<Model> models;
  for (const char* name : {"panda", "ur5", "stanford", "scara", "torso"}) models.push_back(load(name));
  for (std::uint64_t seed = 1; seed <= 12; ++seed) models.push_back(random_model(seed, {.most = 8}));
  for (const Model& model : models) {
    for (const InstructionSet set : all_ways()) {
      SCOPED_TRACE(::testing::Message() << model.name() << " " << to_string(set));
      const DynamicsOf<TypeParam> dynamics(
          model, {.quantities = model.nv() < 10 ? and_also({Quantity::mass_inverse, Quantity::coriolis, Quantity::regressor}) : and_also({}), .most = set});
      Random random(7);
      for (int k = 0; k < 2; ++k) compare(model, dynamics, far(model, random_state(model, random), random));
    }
  }
}

// One turned frame, in closed form: tau = m g (x cos q - y sin q) for a mass centre (x, y) of a link that turns about a horizontal axis.
TYPED_TEST(DynamicsTest, OfATurnedFrameKeepsItsDigitsFarFromZero) {
  using T = TypeParam;
  Description d;
  d.name = "turned";
  d.links = {frame("base"), body("link", 1, {0.1, 0.2, 0}, {0.01, 0.02, 0.02, 0, 0, 0})};
  d.joints.push_back(joint("hinge", JointType::continuous, "base", "link", {0, 0, 1}, {0, 0, 0}));
  d.joints.back().joint.X_PF.R = rotation_rpy(1.5707963267948966, 0, 0);
  const Model model = build(d);
  for (const InstructionSet set : all_ways()) {
    const DynamicsOf<T> dynamics(model, {.most = set});
    for (const T q : {T(0.4), T(-3), T(1e3), T(-1e4), T(1e5), T(1e6), T(-1.6e6)}) {
      const long double angle = q;
      const double expected = static_cast<double>(9.81L * (0.1L * cosl(angle) - 0.2L * sinl(angle)));
      const std::vector<T> at{q}, still{T(0)};
      std::vector<T> tau(1);
      dynamics.inverse(at, still, still, tau);
      EXPECT_NEAR(static_cast<double>(tau[0]), expected, 2.2 * 8 * static_cast<double>(std::numeric_limits<T>::epsilon())) << q << " " << to_string(set);
      dynamics.gravity(at, tau);
      EXPECT_NEAR(static_cast<double>(tau[0]), expected, 2.2 * 8 * static_cast<double>(std::numeric_limits<T>::epsilon())) << q << " " << to_string(set);
    }
  }
}

// A coupled joint's offset is an angle of the same kind, also for the templates.
TYPED_TEST(DynamicsTest, OfACoupledJointKeepsItsDigitsFarFromZero) {
  Description d;
  d.name = "coupled";
  d.links = {frame("base"), body("upper", 2, {0.1, 0.2, 0.05}, {0.03, 0.02, 0.04, 0, 0, 0}), body("lower", 1, {0.2, -0.1, 0}, {0.01, 0.02, 0.02, 0, 0, 0})};
  d.joints.push_back(joint("shoulder", JointType::continuous, "base", "upper", {0, 1, 0}, {0, 0, 0.3}));
  d.joints.push_back(joint("elbow", JointType::continuous, "upper", "lower", {0, 1, 0}, {0.5, 0, 0}));
  // Twice a number is exact, and so is, in the oracle's 64 bits, the sum with an offset of 42 bits behind the point; in 53 it is not.
  d.joints.back().joint.mimic = Mimic{kNone, -2, std::ldexp(std::round(std::ldexp(0.7, 42)), -42)};
  d.joints.back().leader = "shoulder";
  const Model model = build(d);
  for (const InstructionSet set : all_ways()) {
    SCOPED_TRACE(to_string(set));
    const DynamicsOf<TypeParam> dynamics(model, {.quantities = and_also({Quantity::mass_inverse, Quantity::coriolis, Quantity::regressor}), .most = set});
    Random random(9);
    for (int k = 0; k < 5; ++k) {
      State s = random_state(model, random);
      s.q[0] = random.uniform(-8e5, 8e5);
      compare(model, dynamics, s);
    }
  }
}

TEST(Dynamics, WithoutMachineCodeGivesTheSame) {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    const Model model = random_model(seed, {.most = 15, .mimic = seed % 2 == 0});
    const Dynamics dynamics(model, {.most = InstructionSet::none});
    EXPECT_EQ(dynamics.instruction_set(), InstructionSet::none);
    EXPECT_FALSE(dynamics.compiled(Quantity::inverse));
    EXPECT_TRUE(dynamics.kernels().empty());
    Random random(seed);
    compare(model, dynamics, random_state(model, random));
  }
}

TEST(Dynamics, EnvironmentTurnsMachineCodeOff) {
  const Model model = load("stanford");
  ASSERT_FALSE(available_sets().empty());
  const InstructionSet narrowest = available_sets().front(), widest = available_sets().back();  // before the environment says otherwise
  for (const auto& [text, expected] : {std::pair{"off", InstructionSet::none}, std::pair{"sse2", narrowest}, std::pair{"neon", narrowest}}) {
    ASSERT_EQ(setenv("ULNA_JIT", text, 1), 0);
    EXPECT_EQ(Dynamics(model).instruction_set(), expected);
  }
  unsetenv("ULNA_JIT");
  EXPECT_EQ(Dynamics(model).instruction_set(), widest);
}

// SSE2 and NEON, whose registers are equally wide, stand for each other.
TEST(Dynamics, CompilesFiveQuantitiesWithoutAnOption) {
  if (best_instruction_set() == InstructionSet::none) GTEST_SKIP() << "no machine code here";
  for (const char* robot : {"panda", "torso", "humanoid-38"}) {
    const Dynamics dynamics(load(robot));
    for (const Quantity quantity : {Quantity::inverse, Quantity::forward, Quantity::mass, Quantity::bias, Quantity::gravity})
      EXPECT_TRUE(dynamics.compiled(quantity)) << robot << " " << to_string(quantity);
    for (const Quantity quantity :
         {Quantity::coriolis, Quantity::mass_inverse, Quantity::regressor, Quantity::inverse_derivatives, Quantity::forward_derivatives})
      EXPECT_FALSE(dynamics.compiled(quantity)) << robot << " " << to_string(quantity);
  }
}

TEST(Dynamics, TakesTheWidestThatIsAllowed) {
  const Model model = load("stanford");
  const auto made = [&](InstructionSet most) { return Dynamics(model, {.most = most}).instruction_set(); };
  EXPECT_EQ(made(InstructionSet::none), InstructionSet::none);
  EXPECT_EQ(made(InstructionSet::avx512), best_instruction_set());
#if defined(__aarch64__)
  for (const InstructionSet most : {InstructionSet::sse2, InstructionSet::avx2, InstructionSet::neon}) EXPECT_EQ(made(most), InstructionSet::neon);
#elif defined(__x86_64__)
  EXPECT_EQ(made(InstructionSet::sse2), InstructionSet::sse2);
  EXPECT_EQ(made(InstructionSet::neon), InstructionSet::sse2);
  EXPECT_EQ(made(InstructionSet::avx2), std::min(best_instruction_set(), InstructionSet::avx2));
#endif
}

TEST(Dynamics, FrictionAndRotorsAreThoseOfTheTemplates) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    SCOPED_TRACE(seed);
    const Model model = random_model(seed, {.most = 10, .mimic = seed % 2 == 0, .friction = true});
    const std::size_t n = model.nv();
    const Plan plan = make_plan(model);
    Random random(seed);
    State s = random_state(model, random);
    s.v[0] = 0;  // sign(0) = 0
    for (const bool friction : {false, true}) {
      const Dynamics dynamics(model, {.friction = friction, .threads = 1});
      Effects effects;
      effects.friction = friction;
      const std::vector<double> expected = inverse_of(plan, s, effects);
      std::vector<double> x(n), y(n);
      dynamics.inverse(s.q, s.v, s.a, x);
      EXPECT_LE(relative_error(x, expected), 1e-12);
      dynamics.inverse_batch(MatrixView<const double>(s.q.data(), n, 1), MatrixView<const double>(s.v.data(), n, 1), MatrixView<const double>(s.a.data(), n, 1),
                             MatrixView<double>(y.data(), n, 1));
      EXPECT_EQ(x, y);
      Workspace ws(plan);
      bias_forces(plan, ws, s.q, s.v, y, effects);
      dynamics.bias(s.q, s.v, x);
      EXPECT_LE(relative_error(x, y), 1e-12);
      const double cond = condition_number(mass_of(plan, s.q));
      dynamics.forward(s.q, s.v, expected, x);
      EXPECT_LE(relative_error(x, s.a), 1e-12 * cond);
      dynamics.forward_batch(MatrixView<const double>(s.q.data(), n, 1), MatrixView<const double>(s.v.data(), n, 1),
                             MatrixView<const double>(expected.data(), n, 1), MatrixView<double>(y.data(), n, 1));
      EXPECT_EQ(x, y);
    }
  }
}

TEST(Dynamics, PosesAndJacobiansAreThoseOfTheOracle) {
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    SCOPED_TRACE(seed);
    const Model model = random_model(seed, {.most = 14, .mimic = seed % 2 == 0});
    const std::size_t n = model.nv(), links = model.links().size();
    const Dynamics dynamics(model, {.links = {model.links().back().name}});
    EXPECT_TRUE(dynamics.compiled(Quantity::pose, static_cast<int>(links) - 1));
    EXPECT_FALSE(dynamics.compiled(Quantity::pose, 0));
    EXPECT_FALSE(dynamics.compiled(Quantity::jacobian, 99999));
    Random random(seed);
    const State s = random_state(model, random);
    const Oracle oracle(model, s.q, s.v, s.a);
    for (const std::size_t link : {links - 1, links / 2}) {  // compiled, and not
      const OracleLink& exact = oracle.link(link);
      const Pose<double> X = dynamics.pose(s.q, link);
      std::vector<double> batch(12);
      dynamics.compute_batch(Quantity::pose, {MatrixView<const double>(s.q.data(), n, 1)}, MatrixView<double>(batch.data(), 12, 1), link);
      const std::vector<double> got{X.R.xx, X.R.xy, X.R.xz, X.R.yx, X.R.yy, X.R.yz, X.R.zx, X.R.zy, X.R.zz, X.p.x, X.p.y, X.p.z};
      EXPECT_LE(relative_error(got, batch), 1e-14);
      for (int row = 0; row < 3; ++row) {
        for (int column = 0; column < 3; ++column) EXPECT_NEAR(got[3 * row + column], static_cast<double>(exact.R_WL(row, column)), 1e-13);
        EXPECT_NEAR(got[9 + row], static_cast<double>(exact.p_WL(row)), 1e-12);
      }
      Eigen::MatrixXd J(6, model.nv());
      dynamics.jacobian(s.q, link, J);
      EXPECT_LE((J - doubles(oracle.jacobian(link))).cwiseAbs().maxCoeff(), 1e-12);
      Eigen::MatrixXd Jb(6 * model.nv(), 1);
      dynamics.compute_batch(Quantity::jacobian, {MatrixView<const double>(s.q.data(), n, 1)}, Jb, link);
      EXPECT_LE((J - Jb.reshaped(6, model.nv())).cwiseAbs().maxCoeff(), 1e-13);
    }
  }
}

TEST(Dynamics, CountsOfItsProgramsAreNearTheBestKnown) {
  // The best of each quantity by its own search (docs/count.md); here one search serves all, and rotors are off as there.
  const struct {
    const char* robot;
    Quantity task;
    long mul, add;
  } best[] = {{"panda", Quantity::inverse, 264, 259},
              {"panda", Quantity::mass, 155, 161},
              {"panda", Quantity::forward, 541, 510},
              {"stanford", Quantity::inverse, 110, 86}};
  for (const auto& known : best) {
    const Dynamics dynamics(load(known.robot), {.rotor = false});
    for (const KernelReport& kernel : dynamics.kernels()) {
      if (kernel.quantity != known.task) continue;
      EXPECT_LE(static_cast<double>(kernel.counts.mul), 1.03 * static_cast<double>(known.mul)) << known.robot << " " << to_string(known.task);
      EXPECT_LE(static_cast<double>(kernel.counts.add), 1.06 * static_cast<double>(known.add)) << known.robot << " " << to_string(known.task);
    }
  }
}

TEST(Dynamics, MemoryOfASevenJointArmIsBelowAMegabyte) {
  const Dynamics dynamics(load("panda"), {.quantities = and_also({Quantity::mass_inverse}), .links = {load("panda").links().back().name}});
  EXPECT_GT(dynamics.memory(), 10u * 1024);
  EXPECT_LT(dynamics.memory(), 1024u * 1024);
  EXPECT_EQ(dynamics.kernels().size(), 16u);  // eight tasks, each for one state and for a block
}

TEST(Dynamics, SizesAreCheckedAndBothNumbersTold) {
  const Dynamics dynamics(load("stanford"));
  std::vector<double> six(6), five(5), out(6);
  const auto message = [](auto f) -> std::string {
    try {
      f();
    } catch (const std::invalid_argument& e) {
      return e.what();
    }
    return "nothing thrown";
  };
  EXPECT_EQ(message([&] { dynamics.inverse(six, five, six, out); }), "v has 5 entries, but robot 'stanford' has 6 joints that move");
  EXPECT_EQ(message([&] { dynamics.forward(six, six, six, five); }), "a has 5 entries, but robot 'stanford' has 6 joints that move");
  EXPECT_NE(message([&] { dynamics.inverse(six, six, out, out); }).find("tau and a share memory"), std::string::npos);
  Eigen::MatrixXd M(6, 5);
  EXPECT_EQ(message([&] { dynamics.mass(six, M); }), "M is 6 x 5, but must be 6 x 6 for robot 'stanford'");
  Eigen::MatrixXd big(9, 6);
  EXPECT_NE(message([&] { dynamics.mass(six, big.topRows(6)); }).find("9 numbers from column to column"), std::string::npos);
  EXPECT_NE(message([&] { dynamics.pose(six, 99); }).find("link index 99 is out of range"), std::string::npos);
  Eigen::MatrixXd q(6, 3), v(6, 4), tau(6, 3);
  EXPECT_EQ(message([&] { dynamics.inverse_batch(q, v, q, tau); }), "v has 4 columns, but q has 3: one per state");
  EXPECT_NE(message([&] { dynamics.mass_batch(q, tau); }).find("M has 6 rows, but must have 36"), std::string::npos);
  EXPECT_NE(message([&] { Dynamics(load("stanford"), {.links = {"hnd"}}); }).find("has no link 'hnd'"), std::string::npos);
  EXPECT_NE(message([&] { Dynamics(load("stanford"), {.threads = 1025}); }).find("1025"), std::string::npos);
}

}  // namespace
}  // namespace ulna::test
