// Energy and momentum: their values, and the laws that tie them to the torques.
#include "support/arm.hpp"
#include "support/cases.hpp"
#include "support/difference.hpp"

namespace ulna::test {
namespace {

Real rate_of(const State& s) {
  Real rate = 0;
  for (std::size_t k = 0; k < s.v.size(); ++k) rate += std::abs(s.v[k]) + std::sqrt(std::abs(s.a[k]));
  return rate;
}

/// The oracle at time t on the parabola that leaves (q, v) with acceleration a.
Oracle at_time(const Model& model, const State& s, Real t, const Effects& effects = {}) {
  Reals q = reals(s.q), v = reals(s.v);
  for (std::size_t k = 0; k < q.size(); ++k) {
    q[k] += t * (v[k] + t * s.a[k] / 2);
    v[k] += t * s.a[k];
  }
  return Oracle(model, q, v, reals(s.a), effects);
}

TEST(Energy, EqualsOracle) {
  for_each_case({.mimic = true}, [](const Model& model, const State& s, Random& random) {
    const Effects effects{.rotor = random.chance(0.5), .base = random_base(random)};
    const Plan plan = make_plan(model);
    Workspace ws(plan);
    const Energy e = energy(plan, ws, s.q, s.v, effects);
    const Oracle oracle(model, s.q, s.v, s.a, effects);
    EXPECT_NEAR(e.kinetic, static_cast<double>(oracle.kinetic()), tolerance(steps(model)) * static_cast<double>(oracle.kinetic()));
    // Heights of the links may cancel: rounding is relative to their sizes.
    double size = 0;
    for (std::size_t i = 0; i < model.links().size(); ++i)
      size += model.links()[i].mass * (static_cast<double>(oracle.link(i).p_WL.norm()) + 0.35) * std::sqrt(dot(model.gravity(), model.gravity()));
    EXPECT_NEAR(e.potential, static_cast<double>(oracle.potential()), tolerance(steps(model)) * size);
  });
}

TEST(Energy, KineticIsHalfOfSpeedsTimesInertia) {
  for_each_case({.mimic = true}, [](const Model& model, const State& s, Random&) {
    const Plan plan = make_plan(model);
    Workspace ws(plan);
    const Eigen::Map<const Eigen::VectorXd> v(s.v.data(), plan.nv);
    for (const bool rotor : {false, true}) {
      const Eigen::MatrixXd M = mass_of(plan, s.q, rotor);
      const double half = 0.5 * v.dot(M * v);
      const double size = 0.5 * v.cwiseAbs().dot(M.cwiseAbs() * v.cwiseAbs());
      EXPECT_NEAR(energy(plan, ws, s.q, s.v, {.rotor = rotor}).kinetic, half, tolerance(steps(model)) * size);
    }
  });
}

// Work: d(T + V)/dt = tau . v, on any motion; friction off, rotors on and off.
TEST(Energy, GrowsByThePowerOfTheJoints) {
  for_each_case({.most = 12, .mimic = true}, [](const Model& model, const State& s, Random& random) {
    const Effects effects{.rotor = random.chance(0.5)};
    const std::vector<double> tau = inverse_of(make_plan(model), s, effects);
    double power = 0;
    for (std::size_t k = 0; k < tau.size(); ++k) power += tau[k] * s.v[k];
    const Real growth = derivative(
        [&](Real t) {
          const Oracle o = at_time(model, s, t, effects);
          return o.kinetic() + o.potential();
        },
        rate_of(s));
    const Oracle now = at_time(model, s, 0, effects);
    const double speed = largest(s.v) * static_cast<double>(s.v.size());
    const double energy_size = static_cast<double>(now.kinetic()) + std::abs(static_cast<double>(now.potential()));
    const double bound = tolerance(steps(model)) * now.torque_size() * speed + difference_tolerance<Real>() * energy_size * static_cast<double>(rate_of(s));
    EXPECT_NEAR(power, static_cast<double>(growth), bound);
  });
}

TEST(Energy, GravityTorqueIsTheSlopeOfPotential) {
  for_each_case({.most = 12, .mimic = true}, [](const Model& model, const State& s, Random&) {
    const Plan plan = make_plan(model);
    Workspace ws(plan);
    std::vector<double> gravity(s.q.size()), slope;
    gravity_forces(plan, ws, s.q, gravity);
    for (std::size_t k = 0; k < s.q.size(); ++k) {
      slope.push_back(static_cast<double>(derivative(
          [&](Real t) {
            Reals q = reals(s.q);
            q[k] += t;
            return Oracle(model, q, reals(zeros(s.v)), reals(zeros(s.a))).potential();
          },
          2)));
    }
    const Oracle rest(model, s.q, zeros(s.v), zeros(s.a));
    const double cond = torque_condition(rest);
    const double reach = std::abs(static_cast<double>(rest.potential())) / std::max(1e-300, largest(gravity));
    EXPECT_LT(relative_error(gravity, slope), tolerance(steps(model), cond) + 2 * difference_tolerance<Real>() * (reach + cond));
  });
}

TEST(Momentum, EqualsOracle) {
  for_each_case({.mimic = true}, [](const Model& model, const State& s, Random& random) {
    const Effects effects{.base = random_base(random)};
    const Plan plan = make_plan(model);
    Workspace ws(plan);
    const Momentum p = momentum(plan, ws, s.q, s.v, effects);
    const Oracle oracle(model, s.q, s.v, s.a, effects);
    // The momenta of the links may cancel: rounding is relative to the sum of their sizes.
    double linear = 0, angular = 0;
    for (std::size_t i = 0; i < model.links().size(); ++i) {
      const OracleLink& l = oracle.link(i);
      const double m = model.links()[i].mass, w = static_cast<double>(l.w_size), reach = static_cast<double>(l.p_WL.norm()) + 0.35;
      const double v = static_cast<double>(l.v.norm()) + 0.35 * w;
      linear += m * v;
      angular += m * v * reach + m * 0.1 * w;
    }
    const std::vector<double> l{p.linear.x, p.linear.y, p.linear.z}, n{p.angular.x, p.angular.y, p.angular.z};
    EXPECT_LT(relative_error(l, doubles(RealVector(oracle.linear_momentum()))), tolerance(steps(model), linear / largest(l)));
    EXPECT_LT(relative_error(n, doubles(RealVector(oracle.angular_momentum()))), tolerance(steps(model), angular / largest(n)));
  });
}

TEST(Momentum, LinearIsMassTimesVelocityOfTheMassCentre) {
  for_each_case({.most = 12, .mimic = true}, [](const Model& model, const State& s, Random&) {
    const Plan plan = make_plan(model);
    Workspace ws(plan);
    const Momentum p = momentum(plan, ws, s.q, s.v);
    const RealVector3 velocity = derivative([&](Real t) -> RealVector3 { return at_time(model, s, t).mass_centre(); }, rate_of(s));
    const double size = model.mass() * static_cast<double>(rate_of(s)) * (1 + static_cast<double>(at_time(model, s, 0).mass_centre().norm()));
    const double bound = (tolerance(steps(model)) + difference_tolerance<Real>()) * size;
    EXPECT_NEAR(p.linear.x, model.mass() * static_cast<double>(velocity.x()), bound);
    EXPECT_NEAR(p.linear.y, model.mass() * static_cast<double>(velocity.y()), bound);
    EXPECT_NEAR(p.linear.z, model.mass() * static_cast<double>(velocity.z()), bound);
  });
}

// Newton's second law for the whole robot: what gravity and the ground exert is the growth of momentum. Three slides come first, so their
// forces are what the ground exerts.
TEST(Momentum, GrowsByGravityAndTheForceOnTheBase) {
  for (std::uint64_t seed = 1; seed <= kModels; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    Description d = random_description(seed, {.most = 10, .rotor = false});
    d.links.insert(d.links.begin(), {frame("ground"), frame("sx"), frame("sy")});
    d.joints.insert(d.joints.begin(), {joint("x", JointType::prismatic, "ground", "sx", {1, 0, 0}), joint("y", JointType::prismatic, "sx", "sy", {0, 1, 0}),
                                       joint("z", JointType::prismatic, "sy", "link0", {0, 0, 1})});
    const Model model = build(d);
    Random random(seed + 1000);
    const State s = random_state(model, random);
    const std::vector<double> tau = inverse_of(make_plan(model), s);
    const RealVector3 growth = derivative([&](Real t) -> RealVector3 { return at_time(model, s, t).linear_momentum(); }, rate_of(s));
    const Oracle now = at_time(model, s, 0);
    const double bound = tolerance(steps(model)) * now.torque_size() +
                         difference_tolerance<Real>() * static_cast<double>(now.linear_momentum().norm() + 1) * static_cast<double>(rate_of(s));
    const Vec3<double> weight = model.mass() * model.gravity();
    EXPECT_NEAR(tau[0] + weight.x, static_cast<double>(growth.x()), bound);
    EXPECT_NEAR(tau[1] + weight.y, static_cast<double>(growth.y()), bound);
    EXPECT_NEAR(tau[2] + weight.z, static_cast<double>(growth.z()), bound);
  }
}

}  // namespace
}  // namespace ulna::test
