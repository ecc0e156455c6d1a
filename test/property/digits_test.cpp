// Robots whose compiled programs once lost digits that the templates kept: each in doubles and floats, as templates, machine code, generated programs and C.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include <ulna/source/load.hpp>

#include "property/edge_check.hpp"
#include "text/message.hpp"

namespace ulna::test {
namespace {

constexpr std::uint64_t kStates = 16;

TEST(LostDigits, AreKept) {
  std::vector<std::pair<std::string, Model>> robots;
  for (const auto& file : std::filesystem::directory_iterator(ULNA_DIGITS_DIR)) robots.emplace_back(file.path().stem(), load(file.path().string()));
  ASSERT_GE(robots.size(), 4u);
  std::sort(robots.begin(), robots.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  CompiledRobots compiled;
  for (std::size_t k = 0; k < robots.size(); ++k) {
    const EdgeCheck check(robots[k].second, 1e-9, 1, 0);
    check.add_to<double>(compiled, cat("d", k), 4);
    check.add_to<float>(compiled, cat("f", k), 4);
  }
  ASSERT_EQ(compiled.compile(), "");
  for (std::size_t k = 0; k < robots.size(); ++k) {
    SCOPED_TRACE(robots[k].first);
    Worst doubles, floats;
    for (std::uint64_t seed = 1; seed <= kStates; ++seed) {
      const EdgeCheck check(robots[k].second, 1e-9, seed, 0);
      for (const InstructionSet most : {InstructionSet::none, InstructionSet::avx512}) {
        EXPECT_EQ(check.dynamics<double>(most, doubles), "");
        EXPECT_EQ(check.dynamics<float>(most, floats), "");
      }
      EXPECT_EQ(check.programs<double>(doubles), "");
      EXPECT_EQ(check.programs<float>(floats), "");
      EXPECT_EQ(check.compiled<double>(compiled, cat("d", k), doubles), "");
      EXPECT_EQ(check.compiled<float>(compiled, cat("f", k), floats), "");
    }
    std::printf("%s: %.1e of the largest result in doubles, %.1e in floats; residuals %.1e, %.1e\n", robots[k].first.c_str(), doubles.of_largest,
                floats.of_largest, doubles.residual, floats.residual);
    EXPECT_LT(doubles.of_largest, 1e-12);
    EXPECT_LT(floats.of_largest, 2e-6);  // the heavy carriage had 2.3e-5
    EXPECT_LT(doubles.residual, 1e-11);
    EXPECT_LT(floats.residual, 1e-4);
  }
}

// A residue of 1e-23 m was the unit of length, and masses were counted in its square: the second torque was -1e-4. Its value here is that of an independent
// recursion in extended precision.
TEST(LostDigits, OfAResidueThatWasTheUnitOfLength) {
  const Model model = load(cat(ULNA_DIGITS_DIR, "/residue_as_unit.urdf"));
  const float q[] = {0.0709f, 2.7028f, -2.1350f, 2.6919f}, v[] = {0.3646f, 0.2941f, 0.0284f, 0.5467f}, a[] = {0.0397f, -0.2925f, -0.7819f, -0.2572f};
  float tau[4];
  DynamicsF(model).inverse(q, v, a, tau);
  EXPECT_NEAR(tau[1], 5.931, 5e-4);
}

}  // namespace
}  // namespace ulna::test
