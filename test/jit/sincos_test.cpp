// Sine and cosine of kernels against those of long double.
#include "jit/machine_code.hpp"
#include "jit/turns.hpp"
#include "support/random.hpp"

namespace ulna::test {
namespace {

template <class T>
class SineAndCosine : public ::testing::Test {};
using Reals = ::testing::Types<double, float>;
TYPED_TEST_SUITE(SineAndCosine, Reals);

TYPED_TEST(SineAndCosine, AreWithinOneUlpOverJointSizedAngles) {
  using T = TypeParam;
  Random random(7);
  std::vector<T> angles;
  for (int k = 0; k < 60000; ++k) angles.push_back(static_cast<T>(random.uniform(-64, 64)));
  for (int k = 0; k < 20000; ++k) angles.push_back(static_cast<T>(random.uniform(-1, 1) * std::pow(10.0, random.uniform(-12, 0))));
  // Next to multiples of π/4, where the reduction loses most and the two change places.
  for (int k = -80; k <= 80; ++k) {
    T x = static_cast<T>(k * 0.785398163397448309616L);
    for (int i = 0; i < 20; ++i) x = std::nextafter(x, T(-1000));
    for (int i = 0; i < 40; ++i) {
      angles.push_back(x);
      x = std::nextafter(x, T(1000));
    }
  }
  for (const InstructionSet set : available_sets()) {
    SCOPED_TRACE(to_string(set));
    double worst = 0;
    Turns<T>(set).each(angles, [&](T x, T s, T c) {
      const long double exact_x = x;
      const double error = std::max(ulps(s, std::sin(exact_x)), ulps(c, std::cos(exact_x)));
      if (error >= 1 && error > worst) ADD_FAILURE() << "x = " << static_cast<double>(x) << ": " << error << " ulp";
      worst = std::max(worst, error);
    });
    std::printf("    %s, %zu-byte numbers: largest error %.3f ulp\n", std::string(to_string(set)).c_str(), sizeof(T), worst);
  }
}

// Floats: at a million rad the nearest integer to x / (π/2) is found with an error, so that r goes a little beyond π/4, where the fit is less good. Doubles:
// one ulp of the results between 1/2 and 1.
TYPED_TEST(SineAndCosine, AreRightUpToAMillion) {
  using T = TypeParam;
  constexpr double kAllowed = (sizeof(T) == 4 ? 2 : 0.5) * static_cast<double>(std::numeric_limits<T>::epsilon());
  Random random(8);
  std::vector<T> angles;
  for (int k = 0; k < 40000; ++k) angles.push_back(static_cast<T>(random.uniform(-1.6e6, 1.6e6)));
  for (const InstructionSet set : available_sets()) {
    SCOPED_TRACE(to_string(set));
    Turns<T>(set).each(angles, [&](T x, T s, T c) {
      ASSERT_NEAR(static_cast<double>(s), static_cast<double>(std::sin(static_cast<long double>(x))), kAllowed) << x;
      ASSERT_NEAR(static_cast<double>(c), static_cast<double>(std::cos(static_cast<long double>(x))), kAllowed) << x;
    });
  }
}

TYPED_TEST(SineAndCosine, AreNanWhereNoneIsKnown) {
  using T = TypeParam;
  using Limits = std::numeric_limits<T>;
  const std::vector<T> angles{Limits::quiet_NaN(), Limits::infinity(), -Limits::infinity(), T(1.7e6), T(-1.7e6), T(1e15), T(1e30), -Limits::max()};
  for (const InstructionSet set : available_sets()) {
    SCOPED_TRACE(to_string(set));
    Turns<T>(set).each(angles, [](T x, T s, T c) {
      EXPECT_TRUE(std::isnan(s)) << x;
      EXPECT_TRUE(std::isnan(c)) << x;
    });
  }
}

TYPED_TEST(SineAndCosine, OfZeroAndTheSmallestNumbersAreExact) {
  using T = TypeParam;
  using Limits = std::numeric_limits<T>;
  for (const InstructionSet set : available_sets()) {
    SCOPED_TRACE(to_string(set));
    Turns<T>(set).each({T(0), Limits::min(), Limits::denorm_min(), -Limits::min()}, [](T x, T s, T c) {
      EXPECT_EQ(s, x);
      EXPECT_EQ(c, T(1));
    });
  }
}

// More angles than are turned at a time, however wide the registers are: each of them is turned.
TYPED_TEST(SineAndCosine, OfManyAngles) {
  for (const InstructionSet set : available_sets())
    for (const bool lanes : {false, true})
      for (const int angles : {7, 50, 97, 211}) {
        const Program program = set == InstructionSet::sse2 ? turn_program(angles) : fused(turn_program(angles));
        const MachineCode<TypeParam> code(program, set, lanes);
        std::vector<std::vector<TypeParam>> states(code.width());
        for (std::size_t l = 0; l < states.size(); ++l)
          for (int k = 0; k < angles; ++k) states[l].push_back(static_cast<TypeParam>(0.01 * k + 0.3 * static_cast<double>(l)));
        const std::vector<std::vector<TypeParam>> got = code(states);
        ASSERT_EQ(got.size(), states.size());
        for (std::size_t l = 0; l < states.size(); ++l)
          for (std::size_t k = 0; k < states[l].size(); ++k) {
            const long double x = states[l][k];
            EXPECT_LE(ulps(got[l][2 * k], std::sin(x)), 2) << to_string(set) << (lanes ? " lanes, " : " one state, ") << angles << " angles, number " << k;
            EXPECT_LE(ulps(got[l][2 * k + 1], std::cos(x)), 2) << to_string(set) << (lanes ? " lanes, " : " one state, ") << angles << " angles, number " << k;
          }
      }
}

}  // namespace
}  // namespace ulna::test
