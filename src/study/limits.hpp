// Where a motion breaks the limits that the model states.
#pragma once

#include <string>
#include <vector>

#include <ulna/sim/simulate.hpp>

#include "draw/joint_panels.hpp"

namespace ulna::internal {

struct BrokenLimit {
  std::size_t joint;      // among the independent ones
  draw::Numbers numbers;  // which limit: of position, velocity or effort
  double limit;           // with its sign
  double reached;         // farthest beyond it
  double first;           // when it is broken first [s]
};
/// At most two for each joint and kind: below and above. A limit of 0 on speed or effort counts as none, as everywhere.
std::vector<BrokenLimit> broken_limits(const Model& model, const sim::Trajectory& trajectory);
/// "position", "speed", "effort".
const char* limit_name(draw::Numbers numbers);
/// How many limits of position, speed and effort the model has.
std::size_t stated_limits(const Model& model);

}  // namespace ulna::internal
