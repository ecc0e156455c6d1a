// Several runs in step with each other.
#pragma once

#include <optional>
#include <vector>

#include <ulna/sim/simulate.hpp>

namespace ulna::sim::internal {

/// Why the runs of a scenario cannot go side by side through the batch kernels; empty when they can.
std::string why_alone(const Scenario& scenario);

/// Up to `lanes` runs (those of the machine code that all of them share) that differ in q, v and the law's numbers only. The outcomes are those of
/// simulate(), bit for bit, but that limits are not reported. Nothing for a run that diverged or came to a limit that stops it: it is to be made alone.
std::vector<std::optional<Outcome>> simulate_together(const std::vector<const Scenario*>& runs, std::size_t lanes, const RunOptions& options);

}  // namespace ulna::sim::internal
