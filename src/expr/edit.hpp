// Rewrites a program, with instructions and constants added.
#pragma once

#include <ulna/expr/program.hpp>

namespace ulna::internal {

class ProgramEdit {
 public:
  /// Begins with the signals and constants of `from`, and no instruction. `room` more constants may be added.
  ProgramEdit(const Program& from, std::size_t room) : from_(from), to_(from), constants_(from.constants.size() + room), number_(from.value_count(), kNoValue) {
    to_.instructions.clear();
    to_.names.clear();
    for (std::uint32_t value = 0; value < from.first_instruction(); ++value) number_[value] = value;
  }

  std::uint32_t constant(double value) {
    to_.constants.push_back(value);
    return static_cast<std::uint32_t>(from_.first_constant() + to_.constants.size() - 1);
  }
  /// Operands are new values.
  std::uint32_t add(Op op, std::uint32_t a, std::uint32_t b = kNoValue, const NodeName& name = {}) {
    to_.instructions.push_back({op, a, b, kNoValue});
    to_.names.push_back(name);
    return static_cast<std::uint32_t>(from_.first_constant() + constants_ + to_.instructions.size() - 1);
  }
  /// The next value for one of the old program.
  std::uint32_t moved(std::uint32_t value) const { return value == kNoValue ? value : number_[value]; }
  void replace(std::size_t value, std::uint32_t by) { number_[value] = by; }
  /// Instruction i as it was.
  void keep(std::size_t i) {
    const Instruction& step = from_.instructions[i];
    replace(from_.first_instruction() + i, add(step.op, moved(step.a), moved(step.b), from_.names[i]));
    to_.instructions.back().c = moved(step.c);
  }
  void end_precomputed() { to_.precomputed = to_.instructions.size(); }
  std::vector<Output>& results() { return to_.results; }

  Program finished() {
    // Constants that were not needed leave no gap.
    const std::size_t end = from_.first_constant() + constants_;
    const auto gap = static_cast<std::uint32_t>(constants_ - to_.constants.size());
    const auto close = [&](std::uint32_t& value) { value -= value >= end && value != kNoValue ? gap : 0; };
    for (Instruction& step : to_.instructions) close(step.a), close(step.b), close(step.c);
    for (Output& result : to_.results) close(result.value);
    return std::move(to_);
  }

 private:
  const Program& from_;
  Program to_;
  std::size_t constants_;              // old ones, and room for new ones
  std::vector<std::uint32_t> number_;  // of each old value
};

/// Operations of `after` minus those of `before`, without sines and cosines.
inline OperationCounts difference(const OperationCounts& after, const OperationCounts& before) {
  return {after.mul - before.mul, after.add - before.add, after.div - before.div, 0};
}

}  // namespace ulna::internal
