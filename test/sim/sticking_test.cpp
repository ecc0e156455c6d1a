// Dry friction against closed forms, and against every way that the joints could stick or slide.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>

#include <ulna/sim/simulate.hpp>

#include "model/describe.hpp"
#include "sim/robots.hpp"
#include "sim/system.hpp"
#include "support/random_model.hpp"
#include "support/soak.hpp"

namespace ulna::internal::sim {
namespace {

constexpr double kG = 9.81;
constexpr IntegratorKind kEventful[] = {IntegratorKind::rk4, IntegratorKind::adams_bashforth_4, IntegratorKind::dormand_prince_5};

/// 2 kg on a slope; q goes down. `more`: further keys of the joint.
Model brick(double slope, const std::string& more) { return with_gravity(slider(more), {0, -kG * std::cos(slope), kG * std::sin(slope)}); }

std::string friction(double coulomb, double level) {
  char text[100];
  std::snprintf(text, sizeof text, ", coulomb: %.17g, static: %.17g", coulomb, level);
  return text;
}

Scenario dry(Model model, IntegratorKind kind, double step = 1e-3) {
  Scenario s(std::move(model));
  s.friction.on = true;
  s.limits = LimitPolicy::ignore;
  s.integrator = {kind, step, 1e-12};
  return s;
}

bool same_bits(double a, double b) { return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b); }

void expect_balanced(const Outcome& run, double energy) {
  EXPECT_EQ(run.ending, Ending::done) << run.message;
  EXPECT_TRUE(run.audit.closed);
  EXPECT_LT(run.audit.energy_drift, energy);
  EXPECT_LT(run.audit.uptake_error, energy);
}

// Static coefficient 0.5: the brick stays where the slope's tangent is less, to the bit, for a million steps.
TEST(Sticking, ABrickOnASlopeStaysToTheBit) {
  for (const IntegratorKind kind : kEventful) {
    const double slope = std::atan(0.4999), normal = 2 * kG * std::cos(slope);
    Scenario s = dry(brick(slope, friction(0.4 * normal, 0.5 * normal)), kind);
    s.q = {0.1};
    s.duration = kind == IntegratorKind::rk4 ? 1000 : 50;
    s.output_step = s.duration / 97;  // between steps
    const Outcome run = simulate(s);
    if (kind == IntegratorKind::rk4) {
      EXPECT_EQ(run.audit.steps, 1000000);
    }
    for (std::size_t k = 0; k < run.trajectory.rows(); ++k) {
      ASSERT_TRUE(same_bits(run.trajectory.q[k], 0.1)) << to_string(kind) << " " << k;
      ASSERT_TRUE(same_bits(run.trajectory.v[k], 0)) << to_string(kind) << " " << k;
    }
    EXPECT_TRUE(same_bits(run.q[0], 0.1) && same_bits(run.v[0], 0));
    EXPECT_EQ(run.audit.losses, 0);
    expect_balanced(run, 1e-15);
  }
}

// Beyond it, it slides with a = g (sin - mu cos) of the Coulomb coefficient.
TEST(Sticking, ABrickOnASteeperSlopeSlides) {
  for (const IntegratorKind kind : kEventful) {
    const double slope = std::atan(0.5001), normal = 2 * kG * std::cos(slope), a = kG * (std::sin(slope) - 0.4 * std::cos(slope));
    Scenario s = dry(brick(slope, friction(0.4 * normal, 0.5 * normal)), kind);
    s.duration = 3;
    const Outcome run = simulate(s);
    EXPECT_NEAR(run.q[0], a * 9 / 2, 1e-12) << to_string(kind);
    EXPECT_NEAR(run.v[0], a * 3, 1e-12);
    EXPECT_NEAR(run.audit.losses, 0.4 * normal * a * 9 / 2, 1e-10);
    expect_balanced(run, 1e-10);
  }
}

// Thrown up the slope it stops after v / (g (sin + mu cos)). There it stays, or, on a steeper one, comes down again.
TEST(Sticking, ABrickIsThrownUpASlope) {
  for (const IntegratorKind kind : kEventful)
    for (const double tangent : {0.45, 0.6}) {
      const double slope = std::atan(tangent), normal = 2 * kG * std::cos(slope);
      Scenario s = dry(brick(slope, friction(0.4 * normal, 0.5 * normal)), kind);
      s.v = {-3};
      s.duration = 2;
      const Outcome run = simulate(s);
      const double up = kG * (std::sin(slope) + 0.4 * std::cos(slope)), down = kG * (std::sin(slope) - 0.4 * std::cos(slope)), rest = 3 / up;
      const double q = -9 / (2 * up) + (tangent < 0.5 ? 0 : down * (2 - rest) * (2 - rest) / 2);
      EXPECT_NEAR(run.q[0], q, 1e-12) << to_string(kind) << " " << tangent;
      EXPECT_NEAR(run.v[0], tangent < 0.5 ? 0 : down * (2 - rest), 1e-12);
      expect_balanced(run, 1e-11);
    }
}

/// The angle at which a pendulum that begins at rest at `from` comes to rest on the other side: W (cos to - cos from) = C (from + to), by bisection.
double other_side(double from, double coulomb) {
  double low = 0, high = from;
  for (int k = 0; k < 200; ++k) {
    const double to = (low + high) / 2;
    (kPendulumWeight * (std::cos(to) - std::cos(from)) > coulomb * (from + to) ? low : high) = to;
  }
  return low;
}

// Each half swing loses C times its angle; it ends where gravity no longer breaks it away. Levels between the moments of two turning points end it at each.
TEST(Sticking, APendulumStopsAfterEachHalfSwing) {
  constexpr double kCoulomb = 0.6, kFirst = 1.2;
  for (const IntegratorKind kind : {IntegratorKind::rk4, IntegratorKind::dormand_prince_5}) {
    double angle = kFirst;
    for (int swings = 1; swings <= 8; ++swings) {
      const double before = angle;
      angle = other_side(before, kCoulomb);
      const double level = kPendulumWeight * (std::sin(angle) + std::sin(before)) / 2;
      ASSERT_GT(level, kCoulomb);
      Scenario s = dry(pendulum(friction(kCoulomb, level)), kind, 5e-4);
      s.q = {-kPi / 2 + kFirst};
      s.duration = 10;
      s.output_step = 0.005;  // of which the quadrature of the audit is made
      const Outcome run = simulate(s);
      EXPECT_NEAR(run.q[0], -kPi / 2 + (swings % 2 == 0 ? angle : -angle), 1e-9) << to_string(kind) << " " << swings;
      EXPECT_EQ(run.v[0], 0);
      expect_balanced(run, 1e-9);
    }
  }
}

// A mass m that a spring k pulls at speed V. It sticks until the spring reaches S, then with A = (S - C) / k and w² = k / m the spring's extension is
// C / k + A cos wt + V / w sin wt; the mass stands again after w T = 2 (pi - atan(A w / V)), V T + 2 A further on, and for 2 A / V.
TEST(Sticking, AMassPulledByASpringSticksAndSlips) {
  constexpr double m = 2, k = 50, V = 0.1, C = 3, S = 5, A = (S - C) / k;
  const double w = std::sqrt(k / m), slip = 2 * (kPi - std::atan(A * w / V)) / w, first = S / (k * V), cycle = slip + 2 * A / V;
  for (const IntegratorKind kind : kEventful) {
    Scenario s = dry(slider(friction(C, S)), kind, 5e-4);
    s.output_step = 0.005;
    s.law.kind = LawKind::function;
    s.law.function = [=](double t, VectorView<const double> q, VectorView<const double>, VectorView<double> tau) { tau[0] = k * (V * t - q[0]); };
    for (const int cycles : {1, 4}) {
      s.duration = first + cycles * cycle - A / V;  // in the middle of a rest
      const Outcome rests = simulate(s);
      EXPECT_NEAR(rests.q[0], cycles * (V * slip + 2 * A), 2e-10) << to_string(kind);
      EXPECT_EQ(rests.v[0], 0);
      expect_balanced(rests, 1e-10);
      s.duration = first + cycles * cycle + slip / 3;  // in the middle of a slip
      const Outcome slips = simulate(s);
      const double x = cycles * (V * slip + 2 * A) + V * slip / 3 + A * (1 - std::cos(w * slip / 3)) - V / w * std::sin(w * slip / 3);
      EXPECT_NEAR(slips.q[0], x, 2e-10) << to_string(kind);
    }
  }
}

// The same at twice the step: errors of methods of order four grow sixteenfold, times of rest and release among them.
TEST(Sticking, EventsKeepTheOrderOfTheMethod) {
  constexpr double m = 2, k = 50, V = 0.1, C = 3, S = 5, A = (S - C) / k;
  const double w = std::sqrt(k / m), slip = 2 * (kPi - std::atan(A * w / V)) / w, first = S / (k * V), cycle = slip + 2 * A / V;
  for (const IntegratorKind kind : {IntegratorKind::rk4, IntegratorKind::adams_bashforth_4}) {
    Scenario s = dry(slider(friction(C, S)), kind);
    s.law.kind = LawKind::function;
    s.law.function = [=](double t, VectorView<const double> q, VectorView<const double>, VectorView<double> tau) { tau[0] = k * (V * t - q[0]); };
    s.duration = first + 3 * cycle - A / V;
    double before = 0;
    for (const double step : {0.02, 0.01, 0.005}) {
      s.integrator.step = step;
      const double error = std::fabs(simulate(s).q[0] - 3 * (V * slip + 2 * A));
      if (before > 0) {
        EXPECT_GT(before / error, 11) << to_string(kind) << " " << step;
      }
      EXPECT_GT(error, 1e-13);
      before = error;
    }
  }
}

// Two sliders that lose speed alike stand at the same instant.
TEST(Sticking, TwoJointsComeToRestAtOnce) {
  const Model two = parse(
      "robot: two\nconvention: standard\ngravity: [0, 0, 0]\nlinks:\n"
      "  - {joint: prismatic, name: x, link: a, a: 0, alpha: pi/2, d: 0, theta: 0, mass: 3, com: [0, 0, 0], inertia: [0.01, 0.01, 0.01], coulomb: 10}\n"
      "  - {joint: prismatic, name: y, link: b, a: 0, alpha: 0, d: 0, theta: 0, mass: 2, com: [0, 0, 0], inertia: [0.01, 0.01, 0.01], coulomb: 4}\n",
      "two.yaml");
  for (const IntegratorKind kind : kEventful) {
    Scenario s = dry(two, kind);
    s.v = {1.7, -1.7};
    s.duration = 2;
    const Outcome run = simulate(s);
    EXPECT_NEAR(run.q[0], 1.7 * 1.7 / 4, 1e-13) << to_string(kind);
    EXPECT_NEAR(run.q[1], -1.7 * 1.7 / 4, 1e-13);
    EXPECT_EQ(run.v[0], 0);
    EXPECT_EQ(run.v[1], 0);
    expect_balanced(run, 1e-12);
  }
}

// Friction holds 2 kg, not 5: it slides while the payload is there, and stops after it was dropped. A brake holds it longer than its load would.
TEST(Sticking, PayloadsAndBrakes) {
  const double slope = 0.3, pull = kG * std::sin(slope), C = 8;
  ASSERT_LT(2 * pull, C);
  ASSERT_GT(5 * pull, C);
  for (const IntegratorKind kind : kEventful)
    for (const bool brake : {false, true}) {
      Scenario s = dry(brick(slope, friction(C, C)), kind);
      s.payloads = {{.link = 1, .mass = 3, .from = 0.2034, .to = 0.6}};
      if (brake) s.brakes = {{.joints = {0}, .from = 0, .to = 0.3}};
      s.duration = 2;
      const Outcome run = simulate(s);
      const double begins = brake ? 0.3 : 0.2034, a = pull - C / 5, t = 0.6 - begins, v = a * t, slows = C / 2 - pull;
      EXPECT_NEAR(run.q[0], a * t * t / 2 + v * v / (2 * slows), 1e-12) << to_string(kind) << " " << brake;
      EXPECT_EQ(run.v[0], 0);
      expect_balanced(run, 1e-11);
    }
  // A brake that stops it on its way: it stays there by itself when the brake lets go.
  Scenario s = dry(brick(slope, friction(C, C)), IntegratorKind::rk4);
  s.v = {1};
  s.brakes = {{.joints = {0}, .from = 0.1, .to = 0.2}};
  const double slows = C / 2 - pull;
  const Outcome run = simulate(s);
  EXPECT_NEAR(run.q[0], 0.1 - slows * 0.005, 1e-13);
  EXPECT_EQ(run.v[0], 0);
  // What is caught moves what stands: 1 kg at 4 m/s on 2 kg.
  Scenario caught = dry(with_gravity(slider(friction(C, C)), {}), IntegratorKind::rk4);
  caught.payloads = {{.link = 1, .mass = 1, .from = 0.4, .flight = Flight{{0, 0, 4}, {}}}};
  caught.duration = 2;
  EXPECT_NEAR(simulate(caught).q[0], 3 * (4.0 / 3) * (4.0 / 3) / (2 * C), 1e-12);
}

// A sampled force that grows stands for a while at every sample: the mass breaks away at the first that is more than its level, slides by sums, and stops
// within a sample after the force has left.
TEST(Sticking, UnderASampledLaw) {
  constexpr double m = 2, C = 3, S = 5, h = 0.01;
  for (const IntegratorKind kind : kEventful) {
    Scenario s = dry(slider(friction(C, S)), kind);
    s.law.kind = LawKind::function;
    s.law.function = [=](double t, VectorView<const double>, VectorView<const double>, VectorView<double> tau) { tau[0] = t < 0.755 ? 10 * t : 0; };
    s.control.period = h;
    s.duration = 1.5;
    double x = 0, v = 0;
    for (int k = 0; k < 76; ++k) {
      const double force = 10 * k * h, a = v > 0 || force > S + 1e-9 ? (force - C) / m : 0;
      x += v * h + a * h * h / 2;
      v += a * h;
    }
    x += v * v * m / (2 * C);
    const Outcome run = simulate(s);
    EXPECT_NEAR(run.q[0], x, 1e-12) << to_string(kind);
    EXPECT_EQ(run.v[0], 0) << to_string(kind);
    expect_balanced(run, 1e-11);
  }
}

// A joint that follows rubs, too: what breaks the leader away is C1 + |multiplier| C2.
TEST(Sticking, FollowersRubOnTheirLeader) {
  const Model two = parse(R"(<robot name="two"><link name="base"/>
    <link name="a"><inertial><mass value="2"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>
    <link name="b"><inertial><mass value="4"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>
    <joint name="leads" type="prismatic"><parent link="base"/><child link="a"/><axis xyz="1 0 0"/><limit lower="-99" upper="99" effort="9" velocity="9"/>
      <dynamics friction="1" static="1.5"/></joint>
    <joint name="follows" type="prismatic"><parent link="base"/><child link="b"/><axis xyz="1 0 0"/><limit lower="-99" upper="99" effort="9" velocity="9"/>
      <dynamics friction="3"/><mimic joint="leads" multiplier="-0.5"/></joint></robot>)",
                          "two.urdf");
  Scenario s = dry(two, IntegratorKind::rk4);
  s.law.kind = LawKind::constant;
  s.law.tau = {1.5 + 0.5 * 3 - 1e-9};
  EXPECT_TRUE(same_bits(simulate(s).q[0], 0));
  s.law.tau = {1.5 + 0.5 * 3 + 1e-9};
  EXPECT_NEAR(simulate(s).q[0], (3 + 1e-9 - 2.5) / (2 + 0.25 * 4) / 2, 1e-12);
  s.friction.static_factor = 2;  // in place of the model's levels
  s.law.tau = {2 + 3 - 1e-9};
  EXPECT_TRUE(same_bits(simulate(s).q[0], 0));
}

