// Stanford arm: T. R. Kane & D. A. Levinson, "The use of Kane's dynamical equations in robotics", Int. J. Robotics Research 2(3), 1983, pp. 3-21.
// The numbers were computed from the paper's equations (misprints corrected), with its parameters of appendix 3 and g = 9.81 m/s².
#include <numbers>

#include <ulna/source/load.hpp>

#include "support/cases.hpp"

namespace ulna::test {
namespace {

/// Paper: q1..q6 with q6 the slide. Chain: q1, q2, q6, q3, q4, q5.
std::vector<double> chain(const std::vector<double>& x) { return {x[0], x[1], x[5], x[2], x[3], x[4]}; }
/// Paper: tau1..tau5, sigma; all but tau1 act from the outer on the inner body.
std::vector<double> chain_forces(const std::vector<double>& t) { return {t[0], -t[1], -t[5], -t[2], -t[3], -t[4]}; }

constexpr double kStanfordDigits = 1e-12;

TEST(StanfordReference, JointsAreInChainOrder) {
  EXPECT_EQ(load("stanford").coordinate_names(), (std::vector<std::string>{"q1", "q2", "q6", "q3", "q4", "q5"}));
}

TEST(StanfordReference, OneGeneralState) {
  const std::vector<double> q{0.3, 1.1, -0.4, 0.7, 0.2, 0.15}, v{0.5, -0.3, 0.8, -0.6, 0.9, 0.12}, a{-0.2, 0.4, 0.6, 0.1, -0.7, 0.3};
  const std::vector<double> tau{-0.48928429483931374, 20.82807495235052, 0.30819465470789437, 1.2090243182437352, 0.001562364517014107, -28.205844804120545};
  EXPECT_LT(relative_error(inverse_of(make_plan(load("stanford")), {chain(q), chain(v), chain(a)}), chain_forces(tau)), kStanfordDigits);
}

// Fig. 1: q_r(t) of eq. 127 from rest to rest in T = 10 s. End values pi/3 and 0.1 m, q2(0) = pi/2, the others 0.
TEST(StanfordReference, MotionOfFigure1) {
  const std::vector<std::vector<double>> rows{
      // t, tau1, tau2, tau3, tau4, tau5, sigma
      {0.0, 0.0, 14.67576, 0.0, 1.3341600000000002, 0.0, -3.664204455388839e-15},
      {1.5, 0.08722658210706373, 14.837720457835895, -0.0010680399863829061, 1.3352021499312638, -0.00021173727658701182, -0.6604392642271624},
      {3.0, 0.1136128732837019, 15.567382953638884, -0.03359759415877358, 1.3151356904323597, -0.00024358607642466804, -4.6112120235848275},
      {5.0, 0.004095300941155742, 17.07302440276535, -0.32285340836788295, 1.1378909571426528, -3.0159814223987076e-05, -15.382667101590057},
      {7.5, -0.11763572143294075, 17.614402466661048, -0.7798261388617248, 0.8998294863790052, 0.0001742552050922815, -27.40343619800401},
      {9.5, -0.03402321367985516, 17.582330267720813, -0.8635991824115302, 0.8679399450876302, 4.080107203490544e-05, -29.900715429054614},
  };
  constexpr double kPi = std::numbers::pi, kDuration = 10;
  const std::vector<double> from{0, kPi / 2, 0, 0, 0, 0}, to{kPi / 3, kPi / 3, kPi / 3, kPi / 3, kPi / 3, 0.1};
  const Plan plan = make_plan(load("stanford"));
  for (const std::vector<double>& row : rows) {
    SCOPED_TRACE(::testing::Message() << "t = " << row[0]);
    const double phase = 2 * kPi * row[0] / kDuration;
    std::vector<double> q, v, a;
    for (std::size_t k = 0; k < 6; ++k) {
      const double speed = (to[k] - from[k]) / kDuration;
      q.push_back(from[k] + speed * (row[0] - kDuration / (2 * kPi) * std::sin(phase)));
      v.push_back(speed * (1 - std::cos(phase)));
      a.push_back(speed * 2 * kPi / kDuration * std::sin(phase));
    }
    EXPECT_LT(relative_error(inverse_of(plan, {chain(q), chain(v), chain(a)}), chain_forces({row.begin() + 1, row.end()})), kStanfordDigits);
  }
}

}  // namespace
}  // namespace ulna::test
