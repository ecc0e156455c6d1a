// Forward dynamics of several robots that differ in numbers only, one a lane: the machine code of one of them with a table that has a column for each.
#pragma once

#include <memory>

#include <ulna/model/model.hpp>

namespace ulna::internal {

/// The code. Several threads may share it.
class LaneCode {
 public:
  /// For robots that differ in numbers from this one. ok() is false where no machine code can be made.
  LaneCode(const Model& model, bool rotor);
  ~LaneCode();
  LaneCode(const LaneCode&) = delete;
  LaneCode& operator=(const LaneCode&) = delete;

  bool ok() const;

 private:
  friend class LaneNumbers;
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

/// The table: one per thread. Results are those of Dynamics::with_parameters().forward(), bit for bit; there are Dynamics::lanes() lanes.
class LaneNumbers {
 public:
  /// Every lane has the numbers of the robot that the code was made for. Throws std::invalid_argument where that is not ok().
  explicit LaneNumbers(std::shared_ptr<const LaneCode> code);
  ~LaneNumbers();

  /// False, with the lane as it was, where the code does not fit these numbers: something that was zero, or one, is no longer.
  bool set(std::size_t lane, const Model& model);
  /// Number i of lane l at [i * lanes + l]. Friction is not in it.
  void forward(const double* q, const double* v, const double* tau, double* a) const noexcept;

 private:
  struct Table;
  std::shared_ptr<const LaneCode> code_;
  std::unique_ptr<Table> table_;
};

}  // namespace ulna::internal
