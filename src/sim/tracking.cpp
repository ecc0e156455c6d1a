#include <algorithm>
#include <cmath>

#include <ulna/sim/simulate.hpp>

#include "sim/base_state.hpp"

namespace ulna {
namespace sim ULNA_API {

using namespace internal;
using namespace internal::sim;

Tracking tracking_of(const Scenario& scenario, const Trajectory& trajectory) {
  const std::unique_ptr<ReferenceMotion> reference = make_reference(scenario);
  if (reference == nullptr) return {};
  const std::vector<std::size_t> driven = internal::sim::driven_positions(scenario.model);
  const std::size_t n = driven.size();
  std::vector<double> q(n), v(n), a(n);
  Tracking result{std::vector<double>(n, 0.0), std::vector<double>(n, 0.0)};
  for (std::size_t row = 0; row < trajectory.rows(); ++row) {
    reference->at(trajectory.t[row], q.data(), v.data(), a.data());
    for (std::size_t i = 0; i < n; ++i) {
      const double error = std::abs(q[i] - trajectory.q[row * trajectory.positions + driven[i]]);
      result.peak[i] = std::max(result.peak[i], error);
      result.rms[i] += error * error;
    }
  }
  for (double& sum : result.rms) sum = trajectory.rows() > 0 ? std::sqrt(sum / static_cast<double>(trajectory.rows())) : 0;
  return result;
}

}  // namespace ULNA_API
}  // namespace ulna
