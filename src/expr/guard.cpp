#include <algorithm>
#include <limits>
#include <map>
#include <set>

#include <ulna/scalar/scalar.hpp>

#include "expr/edit.hpp"
#include "expr/op_kinds.hpp"
#include "expr/ready.hpp"

namespace ulna::internal {

namespace {

constexpr std::size_t kAtATime = 64;  // bits of a word

/// Propagates bits from marked values to results: one word a value.
template <class Mark, class Passes>
std::vector<std::uint64_t> reached(const Program& program, const Mark& mark, const Passes& under_a_fraction) {
  std::vector<std::uint64_t> bits(program.value_count(), 0);
  const auto of = [&](std::uint32_t value) { return value == kNoValue ? 0 : bits[value]; };
  for (std::uint32_t i = 0; i < program.input_count(); ++i) bits[i] = mark(i);
  for (std::size_t i = program.precomputed; i < program.instructions.size(); ++i) {
    const Instruction& step = program.instructions[i];
    const bool passes = step.op != Op::divide || under_a_fraction;
    const std::size_t value = program.first_instruction() + i;
    bits[value] = mark(value) | of(step.a) | (passes ? of(step.b) : 0) | of(step.c);
  }
  return bits;
}

/// Inputs that some result does not carry.
std::vector<std::uint32_t> not_carried(const Program& program) {
  const std::size_t inputs = program.input_count();
  std::vector<std::uint32_t> missing;
  for (std::size_t begin = 0; begin < inputs; begin += kAtATime) {
    const auto mark = [&](std::size_t value) { return value >= begin && value < std::min(begin + kAtATime, inputs) ? std::uint64_t{1} << (value - begin) : 0; };
    const std::vector<std::uint64_t> bits = reached(program, mark, false);
    std::uint64_t everywhere = ~std::uint64_t{0};
    for (const Output& result : program.results) everywhere &= bits[result.value];
    for (std::size_t i = begin; i < std::min(begin + kAtATime, inputs); ++i)
      if ((everywhere >> (i - begin) & 1) == 0) missing.push_back(static_cast<std::uint32_t>(i));
  }
  return missing;
}

class Guarding {
 public:
  Guarding(const Program& program, std::span<const double> rates, Sine sine, bool single)
      : from_(program), rates_(rates), sine_(sine), single_(single), to_(program, rates.size() + 1) {
    find_sines();
    choose_factors();
  }

  Program run() {
    for (std::size_t i = 0; i < from_.precomputed; ++i) to_.keep(i);
    to_.end_precomputed();
    guard_ = product();
    for (std::size_t i = from_.precomputed; i < from_.instructions.size(); ++i) {
      if (to_.moved(value_of(i)) == kNoValue) to_.keep(i);  // unless it is a factor of the guard
      if (is_hub(i)) to_.replace(value_of(i), with_guard(value_of(i)));
    }
    std::map<std::uint32_t, std::uint32_t> done;  // new values, by the old ones
    for (Output& result : to_.results()) {
      const auto [found, added] = done.try_emplace(result.value, kNoValue);
      if (is_zero(result.value)) result.negative = false;
      if (added) found->second = covered_.contains(result.value) ? to_.moved(result.value) : with_guard(result.value);
      result.value = found->second;
    }
    const OperationCounts before = from_.counts();
    Program ready = to_.finished();
    ready.guards = difference(ready.counts(), before);
    return ready;
  }

 private:
  std::uint32_t value_of(std::size_t i) const { return static_cast<std::uint32_t>(from_.first_instruction() + i); }
  bool is_angle(std::uint32_t input) const { return input < rates_.size() && rates_[input] != 0; }
  bool is_zero(std::uint32_t value) const {
    return value >= from_.first_constant() && value < from_.first_instruction() && from_.constants[value - from_.first_constant()] == 0;
  }
  bool is_hub(std::size_t i) const { return is_sincos(from_.instructions[i].op) && hubs_.contains(from_.instructions[i].a); }

