// Closed states of a robot with loops, for self-tests of generated code.
#pragma once

#include <cstdint>
#include <vector>

#include <ulna/dynamics/on_plan.hpp>
#include <ulna/verify/verify.hpp>

namespace ulna::internal {

/// Near the reference assembly, on the same side of singular ones; v and a are of the independent coordinates. Deterministic.
class ClosedStates {
 public:
  ClosedStates(const Model& robot, std::uint64_t seed);
  void next(std::vector<double>& q, std::vector<double>& v, std::vector<double>& a);

 private:
  bool close(std::vector<double>& q);

  Model robot_;
  Plan plan_;
  Workspace ws_;
  std::vector<double> at_, pivots_;  // of the last step; at the reference
  StateSampler sampler_;
};

}  // namespace ulna::internal
