// Equations in generalized speeds: a planar arm in absolute angles has those of textbooks.
#include <ulna/emit/equations.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <string>

#include <ulna/formulation/speeds.hpp>
#include <ulna/source/load.hpp>

namespace ulna::test {
namespace {

const Equation* result(const EquationSet& set, const std::string& name) {
  for (const Equation& equation : set.results)
    if (equation.left.text() == name) return &equation;
  return nullptr;
}

EquationOptions in(const Model& model, const std::string& choice) {
  EquationOptions options;
  options.formulation = "kane";
  options.rotor = false;
  options.speeds = std::make_shared<const Speeds>(choose_speeds(model, choice));
  return options;
}

// H. Asada, J.-J. E. Slotine, Robot Analysis and Control, 1986, chapter 5, in absolute angles: M11 = I1 + m1 c1² + m2 l1², M12 = m2 l1 c2 cos(θ2 - θ1),
// M22 = I2 + m2 c2²; velocity terms -h θ2'², h θ1'² with h = m2 l1 c2 sin(θ2 - θ1), and no products of rates.
TEST(SpeedsEquations, PlanarArmInAbsoluteAngles) {
  const Model model = load("planar-2r");
  const Analysis robot(model);
  const EquationOptions options = in(model, "u1 = v.shoulder, u2 = v.shoulder + v.elbow");
  const EquationSet mass = make_equations(robot, Quantity::mass, options), bias = make_equations(robot, Quantity::bias, options);
  EXPECT_EQ(mass.form, EquationForm::closed);
  EXPECT_EQ(bias.form, EquationForm::closed);
  const double l1 = 1, c1 = 0.5, c2 = 0.4, m1 = 6, m2 = 4, I1 = 0.5, I2 = 0.2, g = 9.81;
  const std::vector<double> q{0.4, 0.9}, u{1.3, -0.6};
  const double theta2 = q[0] + q[1], h = m2 * l1 * c2 * std::sin(q[1]);
  const std::vector<double> M = evaluate(mass, q), b = evaluate(bias, q, u);
  EXPECT_NEAR(M[0], I1 + m1 * c1 * c1 + m2 * l1 * l1, 1e-13);
  EXPECT_NEAR(M[1], m2 * l1 * c2 * std::cos(q[1]), 1e-13);
  EXPECT_NEAR(M[3], I2 + m2 * c2 * c2, 1e-13);
  EXPECT_NEAR(b[0], -h * u[1] * u[1] + g * (m1 * c1 + m2 * l1) * std::cos(q[0]), 1e-12);
  EXPECT_NEAR(b[1], h * u[0] * u[0] + g * m2 * c2 * std::cos(theta2), 1e-12);
  ASSERT_NE(result(mass, "M12"), nullptr);
  EXPECT_EQ(result(mass, "M12")->right.terms.size(), 1u) << plain_text(result(mass, "M12")->right);
  EXPECT_EQ(result(mass, "M11")->right.terms.size(), 3u) << plain_text(result(mass, "M11")->right);
  EXPECT_EQ(result(mass, "M22")->right.terms.size(), 2u) << plain_text(result(mass, "M22")->right);
  ASSERT_EQ(bias.results.size(), 2u);
  const std::string first = plain_text(bias.results[0].right);
  EXPECT_NE(first.find("u2^2"), std::string::npos) << first;
  EXPECT_EQ(first.find("u1"), std::string::npos) << first;  // no products of rates
  // tau is what both angles' equations need of the drives: tau2 = Q2, tau1 = Q1 + Q2.
  const std::vector<double> u_dot{0.2, 0.5}, tau = evaluate(make_equations(robot, Quantity::inverse, options), q, u, u_dot);
  const double Q1 = M[0] * u_dot[0] + M[1] * u_dot[1] + b[0], Q2 = M[1] * u_dot[0] + M[3] * u_dot[1] + b[1];
  EXPECT_NEAR(tau[1], Q2, 1e-12);
  EXPECT_NEAR(tau[0], Q1 + Q2, 1e-12);
}

// Partial velocities of the same arm: link 2 has u2 z and, of its mass centre, l1 from u1 and c2 from u2.
TEST(SpeedsEquations, PartialVelocities) {
  const Model model = load("planar-2r");
  const Analysis robot(model);
  const EquationSet set = partial_velocities(robot, in(model, "u1 = v.shoulder, u2 = v.shoulder + v.elbow"));
  ASSERT_NE(result(set, "omega22_z"), nullptr);
  EXPECT_EQ(plain_text(result(set, "omega22_z")->right), "1");
  EXPECT_EQ(result(set, "omega21_z"), nullptr);  // zero
  ASSERT_NE(result(set, "v22_y"), nullptr);
  EXPECT_EQ(result(set, "v22_x"), nullptr);
  EXPECT_NE(result(set, "v21_x"), nullptr);
  const std::string text = write_equations(model, std::vector<EquationSet>{set}, EquationFormat::text);
  EXPECT_NE(text.find("Partial angular velocities"), std::string::npos);
  EXPECT_NE(text.find("v.shoulder + v.elbow"), std::string::npos);
  const EquationSet rates = partial_velocities(robot);
  EXPECT_NE(result(rates, "omega21_z"), nullptr);
}

// The paper's speeds on its arm: body D has unit vectors (eq. 23 for D), and the equations give the torques of the production path.
TEST(SpeedsEquations, StanfordArm) {
  const Model model = load("stanford");
  const Analysis robot(model);
  const EquationOptions options = in(model, "kane-stanford");
  const EquationSet partial = partial_velocities(robot, options);
  std::size_t ones = 0, of_D = 0;
  for (const Equation& equation : partial.results)
    if (equation.left.letter == "omega" && equation.left.below.starts_with("4")) {
      ++of_D;
      const std::string text = plain_text(equation.right);
      ones += text == "1" || text == "-1";
    }
  EXPECT_EQ(ones, 3u);
  EXPECT_EQ(of_D, 3u);
  const EquationSet set = make_equations(robot, Quantity::inverse, options);
  const std::vector<double> q{0.1, 1.2, 0.3, -0.4, 0.5, 0.6}, v{0.3, -0.2, 0.4, 0.1, -0.5, 0.2}, a{0.5, 0.1, -0.3, 0.2, 0.4, -0.6};
  std::vector<double> u(6), later(6), u_dot(6), before(6), q_later(q), v_later(v);
  options.speeds->from_rates(q, v, u);
  constexpr double h = 1e-6;  // u̇ by central differences, along q + h v
  const auto moved = [&](double t, std::vector<double>& out) {
    for (std::size_t k = 0; k < 6; ++k) q_later[k] = q[k] + t * v[k] + t * t / 2 * a[k], v_later[k] = v[k] + t * a[k];
    options.speeds->from_rates(q_later, v_later, out);
  };
  moved(h, later), moved(-h, before);
  for (std::size_t k = 0; k < 6; ++k) u_dot[k] = (later[k] - before[k]) / (2 * h);
  const std::vector<double> tau = evaluate(set, q, u, u_dot);
  Dynamics dynamics(model, {.rotor = false, .most = InstructionSet::none});
  std::vector<double> expected(6);
  dynamics.inverse(q, v, a, expected);
  for (std::size_t k = 0; k < 6; ++k) EXPECT_NEAR(tau[k], expected[k], 1e-7);  // of the differences
}

}  // namespace
}  // namespace ulna::test
