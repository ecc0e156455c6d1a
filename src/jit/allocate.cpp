#include <algorithm>
#include <limits>
#include <stdexcept>

#include "expr/op_kinds.hpp"
#include "jit/machine.hpp"

namespace ulna::internal::jit {

namespace {

constexpr std::uint32_t kNever = std::numeric_limits<std::uint32_t>::max();

std::size_t index(int r) { return static_cast<std::size_t>(r); }
Place in_register(int r) { return {Place::reg, static_cast<std::uint32_t>(r)}; }

class Allocator {
 public:
  Allocator(const Tape& tape, const Registers& registers)
      : tape_(tape),
        registers_(registers),
        first_(tape.first_instruction()),
        home_(tape.value_count()),
        reg_(tape.value_count(), -1),
        slot_(tape.value_count(), kNoValue),
        owner_(index(registers.count), kNoValue) {}

  Allocation run() {
    find_angles_and_homes();
    do_early();
    list_uses();
    list_results();
    out_.steps.reserve(tape_.instructions.size() * 5 / 4);
    for (now_ = 0; now_ < tape_.instructions.size(); ++now_) {
      const std::uint32_t value = first_ + now_;
      if (home_[value].kind != Place::none) continue;
      const Tape::Instruction& step = tape_.instructions[now_];
      const int d = is_fused(step.op) ? fuse(step) : step.op == lane::spread || step.op == lane::upper ? pass(step) : combine(step);
      set(value, d);
      write_results(value, d);
      release(value);
    }
    write_remaining_results();
    out_.slots = slots_;
    return std::move(out_);
  }

 private:
  // ---- before the main part

  void find_angles_and_homes() {
    for (std::uint32_t v = 0; v < tape_.inputs; ++v) home_[v] = {Place::input, v};
    for (std::uint32_t v = tape_.inputs; v < tape_.first_pair(); ++v) home_[v] = {Place::constant, v - tape_.inputs};
    for (std::uint32_t v = tape_.first_pair(); v < first_; ++v) home_[v] = {Place::pair, v - tape_.first_pair()};
    std::vector<std::uint32_t> angle(tape_.value_count(), kNoValue);  // of a value: its number among the angles
    std::vector<std::uint8_t> wanted(tape_.value_count(), 0);
    const auto number = [&](std::uint32_t value) {
      std::uint32_t& k = angle[value];
      if (k == kNoValue) {
        k = static_cast<std::uint32_t>(out_.angles.size());
        out_.angles.push_back(value);
        wanted[value] = 1;
      }
      return k;
    };
    for (const bool pairs : {true, false})
      for (std::size_t i = 0; i < tape_.instructions.size(); ++i) {
        const Tape::Instruction& step = tape_.instructions[i];
        if (!is_sincos(step.op) || step.pair != pairs) continue;
        home_[first_ + i] = {Place::sincos, 2 * number(step.a) + (step.op == Op::cosine ? 1u : 0u)};
        if (pairs) number(step.b);
      }
    for (std::size_t i = tape_.instructions.size(); i-- > 0;) {
      if (wanted[first_ + i] == 0) continue;
      const Tape::Instruction& step = tape_.instructions[i];
      if (is_sincos(step.op)) throw std::invalid_argument("an angle that depends on the sine or cosine of another one");
      for (const std::uint32_t v : {step.a, step.b, step.c})
        if (v != kNoValue) wanted[v] = 1;
      out_.early.push_back(static_cast<std::uint32_t>(i));
    }
    std::reverse(out_.early.begin(), out_.early.end());
    for (std::size_t j = 0; j < out_.early.size(); ++j) home_[first_ + out_.early[j]] = {Place::early, static_cast<std::uint32_t>(j)};
  }

  void do_early() {
    for (std::size_t j = 0; j < out_.early.size(); ++j) {
      const Tape::Instruction& step = tape_.instructions[out_.early[j]];
      const std::uint32_t operands[] = {step.a, step.b, step.c};
      for (std::int8_t r = 0; r < 3; ++r)
        if (operands[r] != kNoValue) out_.early_steps.push_back({.kind = Step::load, .d = r, .b = home_[operands[r]]});
      const std::int8_t d = is_fused(step.op) ? 2 : 0;
      out_.early_steps.push_back({.kind = d == 2 ? Step::fuse231 : Step::binary, .op = step.op, .d = d, .a = 0, .b = in_register(1)});
      out_.early_steps.push_back({.kind = Step::store, .a = d, .b = {Place::early, static_cast<std::uint32_t>(j)}});
    }
  }

  /// Where each value is used, one list after the other, in order.
  void list_uses() {
    const std::size_t values = tape_.value_count();
    use_begin_.assign(values + 1, 0);
    const auto each = [&](auto f) {
      for (std::size_t i = 0; i < tape_.instructions.size(); ++i) {
        if (home_[first_ + i].kind != Place::none) continue;
        const Tape::Instruction& step = tape_.instructions[i];
        f(step.a, i);
        if (step.b != kNoValue && step.b != step.a) f(step.b, i);
        if (step.c != kNoValue && step.c != step.a && step.c != step.b) f(step.c, i);
      }
    };
    each([&](std::uint32_t v, std::size_t) { ++use_begin_[v + 1]; });
    for (std::size_t v = 0; v < values; ++v) use_begin_[v + 1] += use_begin_[v];
    uses_.resize(use_begin_.back());
    cursor_.assign(use_begin_.begin(), use_begin_.end() - 1);
    std::vector<std::uint32_t> fill = cursor_;
    each([&](std::uint32_t v, std::size_t i) { uses_[fill[v]++] = static_cast<std::uint32_t>(i); });
  }

