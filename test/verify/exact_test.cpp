// Identities modulo a prime: all hold of every robot, and what is wrong is refused.
#include <gtest/gtest.h>

#include <cmath>
#include <ctime>
#include <set>

#include <ulna/ulna.hpp>
#include <ulna/verify/verify.hpp>

#include "scalar/dual.hpp"
#include "support/builtin.hpp"
#include "support/random_model.hpp"
#include "support/soak.hpp"
#include "verify/exact.hpp"
#include "verify/exact_program.hpp"
#include "verify/exact_robot.hpp"

namespace ulna::test {
namespace {

using namespace internal;

void expect_theorems(const Model& model, const ExactOptions& options = {}) {
  const std::vector<ExactCheck> checks = verify_exact(model, options);
  EXPECT_FALSE(checks.empty());
  for (const ExactCheck& check : checks) EXPECT_TRUE(check.holds) << model.name() << ": " << check.name;
}

// --- the field -------------------------------------------------------------------------------------------------------------------------------------

TEST(Exact, ResiduesAreAField) {
  // 2^61 = 1, 3^-1 = (2^61 + 1) / 3 (2^61 = 2 modulo 3), and Wilson's neighbours -1 and p - 1.
  EXPECT_EQ(Residue(std::int64_t{1} << 60) * Residue(2), Residue(1));
  EXPECT_EQ(Residue(3).inverse(), Residue(((std::int64_t{1} << 61) - 1) / 3 * 2 + 1));
  EXPECT_EQ(Residue(-1), Residue(static_cast<std::int64_t>(Residue::kPrime) - 1));
  EXPECT_EQ(Residue(-7) * Residue(-7), Residue(49));
  EXPECT_EQ((Residue(-7) + Residue(7)).bits(), 0u);
  EXPECT_EQ((-Residue(0)).bits(), 0u);
  EXPECT_THROW(Residue(0).inverse(), std::domain_error);
  RandomResidues random(1);
  for (int k = 0; k < 1000; ++k) {
    const Residue a = random(), b = random(), c = random();
    EXPECT_EQ(a * (b + c), a * b + a * c);
    EXPECT_EQ(a * a.inverse(), Residue(1));
    EXPECT_EQ((a - b) + b, a);
  }
}

TEST(Exact, DecimalsAreFractions) {
  EXPECT_EQ(residue_of(0.1) * Residue(10), Residue(1));
  EXPECT_EQ(residue_of(-0.375) * Residue(8), Residue(-3));
  EXPECT_EQ(residue_of(0.1) + residue_of(0.2), residue_of(0.3));  // which doubles do not have
  EXPECT_EQ(residue_of(6.02e23), Residue(602) * Residue(10).power(21));
  EXPECT_EQ(residue_of(1.5e-7) * Residue(10).power(8), Residue(15));
}

TEST(Exact, AnglesObeyTheAdditionTheorem) {
  for (const double a : {0.3, -1.2, 2.9, 0.78539816339744831})
    for (const double b : {0.4, 1.5707963267948966, -3.1415926535897931}) {
      const SinCos<Exact> x = sincos(exact_angle(a)), y = sincos(exact_angle(b)), sum = sincos(exact_angle(a) + exact_angle(b));
      EXPECT_EQ(sum.sin, x.sin * y.cos + x.cos * y.sin);
      EXPECT_EQ(sum.cos, x.cos * y.cos - x.sin * y.sin);
      EXPECT_EQ(sum.sin * sum.sin + sum.cos * sum.cos, Exact(1));
    }
  EXPECT_EQ(sincos(exact_angle(std::acos(-1) / 2)).sin, Exact(1));
  EXPECT_EQ(sincos(exact_angle(std::acos(-1))).cos, Exact(-1));
  EXPECT_EQ(sincos(exact_angle(std::acos(-1) / 4)).sin * sincos(exact_angle(std::acos(-1) / 4)).sin, Exact(0.5));
  EXPECT_EQ(sincos(exact_angle(0.3)).sin, sincos(exact_angle(std::acos(-1) / 2 - 0.3)).cos);  // complementary angles stay so
  // A follower that turns by 2.5 of its leader, which is 2 parts: 5 parts.
  const CirclePoint part = CirclePoint::of_half_tangent(Residue(12345));
  const Exact q = Exact::coordinate(Residue(1), part, 2);
  EXPECT_EQ(sincos(Exact(2.5) * q).sin, Exact(part.times(5).s));
  EXPECT_EQ(sincos(q).cos, Exact(part.times(2).c));
  EXPECT_EQ(sincos(exact_angle(2) * q).cos, sincos(Exact(2) * q).cos);  // an offset and a multiplier may be one number
  EXPECT_EQ(sincos(q * exact_angle(0.5)).sin, Exact(part.s));
  EXPECT_THROW((void)sincos(Exact::variable(Residue(3))), std::domain_error);
}

TEST(Exact, RotationsAreOrthogonalWithTheZerosThatTheyHad) {
  const auto expect = [](const Mat3<double>& R) {
    const Mat3<Exact> X = exact_rotation(R), square = X * X.transposed();
    EXPECT_EQ(square, Mat3<Exact>::identity());
    const double from[] = {R.xx, R.xy, R.xz, R.yx, R.yy, R.yz, R.zx, R.zy, R.zz};
    const Exact to[] = {X.xx, X.xy, X.xz, X.yx, X.yy, X.yz, X.zx, X.zy, X.zz};
    for (int k = 0; k < 9; ++k) EXPECT_EQ(from[k] == 0, to[k] == Exact(0)) << k;
    EXPECT_EQ(dot(X.column_z(), cross(Vec3<Exact>{X.xx, X.yx, X.zx}, Vec3<Exact>{X.xy, X.yy, X.zy})), Exact(1));  // right-handed
  };
  const Mat3<double> quarter{0, -1, 0, 1, 0, 0, 0, 0, 1};
  for (const double a : {0.3, -2.2, 1.5707963}) {  // the sine of the last is rounded to one
    expect(rotation_x(a)), expect(rotation_y(a)), expect(rotation_z(a)), expect(quarter * rotation_x(a)), expect(rotation_z(a) * rotation_x(0.7));
    expect(rotation_x(a) * quarter * rotation_y(1.9)), expect(rotation_rpy(a, 0.4, 1.1));
  }
  expect(quarter);
}

/// A polynomial of degree d has at most d zeros: the bound is that of the product's factors.
TEST(Exact, DegreesAreThoseOfProductsAndSums) {
  const Exact x = Exact::variable(Residue(5)), y = Exact::variable(Residue(7)), two(2);
  EXPECT_EQ((x * y + x * x * two + y).degree(), 2);
  EXPECT_EQ((x / y).degree(), 2);          // numerator and denominator
  EXPECT_EQ((x / y + x / y).degree(), 2);  // which they have in common
  EXPECT_EQ((x / y + Exact(1)).degree(), 2);
  const Exact z = Exact::variable(Residue(11)), one(1);
  EXPECT_EQ((one / y + one / z).degree(), 3);              // (y + z) / (y z)
  EXPECT_EQ((one / (y * z) + one / y).degree(), 5);        // y z is a number of its own: (y + y z) / (y y z)
  EXPECT_EQ((one / y * (one / z) + one / y).degree(), 3);  // (1 + z) / (y z)
  EXPECT_EQ((x / (one / y)).degree(), 2);                  // x y
  EXPECT_EQ(((x / y) / (z / y)).degree(), 2);              // x / z
  EXPECT_EQ((one / y - x / -y).degree(), 2);
  // Pivots of an elimination: those of a matrix of variables are quotients whose denominators all later ones have.
  Exact pivot = x, sum(0);
  for (int k = 0; k < 20; ++k) pivot = Exact::variable(Residue(k + 20)) - y * y / pivot, sum = sum + one / pivot;
  EXPECT_LT(sum.degree(), 2000);
  const CirclePoint part = CirclePoint::of_half_tangent(Residue(3));
  const SinCos<Exact> s = sincos(Exact::coordinate(Residue(2), part));
  EXPECT_EQ((s.sin * s.cos * x).degree(), 3);
}

TEST(Exact, ChanceFollowsFromTheDegree) {
  // A planar arm of two joints: torques have s and c once or twice, and squares of rates.
  for (const ExactCheck& check : verify_exact(load("planar-2r"), {.certainty = 1, .programs = false})) {
    EXPECT_EQ(check.trials, 1u);
    EXPECT_GE(check.probability, 2 / std::pow(2, 61));
    EXPECT_LE(check.probability, std::pow(2, -50)) << check.name;
  }
}

// --- what holds ------------------------------------------------------------------------------------------------------------------------------------

TEST(Exact, AllHoldOfEveryBuiltinRobot) {
  for (const BuiltinRobot& robot : builtin_robots()) expect_theorems(load(std::string(robot.id)));
}

TEST(Exact, AllHoldOnBasesThatMove) {
  for (const char* robot : {"servicer", "mini-cheetah", "five-bar"})
    for (const RootJoint base : {RootJoint::free, RootJoint::planar}) {
      LoadOptions options;
      options.base = base;
      expect_theorems(load(robot, options));
    }
}

/// A shoulder and a wrist that are ball joints, on every base; the law of Coriolis is not an empty one there.
TEST(Exact, AllHoldOfBallJoints) {
  RandomOptions options{.fewest = 3, .most = 4};
  options.balls = true;
  for (const RootJoint base : {RootJoint::fixed, RootJoint::planar, RootJoint::free}) {
    Model robot = random_model(1, options);
    for (std::uint64_t seed = 2; !robot.has_balls(); ++seed) robot = random_model(seed, options);
    std::set<std::string> names;
    for (const ExactCheck& check : verify_exact(with_base(robot, base))) {
      EXPECT_TRUE(check.holds) << check.name;
      names.insert(check.name);
    }
    for (const char* name : {"C v = bias - gravity", "derivatives of the torque", "forward(inverse(a)) = a, articulated bodies", "program: torque"})
      EXPECT_TRUE(names.contains(name)) << name;
  }
}

TEST(Exact, EveryFormulationIsDecided) {
  std::set<std::string> names, wanted;
  for (const char* robot : {"stanford", "planar-2r"})
    for (const ExactCheck& check : verify_exact(load(robot), {.programs = false})) names.insert(check.name);
  for (const Formulation& row : formulations())
    if (!row.production)
      for (const Quantity quantity : row.quantities) wanted.insert(std::string(row.id) + ": " + std::string(result_name(quantity)));
  for (const std::string& name : wanted) EXPECT_TRUE(names.contains(name)) << name;
}

TEST(Exact, AllHoldOfRandomRobots) {
  const int robots = so_many(8, 10'000);
  for (int seed = 1; seed <= robots; ++seed) {
    SCOPED_TRACE(seed);
    RandomOptions options{.most = seed % 16 == 0 ? 12 : 6};
    options.mimic = seed % 3 == 0;
    options.branches = seed % 2 == 0;
    options.balls = seed % 5 == 4;
    const RootJoint base = seed % 4 == 1 ? RootJoint::free : seed % 8 == 3 ? RootJoint::planar : RootJoint::fixed;
    expect_theorems(with_base(random_model(static_cast<std::uint64_t>(seed), options), base), {.seed = static_cast<std::uint64_t>(seed)});
  }
}

// --- what is refused -------------------------------------------------------------------------------------------------------------------------------

struct Mutants {
  std::size_t refused = 0, same = 0;
};

/// The program with the opposite of value `of` in place of operand `at` (0 to 2) of instruction i: behind its numbers stands -1, before the instruction the
/// product.
Program with_sign(const Program& program, std::size_t i, int at) {
  Program to = program;
  const auto minus = static_cast<std::uint32_t>(program.first_instruction()), place = minus + 1 + static_cast<std::uint32_t>(i);
  to.constants.push_back(-1);
  const auto moved = [&](std::uint32_t value) { return value == kNoValue || value < minus ? value : value + 1 + (value + 1 >= place ? 1 : 0); };
  for (Instruction& step : to.instructions) step = {step.op, moved(step.a), moved(step.b), moved(step.c)};
  for (Output& result : to.results) result.value = moved(result.value);
  Instruction& changed = to.instructions[i];
  std::uint32_t& operand = at == 0 ? changed.a : at == 1 ? changed.b : changed.c;
  const Instruction product{Op::multiply, operand, minus, kNoValue};
  operand = place;
  to.instructions.insert(to.instructions.begin() + static_cast<std::ptrdiff_t>(i), product);
  if (i < program.precomputed) ++to.precomputed;
  return to;
}

/// Every change of one instruction: another operation, operands exchanged, another operand, or the sign of one; and the sign of every result.
template <class F>
void each_mutant(const Program& program, const F& f) {
  const auto change = [&](std::size_t i, const Instruction& by) {
    if (by == program.instructions[i]) return;
    Program mutant = program;
    mutant.instructions[i] = by;
    f(mutant, i);
  };
  for (std::size_t i = 0; i < program.instructions.size(); ++i) {
    const Instruction& step = program.instructions[i];
    const auto end = static_cast<std::uint32_t>(program.first_instruction() + i);
    for (const Op op : {Op::add, Op::subtract, Op::multiply, Op::sine, Op::cosine, Op::multiply_add, Op::multiply_subtract, Op::subtract_product}) {
      const auto operands = [](Op o) { return o >= Op::multiply_add ? 3 : o == Op::sine || o == Op::cosine ? 1 : 2; };
      if (operands(op) == operands(step.op)) change(i, {op, step.a, step.b, step.c});
    }
    if (step.b != kNoValue) change(i, {step.op, step.b, step.a, step.c});
    for (const int at : {0, 1, 2})
      if ((at == 0 ? step.a : at == 1 ? step.b : step.c) != kNoValue) f(with_sign(program, i, at), i);
    for (const std::uint32_t other : {end - 1, end / 2, std::uint32_t{0}}) {
      change(i, {step.op, other, step.b, step.c});
      if (step.b != kNoValue) change(i, {step.op, step.a, other, step.c});
      if (step.c != kNoValue) change(i, {step.op, step.a, step.b, other});
    }
  }
  for (std::size_t k = 0; k < program.results.size(); ++k) {
    Program mutant = program;
    mutant.results[k].negative = !mutant.results[k].negative;
    f(mutant, program.instructions.size());
  }
}

/// Numbers of a state in general position.
std::vector<double> numbers(const Program& program, double first) {
  std::vector<double> x;
  for (std::size_t k = 0; k < program.input_count(); ++k) x.push_back(std::sin(first + 2.3 * static_cast<double>(k)));
  return x;
}

std::vector<double> evaluated(const Program& program, std::span<const double> parameters, double first) {
  std::vector<double> out(program.results.size());
  Evaluation run(program, parameters);
  run(numbers(program, first), out);
  return out;
}

/// A change that is not refused must not change the numbers, which doubles show; guards overflow when they are changed.
void expect_same_numbers(const ExactPrograms::Case& of, const Program& mutant, std::size_t instruction) {
  for (const double first : {0.2, 1.7}) {
    const std::vector<double> right = evaluated(of.program, of.rounded, first), now = evaluated(mutant, of.rounded, first);
    double size = 1;
    for (const double x : right) size = std::fmax(size, std::fabs(x));
    for (std::size_t k = 0; k < right.size(); ++k) {
      if (std::isnan(now[k])) continue;
      ASSERT_NEAR(right[k], now[k], 1e-9 * size) << of.name << ", instruction " << instruction;
    }
  }
}

Mutants mutants_of(const char* robot) {
  ExactPrograms programs(load(robot), kSnap);
  Theorems theorems;
  Mutants count;
  programs.decide(theorems, 1, [&](const ExactPrograms::Case& of) {
    const bool all = soaks() || of.name == "program: torque" || of.name == "shortest program: torque" || of.name == "program: bias";
    if (!all) return;
    each_mutant(of.program, [&](const Program& mutant, std::size_t instruction) {
      bool refused = true;
      try {
        refused = ExactProgram(mutant, of.parameters, of.constant)(of.inputs) != of.wanted;
      } catch (const std::domain_error&) {  // the sine of what is no angle
      }
      ++(refused ? count.refused : count.same);
      if (!refused) expect_same_numbers(of, mutant, instruction);
    });
  });
  for (const ExactCheck& check : theorems.checks(1)) EXPECT_TRUE(check.holds) << check.name;
  return count;
}

TEST(Exact, EveryChangedOperationIsRefused) {
  for (const char* robot : {"panda", "ur5"}) {
    const Mutants count = mutants_of(robot);
    EXPECT_GT(count.refused, 10'000u);
    EXPECT_LT(count.same, count.refused / 4) << robot;  // sums and products whose operands were exchanged, and guards
    std::printf("%s: %zu changes refused, %zu are the same equations\n", robot, count.refused, count.same);
  }
}

}  // namespace
}  // namespace ulna::test
