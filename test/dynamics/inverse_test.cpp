// Inverse dynamics against d'Alembert's principle in world axes, and the linearities of tau = M a + bias.
#include "support/arm.hpp"
#include "support/cases.hpp"

namespace ulna::test {
namespace {

TEST(Inverse, EqualsOracle) {
  for_each_case({}, [](const Model& model, const State& s, Random&) {
    const Oracle oracle(model, s.q, s.v, s.a);
    EXPECT_LT(relative_error(inverse_of(make_plan(model), s), doubles(oracle.torques())), tolerance(steps(model), torque_condition(oracle)));
  });
}

TEST(Inverse, EqualsOracleWithEveryEffect) {
  for_each_case({.mimic = true}, [](const Model& model, const State& s, Random& random) {
    const std::vector<Wrench> wrenches = random_wrenches(model, random);
    const Effects effects{.rotor = random.chance(0.5), .friction = true, .base = random_base(random), .wrenches = wrenches};
    const Oracle oracle(model, s.q, s.v, s.a, effects);
    EXPECT_LT(relative_error(inverse_of(make_plan(model), s, effects), doubles(oracle.torques())), tolerance(steps(model), torque_condition(oracle)));
  });
}

// Each effect alone: together, two faults could hide each other.
TEST(Inverse, EqualsOracleWithEachPartOfTheBaseMotion) {
  for_each_case({}, [](const Model& model, const State& s, Random& random) {
    const BaseMotion all = random_base(random);
    const Vec3<double> none{};
    for (const BaseMotion& base : {BaseMotion{all.angular_velocity, none, none, none}, BaseMotion{none, all.linear_velocity, none, none},
                                   BaseMotion{none, none, all.angular_acceleration, none}, BaseMotion{none, none, none, all.linear_acceleration}}) {
      const Effects effects{.base = base};
      const Oracle oracle(model, s.q, s.v, s.a, effects);
      EXPECT_LT(relative_error(inverse_of(make_plan(model), s, effects), doubles(oracle.torques())), tolerance(steps(model), torque_condition(oracle)));
    }
  });
}

// Galileo: a base that moves steadily without turning is not felt.
TEST(Inverse, SteadyBaseVelocityIsNotFelt) {
  for_each_case({}, [](const Model& model, const State& s, Random& random) {
    const Plan plan = make_plan(model);
    EXPECT_EQ(inverse_of(plan, s), inverse_of(plan, s, {.base = {{}, random.vector(10), {}, {}}}));
  });
}

// Einstein: an accelerating base is gravity the other way.
TEST(Inverse, BaseAccelerationIsGravityTheOtherWay) {
  for_each_case({}, [](const Model& model, const State& s, Random& random) {
    const Vec3<double> up = random.vector(8);
    const Effects effects{.base = {{}, {}, {}, up}};
    const Oracle oracle(model, s.q, s.v, s.a, effects);
    const std::vector<double> lifted = inverse_of(make_plan(model), s, effects);
    Plan heavier = make_plan(model);
    heavier.gravity = model.gravity() - up;
    EXPECT_LT(relative_error(lifted, inverse_of(heavier, s)), tolerance(steps(model), torque_condition(oracle)));
  });
}

TEST(Inverse, IsLinearInAcceleration) {
  for_each_case({.mimic = true}, [](const Model& model, const State& s, Random& random) {
    const Plan plan = make_plan(model);
    const std::vector<double> b = random.numbers(s.a.size(), -2, 2);
    State sum = s, other = s, still = s;
    for (std::size_t k = 0; k < b.size(); ++k) {
      sum.a[k] = s.a[k] + b[k];
      other.a[k] = b[k];
      still.a[k] = 0;
    }
    const std::vector<double> left = inverse_of(plan, sum), first = inverse_of(plan, s), second = inverse_of(plan, other), bias = inverse_of(plan, still);
    std::vector<double> right;
    for (std::size_t k = 0; k < b.size(); ++k) right.push_back(first[k] + second[k] - bias[k]);
    const Oracle oracle(model, sum.q, sum.v, sum.a);
    EXPECT_LT(relative_error(left, right), tolerance(steps(model), 4 * torque_condition(oracle)));
  });
}

TEST(Inverse, DifferenceToBiasIsMassTimesAcceleration) {
  for_each_case({.mimic = true}, [](const Model& model, const State& s, Random&) {
    const Plan plan = make_plan(model);
    Workspace ws(plan);
    std::vector<double> bias(s.q.size());
    bias_forces(plan, ws, s.q, s.v, bias);
    const Eigen::VectorXd Ma = mass_of(plan, s.q) * Eigen::Map<const Eigen::VectorXd>(s.a.data(), plan.nv);
    const std::vector<double> tau = inverse_of(plan, s);
    std::vector<double> sum;
    for (std::size_t k = 0; k < tau.size(); ++k) sum.push_back(bias[k] + Ma(static_cast<Eigen::Index>(k)));
    const Oracle oracle(model, s.q, s.v, s.a);
    EXPECT_LT(relative_error(tau, sum), tolerance(steps(model), 2 * torque_condition(oracle)));
  });
}

// Two bodies in one place: m, m c and the inertia about the origin add, and so do the torques.
TEST(Inverse, IsLinearInTheInertialParameters) {
  for (std::uint64_t seed = 1; seed <= kModels; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    const RandomOptions options{.massless = false, .rotor = false};
    const Description first = random_description(seed, options);
    Description second = first, both = first;
    Random random(seed + 1000);
    for (std::size_t i = 0; i < first.links.size(); ++i) {
      const Link& a = first.links[i];
      Link& b = second.links[i];
      set_random_inertia(b, random);
      Link& c = both.links[i];
      c.mass = a.mass + b.mass;
      c.com = (1 / c.mass) * (a.mass * a.com + b.mass * b.com);
      c.inertia = a.inertia + b.inertia;
      for (const Link* part : {&a, &std::as_const(b)}) {
        const Vec3<double> d = part->com - c.com;
        c.inertia.xx += part->mass * (d.y * d.y + d.z * d.z);
        c.inertia.yy += part->mass * (d.x * d.x + d.z * d.z);
        c.inertia.zz += part->mass * (d.x * d.x + d.y * d.y);
        c.inertia.xy -= part->mass * d.x * d.y;
        c.inertia.xz -= part->mass * d.x * d.z;
        c.inertia.yz -= part->mass * d.y * d.z;
      }
    }
    const Model sum = build(both);
    const State s = random_state(sum, random);
    const std::vector<double> one = inverse_of(make_plan(build(first)), s), two = inverse_of(make_plan(build(second)), s);
    std::vector<double> right;
    for (std::size_t k = 0; k < one.size(); ++k) right.push_back(one[k] + two[k]);
    EXPECT_LT(relative_error(inverse_of(make_plan(sum), s), right), tolerance(steps(sum), 2 * torque_condition(Oracle(sum, s.q, s.v, s.a))));
  }
}

TEST(Inverse, NullPointersAreZeros) {
  for_each_case({.mimic = true}, [](const Model& model, const State& s, Random&) {
    const Plan plan = make_plan(model);
    Workspace ws(plan);
    const std::vector<double> zero = zeros(s.q);
    const double* null = nullptr;
    std::vector<double> with(s.q.size()), without(s.q.size());
    inverse_dynamics(plan, ws, s.q, zero, zero, with);
    inverse_dynamics(plan, ws, s.q.data(), null, null, without.data());
    EXPECT_EQ(with, without);
    gravity_forces(plan, ws, s.q, without);
    EXPECT_EQ(with, without);
    inverse_dynamics(plan, ws, s.q, s.v, zero, with);
    inverse_dynamics(plan, ws, s.q.data(), s.v.data(), null, without.data());
    EXPECT_EQ(with, without);
    bias_forces(plan, ws, s.q, s.v, without);
    EXPECT_EQ(with, without);
  });
}

template <class P>
concept TakesNullptr = requires(const P& plan, Workspace& ws, const double* q, double* out) {
  inverse_dynamics(plan, ws, q, nullptr, nullptr, out);
  forward_dynamics(plan, ws, q, nullptr, nullptr, out);
};
TEST(Inverse, NullMayBeWrittenAsNullptr) { EXPECT_TRUE(TakesNullptr<Plan>); }

TEST(Inverse, FrictionOpposesMotionAndVanishesAtRest) {
  Description d;
  d.name = "slider";
  d.links = {frame("rail"), body("cart", 2)};
  d.joints = {joint("x", JointType::prismatic, "rail", "cart", {1, 0, 0})};
  d.joints[0].joint.friction.viscous = 3;
  d.joints[0].joint.friction.coulomb = 0.5;
  const Plan plan = make_plan(build(d));
  const auto friction = [&](double v) { return inverse_of(plan, {{0}, {v}, {0}}, {.friction = true})[0]; };
  EXPECT_EQ(friction(2), 6.5);
  EXPECT_EQ(friction(-2), -6.5);
  EXPECT_EQ(friction(0), 0);
  EXPECT_EQ(inverse_of(plan, {{0}, {2}, {0}})[0], 0) << "friction is off unless asked for";
  EXPECT_TRUE(std::isnan(friction(std::numeric_limits<double>::quiet_NaN())));
}

}  // namespace
}  // namespace ulna::test
