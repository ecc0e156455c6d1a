#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include <ulna/scalar/scalar.hpp>

#include "expr/edit.hpp"
#include "expr/ready.hpp"

namespace ulna {

namespace {

std::size_t index(std::int32_t i) { return static_cast<std::size_t>(i); }
bool is_turn(Op op) { return op == Op::sine || op == Op::cosine; }

/// Inputs that some result does not carry.
std::vector<std::int32_t> not_carried(const Program& program) {
  constexpr std::int32_t kAtATime = 64;
  const std::int32_t inputs = program.input_count();
  std::vector<std::uint64_t> carried(index(program.value_count()));
  std::vector<std::int32_t> missing;
  for (std::int32_t begin = 0; begin < inputs; begin += kAtATime) {
    const std::int32_t end = std::min(begin + kAtATime, inputs);
    std::fill(carried.begin(), carried.end(), 0);
    for (std::int32_t i = begin; i < end; ++i) carried[index(i)] = std::uint64_t{1} << (i - begin);
    const auto of = [&](std::int32_t value) { return value < 0 ? 0 : carried[index(value)]; };
    for (std::size_t i = program.precomputed; i < program.instructions.size(); ++i) {
      const Instruction& step = program.instructions[i];
      carried[index(program.first_instruction()) + i] = of(step.a) | (step.op == Op::divide ? 0 : of(step.b)) | of(step.c);
    }
    std::uint64_t everywhere = ~std::uint64_t{0};
    for (const Output& result : program.results) everywhere &= carried[index(result.value)];
    for (std::int32_t i = begin; i < end; ++i)
      if ((everywhere >> (i - begin) & 1) == 0) missing.push_back(i);
  }
  return missing;
}

class Guarding {
 public:
  Guarding(const Program& program, std::span<const double> rates, Sine sine, bool single)
      : from_(program), rates_(rates), sine_(sine), single_(single), to_(program, rates.size() + 1), factors_(not_carried(program)) {
    // An angle that only sines and cosines see is in range where they are numbers. (A coupled joint's is multiplied first.)
    std::vector<std::uint8_t> seen(rates.size(), sine == Sine::exact ? 1 : 0);
    for (const Instruction& step : program.instructions)
      for (const std::int32_t value : {step.a, step.b, step.c})
        if (value >= 0 && index(value) < seen.size() && !is_turn(step.op)) seen[index(value)] = 1;
    for (std::size_t k = 0; k < rates.size(); ++k)
      if (rates[k] != 0 && seen[k] != 0) factors_.push_back(static_cast<std::int32_t>(k));
    std::sort(factors_.begin(), factors_.end());
    factors_.erase(std::unique(factors_.begin(), factors_.end()), factors_.end());
  }

  Program run() {
    const std::size_t sines = find_sines();
    for (std::size_t i = 0; i < from_.precomputed; ++i) to_.keep(i);
    to_.end_precomputed();
    for (std::size_t i = from_.precomputed; i < sines; ++i) to_.keep(i);
    const std::int32_t guard = product();
    for (std::size_t i = sines; i < from_.instructions.size(); ++i) to_.keep(i);
    std::map<std::int32_t, std::int32_t> done;  // guarded values, by the old ones
    for (Output& result : to_.results()) {
      const auto [found, added] = done.try_emplace(result.value, -1);
      if (is_zero(result.value)) result.negative = false;
      if (added) found->second = with_guard(result.value, guard);
      result.value = found->second;
    }
    const OperationCounts before = from_.counts();
    Program ready = to_.finished();
    ready.guards = difference(ready.counts(), before);
    return ready;
  }

 private:
  bool is_angle(std::int32_t input) const { return index(input) < rates_.size() && rates_[index(input)] != 0; }
  bool is_zero(std::int32_t value) const {
    return value >= from_.first_constant() && value < from_.first_instruction() && from_.constants[index(value - from_.first_constant())] == 0;
  }

  /// Sines that are NaN where their input is bad stand for it. The number of instructions down to the last of them.
  std::size_t find_sines() {
    std::size_t end = from_.precomputed;
    if (sine_ == Sine::exact) return end;
    for (std::size_t i = from_.precomputed; i < from_.instructions.size(); ++i) {
      const Instruction& step = from_.instructions[i];
      if (!is_turn(step.op) || step.a >= from_.input_count() || !is_angle(step.a) || rates_[index(step.a)] != 1) continue;
      if (!std::binary_search(factors_.begin(), factors_.end(), step.a)) continue;
      if (sines_.try_emplace(step.a, from_.first_instruction() + static_cast<std::int32_t>(i)).second) end = i + 1;
    }
    return end;
  }

  std::int32_t factor(std::int32_t input) {
    if (!is_angle(input)) return input;
    if (const auto found = sines_.find(input); found != sines_.end()) return to_.moved(found->second);
    const double largest = single_ ? static_cast<double>(std::numeric_limits<float>::max()) : std::numeric_limits<double>::max();
    const double overflows = single_ ? static_cast<double>(kOverflowsBeyond<float>) : kOverflowsBeyond<double>;
    const double number = std::min(rates_[index(input)] * overflows, largest);
    auto& constant = overflowing_.try_emplace(number, -1).first->second;
    if (constant < 0) constant = to_.constant(number);
    return to_.add(Op::multiply, input, constant);
  }

  /// 0 x1 x2 …, in a few chains where there are many, then squared: not -0, which would take its sign from a result that is -0.
  std::int32_t product() {
    constexpr std::size_t kLongestChain = 16;
    const std::int32_t zero = to_.constant(0);
    if (factors_.empty()) return zero;
    std::vector<std::int32_t> chains(1 + (factors_.size() - 1) / kLongestChain, zero);
    for (std::size_t k = 0; k < factors_.size(); ++k) {
      std::int32_t& chain = chains[k % chains.size()];
      chain = to_.add(Op::multiply, chain, factor(factors_[k]));
    }
    std::int32_t all = chains[0];
    for (std::size_t k = 1; k < chains.size(); ++k) all = to_.add(Op::multiply, all, chains[k]);
    return to_.add(Op::multiply, all, all, "guard");
  }

  std::int32_t with_guard(std::int32_t value, std::int32_t guard) {
    if (is_zero(value)) return guard;
    const std::int32_t result = to_.moved(value);
    if (value >= from_.input_count() && value < from_.first_instruction() + static_cast<std::int32_t>(from_.precomputed)) return to_.add(Op::add, result, guard);
    return to_.add(Op::add, result, to_.add(Op::multiply, guard, result));
  }

  const Program& from_;
  std::span<const double> rates_;
  Sine sine_;
  bool single_;
  ProgramEdit to_;
  std::vector<std::int32_t> factors_;           // inputs, in order
  std::map<std::int32_t, std::int32_t> sines_;  // old values, by input
  std::map<double, std::int32_t> overflowing_;  // constants
};

}  // namespace

Program guarded(const Program& program, std::span<const double> rates, Sine sine, bool single) { return Guarding(program, rates, sine, single).run(); }

}  // namespace ulna
