#include "bench_simulate.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <ulna/dynamics/on_plan.hpp>

#include "../bench/simulated.hpp"

namespace ulna::cli {

std::vector<double> simulated(const Plan& plan, std::vector<double> q, std::vector<double> v, const std::vector<double>& tau) {
  constexpr double h = bench::kSimulatedStep;
  const std::size_t n = q.size();
  Workspace workspace(plan);
  std::vector<double> speed[4], slope[4], place(n);
  for (int step = 0; step < bench::kSimulatedSteps; ++step) {
    for (std::size_t stage = 0; stage < 4; ++stage) {
      const double part = stage == 0 ? 0 : stage == 3 ? h : h / 2;
      place = q;
      speed[stage] = v;
      if (stage > 0)
        for (std::size_t i = 0; i < n; ++i) {
          place[i] += part * speed[stage - 1][i];
          speed[stage][i] += part * slope[stage - 1][i];
        }
      slope[stage].resize(n);
      forward_dynamics(plan, workspace, place, speed[stage], tau, slope[stage]);
    }
    for (std::size_t i = 0; i < n; ++i) {
      q[i] += h / 6 * (speed[0][i] + 2 * speed[1][i] + 2 * speed[2][i] + speed[3][i]);
      v[i] += h / 6 * (slope[0][i] + 2 * slope[1][i] + 2 * slope[2][i] + slope[3][i]);
    }
  }
  q.insert(q.end(), v.begin(), v.end());
  return q;
}

double simulated_difference(const std::vector<double>& result, const std::vector<double>& exact) {
  double worst = 0;
  const std::size_t n = exact.size() / 2;
  for (const std::size_t begin : {std::size_t{0}, n}) {
    double scale = 1, off = 0;
    for (std::size_t i = begin; i < begin + n; ++i) {
      scale = std::max(scale, std::abs(exact[i]));
      const double difference = std::abs(result[i] - exact[i]);
      if (!(difference <= off)) off = std::isnan(difference) ? std::numeric_limits<double>::infinity() : difference;
    }
    worst = std::max(worst, off / scale);
  }
  return worst;
}

}  // namespace ulna::cli
