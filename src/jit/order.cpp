#include "jit/order.hpp"

#include <algorithm>
#include <numeric>

namespace ulna::jit {

namespace {

/// An instruction is not moved closer than this to the one that needs it: the processor would wait for the result. Found by trial: below, waiting costs more
/// than fewer spills save.
constexpr int kDistance = 5;
constexpr int kRounds = 3;

std::size_t index(int i) { return static_cast<std::size_t>(i); }

class Ordering {
 public:
  explicit Ordering(const Program& program)
      : program_(program),
        first_(program.first_instruction()),
        begin_(static_cast<int>(program.precomputed)),
        count_(static_cast<int>(program.instructions.size())),
        order_(program.instructions.size()),
        at_(program.instructions.size()) {
    std::iota(order_.begin(), order_.end(), 0);
    std::iota(at_.begin(), at_.end(), 0);
    list_users();
  }

  Program run() {
    for (int round = 0; round < kRounds; ++round) {
      for (int k = count_ - 1; k >= begin_; --k) sink(k);
      for (int k = begin_; k < count_; ++k) rise(k);
    }
    return result();
  }

 private:
  /// Sines and cosines stand in memory, whatever the order.
  bool is_turn(int i) const {
    const Op op = program_.instructions[index(i)].op;
    return op == Op::sine || op == Op::cosine;
  }

  /// f(k) for every instruction k whose result instruction i needs.
  template <class F>
  void each_operand(int i, const F& f) const {
    const Instruction& step = program_.instructions[index(i)];
    const auto visit = [&](std::int32_t v) {
      if (v >= first_ + begin_) f(v - first_);
    };
    visit(step.a);
    if (step.b != step.a) visit(step.b);
    if (step.c != step.a && step.c != step.b) visit(step.c);
  }

  void list_users() {
    user_begin_.assign(index(count_) + 1, 0);
    for (int i = begin_; i < count_; ++i) each_operand(i, [&](int k) { ++user_begin_[index(k) + 1]; });
    std::partial_sum(user_begin_.begin(), user_begin_.end(), user_begin_.begin());
    users_.resize(index(user_begin_.back()));
    std::vector<int> fill(user_begin_.begin(), user_begin_.end() - 1);
    for (int i = begin_; i < count_; ++i) each_operand(i, [&](int k) { users_[index(fill[index(k)]++)] = i; });
  }

  template <class F>
  void each_user(int i, const F& f) const {
    for (int u = user_begin_[index(i)]; u < user_begin_[index(i) + 1]; ++u) f(users_[index(u)]);
  }
  bool has_users(int i) const { return user_begin_[index(i)] < user_begin_[index(i) + 1]; }
  int first_use(int i) const {
    int first = count_;
    each_user(i, [&](int u) { first = std::min(first, at_[index(u)]); });
    return first;
  }
  int last_use(int i) const {
    int last = -1;
    each_user(i, [&](int u) { last = std::max(last, at_[index(u)]); });
    return last;
  }

  /// What stands at `from` goes to `to`; all between moves by one.
  void move(int from, int to) {
    const auto at = [&](int k) { return order_.begin() + k; };
    from < to ? std::rotate(at(from), at(from + 1), at(to + 1)) : std::rotate(at(to), at(from), at(from + 1));
    for (int k = std::min(from, to); k <= std::max(from, to); ++k) at_[index(order_[index(k)])] = k;
  }

  /// Towards its first use, unless more operands would have to be kept for it than the one value that need not be kept now.
  void sink(int k) {
    const int i = order_[index(k)];
    if (is_turn(i) || !has_users(i)) return;
    const int to = first_use(i) - 1 - kDistance;
    if (to <= k) return;
    int kept_longer = 0;
    each_operand(i, [&](int operand) { kept_longer += !is_turn(operand) && last_use(operand) <= to ? 1 : 0; });
    if (kept_longer <= 1) move(k, to);
  }

  /// Up to where the operands it is the last to need are needed by nothing else, if those are more than the one value it makes.
  void rise(int k) {
    const int i = order_[index(k)];
    if (is_turn(i)) return;
    int after = begin_ - 1, ending = 0;
    each_operand(i, [&](int operand) {
      after = std::max(after, at_[index(operand)]);
      if (is_turn(operand) || last_use(operand) != k) return;
      ++ending;
      each_user(operand, [&](int u) {
        if (u != i) after = std::max(after, at_[index(u)]);
      });
    });
    if (ending > (has_users(i) ? 1 : 0) && after + 1 < k) move(k, after + 1);
  }

  Program result() const {
    Program to = program_;
    const auto moved = [&](std::int32_t v) { return v < first_ ? v : first_ + at_[index(v - first_)]; };
    for (int k = 0; k < count_; ++k) {
      const Instruction& step = program_.instructions[index(order_[index(k)])];
      to.instructions[index(k)] = {step.op, moved(step.a), moved(step.b), moved(step.c)};
      to.names[index(k)] = program_.names[index(order_[index(k)])];
    }
    for (Output& out : to.results) out.value = moved(out.value);
    choose_signs(to);
    return to;
  }

  /// A difference that is only ever wanted with the opposite sign is taken the other way round.
  void choose_signs(Program& to) const {
    enum : std::uint8_t { unknown, opposite, fixed };
    std::vector<std::uint8_t> sign(index(count_), unknown);
    for (const Instruction& step : to.instructions)
      for (const std::int32_t v : {step.a, step.b, step.c})
        if (v >= first_) sign[index(v - first_)] = fixed;
    for (const Output& out : to.results) {
      if (out.value < first_ + begin_) continue;
      std::uint8_t& s = sign[index(out.value - first_)];
      s = out.negative && s != fixed ? opposite : fixed;
    }
    const auto flips = [&](std::size_t k) {
      if (sign[k] != opposite) return false;
      const Op op = to.instructions[k].op;
      return op == Op::subtract || op == Op::multiply_subtract || op == Op::subtract_product;
    };
    for (Output& out : to.results)
      if (out.value >= first_ && flips(index(out.value - first_))) out.negative = false;
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
  std::int32_t first_;
  int begin_, count_;
  std::vector<int> order_;  // instructions as they will stand
  std::vector<int> at_;     // of an instruction: its place there
  std::vector<int> user_begin_, users_;
};

}  // namespace

Program ordered(const Program& program) { return Ordering(program).run(); }

}  // namespace ulna::jit
