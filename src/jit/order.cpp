#include "jit/order.hpp"

#include <algorithm>
#include <numeric>

namespace ulna::internal::jit {

namespace {

/// An instruction is not moved closer than this to the one that needs it: the processor would wait for the result. Found by trial: below, waiting costs more
/// than fewer spills save.
constexpr std::uint32_t kDistance = 5;
constexpr int kRounds = 3;

class Ordering {
 public:
  explicit Ordering(const Program& program)
      : program_(program),
        first_(static_cast<std::uint32_t>(program.first_instruction())),
        begin_(static_cast<std::uint32_t>(program.precomputed)),
        count_(static_cast<std::uint32_t>(program.instructions.size())),
        order_(program.instructions.size()),
        at_(program.instructions.size()) {
    std::iota(order_.begin(), order_.end(), 0);
    std::iota(at_.begin(), at_.end(), 0);
    list_users();
  }

  Program run() {
    for (int round = 0; round < kRounds; ++round) {
      for (std::uint32_t k = count_; k-- > begin_;) sink(k);
      for (std::uint32_t k = begin_; k < count_; ++k) rise(k);
    }
    return result();
  }

 private:
  /// Sines and cosines stand in memory, whatever the order.
  bool is_turn(std::uint32_t i) const {
    const Op op = program_.instructions[i].op;
    return op == Op::sine || op == Op::cosine;
  }

  /// f(k) for every instruction k whose result instruction i needs.
  template <class F>
  void each_operand(std::uint32_t i, const F& f) const {
    const Instruction& step = program_.instructions[i];
    const auto visit = [&](std::uint32_t v) {
      if (v >= first_ + begin_ && v != kNoValue) f(v - first_);
    };
    visit(step.a);
    if (step.b != step.a) visit(step.b);
    if (step.c != step.a && step.c != step.b) visit(step.c);
  }

  void list_users() {
    user_begin_.assign(count_ + std::size_t{1}, 0);
    for (std::uint32_t i = begin_; i < count_; ++i) each_operand(i, [&](std::uint32_t k) { ++user_begin_[k + 1]; });
    std::partial_sum(user_begin_.begin(), user_begin_.end(), user_begin_.begin());
    users_.resize(user_begin_.back());
    std::vector<std::uint32_t> fill(user_begin_.begin(), user_begin_.end() - 1);
    for (std::uint32_t i = begin_; i < count_; ++i) each_operand(i, [&](std::uint32_t k) { users_[fill[k]++] = i; });
  }

  template <class F>
  void each_user(std::uint32_t i, const F& f) const {
    for (std::uint32_t u = user_begin_[i]; u < user_begin_[i + 1]; ++u) f(users_[u]);
  }
  bool has_users(std::uint32_t i) const { return user_begin_[i] < user_begin_[i + 1]; }
  std::uint32_t first_use(std::uint32_t i) const {
    std::uint32_t first = count_;
    each_user(i, [&](std::uint32_t u) { first = std::min(first, at_[u]); });
    return first;
  }
  std::uint32_t last_use(std::uint32_t i) const {  // of one that has users
    std::uint32_t last = 0;
    each_user(i, [&](std::uint32_t u) { last = std::max(last, at_[u]); });
    return last;
  }

  /// What stands at `from` goes to `to`; all between moves by one.
  void move(std::uint32_t from, std::uint32_t to) {
    const auto at = [&](std::uint32_t k) { return order_.begin() + k; };
    from < to ? std::rotate(at(from), at(from + 1), at(to + 1)) : std::rotate(at(to), at(from), at(from + 1));
    for (std::uint32_t k = std::min(from, to); k <= std::max(from, to); ++k) at_[order_[k]] = k;
  }

  /// Towards its first use, unless more operands would have to be kept for it than the one value that need not be kept now.
  void sink(std::uint32_t k) {
    const std::uint32_t i = order_[k];
    if (is_turn(i) || !has_users(i)) return;
    const std::uint32_t use = first_use(i);
    if (use <= k + 1 + kDistance) return;
    const std::uint32_t to = use - 1 - kDistance;
    int kept_longer = 0;
    each_operand(i, [&](std::uint32_t operand) { kept_longer += !is_turn(operand) && last_use(operand) <= to ? 1 : 0; });
    if (kept_longer <= 1) move(k, to);
  }

  /// Up to where the operands it is the last to need are needed by nothing else, if those are more than the one value it makes.
  void rise(std::uint32_t k) {
    const std::uint32_t i = order_[k];
    if (is_turn(i)) return;
    std::uint32_t to = begin_;
    int ending = 0;
    each_operand(i, [&](std::uint32_t operand) {
      to = std::max(to, at_[operand] + 1);
      if (is_turn(operand) || last_use(operand) != k) return;
      ++ending;
      each_user(operand, [&](std::uint32_t u) {
        if (u != i) to = std::max(to, at_[u] + 1);
      });
    });
    if (ending > (has_users(i) ? 1 : 0) && to < k) move(k, to);
  }

  Program result() const {
    Program to = program_;
    const auto moved = [&](std::uint32_t v) { return v < first_ || v == kNoValue ? v : first_ + at_[v - first_]; };
    for (std::uint32_t k = 0; k < count_; ++k) {
      const Instruction& step = program_.instructions[order_[k]];
      to.instructions[k] = {step.op, moved(step.a), moved(step.b), moved(step.c)};
      to.names[k] = program_.names[order_[k]];
    }
    for (Output& out : to.results) out.value = moved(out.value);
    choose_signs(to);
    return to;
  }

  /// A difference that is only ever wanted with the opposite sign is taken the other way round.
  void choose_signs(Program& to) const {
    enum : std::uint8_t { unknown, opposite, fixed };
    std::vector<std::uint8_t> sign(count_, unknown);
    for (const Instruction& step : to.instructions)
      for (const std::uint32_t v : {step.a, step.b, step.c})
        if (v >= first_ && v != kNoValue) sign[v - first_] = fixed;
    for (const Output& out : to.results) {
      if (out.value < first_ + begin_) continue;
      std::uint8_t& s = sign[out.value - first_];
      s = out.negative && s != fixed ? opposite : fixed;
    }
    const auto flips = [&](std::size_t k) {
      if (sign[k] != opposite) return false;
      const Op op = to.instructions[k].op;
      return op == Op::subtract || op == Op::multiply_subtract || op == Op::subtract_product;
    };
    for (Output& out : to.results)
      if (out.value >= first_ && flips(out.value - first_)) out.negative = false;
    for (std::size_t k = 0; k < to.instructions.size(); ++k) {
      if (!flips(k)) continue;
      Instruction& step = to.instructions[k];
      if (step.op == Op::subtract)
        std::swap(step.a, step.b);
      else
        step.op = step.op == Op::multiply_subtract ? Op::subtract_product : Op::multiply_subtract;
    }
  }

  const Program& program_;
  std::uint32_t first_, begin_, count_;
  std::vector<std::uint32_t> order_;  // instructions as they will stand
  std::vector<std::uint32_t> at_;     // of an instruction: its place there
  std::vector<std::uint32_t> user_begin_, users_;
};

}  // namespace

Program ordered(const Program& program) { return Ordering(program).run(); }

}  // namespace ulna::internal::jit