/// x of A x = b, rows and columns that `in` marks; zero elsewhere. Gauss, with pivots.
std::vector<double> solved(const std::vector<double>& A, const std::vector<double>& b, const std::vector<bool>& in) {
  std::vector<std::size_t> at;
  for (std::size_t i = 0; i < b.size(); ++i)
    if (in[i]) at.push_back(i);
  const std::size_t n = at.size();
  std::vector<std::vector<double>> rows(n);
  for (std::size_t i = 0; i < n; ++i) {
    for (const std::size_t j : at) rows[i].push_back(A[at[i] * b.size() + j]);
    rows[i].push_back(b[at[i]]);
  }
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t best = k;
    for (std::size_t i = k; i < n; ++i)
      if (std::fabs(rows[i][k]) > std::fabs(rows[best][k])) best = i;
    std::swap(rows[k], rows[best]);
    for (std::size_t i = 0; i < n; ++i)
      if (i != k) {
        const double f = rows[i][k] / rows[k][k];
        for (std::size_t j = k; j <= n; ++j) rows[i][j] -= f * rows[k][j];
      }
  }
  std::vector<double> x(b.size(), 0.0);
  for (std::size_t k = 0; k < n; ++k) x[at[k]] = rows[k][n] / rows[k][k];
  return x;
}

