// Encoded bytes of programs that mean nothing, and of sines and cosines, on every instruction set, whatever this computer has.
#include <gtest/gtest.h>

#include <cstring>

#include "bytes/expected.hpp"
#include "bytes/interpreted.hpp"
#include "jit/random_program.hpp"
#include "jit/turns.hpp"
#include "support/imagined_processor.hpp"
#include "text/message.hpp"

namespace ulna::test {
namespace {

template <class T>
class InterpretedPrograms : public ::testing::Test {};
using Reals = ::testing::Types<double, float>;
TYPED_TEST_SUITE(InterpretedPrograms, Reals);

TYPED_TEST(InterpretedPrograms, GiveWhatTheProgramGivesBitForBit) {
  using T = TypeParam;
  for (const InstructionSet set : kAllSets)
    for (const char* form : {"one state", "lanes", "lanes with numbers of their own"})
      for (std::uint64_t seed = 1; seed <= 25; ++seed) {
        const bool lanes = *form == 'l', own = std::strlen(form) > 5 && lanes;
        SCOPED_TRACE(cat(to_string(set), ", ", form, ", seed ", seed));
        Random random(seed);
        const Program program = random_program(seed, {.instructions = random.integer(30, 400),
                                                      .inputs = random.integer(3, 40),
                                                      .constants = random.integer(1, 60),
                                                      .fused = set != InstructionSet::sse2});
        const Interpreted<T> code(program, set, lanes, {}, own);
        std::vector<std::vector<T>> states(lanes ? 2 * code.width() : 1);
        for (std::vector<T>& state : states)
          for (std::size_t k = 0; k < program.input_count(); ++k) state.push_back(static_cast<T>(random.uniform(0.5, 2)));
        const std::vector<std::vector<T>> got = code(states);
        for (std::size_t l = 0; l < states.size(); ++l) {
          const std::vector<T> expected = evaluated(program, states[l]);
          for (std::size_t k = 0; k < expected.size(); ++k)
            ASSERT_TRUE(same(got[l][k], expected[k])) << "state " << l << " result " << k << ": " << got[l][k] << " for " << expected[k];
        }
      }
}

TYPED_TEST(InterpretedPrograms, TurnWithinOneUlp) {
  using T = TypeParam;
  Random random(7);
  std::vector<T> angles;
  for (int k = 0; k < 1500; ++k) angles.push_back(static_cast<T>(random.uniform(-64, 64)));
  for (int k = -40; k <= 40; ++k) angles.push_back(static_cast<T>(k * 0.785398163397448309616L));
  for (const InstructionSet set : kAllSets) {
    SCOPED_TRACE(to_string(set));
    Turns<T, Interpreted<T>>(set).each(angles, [&](T x, T s, T c) {
      EXPECT_LT(ulps(s, std::sin(static_cast<long double>(x))), 1) << x;
      EXPECT_LT(ulps(c, std::cos(static_cast<long double>(x))), 1) << x;
    });
    using Limits = std::numeric_limits<T>;
    Turns<T, Interpreted<T>>(set).each({Limits::quiet_NaN(), Limits::infinity(), T(1.7e6), -Limits::max()}, [](T x, T s, T c) {
      EXPECT_TRUE(std::isnan(s)) << x;
      EXPECT_TRUE(std::isnan(c)) << x;
    });
  }
}

}  // namespace
}  // namespace ulna::test
