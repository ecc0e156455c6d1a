#include "jit/order.hpp"

#include <numeric>

#include "expr/op_kinds.hpp"

namespace ulna::internal::jit {

namespace {

/// An instruction is not moved closer than this to its user: the processor would wait for the result. Found by trial: below, waiting costs more
/// than fewer spills save.
constexpr std::uint32_t kDistance = 5;
constexpr int kRounds = 3;

/// Instructions as a linked list, so that a move changes a few links. Labels grow along the list and decide which of two instructions
/// comes first; the last user of every value is kept up to date. So a round takes time in proportion to the program's length.
class Ordering {
 public:
  explicit Ordering(const Tape& tape)
      : tape_(tape),
        first_(tape.first_instruction()),
        count_(static_cast<std::uint32_t>(tape.instructions.size())),
        next_(count_ + std::size_t{1}),
        before_(count_ + std::size_t{1}),
        label_(count_ + std::size_t{1}) {
    for (std::uint32_t k = 0; k <= count_; ++k) next_[k] = k + 1, before_[k] = k - 1;
    next_[count_] = 0, before_[0] = count_;  // the instruction that is none closes the ring
    number();
    list_users();
  }

  /// Which instruction stands first, which second, and so on.
  std::vector<std::uint32_t> run() {
    for (int round = 0; round < kRounds; ++round) {
      for (std::uint32_t i = before_[count_]; i != count_;) sink(std::exchange(i, before_[i]));
      for (std::uint32_t i = next_[count_]; i != count_;) rise(std::exchange(i, next_[i]));
    }
    std::vector<std::uint32_t> order;
    order.reserve(count_);
    for (std::uint32_t i = next_[count_]; i != count_; i = next_[i]) order.push_back(i);
    return order;
  }

 private:
  /// Sines and cosines stand in memory, whatever the order.
  bool makes_sincos(std::uint32_t i) const { return is_sincos(tape_.instructions[i].op); }

  /// f(k) for every instruction k whose result instruction i needs.
  template <class F>
  void each_operand(std::uint32_t i, const F& f) const {
    const Tape::Instruction& step = tape_.instructions[i];
    const auto visit = [&](std::uint32_t v) {
      if (v >= first_ && v != kNoValue) f(v - first_);
    };
    visit(step.a);
    if (step.b != step.a) visit(step.b);
    if (step.c != step.a && step.c != step.b) visit(step.c);
  }

  void list_users() {
    user_begin_.assign(count_ + std::size_t{1}, 0);
    last_user_.assign(count_, count_);
    for (std::uint32_t i = 0; i < count_; ++i) each_operand(i, [&](std::uint32_t k) { ++user_begin_[k + 1], last_user_[k] = i; });
    std::partial_sum(user_begin_.begin(), user_begin_.end(), user_begin_.begin());
    users_.resize(user_begin_.back());
    std::vector<std::uint32_t> fill(user_begin_.begin(), user_begin_.end() - 1);
    for (std::uint32_t i = 0; i < count_; ++i) each_operand(i, [&](std::uint32_t k) { users_[fill[k]++] = i; });
  }

  template <class F>
  void each_user(std::uint32_t i, const F& f) const {
    for (std::uint32_t u = user_begin_[i]; u < user_begin_[i + 1]; ++u) f(users_[u]);
  }
  bool has_users(std::uint32_t i) const { return user_begin_[i] < user_begin_[i + 1]; }
  bool comes_before(std::uint32_t i, std::uint32_t k) const { return label_[i] < label_[k]; }

  void number() {
    std::uint64_t label = 0;
    for (std::uint32_t i = next_[count_]; i != count_; i = next_[i]) label_[i] = label += std::uint64_t{1} << 32;
    label_[count_] = label + (std::uint64_t{1} << 32);
  }

  /// Instruction i goes to behind k.
  void move_behind(std::uint32_t i, std::uint32_t k) {
    next_[before_[i]] = next_[i], before_[next_[i]] = before_[i];
    const std::uint32_t after = next_[k];
    next_[k] = before_[after] = i;
    before_[i] = k, next_[i] = after;
    label_[i] = label_[k] + (label_[after] - label_[k]) / 2;
    if (label_[i] == label_[k]) number();  // there is no number left between them
  }

  /// Moves an instruction down to its first use, unless that extends the lives of more operands than the one value it shortens.
  void sink(std::uint32_t i) {
    if (makes_sincos(i) || !has_users(i)) return;
    std::uint32_t to = users_[user_begin_[i]];
    each_user(i, [&](std::uint32_t u) {
      if (comes_before(u, to)) to = u;
    });
    for (std::uint32_t k = 0; k <= kDistance; ++k) {
      to = before_[to];
      if (to == i) return;
    }
    int kept_longer = 0;
    each_operand(i, [&](std::uint32_t operand) { kept_longer += !makes_sincos(operand) && !comes_before(to, last_user_[operand]) ? 1 : 0; });
    if (kept_longer > 1) return;
    move_behind(i, to);
    each_operand(i, [&](std::uint32_t operand) {
      if (comes_before(last_user_[operand], i)) last_user_[operand] = i;
    });
  }

