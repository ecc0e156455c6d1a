// Dynamics with what acts besides the drives: against the independent oracle, with machine code and without.
#include <ulna/robot/dynamics.hpp>

#include "support/cases.hpp"

namespace ulna::test {
namespace {

constexpr InstructionSet kSets[] = {InstructionSet::avx512, InstructionSet::none};

RandomOptions small() {
  RandomOptions options;
  options.most = 6;
  return options;
}

TEST(DynamicsEffects, InverseAndForwardAgreeWithTheOracle) {
  for_each_case(small(), [](const Model& model, const State& s, Random& random) {
    const std::vector<Wrench> wrenches = random_wrenches(model, random);
    const BaseMotion base = random_base(random);
    for (const InstructionSet most : kSets) {
      const Dynamics dynamics(model, {.threads = 1, .most = most});
      // Each alone, every part of the base's motion among them, and all together.
      for (const Effects& effects :
           {Effects{}, Effects{.rotor = false}, Effects{.friction = true}, Effects{.base = {.angular_velocity = base.angular_velocity}},
            Effects{.base = {.linear_velocity = base.linear_velocity}}, Effects{.base = {.angular_acceleration = base.angular_acceleration}},
            Effects{.base = {.linear_acceleration = base.linear_acceleration}}, Effects{.base = base}, Effects{.wrenches = wrenches},
            Effects{.rotor = false, .friction = true, .base = base, .wrenches = wrenches}}) {
        const Oracle oracle(model, s.q, s.v, s.a, effects), coasting(model, s.q, s.v, zeros(s.a), effects);
        std::vector<double> tau(s.a.size()), bias(s.a.size()), a(s.a.size());
        dynamics.inverse(s.q, s.v, s.a, tau, effects);
        dynamics.bias(s.q, s.v, bias, effects);
        EXPECT_LE(relative_error(tau, doubles(oracle.torques())), tolerance(steps(model), torque_condition(oracle)));
        EXPECT_LE(relative_error(bias, doubles(coasting.torques())), tolerance(steps(model), torque_condition(coasting)));
        dynamics.forward(s.q, s.v, tau, a, effects);
        const double cond = condition_number(doubles(oracle.mass_matrix()));
        EXPECT_LE(relative_error(a, s.a), 1e-12 * cond * torque_condition(oracle));
      }
    }
  });
}

TEST(DynamicsEffects, FrictionOfEffectsIsFrictionOfOptions) {
  const Model model = random_model(7, small());
  Random random(3);
  const State s = random_state(model, random);
  const Dynamics plain(model, {.threads = 1}), rubbing(model, {.friction = true, .threads = 1});
  std::vector<double> here(s.q.size()), there(s.q.size());
  plain.inverse(s.q, s.v, s.a, here, {.friction = true});
  rubbing.inverse(s.q, s.v, s.a, there);
  EXPECT_EQ(here, there);
  rubbing.inverse(s.q, s.v, s.a, here, {});
  plain.inverse(s.q, s.v, s.a, there);
  EXPECT_EQ(here, there);
}

TEST(DynamicsEffects, EnergyMomentumAndPoses) {
  for_each_case(small(), [](const Model& model, const State& s, Random& random) {
    const Effects effects{.base = random_base(random)};
    const Dynamics dynamics(model, {.threads = 1});
    const Oracle oracle(model, s.q, s.v, s.a, effects);
    const auto near = [&](double got, const auto& wanted, double size) { EXPECT_NEAR(got, static_cast<double>(wanted), tolerance(steps(model)) * size); };
    const Energy energy = dynamics.energy(s.q, s.v, effects);
    near(energy.kinetic, oracle.kinetic(), static_cast<double>(oracle.kinetic()));
    std::vector<Pose<double>> poses(model.links().size());
    dynamics.poses(s.q, poses);
    double reach = 1, weight = 0;
    for (std::size_t k = 0; k < poses.size(); ++k) {
      const Pose<double> one = dynamics.pose(s.q, k);
      EXPECT_EQ(poses[k].R, one.R);
      EXPECT_EQ(poses[k].p, one.p);
      const Vec3<double> centre = one.R * model.links()[k].com + one.p;
      reach = std::max(reach, std::sqrt(dot(centre, centre)));
      weight += std::sqrt(dot(model.gravity(), model.gravity())) * model.links()[k].mass;
    }
    near(energy.potential, oracle.potential(), weight * reach);
    const Momentum momentum = dynamics.momentum(s.q, s.v, effects);
    const auto linear = oracle.linear_momentum();
    const double size = std::sqrt(2 * static_cast<double>(oracle.kinetic()) * model.mass());  // |sum m v|² <= sum m v² sum m
    near(momentum.linear.x, linear(0), size);
    near(momentum.linear.y, linear(1), size);
    near(momentum.linear.z, linear(2), size);
    const auto angular = oracle.angular_momentum();
    near(momentum.angular.x, angular(0), size * reach);
    near(momentum.angular.y, angular(1), size * reach);
    near(momentum.angular.z, angular(2), size * reach);
  });
}

TEST(DynamicsEffects, WrongSizesAreTold) {
  const Dynamics dynamics(random_model(2, small()), {.threads = 1});
  const std::size_t n = dynamics.nv(), links = dynamics.model().links().size();
  std::vector<double> x(n), out(n), short_one(n + 1);
  std::vector<Pose<double>> poses(links + 1);
  const std::vector<Wrench> nowhere{{.link = links}};
  EXPECT_THROW(dynamics.inverse(x, x, short_one, out, Effects{}), std::invalid_argument);
  EXPECT_THROW(dynamics.inverse(x, x, x, out, Effects{.wrenches = nowhere}), std::invalid_argument);
  EXPECT_THROW(dynamics.energy(x, short_one), std::invalid_argument);
  EXPECT_THROW(dynamics.momentum(short_one, x), std::invalid_argument);
  EXPECT_THROW(dynamics.poses(x, poses), std::invalid_argument);
}

}  // namespace
}  // namespace ulna::test