// Random robots, some joints of which stand: their accelerations against every way to stick and slide that obeys the law. Where the static level is the Coulomb
// friction, there is one; else the answer must be among them, and all stick where they can.
TEST(Sticking, JointsThatStandTogetherAgainstAllModes) {
  test::Random random(20);
  int mixed = 0, several = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Description d = test::random_description(seed, {.fewest = 2, .most = 6, .massless = false});
    const bool equal = seed % 2 == 0;
    for (Description::JointEntry& entry : d.joints) {
      entry.joint.friction.coulomb = random.chance(0.1) ? 0 : random.uniform(0, 20);
      entry.joint.friction.static_level = equal ? 0 : entry.joint.friction.coulomb * random.uniform(1, 1.5);
    }
    Diagnostics diagnostics("");
    Scenario s = dry(*build(d, diagnostics), IntegratorKind::rk4);
    const std::size_t n = s.model.nv();
    const test::State state = test::random_state(s.model, random);
    s.q = state.q, s.v = state.v;
    std::vector<std::size_t> stand;
    for (std::size_t i = 0; i < n; ++i) {
      if (!random.chance(0.7)) continue;
      s.v[i] = 0;
      if (s.model.joints()[s.model.independent()[i]].friction.coulomb > 0) stand.push_back(i);
    }
    s.law.kind = LawKind::constant;
    s.law.tau = random.numbers(n, -30, 30);
    const Dynamics dynamics(s.model, {.threads = 1, .most = InstructionSet::none});
    s.dynamics = std::make_shared<const Dynamics>(dynamics);
    System system(s);
    const std::vector<double> x = system.initial();
    if (system.sticking() == nullptr) continue;
    system.decide(0, x.data(), std::vector<Sticking::Pin>(n, Sticking::Pin::none));
    const System::Instant now = system.at(0, x.data());

    std::vector<double> M(n * n), bias(n);
    dynamics.mass(s.q.data(), M.data());
    dynamics.bias(s.q.data(), s.v.data(), bias.data());
    const auto joint = [&](std::size_t i) -> const Friction& { return s.model.joints()[s.model.independent()[i]].friction; };
    int found = 0, ways = 1;
    for (std::size_t k = 0; k < stand.size(); ++k) ways *= 3;
    bool all_stick = false;
    double nearest = INFINITY, largest = 1;
    for (int way = 0; way < ways; ++way) {
      std::vector<int> side(n);
      std::vector<bool> moves(n, true);
      for (std::size_t i = 0; i < n; ++i) side[i] = (s.v[i] > 0) - (s.v[i] < 0);
      int rest = way;
      for (const std::size_t i : stand) {
        side[i] = rest % 3 == 0 ? 0 : rest % 3 == 1 ? 1 : -1;
        moves[i] = side[i] != 0;
        rest /= 3;
      }
      std::vector<double> force(n);
      for (std::size_t i = 0; i < n; ++i) force[i] = s.law.tau[i] - bias[i] - joint(i).viscous * s.v[i] - joint(i).coulomb * side[i];
      const std::vector<double> a = solved(M, force, moves);
      bool good = true;
      for (const std::size_t i : stand) {
        double left = force[i];
        for (std::size_t j = 0; j < n; ++j) left -= M[i * n + j] * a[j];
        const double level = equal ? joint(i).coulomb : joint(i).static_level;
        good = good && (side[i] == 0 ? std::fabs(left) <= level : side[i] * a[i] >= 0);
      }
      if (!good) continue;
      ++found;
      all_stick = all_stick || way == 0;
      double off = 0;
      for (std::size_t i = 0; i < n; ++i) off = std::max(off, std::fabs(a[i] - now.a[i])), largest = std::max(largest, std::fabs(a[i]));
      nearest = std::min(nearest, off);
    }
    ASSERT_GT(found, 0) << seed;
    EXPECT_LT(nearest, 1e-9 * largest) << seed;
    if (equal) {
      EXPECT_EQ(found, 1) << seed;
    }
    int held = 0;
    for (const std::size_t i : stand) held += system.sticking()->sticks(i) ? 1 : 0;
    if (all_stick) {
      EXPECT_EQ(static_cast<std::size_t>(held), stand.size()) << seed;
    }
    if (held > 0 && static_cast<std::size_t>(held) < stand.size()) ++mixed;
    if (found > 1) ++several;
  }
  EXPECT_GT(mixed, 50);   // some stick, some break away
  EXPECT_GT(several, 5);  // more than one way with static levels
}

