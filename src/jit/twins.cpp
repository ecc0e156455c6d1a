#include "jit/twins.hpp"

#include <algorithm>
#include <iterator>
#include <optional>

#include "expr/op_kinds.hpp"

namespace ulna::internal::jit {

namespace {

// Chooses signs so that equations hold: elimination modulo 2.

/// A sign as a product of signs that are still to be chosen: few, as a rule, of many.
class Sign {
 public:
  explicit Sign(bool negative = false) : negative_(negative) {}
  static Sign open(std::size_t k) {
    Sign sign;
    sign.open_.push_back(k);
    return sign;
  }
  Sign& operator*=(const Sign& other) {
    std::vector<std::size_t> both;  // but for those that are in both
    std::set_symmetric_difference(open_.begin(), open_.end(), other.open_.begin(), other.open_.end(), std::back_inserter(both));
    open_ = std::move(both);
    negative_ ^= other.negative_;
    return *this;
  }
  friend Sign operator*(Sign a, const Sign& b) { return a *= b; }
  /// The last of the open ones in it that come before k; none if there is none.
  std::optional<std::size_t> last(std::size_t k = std::numeric_limits<std::size_t>::max()) const {
    const auto at = std::lower_bound(open_.begin(), open_.end(), k);
    return at == open_.begin() ? std::nullopt : std::optional(*(at - 1));
  }
  bool negative() const { return negative_; }

 private:
  std::vector<std::size_t> open_;  // in order
  bool negative_;
};

/// Signs that depend on each other: each open one is free, or follows from those before it.
class Signs {
 public:
  Sign open() {
    follows_.emplace_back();
    return Sign::open(follows_.size() - 1);
  }
  /// Without those that follow from others; and, where it has very many, without the first: they are chosen to be positive, to bound the time.
  Sign reduced(Sign sign) {
    std::size_t free = 0;
    for (std::optional<std::size_t> k = sign.last(); k; k = sign.last(*k)) {
      if (!follows_[*k] && ++free > kMostFree) follows_[*k] = Sign();
      if (follows_[*k]) sign *= Sign::open(*k) * *follows_[*k];
    }
    return sign;
  }
  /// Whether they may be equal; from then on they are.
  bool equate(const Sign& a, const Sign& b) {
    Sign product = reduced(a * b);
    const std::optional<std::size_t> k = product.last();
    if (!k) return !product.negative();
    follows_[*k] = product * Sign::open(*k);
    return true;
  }
  /// Those that are still free are positive.
  bool negative(const Sign& sign) { return reduced(sign).negative(); }

 private:
  static constexpr std::size_t kMostFree = 32;
  std::vector<std::optional<Sign>> follows_;
};

using Hash = std::uint64_t;

Hash mixed(Hash x) {  // SplitMix64's last step
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}
Hash mixed(Hash a, Hash b) { return mixed(a + 0x9e3779b97f4a7c15u * (b + 1)); }

/// Operations that differ in signs only.
Hash kind_of(Op op) {
  if (is_fused(op)) return 100;
  return op == Op::subtract ? static_cast<Hash>(Op::add) : static_cast<Hash>(op);
}

constexpr std::size_t kFarthest = 4;
constexpr std::uint8_t kFirst = 1, kSecond = 2;

class Finder {
 public:
  explicit Finder(const Program& program)
      : program_(program),
        inputs_(static_cast<std::uint32_t>(program.input_count())),
        first_(static_cast<std::uint32_t>(program.first_instruction())),
        begin_(static_cast<std::uint32_t>(first_ + program.precomputed)),
        end_(static_cast<std::uint32_t>(program.value_count())),
        sign_(end_) {
    twins_.second.assign(end_, kNoValue);
    twins_.first.assign(end_, kNoValue);
    twins_.negative.assign(end_, 0);
    twins_.joined.assign(end_, 0);
  }

  Twins run(std::span<const InputPair> alike) {
    find_what_is_left_alone();
    list_users();
    look_back();
    look_ahead();
    for (const auto& [v, w] : alike) pair(v, w, Sign());
    find_sides();
    for (std::uint32_t v = begin_; v < end_; ++v)
      if (!alone_[v] && twins_.second[v] == kNoValue && twins_.first[v] == kNoValue) find_twin(v);
    choose_signs();
    return std::move(twins_);
  }

 private:
  const Instruction& step(std::uint32_t value) const { return program_.instructions[value - first_]; }
  bool is_constant(std::uint32_t value) const { return value >= inputs_ && value < begin_; }
  static std::array<std::uint32_t, 3> operands(const Instruction& step) { return {step.a, step.b, step.c}; }
  template <class F>
  void each_operand(std::uint32_t value, const F& f) const {
    for (const std::uint32_t x : operands(step(value)))
      if (x != kNoValue) f(x);
  }

