// Robots small enough for a formula, and single numbers that others publish.
#include <numbers>

#include <ulna/source/load.hpp>

#include "support/arm.hpp"
#include "support/cases.hpp"
#include "support/planar_arm.hpp"

namespace ulna::test {
namespace {

// Point mass on a massless rod: m l² a + m g l sin q = tau.
TEST(ClosedForm, SimplePendulum) {
  const double m = 1.7, l = 0.6, g = 9.81;
  Description d;
  d.name = "pendulum";
  d.gravity = {0, -g, 0};
  append(d, false, {.theta = -std::numbers::pi / 2, .link = body("", m, {l, 0, 0})});
  const Plan plan = make_plan(build(d));
  Random random(1);
  for (int k = 0; k < 20; ++k) {
    const double q = random.uniform(-3, 3), v = random.uniform(-5, 5), a = random.uniform(-5, 5);
    const double size = m * l * l * std::abs(a) + m * g * l;
    EXPECT_NEAR(inverse_of(plan, {{q}, {v}, {a}})[0], m * l * l * a + m * g * l * std::sin(q), tolerance(1) * size);
    EXPECT_NEAR(forward_of(plan, {{q}, {v}, {}}, {0})[0], -g / l * std::sin(q), tolerance(1) * g / l);
  }
}

// No product of masses and lengths is taken that a double does not hold where the torque itself is one.
TEST(ClosedForm, MassesOfAnySize) {
  for (int k = -300; k <= 300; k += 50) {
    const double m = std::pow(10.0, k), l = 0.5, g = 9.81;
    SCOPED_TRACE(::testing::Message() << m << " kg");
    Description d;
    d.name = "pendulum";
    d.links = {frame("base"), body("bob", m, {l, 0, 0}, {0.1 * m, 0.1 * m, 0.1 * m, 0, 0, 0})};
    d.joints = {joint("hinge", JointType::continuous, "base", "bob", {0, 1, 0})};
    const Plan plan = make_plan(build(d));
    const double inertia = 0.1 * m + m * l * l, a = 0.7;
    EXPECT_NEAR(inverse_of(plan, {{0.3}, {2}, {a}})[0] / m, (inertia * a - m * g * l * std::cos(0.3)) / m, 1e-14);
    EXPECT_NEAR(forward_of(plan, {{0.3}, {0}, {}}, {0})[0], m * g * l * std::cos(0.3) / inertia, 1e-13);
  }
}

// The two-link arm of the textbooks (J. J. Craig 1986, ch. 6; Spong & Vidyasagar 1989, ch. 6), with the numbers of models/planar-2r.
TEST(ClosedForm, PlanarTwoLinkArm) {
  const Plan plan = make_plan(load("planar-2r"));
  Random random(2);
  for (int k = 0; k < 50; ++k) {
    const std::vector<double> q = random.numbers(2, -3, 3), v = random.numbers(2, -4, 4), a = random.numbers(2, -4, 4);
    const auto [tau, M11, M12, M22, size] = PlanarArm(q, v, a);
    EXPECT_LT(relative_error(inverse_of(plan, {q, v, a}), tau), tolerance(2, size / largest(tau)));
    EXPECT_LT(relative_error(mass_of(plan, q), std::vector<double>{M11, M12, M12, M22}), tolerance(2));
    EXPECT_LT(relative_error(forward_of(plan, {q, v, {}}, tau), a), tolerance(2, condition_number(mass_of(plan, q)) * size));
  }
}

// Absolute angles phi; Q_j = I_j phi_j'' + sum_i m_i k_ij [g cos phi_j + sum_n k_in (cos(phi_j - phi_n) phi_n'' + sin(phi_j - phi_n) phi_n'²)].
TEST(ClosedForm, PlanarThreeLinkArm) {
  const double l[] = {1, 0.8, 0.4}, m[] = {6, 4, 1.5}, c[] = {0.5, 0.4, 0.2}, I[] = {0.5, 0.2, 0.02}, g = 9.81;
  const Plan plan = make_plan(load("planar-3r"));
  Random random(3);
  for (int trial = 0; trial < 50; ++trial) {
    const std::vector<double> q = random.numbers(3, -3, 3), v = random.numbers(3, -4, 4), a = random.numbers(3, -4, 4);
    double phi[3], rate[3], growth[3], Q[3];
    for (std::size_t j = 0; j < 3; ++j) {
      phi[j] = q[j] + (j > 0 ? phi[j - 1] : 0);
      rate[j] = v[j] + (j > 0 ? rate[j - 1] : 0);
      growth[j] = a[j] + (j > 0 ? growth[j - 1] : 0);
    }
    const auto k = [&](std::size_t i, std::size_t j) { return j < i ? l[j] : j == i ? c[j] : 0; };
    double size = 0;
    for (std::size_t j = 0; j < 3; ++j) {
      Q[j] = I[j] * growth[j];
      for (std::size_t i = 0; i < 3; ++i) {
        double sum = g * std::cos(phi[j]);
        for (std::size_t n = 0; n < 3; ++n) sum += k(i, n) * (std::cos(phi[j] - phi[n]) * growth[n] + std::sin(phi[j] - phi[n]) * rate[n] * rate[n]);
        Q[j] += m[i] * k(i, j) * sum;
        size += m[i] * k(i, j) * (g + 12 + 144);
      }
    }
    const std::vector<double> tau{Q[0] + Q[1] + Q[2], Q[1] + Q[2], Q[2]};
    EXPECT_LT(relative_error(inverse_of(plan, {q, v, a}), tau), tolerance(3, size / largest(tau)));
  }
}

// RBDL publishes these in its tests: links with m = 1, mass centre (1, 0, 0), I = identity about it, joints about z one metre apart in x,
// gravity -9.81 along y, released from rest.
TEST(Published, RbdlChainsReleasedFromRest) {
  const std::vector<std::vector<double>> wanted{{-4.905}, {-5.886, 3.924}, {-6.03692307692308, 3.77307692307692, 1.50923076923077}};
  Description d;
  d.name = "rbdl";
  d.gravity = {0, -9.81, 0};
  for (const std::vector<double>& a : wanted) {
    append(d, false, {.a = d.joints.empty() ? 0.0 : 1.0, .link = body("", 1, {1, 0, 0}, {1, 1, 1, 0, 0, 0})});
    const Plan plan = make_plan(build(d));
    const std::vector<double> zero(a.size(), 0.0);
    constexpr double kPrinted = 1e-14;  // 15 digits
    for (const ForwardMethod method : {ForwardMethod::mass_matrix, ForwardMethod::articulated})
      EXPECT_LT(relative_error(forward_of(plan, {zero, zero, {}}, zero, {}, method), a), kPrinted + tolerance(a.size(), condition_number(mass_of(plan, zero))));
  }
}

// Drake, multibody/benchmarks/kuka_iiwa_robot: position of the last link's frame (BSD-3-Clause).
TEST(Published, DrakeIiwaPositions) {
  const Model model = load("iiwa14");
  const Plan plan = make_plan(model);
  Workspace ws(plan);
  const std::size_t link7 = model.find_link("link7").value();
  const auto at = [&](const std::vector<double>& degrees) {
    std::vector<double> q;
    for (const double x : degrees) q.push_back(x * std::numbers::pi / 180);
    const Pose<double> X = link_pose(plan, ws, q, link7);
    return std::vector<double>{X.p.x, X.p.y, X.p.z};
  };
  EXPECT_LT(relative_error(at({0, 0, 0, 0, 0, 0, 0}), std::vector<double>{0, 0, 1.261}), tolerance(7));
  EXPECT_LT(relative_error(at({60, 30, 60, 30, 60, 30, 60}), std::vector<double>{0.2970356451892219, 0.1727696964662288, 1.154681973689345}), tolerance(7));
}

// models/scara: only the lift carries weight, (1.1 + 0.35) kg, and it counts downwards.
TEST(ClosedForm, ScaraHoldsItsQuill) {
  const Model model = load("scara");
  const Plan plan = make_plan(model);
  Workspace ws(plan);
  Random random(4);
  std::vector<double> gravity(4);
  gravity_forces(plan, ws, random.numbers(4, -1, 1), gravity);
  EXPECT_LT(relative_error(gravity, std::vector<double>{0, 0, -1.45 * 9.81, 0}), tolerance(4));
}

}  // namespace
}  // namespace ulna::test
