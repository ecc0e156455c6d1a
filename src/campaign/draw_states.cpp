#include "campaign/draw_states.hpp"

#include <bit>

#include "campaign/philox.hpp"

// One copy for each instruction set; the loader takes the best that there is. Integers and exact steps: all give the same bits.
#if defined(__x86_64__) && defined(__gnu_linux__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define ULNA_FOR_EACH_SET __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define ULNA_FOR_EACH_SET
#endif

namespace ulna::campaign::internal {

namespace {

/// As open_unit(), by steps that compilers do many of at a time: a number below 2^52 is put into the digits of 2^52, which is then taken off.
inline double open_unit_by_bits(std::uint32_t low, std::uint32_t high) {
  const std::uint64_t bits = (std::uint64_t{high} << 32 | low) >> 12;
  return (std::bit_cast<double>(bits | 0x4330000000000000) - 0x1p52 + 0.5) * 0x1p-52;
}

// Local: g++ lets everybody see the choice between copies of a function that others can call.
ULNA_FOR_EACH_SET void draw_two(std::uint64_t seed, std::uint64_t first, std::size_t count, std::uint64_t k, const DrawnColumn& one, const DrawnColumn* other) {
  const std::uint32_t key_low = static_cast<std::uint32_t>(seed), key_high = static_cast<std::uint32_t>(seed >> 32);
  const std::uint32_t k_low = static_cast<std::uint32_t>(k), k_high = static_cast<std::uint32_t>(k >> 32) ^ static_cast<std::uint32_t>(Stream::states) << 28;
  constexpr std::size_t kBlock = 256;
  double a[kBlock], b[kBlock];
  for (std::size_t begin = 0; begin < count; begin += kBlock) {
    const std::size_t size = count - begin < kBlock ? count - begin : kBlock;
    for (std::size_t r = 0; r < kBlock; ++r) {
      const std::uint64_t row = first + begin + r;
      const Words w = philox({k_low, k_high, static_cast<std::uint32_t>(row), static_cast<std::uint32_t>(row >> 32)}, {key_low, key_high});
      a[r] = open_unit_by_bits(w[0], w[1]);
      b[r] = open_unit_by_bits(w[2], w[3]);
    }
    for (std::size_t r = 0; r < size; ++r) one.out[begin + r] = one.from + (one.to - one.from) * a[r];
    if (other == nullptr) continue;
    for (std::size_t r = 0; r < size; ++r) other->out[begin + r] = other->from + (other->to - other->from) * b[r];
  }
}

}  // namespace

void draw_pair(std::uint64_t seed, std::uint64_t first, std::size_t count, std::uint64_t k, const DrawnColumn& one, const DrawnColumn* other) {
  draw_two(seed, first, count, k, one, other);
}

}  // namespace ulna::campaign::internal
