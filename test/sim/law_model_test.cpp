// Laws whose model is not the robot: parts of the torques left out, and a payload that the robot does not carry. Against the oracle of the tests, and against
// Hollerbach's argument of 1980: the error of a law without Coriolis and centrifugal terms grows with the square of the speed.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <string>

#include <ulna/sim/simulate.hpp>

#include "support/oracle.hpp"
#include "support/random.hpp"

namespace ulna::internal::sim {
namespace {

using test::RealVector;

const std::vector<double> kFrom{-0.8, -0.7, 0.6, 0, 0.3, 0}, kTo{0.8, 0.1, -0.6, 0.5, -0.3, 0.5};
constexpr double kP = 90, kD = 15;

ReferenceSettings motion(double duration) { return {.kind = ReferenceKind::quintic, .from = kFrom, .to = kTo, .duration = duration}; }

RealVector vector_of(const std::vector<double>& x) {
  RealVector out(static_cast<Eigen::Index>(x.size()));
  for (std::size_t i = 0; i < x.size(); ++i) out[static_cast<Eigen::Index>(i)] = x[i];
  return out;
}

/// M a + coriolis * (C v) + g of a model, by the oracle.
RealVector torques(const Model& model, const std::vector<double>& q, const std::vector<double>& v, const RealVector& a, double coriolis) {
  const std::vector<double> zero(q.size(), 0.0);
  const RealVector rest = test::Oracle(model, q, zero, zero).torques();
  return test::Oracle(model, q, zero, zero).mass_matrix() * a + coriolis * (test::Oracle(model, q, v, zero).torques() - rest) + rest;
}

TEST(LawModel, PartsOfTheTorquesAreLeftOut) {
  const Model robot = load("puma560");
  const auto reference = make_reference(motion(0.7), 6);
  const BelievedPayload belief{robot.links().size() - 1, {1.5, {0.02, -0.01, 0.1}, {0.003, 0.004, 0.005, 0, 0, 0}}};
  const Model carrying = ulna::with_payload(robot, robot.links().back().name, belief.body);
  test::Random random(11);
  for (const LawKind kind : {LawKind::computed_torque, LawKind::feedforward, LawKind::pd})
    for (const auto& [coriolis, inertia] : {std::pair{1.0, 1.0}, {0.0, 1.0}, {0.0, 0.0}, {0.36, 0.5}})
      for (const bool believes : {false, true}) {
        LawSettings settings;
        settings.kind = kind;
        settings.kp.assign(6, kP);
        settings.kd.assign(6, kD);
        settings.coriolis = coriolis;
        settings.inertia = inertia;
        if (believes) settings.payload = belief;
        const Model& believed = believes ? carrying : robot;
        const double t = random.uniform(0.1, 0.6);
        std::vector<double> q(6), v(6), tau(6), q_ref(6), v_ref(6), a_ref(6);
        for (std::size_t i = 0; i < 6; ++i) q[i] = random.uniform(-1.5, 1.5), v[i] = random.uniform(-2, 2);
        make_law(settings, robot, true, reference.get())->torque(t, q.data(), v.data(), nullptr, tau.data());
        reference->at(t, q_ref.data(), v_ref.data(), a_ref.data());
        const RealVector ahead = inertia * vector_of(a_ref), back = kP * (vector_of(q_ref) - vector_of(q)) + kD * (vector_of(v_ref) - vector_of(v));
        const RealVector none = RealVector::Zero(6);
        const RealVector expected = kind == LawKind::computed_torque ? torques(believed, q, v, ahead + back, coriolis)
                                    : kind == LawKind::feedforward   ? torques(believed, q_ref, v_ref, ahead, coriolis)
                                                                     : RealVector(back + torques(believed, q, v, none, 0));
        for (Eigen::Index i = 0; i < 6; ++i)
          EXPECT_NEAR(tau[static_cast<std::size_t>(i)], static_cast<double>(expected[i]), 1e-12 * static_cast<double>(expected.cwiseAbs().maxCoeff()))
              << to_string(kind) << coriolis << inertia << believes;
      }
}

TEST(LawModel, Files) {
  const std::string head = "model: planar-2r\nduration: 1\nreference: {type: quintic, to: 1}\nlaw: ";
  const auto law = [&](const std::string& text) { return try_parse_scenario(head + text, "s.yaml").scenario.value().law; };
  const LawSettings plain = law("{type: computed-torque, kp: 4, kd: 4}");
  EXPECT_EQ(plain.coriolis, 1);
  EXPECT_EQ(plain.inertia, 1);
  EXPECT_FALSE(plain.payload);
  const LawSettings part = law("{type: feedforward, coriolis: no, inertia: 0.25, payload: {link: forearm, mass: 2, com: [0.1, 0, 0], inertia: [1, 1.5, 2]}}");
  EXPECT_EQ(part.coriolis, 0);
  EXPECT_EQ(part.inertia, 0.25);
  ASSERT_TRUE(part.payload);
  EXPECT_EQ(part.payload->body.mass, 2);
  EXPECT_EQ(part.payload->body.com.x, 0.1);
  EXPECT_EQ(part.payload->body.inertia.yy, 1.5);
  const Scenario s = try_parse_scenario(head + "{type: pd, kp: 4, kd: 4, payload: {link: forearm, mass: 0}}", "s.yaml").scenario.value();
  EXPECT_EQ(with_overrides(s, {"law.payload.mass"}, {3}).law.payload->body.mass, 3);
  EXPECT_THROW(with_overrides(s, {"law.coriolis"}, {0}), std::invalid_argument);
  EXPECT_THROW(simulate(with_overrides(s, {"law.payload.mass"}, {-1})), std::invalid_argument);
}

/// The rows of docs/simulate.md: full law, without Coriolis terms, gravity alone, no payload in its model.
constexpr double kLaws[4][3] = {{1, 1, 2}, {0, 1, 2}, {0, 0, 2}, {1, 1, 0}};

/// Largest error of any joint, for each law, at each duration.
std::vector<std::array<double, 4>> race(const std::vector<double>& durations) {
  Overrides overrides{{"duration", "law.coriolis", "law.inertia", "law.payload.mass"}, {}};
  for (const double duration : durations)
    for (const auto& law : kLaws) overrides.rows.push_back({duration, law[0], law[1], law[2]});
  const std::vector<BatchRun> runs = simulate_batch(load_scenario("law-race"), overrides);
  std::vector<std::array<double, 4>> peaks(durations.size());
  for (std::size_t k = 0; k < runs.size(); ++k) {
    EXPECT_EQ(runs[k].ending, Ending::done);
    peaks[k / 4][k % 4] = *std::max_element(runs[k].tracking.peak.begin(), runs[k].tracking.peak.end());
  }
  return peaks;
}

// Twice the speed is four times the error of a law without Coriolis terms, until the motion is faster than the loop (kp = 100: 10 rad/s); the full law's is
// rounding at every speed. A wrong payload errs by its weight at any speed.
TEST(LawModel, ErrorsWithoutCoriolisTermsGrowWithTheSquareOfTheSpeed) {
  const std::vector<std::array<double, 4>> peaks = race({12.8, 6.4, 3.2, 1.6, 0.8, 0.4});
  for (const std::array<double, 4>& peak : peaks) EXPECT_LT(peak[0], 1e-10);
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_NEAR(peaks[k + 1][1] / peaks[k][1], 4, 0.3 + 0.1 * static_cast<double>(k)) << k;
    EXPECT_NEAR(peaks[k + 1][2] / peaks[k][2], 4, 0.3 + 0.1 * static_cast<double>(k)) << k;
  }
  EXPECT_NEAR(peaks[1][3] / peaks[0][3], 1, 0.05);
  EXPECT_GT(peaks[4][1], 1e9 * peaks[4][0]);
}

// The table that the page prints and its figure is drawn from.
TEST(LawModel, TheTableOfThePage) {
  std::ifstream page(ULNA_DOCS_DIR "/simulate.md");
  std::vector<double> durations;
  std::vector<std::array<double, 3>> printed;
  bool inside = false;
  for (std::string line; std::getline(page, line);) {
    if (inside && line.empty()) break;
    double t = 0;
    std::array<double, 3> row{};
    if (inside && std::sscanf(line.c_str(), "| %lf s | < 1e-10 | %lf | %lf | %lf |", &t, &row[0], &row[1], &row[2]) == 4) {
      durations.push_back(t);
      printed.push_back(row);
    }
    inside = inside || line.starts_with("| duration of the motion |");
  }
  ASSERT_EQ(durations.size(), 6u);
  const std::vector<std::array<double, 4>> peaks = race(durations);
  for (std::size_t k = 0; k < durations.size(); ++k) {
    EXPECT_LT(peaks[k][0], 1e-10);
    for (std::size_t law = 0; law < 3; ++law) EXPECT_NEAR(peaks[k][law + 1], printed[k][law], 0.006 * printed[k][law]) << durations[k] << " s, law " << law;
  }
  // The gains that the page names for half a milliradian.
  Scenario s = load_scenario("law-race");
  s.law.coriolis = 0;
  s.law.kp.assign(6, 25600);
  s.law.kd.assign(6, 320);
  const Tracking tracking = tracking_of(s, simulate(s).trajectory);
  EXPECT_NEAR(*std::max_element(tracking.peak.begin(), tracking.peak.end()), 5e-4, 2e-5);
}

// e'' + kd e' + kp e = M⁻¹ C v, from the oracle's M and C v along the reference: what is left out drives the error, and feedback only divides it by kp.
TEST(LawModel, WhatIsLeftOutDrivesTheError) {
  Scenario s = load_scenario("law-race");
  s.duration = 6.4;
  s.law.coriolis = 0;
  Model robot = s.model;
  for (const Payload& p : s.payloads) robot = with_payload(robot, p);
  const auto reference = make_reference(s);
  const double h = 0.02, kp = s.law.kp[0], kd = s.law.kd[0];
  const auto pushed = [&](double t) {
    std::vector<double> q(6), v(6), a(6), zero(6, 0.0);
    reference->at(t, q.data(), v.data(), a.data());
    const test::Oracle still(robot, q, zero, zero);
    return RealVector(still.mass_matrix().ldlt().solve(test::Oracle(robot, q, v, zero).torques() - still.torques()));
  };
  RealVector e = RealVector::Zero(6), rate = RealVector::Zero(6), peak = RealVector::Zero(6);
  for (int k = 0; k < 320; ++k) {  // rk4
    const RealVector d0 = pushed(k * h), d1 = pushed((k + 0.5) * h), d2 = pushed((k + 1) * h);
    const auto f = [&](const RealVector& x, const RealVector& y, const RealVector& d) { return RealVector(d - kd * y - kp * x); };
    const RealVector a0 = f(e, rate, d0), y1 = rate + h / 2 * a0, a1 = f(e + h / 2 * rate, y1, d1), y2 = rate + h / 2 * a1, a2 = f(e + h / 2 * y1, y2, d1),
                     y3 = rate + h * a2, a3 = f(e + h * y2, y3, d2);
    e += h / 6 * (rate + 2 * y1 + 2 * y2 + y3);
    rate += h / 6 * (a0 + 2 * a1 + 2 * a2 + a3);
    peak = peak.cwiseMax(e.cwiseAbs());
  }
  const Tracking tracking = tracking_of(s, simulate(s).trajectory);
  // The difference is of second order: the law's M and C v are those of the robot's state, which is off the reference by e.
  for (std::size_t i = 0; i < 6; ++i)
    EXPECT_NEAR(tracking.peak[i], static_cast<double>(peak[static_cast<Eigen::Index>(i)]), 0.02 * static_cast<double>(peak.maxCoeff())) << i;
  // Four times the gains, at the same damping: a quarter of the error, and the same torque that feedback must find.
  Scenario stiff = s;
  stiff.law.kp.assign(6, 4 * kp);
  stiff.law.kd.assign(6, 2 * kd);
  const Tracking less = tracking_of(stiff, simulate(stiff).trajectory);
  EXPECT_NEAR(less.peak[2] / tracking.peak[2], 0.25, 0.02);
}

}  // namespace
}  // namespace ulna::internal::sim