// Random arms with a law that drives them to and fro: every run goes on to its end, the books are closed, and joints that stand between rows have not moved.
TEST(Sticking, ArmsStickAndSlip) {
  long standing = 0, events = 0;
  for (std::uint64_t seed = 0; seed < test::so_many<std::uint64_t>(16, 1000); ++seed) {
    Description d = test::random_description(seed, {.fewest = 2, .most = 5, .massless = false, .mimic = seed % 3 == 0});
    double size = 0;
    for (Description::JointEntry& entry : d.joints) entry.joint.friction = {0.1, 2 + (size += 0.7), seed % 4 == 0 ? 0 : 3 + size};
    Diagnostics diagnostics("");
    Scenario s = dry(*build(d, diagnostics), kEventful[seed % 3], 2.5e-4);
    const std::size_t n = s.model.nv();
    s.integrator.tolerance = 1e-10;
    s.output_step = 0.002;
    test::Random random(seed);
    s.v = random.numbers(n, -2, 2);
    const std::vector<double> pull = random.numbers(n, 1, 30);
    s.law.kind = LawKind::function;
    s.law.function = [=](double t, VectorView<const double> q, VectorView<const double> v, VectorView<double> tau) {
      for (std::size_t i = 0; i < n; ++i) tau[i] = pull[i] * std::sin(5 * t + static_cast<double>(i)) - 20 * q[i] - 2 * v[i];
    };
    const Outcome run = simulate(s);
    const Trajectory& r = run.trajectory;
    EXPECT_EQ(run.ending, Ending::done) << seed << ": " << run.message;
    EXPECT_TRUE(run.audit.closed) << seed;
    EXPECT_LT(run.audit.energy_drift, 1e-6 * run.audit.energy_scale) << seed << " " << to_string(s.integrator.kind);
    EXPECT_LT(run.audit.steps, 20000) << seed;
    for (std::size_t k = n; k < r.v.size(); ++k) {
      if (r.v[k] != 0 || r.v[k - n] != 0 || r.segment[k / n] != r.segment[k / n - 1]) continue;
      ++standing;
      ASSERT_TRUE(same_bits(r.q[k], r.q[k - n])) << seed;
    }
    events += r.segment.back();
  }
  EXPECT_GT(standing, 1000);
  EXPECT_GT(events, 50);
}