  /// What an angle depends on, which is computed before all else, and what only the guard depends on, whose factors are as many as inputs and in a row.
  void find_what_is_left_alone() {
    alone_.assign(end_, 0);
    std::vector<std::uint8_t> angle(end_, 0), seen(end_, 0);
    for (const Output& result : program_.results) seen[result.value] = 1;
    for (std::uint32_t v = end_; v-- > begin_;) {
      const bool guard = program_.names[v - first_].letter == "guard";
      alone_[v] = guard || seen[v] == 0 || angle[v] != 0;
      each_operand(v, [&](std::uint32_t x) {
        if (is_sincos(step(v).op) || angle[v] != 0) angle[x] = 1;
        if (!guard && seen[v] != 0) seen[x] = 1;
      });
    }
  }

  void list_users() {
    user_begin_.assign(end_ + std::size_t{1}, 0);
    const auto each = [&](auto f) {
      for (std::uint32_t v = begin_; v < end_; ++v) {
        if (alone_[v]) continue;
        const Instruction& s = step(v);
        f(s.a, v);
        if (s.b != kNoValue && s.b != s.a) f(s.b, v);
        if (s.c != kNoValue && s.c != s.a && s.c != s.b) f(s.c, v);
      }
    };
    each([&](std::uint32_t x, std::uint32_t) { ++user_begin_[x + 1]; });
    for (std::size_t x = 0; x < end_; ++x) user_begin_[x + 1] += user_begin_[x];
    users_.resize(user_begin_.back());
    std::vector<std::uint32_t> fill(user_begin_.begin(), user_begin_.end() - 1);
    each([&](std::uint32_t x, std::uint32_t v) { users_[fill[x]++] = v; });
  }

  /// What a value is made of.
  void look_back() {
    past_.assign(end_, mixed(1));
    std::uint32_t at = 0;
    for (std::size_t k = 0; k < program_.inputs.size(); ++k)
      for (std::size_t i = 0; i < program_.inputs[k].size; ++i) past_[at++] = mixed(2, k);
    for (std::uint32_t v = begin_; v < end_; ++v) {
      const Instruction& s = step(v);
      const Hash kind = mixed(3, kind_of(s.op));
      if (is_sincos(s.op))
        past_[v] = mixed(kind, past_[s.a]);
      else if (s.op == Op::divide)
        past_[v] = mixed(mixed(kind, past_[s.a]), past_[s.b]);
      else if (is_fused(s.op))
        past_[v] = mixed(kind, mixed(mixed(past_[s.a]) + mixed(past_[s.b])) + past_[s.c]);
      else
        past_[v] = mixed(kind, mixed(past_[s.a]) + mixed(past_[s.b]));
    }
  }

  /// A summary of its users, of theirs, and so on, to a limited depth.
  void look_ahead() {
    for (std::size_t k = 0; k < kFarthest; ++k) {
      std::vector<Hash>& future = futures_[k];
      future.assign(end_, 0);
      for (const Output& result : program_.results) future[result.value] += mixed(4);
      for (std::uint32_t v = end_; v-- > begin_;) {
        if (alone_[v]) continue;
        const Instruction& s = step(v);
        const Hash own = mixed(k == 0 ? 0 : futures_[k - 1][v], past_[v]);
        const auto used = [&](std::uint32_t x, Hash how) {
          if (x != kNoValue && !is_constant(x)) future[x] += mixed(own, how);
        };
        used(s.a, 5), used(s.b, s.op == Op::divide ? 6 : 5), used(s.c, 7);
      }
    }
  }

  void pair(std::uint32_t v, std::uint32_t w, Sign sign) {
    twins_.second[v] = w;
    twins_.first[w] = v;
    sign_[v] = signs_.reduced(std::move(sign));
  }

  /// Whether one operand of each of two instructions may be twins.
  bool fit(std::uint32_t x, std::uint32_t y) const { return x == y || twins_.second[x] == y || (is_constant(x) && is_constant(y)); }
  Sign sign_beside(std::uint32_t x, std::uint32_t y) const { return x == y ? Sign() : sign_[x]; }

  /// The sign of w as twin of v, if all operands are twins and signs can be chosen so that one instruction does both. Constants have either sign.
  std::optional<Sign> sign_of_pair(std::uint32_t v, std::uint32_t w) {
    const Instruction &s = step(v), &t = step(w);
    if (kind_of(s.op) != kind_of(t.op)) return std::nullopt;
    if (is_sincos(s.op)) return fit(s.a, t.a) ? std::optional(Sign()) : std::nullopt;
    const bool straight = fit(s.a, t.a) && fit(s.b, t.b);
    if (!straight && (s.op == Op::divide || !fit(s.a, t.b) || !fit(s.b, t.a))) return std::nullopt;
    const std::uint32_t a = straight ? t.a : t.b, b = straight ? t.b : t.a;
    const std::array<bool, 2> own = signs_of(s.op), twin = signs_of(t.op);
    // The first term and the other one: either can be free.
    std::optional<Sign> first, other;
    if (s.op == Op::add || s.op == Op::subtract) {
      if (!is_constant(s.a)) first = sign_beside(s.a, a) * Sign(own[0] != twin[straight ? 0 : 1]);
      if (!is_constant(s.b)) other = sign_beside(s.b, b) * Sign(own[1] != twin[straight ? 1 : 0]);
    } else {
      if (!is_constant(s.a) && !is_constant(s.b)) first = sign_beside(s.a, a) * sign_beside(s.b, b) * Sign(own[0] != twin[0]);
      if (!is_fused(s.op)) return first ? *first : signs_.open();
      if (!fit(s.c, t.c)) return std::nullopt;
      if (!is_constant(s.c)) other = sign_beside(s.c, t.c) * Sign(own[1] != twin[1]);
    }
    if (!first || !other) return first ? *first : other ? *other : signs_.open();
    return signs_.equate(*first, *other) ? first : std::nullopt;
  }

