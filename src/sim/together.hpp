// Several runs in step with each other.
#pragma once

#include <optional>
#include <vector>

#include <ulna/sim/simulate.hpp>

#include "sim/system.hpp"

namespace ulna::internal::sim {

/// Why the runs of a scenario cannot go side by side through the batch kernels; empty when they can.
std::string why_alone(const Scenario& scenario);

/// Runs in lanes at a sample of their law, or at their end: number i of lane l at [i * lanes + l].
struct Sample {
  std::uint64_t k = 0;  // which one
  double t = 0;
  const double *q, *v;      // of the base and all joints, as System has them
  const double* tau;        // that act from here on; null at the end
  const double* reference;  // positions that the joints should have; null where there are none
};

struct TogetherOptions {
  SystemOptions system;
  std::function<void(const Sample&)> watch{};  // of laws that are sampled
};

/// Up to `lanes` runs (those of the machine code that all of them share) that differ in numbers only, see System. The outcomes are those of simulate(), bit
/// for bit, but that limits are not reported; of runs that are not audited, how and where they ended. Nothing for a run that diverged, came to a limit that
/// stops it or whose numbers do not fit: it is to be made alone, by one lane.
std::vector<std::optional<Outcome>> simulate_together(const std::vector<const Scenario*>& runs, std::size_t lanes, const RunOptions& options,
                                                      const TogetherOptions& together = {});

}  // namespace ulna::internal::sim