/// A robot whose joints rub as given, those of v and those that loops determine.
Model rubbing(const Model& given, const Friction& driven, const Friction& passive) {
  Description d = ulna::internal::describe(given);
  for (Description::JointEntry& entry : d.joints) entry.joint.friction = passive;
  for (const std::size_t j : given.driven()) d.joints[j].joint.friction = driven;
  Diagnostics diagnostics;
  const Model tree = build(d, diagnostics).value();
  return given.closed() ? with_closed(tree, {given.loops(), given.order(), given.reference(), given.singularity()}) : tree;
}

// The crank of a four-bar is held by its own level, and by those of the passive joints as much faster as these turn: G, by differences of closed positions.
TEST(Sticking, PassiveJointsOfLoopsHoldTheirDrive) {
  const Model model = rubbing(load("four-bar"), {0.02, 0.3, 0.5}, {0.01, 0.2, 0});
  const std::size_t crank = model.independent_positions()[0];
  const Dynamics dynamics(model, {.threads = 1, .most = InstructionSet::none});
  for (const IntegratorKind kind : kEventful) {
    Scenario s = dry(model, kind);
    s.q = model.reference();
    std::vector<double> more = s.q, less = s.q, bias(1);
    const std::vector<double> at_rest(1, 0.0);
    more[crank] += 1e-5, less[crank] -= 1e-5;
    dynamics.close(more), dynamics.close(less);
    dynamics.bias(s.q.data(), at_rest.data(), bias.data());
    double level = 0.5;
    for (std::size_t k = 0; k < s.q.size(); ++k)
      if (k != crank) level += 0.2 * std::fabs(more[k] - less[k]) / 2e-5;
    EXPECT_GT(level, 0.6);
    s.law.kind = LawKind::constant;
    for (const double side : {-1.0, 1.0}) {
      s.law.tau = {bias[0] + side * level * (1 - 1e-6)};
      const Outcome stands = simulate(s);
      EXPECT_TRUE(same_bits(stands.q[crank], s.q[crank])) << to_string(kind);
      EXPECT_EQ(stands.v[0], 0);
      expect_balanced(stands, 1e-12);
      s.law.tau = {bias[0] + side * level * (1 + 1e-6)};
      s.duration = 0.3;
      const Outcome moves = simulate(s);
      EXPECT_GT(side * moves.v[0], 0) << to_string(kind);
      s.duration = 1;
    }
    // Turned and let go it loses all that it has.
    s.law = {};
    s.v = {3};
    s.duration = 10;
    s.integrator.step = kind == IntegratorKind::rk4 ? 1e-3 : 2e-4;
    const Outcome run = simulate(s);
    EXPECT_EQ(run.ending, Ending::done) << run.message;
    EXPECT_TRUE(run.audit.closed);
    EXPECT_LT(run.audit.energy_drift, 1e-8 * run.audit.energy_scale) << to_string(kind);
    EXPECT_EQ(run.v[0], 0) << to_string(kind);
    EXPECT_GT(run.audit.losses, 0);
  }
}

