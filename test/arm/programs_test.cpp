// Kernels for AArch64 of programs that mean nothing, of sines and cosines, and with errors put in, in the simulator.
#include <gtest/gtest.h>

#include <cstring>

#include "arm/simulated.hpp"
#include "bytes/same_bits.hpp"
#include "jit/neon_words.hpp"
#include "jit/random_program.hpp"
#include "jit/turns.hpp"
#include "support/soak.hpp"
#include "text/message.hpp"

namespace ulna::test {
namespace {

constexpr InstructionSet kNeon = InstructionSet::neon;

template <class T>
class ArmPrograms : public ::testing::Test {};
using Reals = ::testing::Types<double, float>;
TYPED_TEST_SUITE(ArmPrograms, Reals);

template <class T>
std::vector<std::vector<T>> random_states(Random& random, const Program& program, std::size_t count) {
  std::vector<std::vector<T>> states(count);
  for (std::vector<T>& state : states)
    for (std::size_t k = 0; k < program.input_count(); ++k) state.push_back(static_cast<T>(random.uniform(0.5, 2)));
  return states;
}

template <class T>
std::string fault_of(const Program& program, const std::vector<std::vector<T>>& states, const std::vector<std::vector<T>>& got) {
  if (got.size() != states.size()) return "something was written beyond the results";
  for (std::size_t l = 0; l < states.size(); ++l) {
    const std::vector<T> expected = modelled(program, states[l]);
    for (std::size_t k = 0; k < expected.size(); ++k)
      if (!same_bits(got[l][k], expected[k]))
        return cat("result ", k, " of state ", l, " is ", static_cast<double>(got[l][k]), " for ", static_cast<double>(expected[k]));
  }
  return {};
}

TYPED_TEST(ArmPrograms, GiveWhatTheirOperationsGiveBitForBit) {
  using T = TypeParam;
  for (const char* form : {"one state", "lanes", "lanes with numbers of their own"})
    for (std::uint64_t seed = 1; seed <= so_many(60u, 3000u); ++seed) {
      const bool lanes = *form == 'l', own = std::strlen(form) > 5 && lanes;
      SCOPED_TRACE(cat(form, ", seed ", seed));
      Random random(seed);
      const Program program = random_program(seed, {.instructions = random.integer(30, 400),
                                                    .inputs = random.integer(3, 40),
                                                    .constants = random.integer(1, 60),
                                                    .angles = random.integer(0, 12),
                                                    .fused = true});
      const Simulated<T> code(program, kNeon, lanes, {}, own);
      const std::vector<std::vector<T>> states = random_states<T>(random, program, lanes ? 3 * code.width() : 1);
      ASSERT_EQ(fault_of(program, states, code(states)), "");
    }
}

// Offsets beyond what an instruction reaches: of inputs, constants, results and the stack, which goes over many pages.
TYPED_TEST(ArmPrograms, ReachFar) {
  using T = TypeParam;
  constexpr std::uint32_t kMany = 6000;
  Program program;
  program.inputs = {{"q", kMany}, {"v", 1}};
  Random random(3);
  for (std::uint32_t k = 0; k < kMany; ++k) program.constants.push_back(random.uniform(0.5, 2));
  const std::uint32_t constants = kMany + 1, first = constants + kMany;
  for (std::uint32_t k = 0; k < kMany; ++k) program.instructions.push_back({Op::multiply, k, constants + k, kNoValue});
  // Every product is needed again, in the opposite order.
  for (std::uint32_t k = 0; k < kMany; ++k)
    program.instructions.push_back({Op::multiply_add, first + kMany - 1 - k, kMany, k == 0 ? 0 : first + kMany + k - 1});
  for (std::uint32_t k = 0; k < kMany; ++k) program.results.push_back({first + (k % 2 == 0 ? k : kMany + k), k % 3 == 0});
  program.names.resize(program.instructions.size());
  program.outputs = {{"y", kMany}};
  for (const bool lanes : {false, true}) {
    SCOPED_TRACE(lanes);
    const Simulated<T> code(program, kNeon, lanes);
    ASSERT_FALSE(code.encoded().code.empty());
    const std::vector<std::vector<T>> states = random_states<T>(random, program, lanes ? 2 * code.width() : 1);
    EXPECT_EQ(fault_of(program, states, code(states)), "");
  }
}

// Neighbours that are one value are stored side by side.
TYPED_TEST(ArmPrograms, StoreManyOfOneValue) {
  using T = TypeParam;
  for (const bool lanes : {false, true})
    for (const bool negative : {false, true})
      for (const std::size_t count : {5, 6, 7, 8, 9, 11, 12, 13, 40, 129, 1999, 2001, 4500}) {
        SCOPED_TRACE(cat(count, negative ? " negative" : "", lanes ? ", lanes" : ""));
        Program program;
        program.inputs = {{"q", 2}};
        program.constants = {0};
        program.instructions = {{Op::multiply, 0, 1, kNoValue}};
        program.names.resize(1);
        for (const std::uint32_t value : {3u, 2u}) {  // a product, then a constant; a result between them
          for (std::size_t k = 0; k < count; ++k) program.results.push_back({value, negative});
          program.results.push_back({1, false});
        }
        program.outputs = {{"y", program.results.size()}};
        const Simulated<T> code(program, kNeon, lanes);
        Random random(count);
        const std::vector<std::vector<T>> states = random_states<T>(random, program, code.width());
        EXPECT_EQ(fault_of(program, states, code(states)), "");
      }
}

TYPED_TEST(ArmPrograms, TurnWithinOneUlp) {
  using T = TypeParam;
  using Limits = std::numeric_limits<T>;
  Random random(7);
  std::vector<T> angles;
  for (unsigned k = 0; k < so_many(2000u, 200000u); ++k) angles.push_back(static_cast<T>(random.uniform(-64, 64)));
  for (int k = -40; k <= 40; ++k) angles.push_back(static_cast<T>(k * 0.785398163397448309616L));
  const Turns<T, Simulated<T>> turns(kNeon);
  turns.each(angles, [](T x, T s, T c) {
    EXPECT_LT(ulps(s, std::sin(static_cast<long double>(x))), 1) << x;
    EXPECT_LT(ulps(c, std::cos(static_cast<long double>(x))), 1) << x;
  });
  turns.each({Limits::quiet_NaN(), Limits::infinity(), T(1.7e6), -Limits::max()}, [](T x, T s, T c) {
    EXPECT_TRUE(std::isnan(s)) << x;
    EXPECT_TRUE(std::isnan(c)) << x;
  });
}

// Each word in turn is left out: what is not seen then is only what the results do not need.
TYPED_TEST(ArmPrograms, NeedEveryInstruction) {
  using T = TypeParam;
  for (const bool lanes : {false, true}) {
    Random random(11);
    const Program program = random_program(5, {.instructions = 60, .inputs = 9, .constants = 9, .angles = 3, .fused = true});
    Simulated<T> code(program, kNeon, lanes);
    const std::vector<std::vector<T>> states = random_states<T>(random, program, 2 * code.width());
    const auto run = [&] {
      if (lanes) return code(states);
      std::vector<std::vector<T>> results;
      for (const std::vector<T>& state : states) results.push_back(code({state}).at(0));
      return results;
    };
    ASSERT_EQ(fault_of(program, states, run()), "");
    std::vector<std::uint8_t>& bytes = code.encoded().code;
    std::size_t seen = 0, tried = 0;
    for (std::size_t at = 0; at < bytes.size(); at += sizeof(jit::neon::Word)) {
      jit::neon::Word word;
      std::memcpy(&word, &bytes[at], sizeof word);
      const std::string text = disassembled(word);
      // What moves the stack, bases or the program would end elsewhere.
      if (text[0] != 'f' && !text.starts_with("str") && !text.starts_with("ldr") && !text.starts_with("mov")) continue;
      constexpr jit::neon::Word kNothing = 0xD503201F;  // nop
      std::memcpy(&bytes[at], &kNothing, sizeof word);
      ++tried, seen += fault_of(program, states, run()).empty() ? 0 : 1;
      std::memcpy(&bytes[at], &word, sizeof word);
    }
    // Values that no result needs, and the parts of sines that are below the last digit.
    EXPECT_GT(tried, 60u);
    EXPECT_GT(static_cast<double>(seen), 0.85 * static_cast<double>(tried));
    this->RecordProperty(lanes ? "lanes" : "one", cat(seen, " of ", tried));
  }
}

}  // namespace
}  // namespace ulna::test
