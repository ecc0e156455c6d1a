// Default settings on logs as robots write them: positions by encoders, noisy torques, friction that the model does not know.
#include <gtest/gtest.h>

#include "identify/condensed.hpp"
#include "identify/simulated.hpp"
#include "support/soak.hpp"

namespace ulna::test {
namespace {

std::vector<double> truth_of(const Model& model) {
  std::vector<double> values;
  for (const Parameter& one : body_parameters(model)) values.push_back(one.value);
  return values;
}

/// The same with friction of 15 % of what the joints transmit.
Model with_loads(const Model& model) {
  std::vector<Friction> friction;
  for (const Joint& joint : model.joints()) friction.push_back(joint.friction);
  for (const std::size_t j : model.independent()) friction[j].load = 0.15;
  return with_friction(model, friction);
}

/// Positions and torques of an arm that differs from its file by a third.
Simulated by_encoder(int bits, double rate, double stribeck) {
  return {.seconds = 20, .rate = rate, .v = false, .a = false, .bits = bits, .part = 0.01, .stribeck = stribeck};
}

/// Of torques without noise along another motion, predicted from positions with it: |predicted - true| / |true| below 25 Hz.
double unseen_error(const Identification& found, const Model& truth, Simulated how) {
  how.motion = 2;
  const Log measured = simulated_log(truth, how, 5);
  how.bits = 0, how.part = 0;
  const Log exact = simulated_log(truth, how);
  const std::size_t n = truth.nv(), rows = exact.rows(), width = 1 + 4 * n, cut = static_cast<std::size_t>(0.2 * how.rate);
  std::vector<double> predicted, wanted, row(width);
  predict(found, measured, {}, [&](double, const double* tau) { predicted.insert(predicted.end(), tau, tau + n); });
  for (std::size_t r = 0; r < rows; ++r) exact.read(r, 1, row.data()), wanted.insert(wanted.end(), row.end() - static_cast<long>(n), row.end());
  internal::LowPass filter(25, how.rate);
  filter(predicted.data(), rows, n), filter(wanted.data(), rows, n);
  double off = 0, all = 0;
  for (std::size_t k = cut * n; k < (rows - cut) * n; ++k) off += std::pow(predicted[k] - wanted[k], 2), all += wanted[k] * wanted[k];
  return std::sqrt(off / all);
}

// Four robots, encoders of 12 to 20 bits, 100 to 1000 rows a second, friction with and without Stribeck's curve, which the default model lacks.
TEST(Trusted, DefaultsHoldOnSimulatedLogs) {
  std::size_t inside = 0, all = 0, run = 0;
  for (const char* name : {"ur5", "panda", "iiwa14", "puma560"})
    for (const double stribeck : {0.0, 0.4})
      for (const double rate : {100.0, 500.0, 1000.0})
        for (const int bits : {12, 15, 18, 20}) {
          if (!soaks() && run++ % 24 != 5) continue;  // 15 bits at 500 rows a second
          SCOPED_TRACE(std::string(name) + " " + std::to_string(stribeck) + " " + std::to_string(rate) + " " + std::to_string(bits));
          const Model given = load(name), truth = altered(given, 12);
          const Simulated how = by_encoder(bits, rate, stribeck);
          const Log log = simulated_log(truth, how);
          const Identification found = identify(given, {&log, 1});
          EXPECT_EQ(found.cutoff_chosen_by, "prediction");
          EXPECT_LT(unseen_error(found, truth, how), bits == 12 && rate == 100 ? 0.03 : 0.02);
          const internal::Bodies bodies = internal::known_bodies(given, make_plan(given, {.lumping = Lumping::none}), body_parameters(given), {});
          const std::vector<double> values = truth_of(truth), base = found.structure.of(values);
          for (std::size_t k = 0; k < base.size(); ++k, ++all) inside += std::fabs(found.base[k].value - base[k]) <= 4 * found.base[k].sigma ? 1 : 0;
          for (std::size_t b = 0; b < values.size(); b += 10) {
            EXPECT_GT(found.parameters[b], 0);
            EXPECT_LT(found.parameters[b], 3 * values[b] + 0.001) << found.structure.parameters[b].name;
            for (std::size_t k = 0; k < 3; ++k) {
              const double centre = found.parameters[b + 1 + k] / found.parameters[b];
              EXPECT_GT(centre, bodies.rooms[b / 10].low[k]) << found.structure.parameters[b + 1 + k].name;
              EXPECT_LT(centre, bodies.rooms[b / 10].high[k]) << found.structure.parameters[b + 1 + k].name;
            }
          }
        }
  EXPECT_GE(static_cast<double>(inside), 0.99 * static_cast<double>(all)) << inside << " of " << all;
}

// Rounding to a step leaves step / √12.
TEST(Trusted, TheNoiseOfEncodersIsFound) {
  const Model given = load("ur5");
  for (const int bits : {12, 16}) {
    const Log log = simulated_log(given, by_encoder(bits, 500, 0));
    for (const double noise : identify(given, {&log, 1}).encoder_noise) EXPECT_NEAR(noise, 6.283185307179586 / std::exp2(bits) / std::sqrt(12.0), 0.1 * noise);
  }
}

// A cut-off that lets noise in: the bias is corrected as far as it is small, and a warning says what to do.
TEST(Trusted, NoiseThatACutoffLetsInIsTold) {
  const Model given = load("ur5"), truth = altered(given, 12);
  const Log log = simulated_log(truth, by_encoder(15, 500, 0));
  const auto told = [](const Identification& found) {
    return std::any_of(found.findings.begin(), found.findings.end(), [](const Finding& one) { return one.kind == FindingKind::noise; });
  };
  EXPECT_FALSE(told(identify(given, {&log, 1})));
  IdentifyOptions options;
  options.cutoff = 100;
  const Identification wide = identify(given, {&log, 1}, options);
  EXPECT_TRUE(told(wide));
  EXPECT_EQ(wide.cutoff_chosen_by, "option");
  EXPECT_EQ(wide.errors_below, 25);  // errors do not depend on it
  options.cutoff = 20;
  const Identification found = identify(given, {&log, 1}, options);
  EXPECT_EQ(found.errors_below, 25);
  const std::vector<double> base = found.structure.of(truth_of(truth));
  for (std::size_t k = 0; k < base.size(); ++k) EXPECT_NEAR(found.base[k].value, base[k], 4.5 * found.base[k].sigma) << found.base[k].name;
}

TEST(Trusted, DelaysAreEstimated) {
  const Model given = load("ur5"), truth = altered(given, 12);
  Simulated how = by_encoder(18, 500, 0);
  for (const double delay : {0.0, 0.003}) {
    how.delay = delay;
    const Log log = simulated_log(truth, how);
    for (const Estimate& one : identify(given, {&log, 1}).delay) {
      EXPECT_LT(one.sigma, 1e-3) << one.name;
      EXPECT_NEAR(one.value, delay, std::max(3e-4, 5 * one.sigma)) << one.name;
    }
  }
}

// What was weighed is kept, and what torques determine does not suffer: mass on the base's side moves freely.
TEST(Trusted, WeighedMassesAreKept) {
  const Model given = load("ur5"), truth = altered(given, 12);
  const Log log = simulated_log(truth, by_encoder(18, 500, 0));
  IdentifyOptions options;
  options.total_mass = truth.mass();
  const Link& forearm = truth.links()[*truth.find_link("forearm")];
  options.masses = {{"forearm", forearm.mass}};
  const Identification found = identify(given, {&log, 1}, options);
  EXPECT_NEAR(found.model.mass(), truth.mass(), 1e-3 * truth.mass());
  EXPECT_NEAR(found.model.links()[*found.model.find_link("forearm")].mass, forearm.mass, 1e-3 * forearm.mass);
  EXPECT_LT(found.validation.relative_error, found.plain.relative_error + 0.01);
  options.total_mass = 0.5 * forearm.mass;
  EXPECT_THROW(identify(given, {&log, 1}, options), std::invalid_argument);
  options.masses = {{"nothing", 1}};
  EXPECT_THROW(identify(given, {&log, 1}, options), std::invalid_argument);
}

// Terms are found where they are, and not where they are not.
TEST(Trusted, FrictionIsChosenByHeldOutTorques) {
  const Model given = load("ur5"), truth = altered(given, 12);
  IdentifyOptions options;
  options.friction.reset();
  for (const double stribeck : {0.0, 0.4}) {
    const Simulated how = by_encoder(18, 500, stribeck);
    const Log log = simulated_log(truth, how);
    const Identification found = identify(given, {&log, 1}, options), plain = identify(given, {&log, 1});
    EXPECT_EQ(found.friction_model.stribeck > 0, stribeck > 0) << found.friction_model.name;
    EXPECT_EQ(found.written, stribeck > 0 ? (std::vector<std::string>{"viscous", "coulomb", "offset", "stribeck"})
                                          : (std::vector<std::string>{"viscous", "coulomb", "offset"}));
    if (stribeck > 0) {
      EXPECT_LT(unseen_error(found, truth, how), 0.7 * unseen_error(plain, truth, how));
    }
  }
}

// What is identified is what ships: the written model, its friction on, has the torques that are predicted. Friction grows with the load.
TEST(Trusted, TheWrittenModelHasTheWholeLaw) {
  const Model given = load("ur5"), truth = with_loads(altered(given, 12));
  const Simulated how = by_encoder(18, 500, 0.4);
  const Log log = simulated_log(truth, how);
  const Log motion = simulated_log(truth, {.seconds = 2, .rate = 100, .motion = 2});
  const std::size_t n = truth.nv();
  for (const char* name : {"viscous", "coulomb", "stribeck", "load", "smooth", "auto"})
    for (const bool asymmetric : {false, true}) {
      SCOPED_TRACE(std::string(name) + (asymmetric ? " asymmetric" : ""));
      IdentifyOptions options;
      options.friction = friction_model(name);  // none for auto
      if (options.friction) options.friction->asymmetric = asymmetric;
      const Identification found = identify(given, {&log, 1}, options);
      if (found.friction_model.load) {
        for (const std::size_t j : truth.independent()) {
          const Joint& joint = found.model.joints()[j];
          if (joint.name == "shoulder_lift" || joint.name == "elbow") {
            EXPECT_NEAR(joint.friction.load, 0.15, 0.03) << joint.name;
          }
        }
      }
      EXPECT_EQ(found.friction_model.load, std::string(name) == "load" || std::string(name) == "auto");
      for (const Joint& joint : found.model.joints()) EXPECT_LE(std::fabs(joint.friction.viscous_asymmetry), joint.friction.viscous);
      const Plan plan = make_plan(found.model);
      Workspace ws(plan);
      std::vector<double> tau(n), row(1 + 4 * n);
      std::size_t r = 0;
      predict(found, motion, options, [&](double, const double* predicted) {
        motion.read(r++, 1, row.data());
        const double* q = row.data() + 1;
        inverse_dynamics(plan, ws, {q, n}, {q + n, n}, {q + 2 * n, n}, {tau.data(), n}, Effects{.friction = true});
        for (std::size_t k = 0; k < n; ++k) EXPECT_NEAR(tau[k], predicted[k], 1e-12 * (100 + std::fabs(tau[k])));
      });
      EXPECT_EQ(r, motion.rows());
    }
}

}  // namespace
}  // namespace ulna::test
