// Forward dynamics of several robots that differ in numbers only, one a lane: the machine code of one of them with a table that has a column for each.
#pragma once

#include <memory>
#include <optional>

#include "robot/programs.hpp"

namespace ulna::internal {

/// The code. Several threads may share it.
class LaneCode {
 public:
  /// For robots that differ in numbers from this one. ok() is false where no machine code can be made, or it fails its comparison.
  LaneCode(const Model& model, bool rotor);

  bool ok() const { return routine_.ok(); }

 private:
  friend class LaneNumbers;
  DynamicsOptions options_;
  std::optional<robot::Programs> programs_;  // of forward dynamics alone
  jit::Routine routine_;
};

/// The table: one per thread. Results are those of Dynamics::with_parameters().forward(), bit for bit; there are Dynamics::lanes() lanes.
class LaneNumbers {
 public:
  /// Every lane has the numbers of the robot that the code was made for. Throws std::invalid_argument where that is not ok().
  explicit LaneNumbers(std::shared_ptr<const LaneCode> code);

  /// False, with the lane unchanged, where the code does not fit these numbers: something that was zero, or one, is no longer.
  bool set(std::size_t lane, const Model& model);
  /// Number i of lane l at [i * lanes + l]. Friction is not included.
  void forward(const double* q, const double* v, const double* tau, double* a) const noexcept {
    code_->routine_.kernel().lanes(q, v, tau, a, constants_.bytes(), 1);
  }

 private:
  std::shared_ptr<const LaneCode> code_;
  jit::ConstantTable constants_;
};

}  // namespace ulna::internal
