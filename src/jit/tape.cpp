#include "jit/tape.hpp"

#include <algorithm>
#include <map>
#include <tuple>

#include "expr/op_kinds.hpp"
#include "jit/twins.hpp"

namespace ulna::internal::jit {

namespace {

class Pairing {
 public:
  Pairing(const Program& program, const Twins& twins)
      : program_(program),
        twins_(twins),
        first_(static_cast<std::uint32_t>(program.first_instruction())),
        begin_(static_cast<std::uint32_t>(first_ + program.precomputed)),
        scalar_(program.value_count(), kNoValue),
        pair_(program.value_count(), kNoValue) {
    tape_.inputs = static_cast<std::uint32_t>(program.input_count());
    tape_.fixed = begin_ - tape_.inputs;
    for (std::uint32_t v = 0; v < begin_; ++v) scalar_[v] = v;
  }

  Tape run() {
    find_opposites();
    const auto end = static_cast<std::uint32_t>(program_.value_count());
    std::vector<std::uint32_t> waiting;
    for (std::uint32_t v = begin_; v < end; ++v) {
      waiting.assign(1, v);
      while (!waiting.empty()) {
        const std::uint32_t next = waiting.back();
        if (is_done(next)) {
          waiting.pop_back();
          continue;
        }
        const std::size_t before = waiting.size();
        each_needed(next, [&](std::uint32_t x) {
          if (!is_done(x)) waiting.push_back(x);
        });
        if (waiting.size() == before) write(next);
      }
    }
    for (const Output& result : program_.results) {
      const std::uint32_t w = result.value;
      if (is_second(w))
        tape_.results.push_back({pair_[twins_.first[w]], result.negative != (twins_.negative[w] != 0), true});
      else
        tape_.results.push_back({number(w), result.negative, false});
    }
    number_through();
    return std::move(tape_);
  }

 private:
  // Values of instructions and of pairs of constants are marked until it is known how many of the latter there are.
  static constexpr std::uint32_t kInstruction = 0x40000000, kPair = 0x20000000;

  const Instruction& step(std::uint32_t v) const { return program_.instructions[v - first_]; }
  bool is_constant(std::uint32_t v) const { return v >= tape_.inputs && v < begin_; }
  bool is_instruction(std::uint32_t v) const { return v >= begin_ && v != kNoValue; }
  bool is_joined(std::uint32_t v) const { return twins_.joined[twins_.first[v] == kNoValue ? v : twins_.first[v]] != 0; }
  /// One instruction does it together with another.
  bool is_first(std::uint32_t v) const { return is_instruction(v) && twins_.second[v] != kNoValue && !is_joined(v) && !is_sincos(step(v).op); }
  bool is_second(std::uint32_t v) const { return is_instruction(v) && twins_.first[v] != kNoValue && !is_joined(v) && !is_sincos(step(v).op); }
  /// Sines and cosines stand ready, as inputs do.
  bool is_done(std::uint32_t v) const {
    if (!is_instruction(v) || is_sincos(step(v).op)) return true;
    return is_second(v) ? pair_[twins_.first[v]] != kNoValue : (is_first(v) ? pair_ : scalar_)[v] != kNoValue;
  }
  /// What must be done before: of a sine, its angle.
  template <class F>
  void each_needed(std::uint32_t v, const F& f) const {
    const auto each = [&](const Instruction& s) {
      for (const std::uint32_t x : {s.a, s.b, s.c})
        if (x != kNoValue) f(is_instruction(x) && is_sincos(step(x).op) ? step(x).a : x);
    };
    each(step(v));
    if (is_first(v)) each(step(twins_.second[v]));
    if (is_second(v)) each(step(twins_.first[v]));
  }

  std::uint32_t add(const Tape::Instruction& instruction) {
    tape_.instructions.push_back(instruction);
    return kInstruction + static_cast<std::uint32_t>(tape_.instructions.size() - 1);
  }

  /// A value by itself.
  std::uint32_t number(std::uint32_t v) {
    if (is_first(v)) return pair_[v];
    std::uint32_t& own = scalar_[v];
    if (own != kNoValue) return own;
    if (is_sincos(step(v).op)) return own = add({.op = step(v).op, .a = number(step(v).a)});
    return own = add({.op = lane::upper, .negative = twins_.negative[v] != 0, .a = pair_[twins_.first[v]]});
  }

  /// x and y side by side, y with the opposite sign if so said; constants only can have either.
  std::uint32_t side_by_side(std::uint32_t x, std::uint32_t y, bool negative) {
    if (is_constant(x)) {
      const auto [at, is_new] = constants_.try_emplace({x, y, negative}, static_cast<std::uint32_t>(tape_.pairs.size()));
      if (is_new) tape_.pairs.push_back({x - tape_.inputs, y - tape_.inputs, negative});
      return kPair + at->second;
    }
    std::uint32_t& both = pair_[x];
    if (x == y) {  // which has no twin, or not as a pair
      const auto [at, is_new] = spread_.try_emplace(x, kNoValue);
      if (is_new) at->second = add({.op = lane::spread, .pair = true, .a = number(x)});
      return at->second;
    }
    if (both != kNoValue) return both;
    if (is_instruction(x) && is_sincos(step(x).op)) return both = add({.op = step(x).op, .pair = true, .a = number(step(x).a), .b = number(step(y).a)});
    // It may have been negated already where it is computed.
    const bool opposite = twins_.negative[y] != 0 && (!is_instruction(y) || opposite_[y - begin_] == 0);
    return both = add({.op = lane::join, .pair = true, .negative = opposite, .a = number(x), .b = number(y)});
  }