  /// Sines that are NaN for a bad angle guard it, if only sines and cosines use the angle. (A coupled joint's is multiplied first.)
  void find_sines() {
    seen_.assign(from_.input_count(), sine_ == Sine::exact ? 1 : 0);
    for (std::size_t k = 0; k < seen_.size(); ++k)
      if (k >= rates_.size() || rates_[k] != 1) seen_[k] = 1;
    for (const Instruction& step : from_.instructions)
      for (const std::uint32_t value : {step.a, step.b, step.c})
        if (value < seen_.size() && !is_sincos(step.op)) seen_[value] = 1;
    for (std::size_t i = from_.precomputed; i < from_.instructions.size(); ++i) {
      const Instruction& step = from_.instructions[i];
      if (is_sincos(step.op) && step.a < seen_.size() && seen_[step.a] == 0) sines_.try_emplace(step.a, value_of(i));
    }
  }

  /// Either every result gets the guard; then its factors are inputs that some result does not carry, and angles whose sines do not become NaN.
  /// Or, where that costs less, some sines and cosines get it, and the few results that depend on none of them; then every input that could be infinite is a
  /// factor. An inertia matrix has more entries than inputs.
  void choose_factors() {
    std::vector<std::uint8_t> wanted(seen_.size(), 0), all = seen_;
    for (const std::uint32_t input : not_carried(from_)) wanted[input] = all[input] = 1;
    for (std::size_t k = 0; k < rates_.size(); ++k)
      if (rates_[k] != 0 && seen_[k] != 0) wanted[k] = 1;
    std::size_t at = 0;
    for (const Signal& signal : from_.inputs)
      for (std::size_t k = 0; k < signal.size; ++k, ++at)
        if (signal.name == "side" || signal.name == "table") wanted[at] = all[at] = 0;
    std::map<std::uint32_t, std::uint64_t> results;  // that depend on the state
    for (const Output& result : from_.results)
      if (result.value < from_.input_count() || result.value >= value_of(from_.precomputed)) results[result.value] = 0;
    choose_hubs(results);
    const auto cost = [&](const std::vector<std::uint8_t>& inputs) {
      std::size_t sum = 0;
      for (std::size_t k = 0; k < inputs.size(); ++k)
        sum += inputs[k] == 0 ? 0 : is_angle(static_cast<std::uint32_t>(k)) && !sines_.contains(static_cast<std::uint32_t>(k)) ? 2 : 1;
      return sum;
    };
    if (cost(all) + 2 * hubs_.size() + results.size() - covered_.size() >= cost(wanted) + results.size()) {
      hubs_.clear();
      covered_.clear();
      all = wanted;
    }
    for (std::size_t k = 0; k < all.size(); ++k)
      if (all[k] != 0) factors_.push_back(static_cast<std::uint32_t>(k));
  }

  /// Angles whose sine and cosine most results depend on, as long as one spares more than the two; of the first angles, if there are very many.
  void choose_hubs(std::map<std::uint32_t, std::uint64_t>& results) {
    std::vector<std::uint32_t> angles;
    for (std::size_t i = from_.precomputed; i < from_.instructions.size() && angles.size() < kAtATime; ++i) {
      const Instruction& step = from_.instructions[i];
      if (is_sincos(step.op) && std::find(angles.begin(), angles.end(), step.a) == angles.end()) angles.push_back(step.a);
    }
    const auto mark = [&](std::size_t value) {
      if (value < value_of(from_.precomputed)) return std::uint64_t{0};
      const Instruction& step = from_.instructions[value - from_.first_instruction()];
      if (!is_sincos(step.op)) return std::uint64_t{0};
      const auto found = std::find(angles.begin(), angles.end(), step.a);
      return found == angles.end() ? std::uint64_t{0} : std::uint64_t{1} << (found - angles.begin());
    };
    const std::vector<std::uint64_t> bits = reached(from_, mark, true);
    for (auto& [value, mask] : results) mask = bits[value];
    for (;;) {
      std::size_t best = 0, most = 0;
      for (std::size_t k = 0; k < angles.size(); ++k) {
        std::size_t spared = 0;
        for (const auto& [value, mask] : results) spared += !covered_.contains(value) && (mask >> k & 1) != 0 ? 1 : 0;
        if (spared > most) most = spared, best = k;
      }
      if (most <= 2) return;
      hubs_.insert(angles[best]);
      for (const auto& [value, mask] : results)
        if ((mask >> best & 1) != 0) covered_.insert(value);
    }
  }