  void list_results() {
    result_next_.assign(tape_.results.size(), kNoValue);
    result_first_.assign(tape_.value_count(), kNoValue);
    for (std::size_t k = tape_.results.size(); k-- > 0;) {
      std::uint32_t& head = result_first_[tape_.results[k].value];
      result_next_[k] = head;
      head = static_cast<std::uint32_t>(k);
    }
  }

  // ---- registers

  std::uint32_t next_use(std::uint32_t value) {
    std::uint32_t& at = cursor_[value];
    const std::uint32_t end = use_begin_[value + 1];
    while (at < end && uses_[at] <= now_) ++at;
    return at < end ? uses_[at] : kNever;
  }
  bool dead(std::uint32_t value) { return next_use(value) == kNever; }

  Place memory(std::uint32_t value) const {
    const Place& home = home_[value];
    return home.kind != Place::none ? home : Place{Place::slot, slot_[value]};
  }

  void set(std::uint32_t value, int r) {
    reg_[value] = static_cast<std::int8_t>(r);
    owner_[index(r)] = value;
  }

  void leave_register(std::uint32_t value) {
    std::int8_t& r = reg_[value];
    if (r >= 0) owner_[index(r)] = kNoValue;
    r = -1;
  }

  /// A value that is not used any more gives back its register and its slot.
  void release(std::uint32_t value) {
    if (value == kNoValue || !dead(value)) return;
    leave_register(value);
    std::uint32_t& slot = slot_[value];
    if (slot != kNoValue) free_slots_.push_back(slot);
    slot = kNoValue;
  }

  /// A register that may be written. Those in `locked` keep their values.
  int take(std::uint32_t locked) {
    int best = -1;
    std::int64_t furthest = -1;
    for (int r = 0; r < registers_.count; ++r) {
      const std::uint32_t value = owner_[index(r)];
      if ((locked >> r & 1) != 0) continue;
      if (value == kNoValue) return r;
      // A value that has a place in memory can be evicted without a store.
      const bool free = home_[value].kind != Place::none || slot_[value] != kNoValue;
      const std::int64_t score = static_cast<std::int64_t>(next_use(value)) + (free ? 8 : 0);
      if (score > furthest) furthest = score, best = r;
    }
    evict(best);
    return best;
  }

  void evict(int r) {
    const std::uint32_t value = owner_[index(r)];
    std::uint32_t& slot = slot_[value];
    if (home_[value].kind == Place::none && slot == kNoValue && !dead(value)) {
      if (free_slots_.empty()) {
        slot = slots_++;
      } else {
        slot = free_slots_.back();
        free_slots_.pop_back();
      }
      ++out_.spills;
      emit({.kind = Step::store, .a = static_cast<std::int8_t>(r), .b = {Place::slot, slot}, .pair = tape_.is_pair(value)});
    }
    leave_register(value);
  }

  int to_register(std::uint32_t value, std::uint32_t locked) {
    if (reg_[value] >= 0) return reg_[value];
    const int r = take(locked);
    emit({.kind = Step::load, .d = static_cast<std::int8_t>(r), .b = memory(value), .pair = tape_.is_pair(value)});
    set(value, r);
    return r;
  }

  bool has_register(std::uint32_t value) const { return reg_[value] >= 0; }

  /// Whether the instruction that uses a value in memory should read it from there.
  bool from_memory(std::uint32_t value) {
    if (has_register(value)) return false;
    const Place::Kind kind = memory(value).kind;
    if (!registers_.input_operands && kind == Place::input) return false;
    const std::uint32_t next = next_use(value);
    return next == kNever || next - now_ > registers_.patience;
  }

  /// Where an instruction finds the operand that it may read from memory.
  Place last_operand(std::uint32_t value, std::uint32_t locked) { return from_memory(value) ? memory(value) : in_register(to_register(value, locked)); }

  void emit(const Step& step) { out_.steps.push_back(step); }

  // ---- instructions

  /// One number of one operand, in a register or in memory.
  int pass(const Tape::Instruction& step) {
    const std::uint32_t x = step.a;
    const Place from = last_operand(x, 0);
    int d = -1;
    if (dead(x) && from.kind == Place::reg) leave_register(x), d = static_cast<int>(from.index);
    if (d < 0) d = take(0);
    emit({.kind = Step::across, .op = step.op, .d = static_cast<std::int8_t>(d), .b = from, .negative = step.negative, .pair = step.pair});
    release(x);
    return d;
  }

