// Signs that are chosen so that equations hold: elimination modulo 2.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace ulna::internal::jit {

/// A sign as a sum, modulo 2, of signs that are still to be chosen.
class Sign {
 public:
  explicit Sign(bool negative = false) : negative_(negative) {}
  static Sign open(std::size_t k) {
    Sign sign;
    sign.bits_.assign(k / 64 + 1, 0);
    sign.bits_[k / 64] = std::uint64_t{1} << k % 64;
    return sign;
  }
  Sign& operator*=(const Sign& other) {
    if (bits_.size() < other.bits_.size()) bits_.resize(other.bits_.size(), 0);
    for (std::size_t k = 0; k < other.bits_.size(); ++k) bits_[k] ^= other.bits_[k];
    negative_ ^= other.negative_;
    return *this;
  }
  friend Sign operator*(Sign a, const Sign& b) { return a *= b; }
  bool has(std::size_t k) const { return k / 64 < bits_.size() && (bits_[k / 64] >> k % 64 & 1) != 0; }
  /// The last of the open ones in it; none if it is known.
  std::optional<std::size_t> last() const {
    for (std::size_t k = bits_.size(); k-- > 0;)
      if (bits_[k] != 0) return 64 * k + 63 - static_cast<std::size_t>(std::countl_zero(bits_[k]));
    return std::nullopt;
  }
  bool negative() const { return negative_; }

 private:
  std::vector<std::uint64_t> bits_;
  bool negative_;
};

/// Signs that depend on each other: each open one is free, or follows from those before it. Those beyond kMostOpen are positive, which costs a pair here and
/// there, but neither memory nor time.
class Signs {
 public:
  static constexpr std::size_t kMostOpen = 4096;

  Sign open() {
    if (follows_.size() == kMostOpen) return Sign();
    follows_.emplace_back();
    return Sign::open(follows_.size() - 1);
  }
  Sign reduced(Sign sign) const {
    for (std::optional<std::size_t> k = sign.last(); k; k = below(sign, *k))
      if (follows_[*k]) sign *= Sign::open(*k) * *follows_[*k];
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
  bool negative(const Sign& sign) const { return reduced(sign).negative(); }

 private:
  static std::optional<std::size_t> below(const Sign& sign, std::size_t k) {
    while (k-- > 0)
      if (sign.has(k)) return k;
    return std::nullopt;
  }
  std::vector<std::optional<Sign>> follows_;
};

}  // namespace ulna::internal::jit