  std::uint32_t factor(std::uint32_t input) {
    if (!is_angle(input)) return input;
    const double largest = single_ ? static_cast<double>(std::numeric_limits<float>::max()) : std::numeric_limits<double>::max();
    const double overflows = single_ ? static_cast<double>(kOverflowsBeyond<float>) : kOverflowsBeyond<double>;
    const double number = std::min(rates_[input] * overflows, largest);
    auto& constant = overflowing_.try_emplace(number, kNoValue).first->second;
    if (constant == kNoValue) constant = to_.constant(number);
    return to_.add(Op::multiply, input, constant);
  }

  /// 0 x1 x2 …, in a few chains where there are many, then squared: not -0, which would take its sign from a result that is -0. Sines are multiplied pair by
  /// pair first: their product does not overflow.
  std::uint32_t product() {
    constexpr std::size_t kLongestChain = 16;
    const std::uint32_t zero = to_.constant(0);
    if (factors_.empty()) return zero;
    std::vector<std::uint32_t> sines, others;
    for (const std::uint32_t input : factors_) {
      const auto found = sines_.find(input);
      if (found == sines_.end()) {
        others.push_back(factor(input));
      } else {
        to_.keep(found->second - from_.first_instruction());
        sines.push_back(to_.moved(found->second));
      }
    }
    for (std::size_t k = 0; k + 1 < sines.size(); k += 2) sines.push_back(to_.add(Op::multiply, sines[k], sines[k + 1]));
    if (!sines.empty()) others.push_back(sines.back());
    std::vector<std::uint32_t> chains(1 + (others.size() - 1) / kLongestChain, zero);
    for (std::size_t k = 0; k < others.size(); ++k) {
      std::uint32_t& chain = chains[k % chains.size()];
      chain = to_.add(Op::multiply, chain, others[k]);
    }
    std::uint32_t all = chains[0];
    for (std::size_t k = 1; k < chains.size(); ++k) all = to_.add(Op::multiply, all, chains[k]);
    return to_.add(Op::multiply, all, all, {"guard"});
  }

  /// What was `value`, with the guard.
  std::uint32_t with_guard(std::uint32_t value) {
    if (is_zero(value)) return guard_;
    const std::uint32_t result = to_.moved(value);
    const bool fixed = value >= from_.input_count() && value < value_of(from_.precomputed);
    return to_.add(Op::add, result, fixed ? guard_ : to_.add(Op::multiply, guard_, result));
  }

  const Program& from_;
  std::span<const double> rates_;
  Sine sine_;
  bool single_;
  ProgramEdit to_;
  std::vector<std::uint8_t> seen_;                // of an input: it may be infinite or out of range without a sine that is NaN
  std::map<std::uint32_t, std::uint32_t> sines_;  // of the others: a value that is NaN then
  std::vector<std::uint32_t> factors_;            // inputs, in order
  std::set<std::uint32_t> hubs_;                  // angles whose sine and cosine get the guard
  std::set<std::uint32_t> covered_;               // results that depend on those
  std::map<double, std::uint32_t> overflowing_;   // constants
  std::uint32_t guard_ = kNoValue;
};

}  // namespace

Program guarded(const Program& program, std::span<const double> rates, Sine sine, bool single) { return Guarding(program, rates, sine, single).run(); }

}  // namespace ulna::internal
