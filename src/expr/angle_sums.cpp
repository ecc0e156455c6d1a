#include <cmath>
#include <map>

#include "expr/edit.hpp"
#include "expr/op_kinds.hpp"
#include "expr/ready.hpp"

namespace ulna::internal {

namespace {

struct SinCosValues {
  std::uint32_t sine = kNoValue, cosine = kNoValue;
};

class AngleSums {
 public:
  explicit AngleSums(const Program& program) : from_(program), first_(program.first_instruction()), end_of_fixed_(first_ + program.precomputed) {
    for (std::size_t i = program.precomputed; i < program.instructions.size(); ++i)
      if (const Instruction& step = program.instructions[i]; is_sincos(step.op) && is_sum(step.a)) ++sums_;
  }
  bool any() const { return sums_ > 0; }

  Program run() {
    find_uses();
    ProgramEdit to(from_, 2 * sums_);
    for (std::size_t i = 0; i < from_.precomputed; ++i) to.keep(i);
    for (const Instruction& step : from_.instructions)
      if (is_sincos(step.op) && is_sum(step.a)) add_fixed_parts(to, step.a);
    to.end_precomputed();
    for (std::size_t i = from_.precomputed; i < from_.instructions.size(); ++i) {
      const Instruction& step = from_.instructions[i];
      const std::size_t value = first_ + i;
      if (is_sincos(step.op))
        to.replace(value, value_of(to, step.a, step.op, from_.names[i]));
      else if (used_[value] != 2)
        to.keep(i);
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
  /// Of an angle and a number of the robot, or of two angles.
  bool is_sum(std::size_t value) const {
    if (value < end_of_fixed_) return false;
    const Instruction& step = at(value);
    return step.op == Op::add || step.op == Op::subtract;
  }

  /// Marks sums that only sines use, and sums that only such sums use: they are not formed.
  void find_uses() {
    used_.assign(from_.value_count(), 0);
    for (const Output& result : from_.results) used_[result.value] |= 1;
    for (std::size_t i = from_.instructions.size(); i-- > 0;) {
      const Instruction& step = from_.instructions[i];
      const bool angle = is_sincos(step.op) || (is_sum(first_ + i) && used_[first_ + i] == 2);
      for (const std::uint32_t operand : {step.a, step.b, step.c})
        if (operand != kNoValue) used_[operand] = static_cast<unsigned char>(used_[operand] | (angle && is_sum(operand) ? 2 : 1));
    }
  }

  void add_fixed_parts(ProgramEdit& to, std::uint32_t sum) {
    for (const std::uint32_t part : {at(sum).a, at(sum).b})
      if (is_fixed(part))
        add_fixed(to, part);
      else if (is_sum(part))
        add_fixed_parts(to, part);
  }
  /// Sine and cosine of a constant are constants; of a parameter, precomputed instructions.
  void add_fixed(ProgramEdit& to, std::uint32_t value) {
    SinCosValues& values = sincos_[value];
    if (values.sine != kNoValue) return;
    if (value >= from_.first_constant() && value < first_) {
      const double c = from_.constants[value - from_.first_constant()];
      values = {to.constant(std::sin(c)), to.constant(std::cos(c))};
    } else {
      values = {to.add(Op::sine, to.moved(value)), to.add(Op::cosine, to.moved(value))};
    }
  }
  /// Sine or cosine of any angle, shared by all its users.
  std::uint32_t value_of(ProgramEdit& to, std::uint32_t angle, Op op, const NodeName& name = {}) {
    const auto known = [&]() -> std::uint32_t& { return op == Op::sine ? sincos_[angle].sine : sincos_[angle].cosine; };
    if (known() == kNoValue) {
      const std::uint32_t made = is_sum(angle) ? of_sum(to, at(angle), op, name) : to.add(op, to.moved(angle), kNoValue, name);
      known() = made;
    }
    return known();
  }
  std::uint32_t of_sum(ProgramEdit& to, const Instruction& sum, Op op, const NodeName& name) {
    const bool plus = sum.op == Op::add;
    if (op == Op::sine) {
      const std::uint32_t a = to.add(Op::multiply, value_of(to, sum.a, Op::sine), value_of(to, sum.b, Op::cosine));
      const std::uint32_t b = to.add(Op::multiply, value_of(to, sum.a, Op::cosine), value_of(to, sum.b, Op::sine));
      return to.add(plus ? Op::add : Op::subtract, a, b, name);
    }
    const std::uint32_t a = to.add(Op::multiply, value_of(to, sum.a, Op::cosine), value_of(to, sum.b, Op::cosine));
    const std::uint32_t b = to.add(Op::multiply, value_of(to, sum.a, Op::sine), value_of(to, sum.b, Op::sine));
    return to.add(plus ? Op::subtract : Op::add, a, b, name);
  }

  const Program& from_;
  std::size_t first_, end_of_fixed_;
  std::size_t sums_ = 0;
  std::vector<std::uint8_t> used_;                // of a value: 1 itself, 2 only in expanded angles
  std::map<std::uint32_t, SinCosValues> sincos_;  // by the old value
};

}  // namespace

Program with_angle_sums(const Program& program) {
  AngleSums sums(program);
  return sums.any() ? sums.run() : program;
}

}  // namespace ulna::internal
