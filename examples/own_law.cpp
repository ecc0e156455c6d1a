// A torque law of one's own: a Panda that is held by springs in its joints, pushed at the hand, and watched for two seconds.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include <ulna/sim/simulate.hpp>
#include <ulna/source/load.hpp>

int main() {
  ulna::sim::Scenario scenario(ulna::load("panda"));
  scenario.q = {0, -0.4, 0, -2.0, 0, 1.6, 0.8};
  scenario.model = ulna::with_gravity(scenario.model, {0, 0, 0});
  scenario.duration = 2;
  const std::vector<double> home = scenario.q;
  scenario.law.kind = ulna::sim::LawKind::function;
  scenario.law.function = [&](double, auto q, auto v, auto tau) {
    for (std::size_t i = 0; i < tau.size(); ++i) tau[i] = 80 * (home[i] - q[i]) - 8 * v[i];
  };
  scenario.disturbances.push_back({{.link = *scenario.model.find_link("hand"), .axes = ulna::Axes::world, .force = {10, 20, 0}}, 0.2, 0.5});

  const ulna::sim::Outcome run = ulna::sim::simulate(scenario);
  double farthest = 0;
  for (std::size_t k = 0; k < run.trajectory.rows(); ++k) farthest = std::max(farthest, std::abs(run.trajectory.q[7 * k] - home[0]));
  std::printf("joint1 was pushed %.3f rad away and is %.3f rad from home after %.0f s\n", farthest, std::abs(run.q[0] - home[0]), run.end);
  std::printf("the push did %.3f J of work; the energy balance is right to %.0e J\n", run.audit.external, run.audit.energy_drift);
  return run.audit.closed && run.audit.energy_drift < 1e-6 ? 0 : 1;
}
