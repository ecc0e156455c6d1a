#include "campaign/draw_states.hpp"

#include "sim/for_each_set.hpp"
#include "sim/philox.hpp"

namespace ulna::internal::campaign {

using namespace ulna::internal::sim;

namespace {

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
      a[r] = open_unit(w[0], w[1]);
      b[r] = open_unit(w[2], w[3]);
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

}  // namespace ulna::internal::campaign
