// Limbs that are alike, side by side: the same numbers with fewer instructions, whatever the limbs are, and whatever is said to be alike.
#include "jit/twins.hpp"

#include <algorithm>
#include <limits>

#include <ulna/robot/dynamics.hpp>
#include <ulna/source/load.hpp>

#include "jit/machine_code.hpp"
#include "jit/order.hpp"
#include "jit/random_program.hpp"
#include "robot/programs.hpp"
#include "support/compiled.hpp"
#include "support/imagined_processor.hpp"
#include "trace/searches.hpp"

namespace ulna::test {
namespace {

constexpr double kAlways = std::numeric_limits<double>::infinity();

/// A trunk, two limbs of the same instructions with other constants and, here and there, other signs and operands in another order, and sums of both.
struct Mirrored {
  Program program;
  std::vector<jit::InputPair> alike;
  std::size_t limb = 0;  // instructions of one limb
};

Mirrored mirrored(std::uint64_t seed, bool with_fused, double asymmetry) {
  Random random(seed);
  Mirrored made;
  Program& program = made.program;
  constexpr std::uint32_t kJoints = 9, kTrunk = 3, kConstants = 40;  // of each signal: trunk, then the joints of the first limb, then those of the second
  constexpr std::uint32_t kLimb = (kJoints - kTrunk) / 2;
  program.inputs = {{"q", kJoints}, {"v", kJoints}, {"a", kJoints}};
  for (std::uint32_t k = 0; k < kConstants; ++k) program.constants.push_back(random.uniform(0.5, 2));
  for (std::uint32_t signal = 0; signal < 3; ++signal)
    for (std::uint32_t k = 0; k < kLimb; ++k) made.alike.emplace_back(signal * kJoints + kTrunk + k, signal * kJoints + kTrunk + kLimb + k);
  const auto add = [&](Op op, std::uint32_t a, std::uint32_t b = kNoValue, std::uint32_t c = kNoValue) {
    program.instructions.push_back({op, a, b, c});
    program.names.emplace_back();
    return static_cast<std::uint32_t>(program.value_count() - 1);
  };
  const auto integer = [&](std::size_t below) { return static_cast<std::uint32_t>(random.integer(0, static_cast<int>(below) - 1)); };
  const auto constant = [&] { return 3 * kJoints + integer(kConstants); };
  const std::vector<Op> ops =
      with_fused ? std::vector{Op::add, Op::subtract, Op::multiply, Op::multiply, Op::divide, Op::multiply_add, Op::multiply_subtract, Op::subtract_product}
                 : std::vector{Op::add, Op::subtract, Op::multiply, Op::multiply, Op::divide};
  std::vector<std::uint32_t> trunk;
  for (std::uint32_t k = 0; k < kTrunk; ++k) trunk.push_back(k), trunk.push_back(kJoints + k), trunk.push_back(2 * kJoints + k);
  for (std::uint32_t k = 0; k < kTrunk; ++k) trunk.push_back(add(Op::sine, k)), trunk.push_back(add(Op::cosine, k));
  const auto any = [&](const std::vector<std::uint32_t>& from) { return from[integer(from.size())]; };
  for (int k = 0; k < 20; ++k) trunk.push_back(add(ops[integer(4)], any(trunk), random.chance(0.3) ? constant() : any(trunk)));

  // Both limbs one instruction after the other; which comes first is left to chance.
  std::vector<std::array<std::uint32_t, 2>> limbs;
  for (const auto& [v, w] : made.alike) limbs.push_back({v, w});
  for (std::uint32_t k = 0; k < kLimb; ++k)
    for (const Op op : {Op::sine, Op::cosine}) {
      const std::uint32_t left = add(op, made.alike[k].first), right = add(op, made.alike[k].second);
      limbs.push_back({left, right});
    }
  const std::size_t before = program.instructions.size();
  for (int k = 0; k < 120; ++k) {
    const auto operand = [&]() -> std::array<std::uint32_t, 2> {
      const double what = random.uniform(0, 1);
      if (what < 0.15) return {constant(), constant()};
      if (what < 0.3) {
        const std::uint32_t shared = any(trunk);
        return {shared, shared};
      }
      return limbs[limbs.size() - 1 - std::min<std::size_t>(limbs.size() - 1, integer(random.chance(0.7) ? 12 : limbs.size()))];
    };
    const Op op = ops[integer(ops.size())];
    const auto a = limbs[integer(limbs.size())], b = operand(), c = operand();
    const bool has_third = op >= Op::multiply_add;
    const auto of = [&](std::size_t side) {
      Op own = op;
      std::uint32_t x = a[side], y = b[side];
      if (side == 1 && random.chance(asymmetry)) {
        if (op != Op::divide && op != Op::subtract) std::swap(x, y);
        if (op == Op::add || op == Op::subtract) own = op == Op::add ? Op::subtract : Op::add;
        if (has_third) own = random.chance(0.5) ? Op::multiply_subtract : Op::multiply_add;
      }
      return add(own, x, y, has_third ? c[side] : kNoValue);
    };
    const bool right_first = random.chance(0.5);
    std::array<std::uint32_t, 2> both;
    both[right_first ? 1 : 0] = of(right_first ? 1 : 0);
    both[right_first ? 0 : 1] = of(right_first ? 0 : 1);
    limbs.push_back(both);
  }
  made.limb = (program.instructions.size() - before) / 2;
  for (int k = 0; k < 15; ++k) {
    const auto both = limbs[limbs.size() - 1 - integer(30)];
    trunk.push_back(add(random.chance(0.5) ? Op::add : Op::subtract, both[0], both[1]));
    trunk.push_back(add(Op::multiply, any(trunk), random.chance(0.5) ? both[1] : both[0]));
  }
  const auto result = [&](std::uint32_t value) { program.results.push_back({value, random.chance(0.4)}); };
  for (std::size_t k = limbs.size() - 40; k < limbs.size(); ++k) result(limbs[k][0]), result(limbs[k][1]);
  for (std::size_t k = trunk.size() - 30; k < trunk.size(); ++k) result(trunk[k]);
  result(limbs[0][1]), result(limbs[20][1]), result(3 * kJoints);  // an input, a sine, a constant
  program.outputs = {{"y", program.results.size()}};
  return made;
}

std::vector<double> inputs_of(Random& random, const Program& program) { return random.numbers(program.input_count(), 0.5, 2); }

void expect_same(const std::vector<double>& got, const std::vector<double>& expected) {
  ASSERT_EQ(got.size(), expected.size());
  for (std::size_t k = 0; k < got.size(); ++k) ASSERT_TRUE(same(got[k], expected[k])) << "result " << k << ": " << got[k] << " for " << expected[k];
}

TEST(Twins, OfMirroredLimbsAreFoundAndChangeNoResult) {
  double found = 0, all = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const double asymmetry = seed % 4 == 0 ? 0 : seed % 4 == 1 ? 0.05 : 0.3;
    const Mirrored given = mirrored(seed, seed % 2 == 0, asymmetry);
    const jit::Tape plain = jit::tape_of(given.program), pairs = jit::paired(given.program, given.alike, kAlways);
    if (asymmetry == 0) {
      found += static_cast<double>(jit::twins_of(given.program, given.alike).count), all += static_cast<double>(given.limb);
      EXPECT_LT(pairs.instructions.size(), plain.instructions.size());
    }
    const std::vector<double> inputs = inputs_of(random, given.program), expected = evaluated(given.program, inputs);
    for (const jit::Tape& tape : {pairs, jit::ordered(pairs)})
      for (const int registers : {4, 6, 15, 31})
        expect_same(ImaginedProcessor(given.program, tape, registers, inputs).run(jit::allocate(tape, {.count = registers})), expected);
  }
  EXPECT_GT(found, 0.8 * all);  // what is in no result has no twin
}

TEST(Twins, OfMirroredLimbsAreMachineCode) {
  for (const InstructionSet set : {InstructionSet::avx2, InstructionSet::avx512}) {
    if (set != best_instruction_set(set)) continue;
    std::size_t shorter = 0, symmetric = 0;
    for (std::uint64_t seed = 1; seed <= 100; ++seed) {
      SCOPED_TRACE(::testing::Message() << to_string(set) << " seed " << seed);
      Random random(seed);
      const double asymmetry = seed % 3 == 0 ? 0.1 : 0;
      const Mirrored given = mirrored(seed, seed % 2 == 0, asymmetry);
      const MachineCode<double> plain(given.program, set, false), pairs(given.program, set, false, {}, given.alike);
      ASSERT_TRUE(pairs.ok());
      symmetric += asymmetry == 0 ? 1 : 0;
      shorter += asymmetry == 0 && pairs.encoded().instructions < plain.encoded().instructions ? 1 : 0;
      for (int k = 0; k < 3; ++k) {
        const std::vector<double> inputs = inputs_of(random, given.program);
        expect_same(pairs({inputs}).at(0), plain({inputs}).at(0));
      }
    }
    EXPECT_GT(shorter, symmetric * 9 / 10);
  }
}

TEST(Twins, OfAnyInputsChangeNoResult) {
  std::size_t found = 0;
  for (std::uint64_t seed = 1; seed <= 900; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const Program program =
        random_program(seed, {.instructions = random.integer(40, 300), .inputs = 12, .constants = 6, .angles = random.integer(0, 5), .fused = seed % 2 == 0});
    std::vector<jit::InputPair> alike;
    for (std::uint32_t k = 0; k < 12; k += 2) alike.emplace_back(k, k + 1);
    const jit::Tape tape = jit::paired(program, alike, kAlways);
    found += tape.has_pairs() ? 1 : 0;
    const std::vector<double> inputs = inputs_of(random, program), expected = evaluated(program, inputs);
    for (const int registers : {5, 15})
      expect_same(ImaginedProcessor(program, tape, registers, inputs).run(jit::allocate(tape, {.count = registers})), expected);
  }
  EXPECT_GT(found, 30u);
}

/// A program, written by hand.
struct Written : Program {
  std::uint32_t add(Op op, std::uint32_t a, std::uint32_t b = kNoValue, std::uint32_t c = kNoValue) {
    instructions.push_back({op, a, b, c});
    names.emplace_back();
    return static_cast<std::uint32_t>(value_count() - 1);
  }
  void expect_pairs_and_the_same(std::vector<jit::InputPair> alike, const std::vector<std::uint32_t>& wanted) {
    for (const std::uint32_t value : wanted) results.push_back({value, false});
    outputs = {{"y", wanted.size()}};
    const jit::Tape tape = jit::paired(*this, alike, kAlways);
    EXPECT_TRUE(tape.has_pairs());
    Random random(1);
    const std::vector<double> in = inputs_of(random, *this);
    expect_same(ImaginedProcessor(*this, tape, 15, in).run(jit::allocate(tape, {.count = 15})), evaluated(*this, in));
  }
};

TEST(Twins, WaitForTheAngleOfASineThatOnlyTheSecondTakes) {
  Written program;
  program.inputs = {{"q", 4}, {"v", 1}};
  program.constants = {0.5};
  std::vector<std::uint32_t> last;
  for (const std::uint32_t limb : {0u, 1u}) {  // one after the other: at the first product of both, the second's angle is not yet there
    const std::uint32_t half = program.add(Op::multiply, limb, 5), product = program.add(Op::multiply, 4, program.add(Op::sine, half));
    last.push_back(program.add(Op::add, program.add(Op::multiply, product, 2 + limb), 2 + limb));
  }
  program.expect_pairs_and_the_same({{0, 1}, {2, 3}}, last);
}

TEST(Twins, OfProductsOfTwoConstantsTakeASignOnce) {
  Written program;
  program.inputs = {{"q", 2}};
  program.constants = {1.5, 2.5, 3.5, 0.25};
  const std::uint32_t a = program.add(Op::multiply_add, 2, 3, 0), b = program.add(Op::subtract_product, 4, 5, 1);
  const std::uint32_t left = program.add(Op::multiply, a, 0), right = program.add(Op::multiply, b, 1);
  program.expect_pairs_and_the_same({{0, 1}}, {left, right});
}

TEST(Twins, TakeADifferenceOfTheSecondLimbThatBothHaveInCommonAsItIs) {
  Written program;
  program.inputs = {{"q", 2}, {"v", 2}, {"a", 1}};
  const std::uint32_t u1 = program.add(Op::add, 0, 2), u2 = program.add(Op::subtract, 1, 3);
  const std::uint32_t j1 = program.add(Op::subtract, 4, u1), j2 = program.add(Op::subtract, 4, u2);  // joined, the second with the opposite sign
  const std::uint32_t p1 = program.add(Op::multiply, j1, 0), p2 = program.add(Op::multiply, j2, 1);
  const std::uint32_t s1 = program.add(Op::add, p1, 0), s2 = program.add(Op::subtract, p2, 1), both = program.add(Op::multiply, 0, 1);
  const std::uint32_t P1 = program.add(Op::multiply, p1, both), P2 = program.add(Op::multiply, p2, both);
  std::vector<std::uint32_t> results{s1, s2};
  for (const std::uint32_t j : {j2, j1})
    for (const std::uint32_t P : {P1, P2}) results.push_back(program.add(Op::multiply, j, P));
  program.expect_pairs_and_the_same({{0, 1}, {2, 3}}, results);
}

#if defined(__x86_64__)  // where there are pairs
// Slots of pairs are twice as large: a kernel whose many values wait on the stack would need too much of it.
TEST(Twins, AreLeftAloneWhereTheyWouldNeedTooMuchOfTheStack) {
  const InstructionSet set = best_instruction_set(InstructionSet::avx2);
  if (set != InstructionSet::avx2) GTEST_SKIP() << "without AVX2";
  constexpr std::uint32_t kMany = 45000, kLimb = 60000;
  Random random(3);
  Written program;
  program.inputs = {{"q", 4}};
  program.constants = random.numbers(kMany, 0.5, 2);
  std::vector<std::uint32_t> trunk, last{0, 1};
  for (std::uint32_t k = 0; k < kMany; ++k) trunk.push_back(program.add(Op::multiply, 2, 4 + k));
  for (std::uint32_t k = 0; k < kLimb; ++k)
    for (std::uint32_t& x : last) x = program.add(k % 2 == 0 ? Op::multiply : Op::add, x, k % 2 == 0 ? 4 + k % kMany : 3);
  std::uint32_t sum = program.add(Op::add, last[0], last[1]);
  for (int round = 0; round < 3; ++round)
    for (const std::uint32_t x : trunk) sum = program.add(Op::add, program.add(Op::multiply, sum, x), trunk[random.below(kMany)]);
  program.results = {{sum, false}};
  program.outputs = {{"y", 1}};
  const std::vector<jit::InputPair> alike{{0, 1}};
  EXPECT_TRUE(jit::paired(program, alike).has_pairs());
  const MachineCode<double> plain(program, set, false), pairs(program, set, false, {}, alike);
  ASSERT_TRUE(plain.ok());
  EXPECT_EQ(pairs.encoded().code, plain.encoded().code);
}
#endif

#if defined(__x86_64__)  // where there are pairs
template <class T>
void expect_same_bits(const char* name, InstructionSet set) {
  SCOPED_TRACE(::testing::Message() << name << " in numbers of " << sizeof(T) << " bytes");
  const Model model = load(name);
  Searches searches(model);
  const robot::Programs programs(searches, {.quantities = and_also({Quantity::mass_inverse, Quantity::inverse_derivatives})}, sizeof(T) == 4);
  const std::vector<std::vector<double>> parameters = programs.parameters();
  for (const robot::TaskProgram& task : programs.all) {
    SCOPED_TRACE(to_string(task.quantity));
    const Program program = jit::ordered(fused(task.program));
    EXPECT_EQ(task.alike.empty(), model.name() == "panda");
    const std::vector<double> none, &values = program.parameter_count() == 0 ? none : parameters[task.variant];
    const MachineCode<T> plain(program, set, false, values), pairs(program, set, false, values, task.alike);
    const auto before = static_cast<double>(plain.encoded().instructions), after = static_cast<double>(pairs.encoded().instructions);
    EXPECT_LE(after, before);
    if (task.quantity == Quantity::inverse && !task.alike.empty()) {
      EXPECT_LT(after, 0.72 * before);
    }
    Random random(7);
    for (int k = 0; k < 4; ++k) {
      std::vector<T> state;
      for (const double x : random.numbers(program.input_count(), -2, 2)) state.push_back(static_cast<T>(x));
      if (k == 3) state[state.size() / 2] = std::numeric_limits<T>::quiet_NaN();
      const std::vector<T> got = pairs({state}).at(0), expected = plain({state}).at(0);
      for (std::size_t i = 0; i < got.size(); ++i) ASSERT_TRUE(same(got[i], expected[i])) << "result " << i << ": " << got[i] << " for " << expected[i];
    }
  }
}

TEST(Twins, OfRobotsGiveTheSameBits) {
  const InstructionSet set = best_instruction_set();
  if (set != InstructionSet::avx2 && set != InstructionSet::avx512) GTEST_SKIP() << "without fused multiplication";
  for (const char* name : {"humanoid-38", "humanoid-32", "torso", "mini-cheetah", "panda"}) {
    expect_same_bits<double>(name, set);
    expect_same_bits<float>(name, set);
  }
}
#endif

}  // namespace
}  // namespace ulna::test
