#include "count/growth.hpp"

#include <ulna/robot/analysis.hpp>
#include <ulna/source/load.hpp>

#include "text/message.hpp"

namespace ulna::internal {

namespace {

constexpr const char* kBest = "best";

/// The search takes time that grows faster than the count; beyond a few joints every fifth shows the line as well.
bool has_best(int joints) { return joints <= 8 || joints % 5 == 0; }

}  // namespace

std::vector<Growth> measure_growth(int most) {
  std::vector<Growth> all;
  for (const Quantity quantity : formulated_quantities()) {
    for (const Formulation& row : formulations())
      if (row.gives(quantity)) all.push_back({std::string(row.id), quantity});
    all.push_back({kBest, quantity, true});
  }
  for (int n = 1; n <= most; ++n) {
    const Analysis robot(load("general-" + std::string(static_cast<std::size_t>(n), 'R')));  // one search serves several quantities
    const Prepared prepared(robot.model());
    for (Growth& growth : all) {
      if (growth.ours) {
        if (has_best(n))
          growth.counts.push_back({n, robot.best(growth.quantity).counts});
        else
          growth.missing = "searched for up to 8 joints and then every fifth, to save time";
        continue;
      }
      const Formulation& formulation = *find_formulation(growth.id);
      if (!growth.missing.empty()) continue;  // the first reason suffices
      if (const std::string reason = why_not(formulation, growth.quantity, prepared); !reason.empty())
        growth.missing = cat(n, n == 1 ? " joint: " : " joints: ", reason);
      else
        growth.counts.push_back({n, count_as_written(formulation, growth.quantity, prepared).total});
    }
  }
  return all;
}

}  // namespace ulna::internal
