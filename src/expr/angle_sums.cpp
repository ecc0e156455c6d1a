#include <cmath>
#include <map>

#include "expr/edit.hpp"
#include "expr/ready.hpp"

namespace ulna::internal {

namespace {

bool is_turn(Op op) { return op == Op::sine || op == Op::cosine; }

struct Turn {
  std::uint32_t sine = kNoValue, cosine = kNoValue;
};

class AngleSums {
 public:
  explicit AngleSums(const Program& program) : from_(program), first_(program.first_instruction()), end_of_fixed_(first_ + program.precomputed) {
    for (std::size_t i = program.precomputed; i < program.instructions.size(); ++i)
      if (const Instruction& step = program.instructions[i]; is_turn(step.op) && is_sum(step.a)) ++sums_;
  }
  bool any() const { return sums_ > 0; }

  Program run() {
    ProgramEdit to(from_, 2 * sums_);
    for (std::size_t i = 0; i < from_.precomputed; ++i) to.keep(i);
    for (const Instruction& step : from_.instructions)
      if (is_turn(step.op) && is_sum(step.a)) turn_of_fixed(to, fixed_part(step.a));
    to.end_precomputed();
    for (std::size_t i = from_.precomputed; i < from_.instructions.size(); ++i) {
      const Instruction& step = from_.instructions[i];
      const std::size_t value = first_ + i;
      if (!is_turn(step.op) && is_sum(value) && only_turned(value)) continue;
      if (!is_turn(step.op))
        to.keep(i);
      else
        to.replace(value, is_sum(step.a) ? of_sum(to, step, from_.names[i]) : turn(to, to.moved(step.a), step.op, from_.names[i]));
    }
    for (Output& result : to.results()) result.value = to.moved(result.value);
    const OperationCounts before = from_.counts();
    Program ready = to.finished();
    ready.angle_sums = difference(ready.counts(), before);
    return ready;
  }

 private:
  const Instruction& at(std::size_t value) const { return from_.instructions[value - first_]; }
  bool is_fixed(std::size_t value) const { return value >= from_.input_count() && value < end_of_fixed_; }
  bool is_sum(std::size_t value) const {
    if (value < end_of_fixed_) return false;
    const Instruction& step = at(value);
    return (step.op == Op::add || step.op == Op::subtract) && is_fixed(step.a) != is_fixed(step.b);
  }
  std::uint32_t fixed_part(std::size_t sum) const { return is_fixed(at(sum).a) ? at(sum).a : at(sum).b; }
  bool only_turned(std::size_t value) {
    if (used_.empty()) {
      used_.assign(from_.value_count(), 0);
      for (const Instruction& step : from_.instructions) {
        const bool turn = is_turn(step.op);
        for (const std::uint32_t operand : {step.a, step.b, step.c})
          if (operand != kNoValue) used_[operand] |= turn ? 2 : 1;
      }
      for (const Output& result : from_.results) used_[result.value] |= 1;
    }
    return used_[value] == 2;
  }

  /// Sine and cosine of a number: a number; of a parameter: instructions that are done once.
  void turn_of_fixed(ProgramEdit& to, std::uint32_t value) {
    Turn& turn = fixed_[value];
    if (turn.sine != kNoValue) return;
    if (value >= from_.first_constant() && value < first_) {
      const double c = from_.constants[value - from_.first_constant()];
      turn = {to.constant(std::sin(c)), to.constant(std::cos(c))};
    } else {
      turn = {to.add(Op::sine, to.moved(value)), to.add(Op::cosine, to.moved(value))};
    }
  }
  /// Of an angle that is no sum; it is there once, whoever needs it.
  std::uint32_t turn(ProgramEdit& to, std::uint32_t angle, Op op, const NodeName& name = {}) {
    std::uint32_t& value = op == Op::sine ? turns_[angle].sine : turns_[angle].cosine;
    if (value == kNoValue) value = to.add(op, angle, kNoValue, name);
    return value;
  }
  std::uint32_t of_sum(ProgramEdit& to, const Instruction& step, const NodeName& name) {
    const Instruction& sum = at(step.a);
    const bool leads = is_fixed(sum.a);  // c ± x
    const Turn c = fixed_.at(leads ? sum.a : sum.b);
    const std::uint32_t x = to.moved(leads ? sum.b : sum.a);
    const std::uint32_t sine = turn(to, x, Op::sine), cosine = turn(to, x, Op::cosine);
    if (step.op == Op::sine) {
      const std::uint32_t a = to.add(Op::multiply, sine, c.cosine), b = to.add(Op::multiply, cosine, c.sine);
      if (sum.op == Op::add) return to.add(Op::add, a, b, name);
      return leads ? to.add(Op::subtract, b, a, name) : to.add(Op::subtract, a, b, name);
    }
    const std::uint32_t a = to.add(Op::multiply, cosine, c.cosine), b = to.add(Op::multiply, sine, c.sine);
    return to.add(sum.op == Op::add ? Op::subtract : Op::add, a, b, name);
  }

  const Program& from_;
  std::size_t first_, end_of_fixed_;
  std::size_t sums_ = 0;
  std::vector<std::uint8_t> used_;       // of a value: 1 in arithmetic or as a result, 2 as an angle
  std::map<std::uint32_t, Turn> fixed_;  // by the old value
  std::map<std::uint32_t, Turn> turns_;  // by the new value of the angle
};

}  // namespace

Program with_angle_sums(const Program& program) {
  AngleSums sums(program);
  return sums.any() ? sums.run() : program;
}

}  // namespace ulna::internal
