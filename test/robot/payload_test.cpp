// Loads and other numbers: the same as a robot that had them from the start, with the same machine code wherever that is possible.
#include <ulna/robot/dynamics.hpp>

#include "support/arm.hpp"
#include "support/cases.hpp"

namespace ulna::test {
namespace {

Payload random_payload(Random& random) {
  Link link;
  set_random_inertia(link, random);
  return {link.mass, link.com, link.inertia};
}

void expect_torques_of(const Model& model, const Dynamics& dynamics, std::uint64_t seed) {
  Random random(seed);
  const std::size_t n = model.nv();
  for (int k = 0; k < 3; ++k) {
    const State s = random_state(model, random);
    const Oracle oracle(model, s.q, s.v, s.a);
    std::vector<double> tau(n), batch(n);
    dynamics.inverse(s.q, s.v, s.a, tau);
    EXPECT_LE((Eigen::Map<Eigen::VectorXd>(tau.data(), static_cast<int>(n)) - oracle.torques().cast<double>()).cwiseAbs().maxCoeff(),
              tolerance(steps(model)) * oracle.torque_size());
    dynamics.inverse_batch(MatrixView<const double>(s.q.data(), n, 1), MatrixView<const double>(s.v.data(), n, 1), MatrixView<const double>(s.a.data(), n, 1),
                           MatrixView<double>(batch.data(), n, 1));
    EXPECT_EQ(batch, tau);
    Eigen::MatrixXd M(n, n);
    dynamics.mass(s.q, M);
    const Eigen::MatrixXd exact = doubles(oracle.mass_matrix());
    EXPECT_LE((M - exact).cwiseAbs().maxCoeff(), tolerance(steps(model)) * exact.cwiseAbs().maxCoeff());
    const Oracle still(model, s.q, zeros(s.q), zeros(s.q));
    dynamics.gravity(s.q, tau);
    EXPECT_LE((Eigen::Map<Eigen::VectorXd>(tau.data(), static_cast<int>(n)) - still.torques().cast<double>()).cwiseAbs().maxCoeff(),
              tolerance(steps(model)) * still.torque_size());
    const double cond = condition_number(exact);
    std::vector<double> a(n);
    dynamics.forward(s.q, s.v, doubles(oracle.torques()), a);
    EXPECT_LE(relative_error(a, s.a), 1e-12 * cond);
  }
}

TEST(Payload, InTheHandSharesTheMachineCode) {
  for (const char* robot : {"panda", "iiwa14", "ur5", "puma560"}) {
    SCOPED_TRACE(robot);
    const Model model = load(robot);
    const Dynamics dynamics(model);
    const std::string hand = model.links().back().name;
    Random random(3);
    const Payload first = random_payload(random);
    const Dynamics loaded = dynamics.with_payload(hand, first);
    // Numbers may appear where there were zeros; a second load then finds them there.
    const Dynamics again = loaded.with_payload(hand, random_payload(random));
    EXPECT_TRUE(again.shares_code(loaded));
    expect_torques_of(with_payload(model, hand, first), loaded, 4);
    expect_torques_of(again.model(), again, 5);
  }
  const Dynamics panda(load("panda"));
  Random random(9);
  EXPECT_TRUE(panda.with_payload(panda.model().links().back().name, random_payload(random)).shares_code(panda));
}

// No load costs a compilation once there are numbers where loads put them.
TEST(Payload, OfAnyMassSharesTheMachineCode) {
  for (const char* robot : {"panda", "ur5", "stanford"}) {
    const Model model = load(robot);
    const std::string hand = model.links().back().name;
    Random random(5);
    const Dynamics dynamics(with_payload(model, hand, random_payload(random)));  // in which no number is zero that a load changes
    int compiled = 0;
    constexpr int kLoads = 1500;
    for (int k = 0; k < kLoads; ++k)
      compiled += dynamics.with_payload(hand, {.mass = 0.1 + 3.0 * k / kLoads, .com = {0, 0, 0.08}}).shares_code(dynamics) ? 0 : 1;
    EXPECT_EQ(compiled, 0) << robot;
  }
}

TEST(Payload, ThatMakesNewTermsGetsNewMachineCode) {
  // A point mass on the axis of a pendulum: without the load no product of inertia, no h_y, no h_z.
  const Model model = load("planar-2r");
  const Dynamics dynamics(model);
  const Payload odd{2.0, {0.1, 0.3, -0.2}, {0.02, 0.03, 0.04, 0.001, 0.002, 0.003}};
  const std::string last = model.links().back().name;
  expect_torques_of(with_payload(model, last, odd), dynamics.with_payload(last, odd), 6);
}

TEST(Payload, OnAnyLinkOfRandomRobots) {
  int shared = 0;
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    SCOPED_TRACE(seed);
    const Model model = random_model(seed, {.most = 9, .mimic = seed % 3 == 0});
    Random random(seed);
    const Dynamics dynamics(model);
    const std::string link = model.links()[random.below(model.links().size())].name;
    const Payload load = random_payload(random);
    const Dynamics loaded = dynamics.with_payload(link, load);
    shared += loaded.shares_code(dynamics) ? 1 : 0;
    expect_torques_of(with_payload(model, link, load), loaded, seed);
  }
  EXPECT_GT(shared, 15);
}

TEST(Payload, LeavesTheRobotItCameFromAlone) {
  const Model model = load("panda");
  const Dynamics dynamics(model);
  { const Dynamics loaded = dynamics.with_payload(model.links().back().name, {5, {0, 0, 0.1}, {0.1, 0.1, 0.1, 0, 0, 0}}); }
  expect_torques_of(model, dynamics, 7);
  Dynamics kept = dynamics.with_payload(model.links().back().name, {1, {0, 0, 0.1}, {0.1, 0.1, 0.1, 0, 0, 0}});
  {
    const Dynamics other(model);
    kept = other.with_payload(model.links().back().name, {2, {0, 0, 0.1}, {0.1, 0.1, 0.1, 0, 0, 0}});
  }
  expect_torques_of(kept.model(), kept, 8);  // the code outlives the object that made it
}

TEST(Parameters, OfAnotherRobotAreRefused) {
  const Dynamics dynamics(load("stanford"));
  const auto expect_refused = [](const Dynamics& made, const char* other, const char* piece) {
    try {
      made.with_parameters(load(other));
      FAIL();
    } catch (const std::invalid_argument& e) {
      EXPECT_NE(std::string(e.what()).find(piece), std::string::npos) << e.what();
    }
  };
  expect_refused(dynamics, "panda", "joints, not");
  expect_refused(Dynamics(load("general-RR")), "general-RP", "a prismatic joint, where there was");
  Model heavier = with_gravity(load("stanford"), {0, 0, -1.62});
  expect_torques_of(heavier, dynamics.with_parameters(heavier), 9);
  EXPECT_TRUE(dynamics.with_parameters(heavier).shares_code(dynamics));
}

// The frame of this arm's last link is slid along its axis by S_xz / h_x, which makes S_xz vanish. With a mass centre that is all but on the axis, the same
// rule slides by a distance as great as h_x is small, and the torques would be differences of numbers larger by its square.
TEST(Parameters, ThatWouldSlideAFrameFarAwayGetMachineCodeOfTheirOwn) {
  const auto arm = [](double com_x) {
    Description d;
    d.links = {frame("base"), body("upper", 3.1, {0.11, 0.023, 0.037}, {0.31, 0.43, 0.27, 0.013, 0.021, 0.034}),
               body("lower", 2.3, {com_x, 0, 0.17}, {0.21, 0.32, 0.25, 0, 0.044, 0})};
    d.joints = {joint("shoulder", JointType::revolute, "base", "upper"), joint("elbow", JointType::revolute, "upper", "lower", {0, 0, 1}, {0.41, 0.13, 0.29})};
    d.joints[1].joint.X_PF.R = rotation_x(1.1);
    return unchecked(d);
  };
  const Dynamics dynamics(arm(0.19));
  // Up to here the slide is shorter than the arm.
  constexpr double kShort = 0.03;
  int shared = 0, near = 0;
  for (const double com_x : {0.29, 0.26, 0.23, 0.2, 0.17, 0.14, 0.12, 1e-1, 0.08, 0.06, 0.05, 0.04, 1e-2, 1e-3, 1e-5, 1e-7, 1e-9, 1e-11, 1e-13}) {
    SCOPED_TRACE(com_x);
    const Model model = arm(com_x);
    const Dynamics changed = dynamics.with_parameters(model);
    near += com_x > kShort ? 1 : 0;
    shared += com_x > kShort && changed.shares_code(dynamics) ? 1 : 0;
    EXPECT_FALSE(com_x <= 1e-3 && changed.shares_code(dynamics));
    EXPECT_TRUE(changed.compiled(Quantity::inverse));
    Random random(11);
    for (int k = 0; k < 20; ++k) {
      const State s = random_state(model, random);
      const Oracle oracle(model, s.q, s.v, s.a);
      std::vector<double> tau(2);
      changed.inverse(s.q, s.v, s.a, tau);
      // A slide within proportion may cost the square of its growth, 2.
      for (int i = 0; i < 2; ++i) EXPECT_NEAR(tau[i], static_cast<double>(oracle.torques()(i)), 4 * tolerance(2) * oracle.torque_size()) << i;
    }
  }
  EXPECT_EQ(shared, near);
}

TEST(Payload, ThatNoBodyCanHaveIsRefused) {
  const Model model = load("panda");
  const std::string hand = model.links().back().name;
  const auto why = [&](const std::string& link, const Payload& load) -> std::string {
    try {
      with_payload(model, link, load);
    } catch (const std::invalid_argument& e) {
      return e.what();
    }
    return "taken";
  };
  EXPECT_EQ(why(hand, {1, {}, {1, 1, 1, 0, 0, 0}}), "taken");
  EXPECT_EQ(why(hand, {}), "taken");
  EXPECT_NE(why(hand, {-1, {}, {}}).find("its mass is -1 kg"), std::string::npos);
  EXPECT_NE(why(hand, {1, {NAN, 0, 0}, {}}).find("not finite"), std::string::npos);
  EXPECT_NE(why(hand, {1, {}, {1, 1, 3, 0, 0, 0}}).find("triangle"), std::string::npos);
  EXPECT_NE(why(hand, {1, {}, {1, 1, 1, 2, 0, 0}}).find("principal moment"), std::string::npos);
  EXPECT_NE(why(hand, {0, {}, {1, 1, 1, 0, 0, 0}}).find("without mass"), std::string::npos);
  EXPECT_NE(why("hnad", {1, {}, {}}).find("has no link 'hnad'"), std::string::npos);
}

}  // namespace
}  // namespace ulna::test
