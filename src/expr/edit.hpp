// A program written anew, with instructions and constants added on the way.
#pragma once

#include <ulna/expr/program.hpp>

namespace ulna {

class ProgramEdit {
 public:
  /// Begins with the signals and constants of `from`, and no instruction. `room` more constants may be added.
  ProgramEdit(const Program& from, std::size_t room) : from_(from), to_(from), constants_(from.constants.size() + room), number_(values(from), -1) {
    to_.instructions.clear();
    to_.names.clear();
    for (std::int32_t value = 0; value < from.first_instruction(); ++value) number_[static_cast<std::size_t>(value)] = value;
  }

  std::int32_t constant(double value) {
    to_.constants.push_back(value);
    return from_.first_constant() + static_cast<std::int32_t>(to_.constants.size()) - 1;
  }
  /// Operands are new values.
  std::int32_t add(Op op, std::int32_t a, std::int32_t b = -1, const NodeName& name = {}) {
    to_.instructions.push_back({op, a, b, -1});
    to_.names.push_back(name);
    return from_.first_constant() + static_cast<std::int32_t>(constants_ + to_.instructions.size()) - 1;
  }
  /// The next value for one of the old program.
  std::int32_t moved(std::int32_t value) const { return value < 0 ? value : number_[static_cast<std::size_t>(value)]; }
  void replace(std::int32_t value, std::int32_t by) { number_[static_cast<std::size_t>(value)] = by; }
  /// Instruction i as it was.
  void keep(std::size_t i) {
    const Instruction& step = from_.instructions[i];
    const std::int32_t value = from_.first_instruction() + static_cast<std::int32_t>(i);
    replace(value, add(step.op, moved(step.a), moved(step.b), from_.names[i]));
    to_.instructions.back().c = moved(step.c);
  }
  void end_precomputed() { to_.precomputed = to_.instructions.size(); }
  std::vector<Output>& results() { return to_.results; }

  Program finished() {
    // Constants that were not needed leave no gap.
    const std::int32_t end = from_.first_constant() + static_cast<std::int32_t>(constants_), gap = static_cast<std::int32_t>(constants_ - to_.constants.size());
    const auto close = [&](std::int32_t& value) { value -= value >= end ? gap : 0; };
    for (Instruction& step : to_.instructions) close(step.a), close(step.b), close(step.c);
    for (Output& result : to_.results) close(result.value);
    return std::move(to_);
  }

 private:
  static std::size_t values(const Program& program) { return static_cast<std::size_t>(program.value_count()); }

  const Program& from_;
  Program to_;
  std::size_t constants_;             // old ones, and room for new ones
  std::vector<std::int32_t> number_;  // of each old value
};

/// What `after` has more than `before`, sines and cosines apart.
inline OperationCounts difference(const OperationCounts& after, const OperationCounts& before) {
  return {after.mul - before.mul, after.add - before.add, after.div - before.div, 0};
}

}  // namespace ulna