// A free base that spins, its arm held by friction, is one rigid body: joints stay to the bit and the momentum in the world stays.
TEST(Sticking, OnAFreeBase) {
  Scenario s = dry(rubbing(with_base(load("servicer"), RootJoint::free), {0, 8, 9}, {}), IntegratorKind::rk4);
  s.v[0] = 0.05, s.v[1] = -0.03, s.v[2] = 0.08;
  s.duration = 2;
  const std::vector<double> begin = s.q;
  const Outcome run = simulate(s);
  for (std::size_t i = 7; i < s.model.nq(); ++i) EXPECT_TRUE(same_bits(run.q[i], begin[i])) << i;
  EXPECT_GT(std::fabs(run.q[5] - begin[5]), 0.01);  // it has turned
  for (const WorldMomentum& w : run.audit.world) EXPECT_LT(w.drift, 1e-10 * (1 + w.scale));
  expect_balanced(run, 1e-9);
  // Driven beyond one level, and back: the base answers, the books are closed.
  s.law.kind = LawKind::constant;
  s.law.tau.assign(s.model.nv(), 0.0);
  s.law.tau[7] = 12;
  const Outcome driven = simulate(s);
  EXPECT_GT(driven.v[7], 0);
  for (const WorldMomentum& w : driven.audit.world) EXPECT_LT(w.drift, 1e-10 * (1 + w.scale));
  EXPECT_LT(driven.audit.energy_drift, 1e-8 * driven.audit.energy_scale);
}

