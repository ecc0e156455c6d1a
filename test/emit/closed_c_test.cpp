// C of robots with loops: it compiles and tests itself whatever the robot, tells another branch, and spreads NaN.
#include <cmath>

#include <gtest/gtest.h>

#include <ulna/emit/generate_closed.hpp>
#include <ulna/robot/closed_dynamics.hpp>

#include <ulna/dynamics/loops-inl.hpp>
#include "loop/machines.hpp"
#include "support/folder.hpp"
#include "support/soak.hpp"
#include "text/cat.hpp"

namespace ulna::test {
namespace {

GenerateClosedOptions everything() {
  GenerateClosedOptions options;
  options.what = {"inverse", "forward", "mass", "bias", "gravity", "energy"};
  options.name = "closed";
  options.test_states = 2;
  return options;
}

constexpr const char* kCompile = "cc -std=c99 -O0 -Wall -Wextra -Werror ";

/// Angles of followers are sums, whose names begin anew behind them.
TEST(ClosedC, CompilesWithJointsThatFollowOthers) {
  if (!support::installed("cc")) GTEST_SKIP() << "no C compiler";
  const LoopType types[] = {LoopType::spherical, LoopType::revolute, LoopType::planar, LoopType::fixed, LoopType::cylindrical, LoopType::prismatic};
  int made = 0;
  for (int n = 0; n < so_many(6, 200); ++n) {
    const LoopType type = types[static_cast<std::size_t>(n) % std::size(types)];
    RandomLoop loop = random_loop(type, loop_rows(type) + 2 + static_cast<std::size_t>(n) % 2, 100u + static_cast<unsigned>(n));
    const std::size_t count = loop.robot.joints.size(), leader = static_cast<std::size_t>(n) % 2, follower = count - 1 - static_cast<std::size_t>(n) % 2;
    Description::JointEntry& entry = loop.robot.joints[follower];
    entry.leader = loop.robot.joints[leader].joint.name;
    entry.joint.mimic = Mimic{.multiplier = 0.5 + 0.3 * n};
    Diagnostics diagnostics;
    const std::optional<Mechanism> robot = Mechanism::make(build(loop.robot, diagnostics).value(), loop.loops, diagnostics);
    if (!robot) continue;
    ++made;
    const support::Folder folder;
    folder.write(generate_closed(*robot, everything()));
    std::string output;
    EXPECT_EQ(folder.run(cat(kCompile, "-DCLOSED_SELFTEST_MAIN closed.c -lm -o test && ./test"), &output), 0) << n << "\n" << output;
    EXPECT_EQ(output, "all 12 checks passed\n") << n;
  }
  EXPECT_GE(made, so_many(4, 120));
}

TEST(ClosedC, TellsAnotherBranchAndSpreadsNaN) {
  if (!support::installed("cc")) GTEST_SKIP() << "no C compiler";
  const Mechanism robot = load_mechanism("five-bar");
  const support::Folder folder;
  folder.write(generate_closed(robot, everything()));
  // A guess from which the same steps, by the templates, close on the other side of a singular assembly.
  const ClosedDynamics steps(robot, {.steps = 0, .most = InstructionSet::none});
  std::vector<double> crossing;
  for (double left = -3; left < 3 && crossing.empty(); left += 0.25)
    for (double right = -3; right < 3 && crossing.empty(); right += 0.25) {
      std::vector<double> q = robot.reference();
      q[robot.dependent()[0]] = left, q[robot.dependent()[1]] = right;
      std::vector<double> closed = q;
      const int before = steps.close(closed.data(), 0).side;
      const ClosedResult done = steps.close(closed.data(), 30);
      if (done.residual < 1e-14 && done.side != before) crossing = q;
    }
  ASSERT_FALSE(crossing.empty());
  std::string guess;
  for (const double x : crossing) guess += cat(guess.empty() ? "" : ", ", x);
  folder.write("main.c", cat(R"(#include "closed.h"
#include <math.h>
#include <stdio.h>
static int all_nan(const double *x, int n) { int i; for (i = 0; i < n; ++i) if (!isnan(x[i])) return 0; return 1; }
int main(void) {
  double guess[] = {)",
                             guess, R"(}, q[4] = {0}, bad[4], out[4];
  const double u[] = {0.3, 0.2}, nan_second[] = {0.3, NAN};
  int i, k;
  if (!isinf(closed_close(guess, 30))) return 1;
  if (!(closed_close(q, 10) < 1e-12)) return 2;
  if (!(closed_inverse(q, u, u, out) < 1e-12)) return 3;
  if (!isnan(closed_inverse(q, u, nan_second, out)) || !all_nan(out, 2)) return 4;
  if (!isnan(closed_inverse(q, nan_second, u, out)) || !all_nan(out, 2)) return 5;
  if (!isnan(closed_forward(q, u, nan_second, out)) || !all_nan(out, 2)) return 6;
  if (!isnan(closed_energy(q, nan_second, out)) || !all_nan(out, 2)) return 7;
  if (!isnan(closed_bias(q, nan_second, out)) || !all_nan(out, 2)) return 8;
  for (k = 0; k < 4; ++k) {
    for (i = 0; i < 4; ++i) bad[i] = i == k ? NAN : q[i];
    if (!isnan(closed_mass(bad, out)) || !all_nan(out, 4)) return 9;
    if (!isnan(closed_gravity(bad, out)) || !all_nan(out, 2)) return 10;
    if (!isnan(closed_energy(bad, u, out)) || !all_nan(out, 2)) return 11;
    if (!isnan(closed_close(bad, 2))) return 12;
  }
  q[0] += 20 * 3.14159265358979323846;
  if (!(closed_close(q, 5) < 1e-12)) return 13;
  return 0;
}
)"));
  std::string output;
  EXPECT_EQ(folder.run(cat(kCompile, "main.c closed.c -lm -o test && ./test"), &output), 0) << output;
}

}  // namespace
}  // namespace ulna::test
