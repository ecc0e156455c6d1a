// Forward dynamics undoes inverse dynamics, by either method and with every effect.
#include "support/arm.hpp"
#include "support/cases.hpp"

namespace ulna::test {
namespace {

/// Rounding of the torques (relative to what they are made of) reaches the accelerations through M⁻¹; the solution itself costs cond(M).
double acceleration_condition(const Model& model, const State& s, const Effects& effects) {
  const Oracle oracle(model, s.q, s.v, s.a, effects);
  const Eigen::MatrixXd M = doubles(oracle.mass_matrix());
  const double inverse_norm = 1 / smallest_singular_value(M);
  return condition_number(M) + inverse_norm * oracle.torque_size() / largest(s.a);
}

void expect_round_trip(const Model& model, const State& s, const Effects& effects, ForwardMethod method) {
  const Plan plan = make_plan(model);
  const double bound = tolerance(steps(model), acceleration_condition(model, s, effects));
  EXPECT_LT(relative_error(forward_of(plan, s, inverse_of(plan, s, effects), effects, method), s.a), bound);
}

TEST(Forward, UndoesInverseByEitherMethod) {
  for_each_case({}, [](const Model& model, const State& s, Random&) {
    for (const ForwardMethod method : {ForwardMethod::mass_matrix, ForwardMethod::articulated, ForwardMethod::automatic})
      expect_round_trip(model, s, {}, method);
  });
}

TEST(Forward, UndoesInverseWithEveryEffect) {
  for_each_case({}, [](const Model& model, const State& s, Random& random) {
    const std::vector<Wrench> wrenches = random_wrenches(model, random);
    for (const bool rotor : {false, true}) {
      const Effects effects{.rotor = rotor, .friction = true, .base = random_base(random), .wrenches = wrenches};
      for (const ForwardMethod method : {ForwardMethod::mass_matrix, ForwardMethod::articulated}) expect_round_trip(model, s, effects, method);
    }
  });
}

TEST(Forward, UndoesInverseWithMimicJoints) {
  for_each_case({.fewest = 4, .mimic = true}, [](const Model& model, const State& s, Random& random) {
    const Effects effects{.friction = true, .base = random_base(random)};
    expect_round_trip(model, s, effects, ForwardMethod::mass_matrix);
    expect_round_trip(model, s, effects, ForwardMethod::automatic);
  });
}

TEST(Forward, InverseGivesBackTheTorques) {
  for_each_case({}, [](const Model& model, const State& s, Random& random) {
    const Plan plan = make_plan(model);
    const std::vector<double> tau = random.numbers(s.q.size(), -20, 20);
    for (const ForwardMethod method : {ForwardMethod::mass_matrix, ForwardMethod::articulated}) {
      State moved = s;
      moved.a = forward_of(plan, s, tau, {}, method);
      const Oracle oracle(model, moved.q, moved.v, moved.a);
      const double cond = condition_number(doubles(oracle.mass_matrix())) * oracle.torque_size() / largest(tau);
      EXPECT_LT(relative_error(inverse_of(plan, moved), tau), tolerance(steps(model), cond));
    }
  });
}

TEST(Forward, MethodsAgree) {
  for_each_case({}, [](const Model& model, const State& s, Random& random) {
    const Plan plan = make_plan(model);
    const std::vector<double> tau = random.numbers(s.q.size(), -20, 20);
    const std::vector<Wrench> wrenches = random_wrenches(model, random);
    const Effects effects{.friction = true, .base = random_base(random), .wrenches = wrenches};
    State at = s;
    at.a = forward_of(plan, s, tau, effects, ForwardMethod::mass_matrix);
    const double bound = tolerance(steps(model), 2 * acceleration_condition(model, at, effects));
    EXPECT_LT(relative_error(at.a, forward_of(plan, s, tau, effects, ForwardMethod::articulated)), bound);
  });
}

TEST(Forward, NullTorqueIsZero) {
  for_each_case({.mimic = true}, [](const Model& model, const State& s, Random&) {
    const Plan plan = make_plan(model);
    Workspace ws(plan);
    std::vector<double> a(s.q.size());
    const double* null = nullptr;
    forward_dynamics(plan, ws, s.q.data(), s.v.data(), null, a.data());
    EXPECT_EQ(a, forward_of(plan, s, zeros(s.q)));
    forward_dynamics(plan, ws, s.q.data(), null, null, a.data());
    EXPECT_EQ(a, forward_of(plan, {s.q, zeros(s.v), {}}, zeros(s.q)));
  });
}

TEST(Forward, ArticulatedBodiesRefuseMimicJoints) {
  for (std::uint64_t seed = 1; seed <= kModels; ++seed) {
    const Model model = random_model(seed, {.fewest = 5, .mimic = true});
    const Plan plan = make_plan(model);
    if (!plan.coupled) continue;
    Random random(seed);
    const State s = random_state(model, random);
    EXPECT_THROW(forward_of(plan, s, s.a, {}, ForwardMethod::articulated), std::invalid_argument);
    return;
  }
  FAIL() << "no seed gave a mimic joint";
}

// Newton: a lump on three slides falls as everything falls, wherever gravity points, whatever its mass.
TEST(Forward, FreeFall) {
  Description d;
  d.name = "lump";
  d.gravity = {1.5, -2.5, -9.0};
  d.links = {frame("world"), frame("x"), frame("y"), frame("lump")};
  Random random(3);
  set_random_inertia(d.links[3], random);
  d.joints = {joint("jx", JointType::prismatic, "world", "x", {1, 0, 0}), joint("jy", JointType::prismatic, "x", "y", {0, 1, 0}),
              joint("jz", JointType::prismatic, "y", "lump", {0, 0, 1})};
  const Plan plan = make_plan(build(d));
  for (const ForwardMethod method : {ForwardMethod::mass_matrix, ForwardMethod::articulated}) {
    const std::vector<double> a = forward_of(plan, {{1, 2, 3}, {4, 5, 6}, {}}, {0, 0, 0}, {}, method);
    EXPECT_LT(relative_error(a, std::vector<double>{1.5, -2.5, -9.0}), tolerance(3));
  }
}

}  // namespace
}  // namespace ulna::test
