// How wide does a Panda scatter that is let go from nearly the same place, under torques that hold it there? A thousand runs, side by side in the lanes of the
// batch kernels and on all cores.
#include <cmath>
#include <cstdio>

#include <ulna/sim/simulate.hpp>
#include <ulna/source/load.hpp>

int main() {
  ulna::sim::Scenario scenario(ulna::load("panda"));
  scenario.q = {0, -0.4, 0, -2.0, 0, 1.6, 0.8};
  scenario.duration = 0.3;
  scenario.integrator = {ulna::sim::IntegratorKind::rk4, 1e-3};
  scenario.dynamics = std::make_shared<const ulna::Dynamics>(scenario.model);
  scenario.law.kind = ulna::sim::LawKind::constant;
  scenario.law.tau.resize(scenario.q.size());
  scenario.dynamics->gravity(scenario.q, scenario.law.tau);

  ulna::sim::Overrides overrides{{"q.joint2", "q.joint4", "q.joint6"}, {}};
  for (int k = 0; k < 1000; ++k) overrides.rows.push_back({-0.4 + 0.01 * std::sin(1.3 * k), -2.0 + 0.01 * std::sin(2.1 * k), 1.6 + 0.01 * std::sin(3.7 * k)});
  const std::vector<ulna::sim::BatchRun> runs = ulna::sim::simulate_batch(scenario, overrides);

  std::vector<double> elbow;
  std::size_t together = 0;
  double drift = 0;
  for (const ulna::sim::BatchRun& run : runs) {
    if (run.ending != ulna::sim::Ending::done || !run.closed) return 1;
    elbow.push_back(run.q[3]);
    together += run.together ? 1 : 0;
    drift = std::max(drift, run.energy_drift);
  }
  const ulna::sim::Spread spread = ulna::sim::spread_of(elbow);
  std::printf("%zu runs, %zu of them in step with others; every energy balance is right to %.0e J\n", runs.size(), together, drift);
  std::printf("joint4 ends between %.3f and %.3f rad, %.3f on average\n", spread.least, spread.most, spread.mean);
  return drift < 1e-6 ? 0 : 1;
}
