// Bounds of the rounding of whole quantities.
#include "dynamics/rounding.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include <ulna/dynamics/on_plan.hpp>
#include <ulna/source/load.hpp>

namespace ulna::test {
namespace {

// A bound holds: what floats really do to the torques of a robot is less.
TEST(Rounded, BoundsWhatFloatsDo) {
  const Model model = load("panda");
  const Plan plan = make_plan(model);
  const PlanOf<float> rough = plan.cast<float>();
  WorkspaceOf<float> ws(rough);
  Rounding rounding(plan, Precision::single);
  double nearest = 0;
  for (int k = 0; k < 200; ++k) {
    std::vector<float> q, v, a, tau(7);
    for (int i = 0; i < 7; ++i)
      q.push_back(std::sin(1.7f * static_cast<float>(k + 3 * i))), v.push_back(std::cos(0.9f * static_cast<float>(k * i + 1))),
          a.push_back(std::sin(2.3f * static_cast<float>(k - i)));
    inverse_dynamics(rough, ws, q, v, a, tau);
    const Rounding::Results& bound = rounding.of(Quantity::inverse, plan, {q.begin(), q.end()}, {v.begin(), v.end()}, {a.begin(), a.end()});
    for (std::size_t i = 0; i < 7; ++i) {
      const double share = std::fabs(static_cast<double>(tau[i]) - bound.value[i]) / bound.error[i];
      EXPECT_LT(share, 1);
      nearest = std::max(nearest, share);
    }
  }
  EXPECT_GT(nearest, 0.02);  // nor is it empty
}

}  // namespace
}  // namespace ulna::test