  int combine(const Tape::Instruction& step) {
    std::uint32_t x = step.a, y = step.b;
    if (step.op == Op::add || step.op == Op::multiply) {
      const bool swap = has_register(x) != has_register(y) ? has_register(y) : !has_register(x) && from_memory(x) && !from_memory(y);
      if (swap) std::swap(x, y);
    }
    const int rx = to_register(x, y != x && has_register(y) ? bit(reg_[y]) : 0);
    const Place b = y == x ? in_register(rx) : last_operand(y, bit(rx));
    // Registers of operands without further use may take the result. Their slots may not be written before the instruction has read them.
    int d = -1;
    if (dead(x)) leave_register(x), d = rx;
    if (dead(y)) leave_register(y);
    if (d < 0) d = take(0);
    emit({.kind = is_lane_op(step.op) ? Step::across : Step::binary,
          .op = step.op,
          .d = static_cast<std::int8_t>(d),
          .a = static_cast<std::int8_t>(rx),
          .b = b,
          .negative = step.negative,
          .pair = step.pair});
    release(x), release(y);
    return d;
  }

  int fuse(const Tape::Instruction& step) {
    std::uint32_t f = step.a, g = step.b;
    const std::uint32_t c = step.c;
    if (has_register(f) != has_register(g) ? has_register(g) : !has_register(f) && from_memory(f) && !from_memory(g)) std::swap(f, g);
    const auto lock_of = [&](std::uint32_t v) { return has_register(v) ? bit(reg_[v]) : 0; };
    const int rf = to_register(f, lock_of(g) | lock_of(c));
    const Place pg = g == f ? in_register(rf) : last_operand(g, bit(rf) | lock_of(c));
    const bool g_in_register = pg.kind == Place::reg;
    const int rg = g_in_register ? static_cast<int>(pg.index) : 0;
    const auto emitted = [&](Step::Kind kind, int d, int a, const Place& b) {
      emit({.kind = kind, .op = step.op, .d = static_cast<std::int8_t>(d), .a = static_cast<std::int8_t>(a), .b = b, .pair = step.pair});
      release(f), release(g), release(c);
      return d;
    };
    // An instruction reads all its operands before it writes, so any of them without further use may take the result.

    if (!has_register(c) && c != f && c != g) {
      if (g_in_register && from_memory(c)) {  // the summand is the operand in memory
        if (dead(f)) return leave_register(f), emitted(Step::fuse213, rf, rg, memory(c));
        if (dead(g)) return leave_register(g), emitted(Step::fuse213, rg, rf, memory(c));
      }
      if (from_memory(c)) {  // loaded where the sum will stand
        const std::uint32_t locked = bit(rf) | (g_in_register ? bit(rg) : 0);
        const int d = take(locked);
        emit({.kind = Step::load, .d = static_cast<std::int8_t>(d), .b = memory(c), .pair = step.pair});
        return emitted(Step::fuse231, d, rf, pg);
      }
    }
    const std::uint32_t factors = bit(rf) | (g_in_register ? bit(rg) : 0);
    const int rc = to_register(c, factors);
    if (dead(c)) return leave_register(c), emitted(Step::fuse231, rc, rf, pg);
    if (dead(f)) return leave_register(f), emitted(Step::fuse132, rf, rc, pg);
    if (g_in_register && dead(g)) return leave_register(g), emitted(Step::fuse132, rg, rc, in_register(rf));
    const int d = take(factors | bit(rc));
    emit({.kind = Step::copy, .d = static_cast<std::int8_t>(d), .a = static_cast<std::int8_t>(rc)});
    return emitted(Step::fuse231, d, rf, pg);
  }

  static std::uint32_t bit(int r) { return std::uint32_t{1} << r; }

  void write_results(std::uint32_t value, int r) {
    for (std::uint32_t k = result_first_[value]; k != kNoValue; k = result_next_[k])
      emit({.kind = Step::result, .a = static_cast<std::int8_t>(r), .output = k, .negative = tape_.results[k].negative, .upper = tape_.results[k].upper});
  }

  /// Results that are inputs, constants, sines or cosines.
  void write_remaining_results() {
    for (std::uint32_t value = 0; value < tape_.value_count(); ++value) {
      if (home_[value].kind == Place::none || result_first_[value] == kNoValue) continue;
      emit({.kind = Step::load, .d = 0, .b = memory(value)});
      write_results(value, 0);
    }
  }

  const Tape& tape_;
  Registers registers_;
  std::uint32_t first_;
  std::uint32_t now_ = 0;
  Allocation out_;
  std::vector<Place> home_;          // of a value: where it stands in memory from the start; none for results of instructions
  std::vector<std::int8_t> reg_;     // of a value: its register, or -1
  std::vector<std::uint32_t> slot_;  // of a value: its spill slot, or kNoValue
  std::vector<std::uint32_t> owner_;
  std::vector<std::uint32_t> use_begin_, cursor_;
  std::vector<std::uint32_t> uses_;
  std::vector<std::uint32_t> result_first_, result_next_;
  std::vector<std::uint32_t> free_slots_;
  std::uint32_t slots_ = 0;
};

}  // namespace

Allocation allocate(const Tape& tape, const Registers& registers) { return Allocator(tape, registers).run(); }

}  // namespace ulna::internal::jit
