// Robots with loops, verified as trees are: against multipliers in extended precision, and by the laws of mechanics.
#include <gtest/gtest.h>

#include <cmath>

#include <ulna/loop/mechanism.hpp>
#include <ulna/source/load.hpp>
#include <ulna/verify/verify.hpp>

#include "loop/machines.hpp"
#include "support/soak.hpp"
#include "verify/agreement.hpp"
#include "verify/multipliers.hpp"
#include "verify/reference.hpp"

namespace ulna::test {
namespace {

constexpr LoopType kTypes[] = {LoopType::fixed, LoopType::revolute, LoopType::prismatic, LoopType::cylindrical, LoopType::spherical, LoopType::planar};

Model random_closed(LoopType type, std::size_t more, unsigned seed, RootJoint base = RootJoint::fixed) {
  const RandomLoop loop = random_loop(type, loop_rows(type) + more, seed);
  Diagnostics diagnostics;
  return with_loops(with_base(build(loop.robot, diagnostics).value(), base), loop.loops);
}

VerifyOptions some(std::size_t samples) {
  VerifyOptions options;
  options.samples = samples;
  return options;
}

class ClosedRobots : public ::testing::TestWithParam<const char*> {};
TEST_P(ClosedRobots, Agree) {
  const Certificate c = verify(load(GetParam()), some(so_many(40u, 400u)));
  expect_agreement(c);
  ASSERT_TRUE(c.loops);
  EXPECT_GT(c.samples, 10u);
  EXPECT_GT(c.loops->far, 0u);
  EXPECT_EQ(c.samples + c.loops->left_out + c.loops->not_sure, so_many(40u, 400u));
}
INSTANTIATE_TEST_SUITE_P(Verify, ClosedRobots, ::testing::Values("four-bar", "five-bar", "delta", "palletizer"));

TEST(VerifyLoops, EveryTypeOnEveryBase) {
  for (const LoopType type : kTypes)
    for (const RootJoint base : {RootJoint::fixed, RootJoint::planar, RootJoint::free})
      for (unsigned seed = 1; seed <= so_many(1u, 10u); ++seed) {
        SCOPED_TRACE(::testing::Message() << to_string(type) << ", base " << to_string(base) << ", seed " << seed);
        expect_agreement(verify(random_closed(type, 1 + seed % 2, seed + 6, base), some(24)));
      }
}

}  // namespace
}  // namespace ulna::test