  /// Moves an instruction up while it frees more registers than it occupies: it is the last user of more than one operand, and stays their last user.
  void rise(std::uint32_t i) {
    if (makes_sincos(i)) return;
    std::uint32_t to = count_;  // none
    int ending = 0;
    const auto behind = [&](std::uint32_t k) {
      if (k != i && (to == count_ || comes_before(to, k))) to = k;
    };
    each_operand(i, [&](std::uint32_t operand) {
      behind(operand);
      if (makes_sincos(operand) || last_user_[operand] != i) return;
      ++ending;
      each_user(operand, behind);
    });
    if (ending > (has_users(i) ? 1 : 0) && before_[i] != to) move_behind(i, to);
  }

  const Tape& tape_;
  std::uint32_t first_, count_;
  std::vector<std::uint32_t> next_, before_;  // of an instruction; those of number count_ are the first and the last
  std::vector<std::uint64_t> label_;
  std::vector<std::uint32_t> user_begin_, users_;
  std::vector<std::uint32_t> last_user_;  // of an instruction's value
};

/// A difference that is used only negated has its operands exchanged.
void choose_signs(Program& to) {
  const auto first = static_cast<std::uint32_t>(to.first_instruction()), begin = static_cast<std::uint32_t>(to.precomputed);
  enum : std::uint8_t { unknown, opposite, fixed };
  std::vector<std::uint8_t> sign(to.instructions.size(), unknown);
  for (const Instruction& step : to.instructions)
    for (const std::uint32_t v : {step.a, step.b, step.c})
      if (v >= first && v != kNoValue) sign[v - first] = fixed;
  for (const Output& out : to.results) {
    if (out.value < first + begin) continue;
    std::uint8_t& s = sign[out.value - first];
    s = out.negative && s != fixed ? opposite : fixed;
  }
  const auto flips = [&](std::size_t k) {
    if (sign[k] != opposite) return false;
    const Op op = to.instructions[k].op;
    return op == Op::subtract || op == Op::multiply_subtract || op == Op::subtract_product;
  };
  for (Output& out : to.results)
    if (out.value >= first && flips(out.value - first)) out.negative = false;
  for (std::size_t k = 0; k < to.instructions.size(); ++k) {
    if (!flips(k)) continue;
    Instruction& step = to.instructions[k];
    if (step.op == Op::subtract)
      std::swap(step.a, step.b);
    else
      step.op = step.op == Op::multiply_subtract ? Op::subtract_product : Op::multiply_subtract;
  }
}

}  // namespace

Program ordered(const Program& program) {
  const auto begin = static_cast<std::uint32_t>(program.precomputed), first = static_cast<std::uint32_t>(program.first_instruction());
  std::vector<std::uint32_t> order(begin);  // instructions as they will stand
  std::iota(order.begin(), order.end(), 0);
  for (const std::uint32_t i : Ordering(tape_of(program)).run()) order.push_back(begin + i);
  std::vector<std::uint32_t> at(order.size());
  for (std::uint32_t k = 0; k < order.size(); ++k) at[order[k]] = k;
  Program to = program;
  const auto moved = [&](std::uint32_t v) { return v < first || v == kNoValue ? v : first + at[v - first]; };
  for (std::size_t k = 0; k < order.size(); ++k) {
    const Instruction& step = program.instructions[order[k]];
    to.instructions[k] = {step.op, moved(step.a), moved(step.b), moved(step.c)};
    to.names[k] = program.names[order[k]];
  }
  for (Output& out : to.results) out.value = moved(out.value);
  choose_signs(to);
  return to;
}

Tape ordered(const Tape& tape) {
  const std::vector<std::uint32_t> order = Ordering(tape).run();
  const std::uint32_t first = tape.first_instruction();
  std::vector<std::uint32_t> at(order.size());
  for (std::uint32_t k = 0; k < order.size(); ++k) at[order[k]] = k;
  Tape to = tape;
  const auto move = [&](std::uint32_t& v) {
    if (v >= first && v != kNoValue) v = first + at[v - first];
  };
  for (std::size_t k = 0; k < order.size(); ++k) {
    to.instructions[k] = tape.instructions[order[k]];
    move(to.instructions[k].a), move(to.instructions[k].b), move(to.instructions[k].c);
  }
  for (Tape::Result& result : to.results) move(result.value);
  return to;
}

}  // namespace ulna::internal::jit
