// Counter-based random numbers: number k of a stream is a function of key and k alone, so that any run can be made anywhere, in any order.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include <ulna/export.hpp>

namespace ulna::internal::sim {

using Words = std::array<std::uint32_t, 4>;

/// Philox4x32-10: J. K. Salmon, M. A. Moraes, R. O. Dror, D. E. Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC'11, sec. 3.3. Ten rounds, each of two
/// multiplications: 20 in all.
constexpr Words philox(Words counter, std::array<std::uint32_t, 2> key) {
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t a = std::uint64_t{0xD2511F53} * counter[0], b = std::uint64_t{0xCD9E8D57} * counter[2];
    counter = {static_cast<std::uint32_t>(b >> 32) ^ counter[1] ^ key[0], static_cast<std::uint32_t>(b),
               static_cast<std::uint32_t>(a >> 32) ^ counter[3] ^ key[1], static_cast<std::uint32_t>(a)};
    key = {key[0] + 0x9E3779B9, key[1] + 0xBB67AE85};
  }
  return counter;
}

/// Two words as a number above 0 and below 1: the middles of 2^52 equal intervals, so that it is exact. By steps that compilers do many of at a time: a number
/// below 2^52 is put into the digits of 2^52, which is then taken off.
constexpr double open_unit(std::uint32_t low, std::uint32_t high) {
  const std::uint64_t bits = (std::uint64_t{high} << 32 | low) >> 12;
  return (std::bit_cast<double>(bits | 0x4330000000000000) - 0x1p52 + 0.5) * 0x1p-52;
}

/// What streams are for: they never meet.
enum class Stream : std::uint32_t { variations, noise, shift, states };

/// Numbers 2 k and 2 k + 1 of a run's stream.
struct Pair {
  double first, second;
};
constexpr Pair unit_pair(std::uint64_t seed, Stream stream, std::uint64_t run, std::uint64_t k) {
  const Words w = philox({static_cast<std::uint32_t>(k), static_cast<std::uint32_t>(k >> 32) ^ static_cast<std::uint32_t>(stream) << 28,
                          static_cast<std::uint32_t>(run), static_cast<std::uint32_t>(run >> 32)},
                         {static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)});
  return {open_unit(w[0], w[1]), open_unit(w[2], w[3])};
}

/// The number below which a share p of the standard normal distribution lies, 0 < p < 1: M. J. Wichura, "Algorithm AS 241: The percentage points of the normal
/// distribution", Applied Statistics 37 (1988), PPND16, relative accuracy 1e-16. Without the C library's functions, whose last digits differ from computer to
/// computer: +, -, *, / and the square root are the same everywhere.
double normal_quantile(double p);
/// The same of many, in place, bit for bit.
void normal_quantiles(double* p, std::size_t count);

/// ln x of a normal number x > 0, to 2e-16 of max(1, |ln x|).
double natural_logarithm(double x);

}  // namespace ulna::internal::sim