  /// Of joined values: a difference can exchange its operands if it has no other user.
  void find_opposites() {
    opposite_.assign(program_.value_count() - begin_, 0);
    std::vector<std::uint8_t> alone(program_.value_count(), 0);
    for (std::uint32_t v = begin_; v < program_.value_count(); ++v)
      if (!is_second(v))  // what a first one takes of the second limb is common to both
        for (const std::uint32_t x : {step(v).a, step(v).b, step(v).c})
          if (x != kNoValue && (!is_first(v) || twins_.first[x] != kNoValue)) alone[x] = 1;
    for (const Output& result : program_.results) alone[result.value] = 1;
    for (std::uint32_t w = begin_; w < program_.value_count(); ++w) {
      if (twins_.first[w] == kNoValue || !is_joined(w) || twins_.negative[w] == 0 || alone[w] != 0) continue;
      const Op op = step(w).op;
      opposite_[w - begin_] = op == Op::subtract || op == Op::multiply_subtract || op == Op::subtract_product;
    }
  }

  void write(std::uint32_t v) {
    if (is_second(v)) v = twins_.first[v];
    const Instruction& s = step(v);
    if (is_first(v)) return write_pair(v, twins_.second[v]);
    Tape::Instruction own{.op = s.op, .a = number(s.a), .b = s.b == kNoValue ? kNoValue : number(s.b), .c = s.c == kNoValue ? kNoValue : number(s.c)};
    if (opposite_[v - begin_] != 0) {
      if (s.op == Op::subtract)
        std::swap(own.a, own.b);
      else
        own.op = s.op == Op::multiply_subtract ? Op::subtract_product : Op::multiply_subtract;
    }
    scalar_[v] = add(own);
  }

  bool fit(std::uint32_t x, std::uint32_t y) const { return (is_constant(x) && is_constant(y)) || x == y || twins_.second[x] == y; }
  /// The partner of a value that is no constant.
  bool negative(std::uint32_t x, std::uint32_t y) const { return x != y && twins_.negative[y] != 0; }

  void write_pair(std::uint32_t v, std::uint32_t w) {
    const Instruction& s = step(v);
    Instruction t = step(w);
    std::array<bool, 2> own = signs_of(s.op), twin = signs_of(t.op);
    const bool sum = s.op == Op::add || s.op == Op::subtract;
    if (!fit(s.a, t.a) || !fit(s.b, t.b)) {
      std::swap(t.a, t.b);
      if (sum) std::swap(twin[0], twin[1]);
    }
    // What is left to constants is the sign that makes the second lane what it has to be.
    const bool all = twins_.negative[w] != 0, first = sum || is_fused(s.op) ? all != (own[0] != twin[0]) : all, second = all != (own[1] != twin[1]);
    const auto factor = [&](std::uint32_t x, std::uint32_t y, std::uint32_t other, std::uint32_t other_twin) {
      return side_by_side(x, y, is_constant(x) && first != negative(other, other_twin));
    };
    Tape::Instruction both{.op = s.op, .pair = true};
    if (sum) {
      both.a = side_by_side(s.a, t.a, is_constant(s.a) && first);
      both.b = side_by_side(s.b, t.b, is_constant(s.b) && second);
    } else {
      both.a = factor(s.a, t.a, s.b, t.b);
      both.b = is_constant(s.a) ? side_by_side(s.b, t.b, false) : factor(s.b, t.b, s.a, t.a);
      if (is_fused(s.op)) both.c = side_by_side(s.c, t.c, is_constant(s.c) && second);
    }
    pair_[v] = add(both);
  }

  void number_through() {
    const std::uint32_t pairs = tape_.first_pair(), instructions = tape_.first_instruction();
    const auto renumber = [&](std::uint32_t& v) {
      if (v == kNoValue) return;
      if (v >= kInstruction)
        v = v - kInstruction + instructions;
      else if (v >= kPair)
        v = v - kPair + pairs;
    };
    for (Tape::Instruction& step : tape_.instructions) renumber(step.a), renumber(step.b), renumber(step.c);
    for (Tape::Result& result : tape_.results) renumber(result.value);
  }

  const Program& program_;
  const Twins& twins_;
  std::uint32_t first_, begin_;
  Tape tape_;
  std::vector<std::uint32_t> scalar_, pair_;  // of a value: its number in the tape, by itself and, of a first one, with its twin
  std::map<std::tuple<std::uint32_t, std::uint32_t, bool>, std::uint32_t> constants_;
  std::map<std::uint32_t, std::uint32_t> spread_;
  std::vector<std::uint8_t> opposite_;
};

}  // namespace

bool Tape::has_pairs() const {
  return std::any_of(instructions.begin(), instructions.end(), [](const Instruction& step) { return step.pair; });
}

Tape tape_of(const Program& program) {
  Tape tape;
  tape.inputs = static_cast<std::uint32_t>(program.input_count());
  tape.fixed = static_cast<std::uint32_t>(program.first_instruction() + program.precomputed) - tape.inputs;
  for (std::size_t i = program.precomputed; i < program.instructions.size(); ++i) {
    const Instruction& step = program.instructions[i];
    tape.instructions.push_back({.op = step.op, .a = step.a, .b = step.b, .c = step.c});
  }
  for (const Output& result : program.results) tape.results.push_back({result.value, result.negative});
  return tape;
}

Tape paired(const Program& program, std::span<const InputPair> alike, double most) {
  Tape plain = tape_of(program);
  if (alike.empty()) return plain;
  Tape pairs = Pairing(program, twins_of(program, alike)).run();
  const double before = static_cast<double>(plain.instructions.size()), after = static_cast<double>(pairs.instructions.size());
  return after <= most * before ? pairs : plain;
}

}  // namespace ulna::internal::jit
