// Signs that are chosen so that equations hold: elimination modulo 2.
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

namespace ulna::internal::jit {

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
  /// Without those that follow from others; and, where it has very many, without the first: they are chosen to be positive, lest this takes long.
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

}  // namespace ulna::internal::jit