  /// Which limbs a value depends on; if on none, which limb alone needs it.
  void find_sides() {
    side_.assign(end_, 0);
    for (std::uint32_t v = 0; v < inputs_; ++v) side_[v] = twins_.second[v] != kNoValue ? kFirst : twins_.first[v] != kNoValue ? kSecond : 0;
    for (std::uint32_t v = begin_; v < end_; ++v)
      if (alone_[v] == 0) each_operand(v, [&](std::uint32_t x) { side_[v] |= side_[x]; });
    for (std::uint32_t v = end_; v-- > begin_;) {
      if (side_[v] != 0) continue;
      std::uint8_t all = 0;
      bool one = true;
      for (std::uint32_t u = user_begin_[v]; u < user_begin_[v + 1]; ++u) {
        const std::uint8_t side = side_[users_[u]];
        one = one && side != 0;
        all |= side;
      }
      if (one && all != (kFirst | kSecond)) side_[v] = all;
    }
  }

  /// The first of those with the same uses, to a limited depth; if there is none, the first that fits. They are among the users of an operand's twin; or,
  /// where limbs begin, of an operand that both have in common.
  void find_twin(std::uint32_t v) {
    const auto with_twin = [&](std::uint32_t x) { return x != kNoValue && twins_.second[x] != kNoValue; };
    const Instruction& s = step(v);
    std::uint32_t x = with_twin(s.a) ? s.a : with_twin(s.b) ? s.b : s.c;
    const bool begins = !with_twin(x);
    if (!begins)
      x = twins_.second[x];
    else if (side_[v] == kFirst && !is_sincos(s.op))
      x = !is_constant(s.a) ? s.a : !is_constant(s.b) ? s.b : s.c;
    else
      return;
    if (x == kNoValue) return;  // nothing but constants
    for (std::size_t far = kFarthest + 1; far-- > 0;)
      for (std::uint32_t u = user_begin_[x]; u < user_begin_[x + 1]; ++u) {
        const std::uint32_t w = users_[u];
        if (w == v || side_[w] != side_of_twin(v) || twins_.first[w] != kNoValue || twins_.second[w] != kNoValue) continue;
        if (far > 0 && futures_[far - 1][w] != futures_[far - 1][v]) continue;
        std::optional<Sign> sign = sign_of_pair(v, w);
        const bool joined = !sign && begins && far > 0 && past_[v] == past_[w];
        if (!sign && !joined) continue;
        twins_.joined[v] = joined ? 1 : 0;
        pair(v, w, joined ? signs_.open() : std::move(*sign));
        if (!is_sincos(s.op)) ++twins_.count;
        return;
      }
  }
  std::uint8_t side_of_twin(std::uint32_t v) const { return side_[v] == kFirst ? kSecond : side_[v]; }

  /// A second one that is also used by itself should keep its own sign.
  void choose_signs() {
    for (std::uint32_t v = begin_; v < end_; ++v) {
      if (twins_.first[v] != kNoValue) continue;
      each_operand(v, [&](std::uint32_t x) {
        if (twins_.first[x] != kNoValue && twins_.second[v] == kNoValue) signs_.equate(sign_[twins_.first[x]], Sign());
      });
    }
    for (std::uint32_t w = 0; w < end_; ++w)
      if (twins_.first[w] != kNoValue) twins_.negative[w] = signs_.negative(sign_[twins_.first[w]]) ? 1 : 0;
  }

  const Program& program_;
  std::uint32_t inputs_, first_, begin_, end_;  // values: of the first instruction, of the first that needs an input, and behind the last
  Twins twins_;
  Signs signs_;
  std::vector<Sign> sign_;  // of a first one: of its second
  std::vector<std::uint8_t> alone_, side_;
  std::vector<std::uint32_t> user_begin_, users_;
  std::vector<Hash> past_;
  std::array<std::vector<Hash>, kFarthest> futures_;
};

}  // namespace

std::array<bool, 2> signs_of(Op op) {
  switch (op) {
    case Op::subtract:
    case Op::multiply_subtract: return {false, true};
    case Op::subtract_product: return {true, false};
    default: return {false, false};
  }
}

Twins twins_of(const Program& program, std::span<const InputPair> alike) { return Finder(program).run(alike); }

}  // namespace ulna::internal::jit