std::string refused(const Scenario& s) {
  try {
    simulate(s);
  } catch (const std::invalid_argument& problem) {
    return problem.what();
  }
  return {};
}

TEST(Sticking, WhatCannotStickSaysWhy) {
  Scenario s = dry(slider(friction(1, 2)), IntegratorKind::implicit_midpoint);
  EXPECT_NE(refused(s).find("implicit midpoint rule cannot end a step"), std::string::npos) << refused(s);
  s.integrator.kind = IntegratorKind::rk4;
  s.formulation = "luh-walker-paul";
  EXPECT_NE(refused(s).find("does not support joints that stick"), std::string::npos) << refused(s);
  s.formulation = "ulna";
  s.friction.static_factor = 0.5;
  EXPECT_NE(refused(s).find("at least 1"), std::string::npos) << refused(s);
  s.friction = {true, 0.1, 2};
  EXPECT_NE(refused(s).find("give one of static and smooth"), std::string::npos) << refused(s);
  Scenario five = dry(rubbing(load("five-bar"), {0, 1, 0}, {}), IntegratorKind::rk4);
  EXPECT_EQ(refused(five), "");
  five.model = rubbing(load("five-bar"), {0, 1, 0}, {0, 0.1, 0});
  EXPECT_NE(refused(five).find("depends on several others through loops"), std::string::npos) << refused(five);
  five.friction.smooth = 0.01;
  EXPECT_EQ(refused(five), "");
}

}  // namespace
}  // namespace ulna::internal::sim
