#include "campaign/draw_states.hpp"

#include <array>

namespace ulna::internal::campaign {

namespace {

constexpr int kBits = 32;
struct Primitive {
  int degree;
  std::uint32_t a;                 // inner coefficients of the polynomial
  std::array<std::uint32_t, 7> m;  // first direction numbers
};
constexpr std::array<Primitive, kMostSobol - 1> kPrimitives{{
    {1, 0, {1}},
    {2, 1, {1, 3}},
    {3, 1, {1, 3, 1}},
    {3, 2, {1, 1, 1}},
    {4, 1, {1, 1, 3, 3}},
    {4, 4, {1, 3, 5, 13}},
    {5, 2, {1, 1, 5, 5, 17}},
    {5, 4, {1, 1, 5, 5, 5}},
    {5, 7, {1, 1, 7, 11, 19}},
    {5, 11, {1, 1, 5, 1, 1}},
    {5, 13, {1, 1, 1, 3, 11}},
    {5, 14, {1, 3, 5, 5, 31}},
    {6, 1, {1, 3, 3, 9, 7, 49}},
    {6, 13, {1, 1, 1, 15, 21, 21}},
    {6, 16, {1, 3, 1, 13, 27, 49}},
    {6, 19, {1, 1, 1, 15, 7, 5}},
    {6, 22, {1, 3, 1, 15, 13, 25}},
    {6, 25, {1, 1, 5, 5, 19, 61}},
    {7, 1, {1, 3, 7, 11, 23, 15, 103}},
    {7, 4, {1, 3, 7, 13, 13, 15, 69}},
}};

using Directions = std::array<std::array<std::uint32_t, kBits>, kMostSobol>;

constexpr Directions directions() {
  Directions v{};
  for (int i = 0; i < kBits; ++i) v[0][static_cast<std::size_t>(i)] = std::uint32_t{1} << (kBits - 1 - i);
  for (std::size_t d = 1; d < kMostSobol; ++d) {
    const Primitive& row = kPrimitives[d - 1];
    for (int i = 0; i < kBits; ++i) {
      const auto at = [&](int k) -> std::uint32_t& { return v[d][static_cast<std::size_t>(k)]; };
      if (i < row.degree) {
        at(i) = row.m[static_cast<std::size_t>(i)] << (kBits - 1 - i);
        continue;
      }
      at(i) = at(i - row.degree) ^ at(i - row.degree) >> row.degree;
      for (int k = 1; k < row.degree; ++k)
        if ((row.a >> (row.degree - 1 - k) & 1) != 0) at(i) ^= at(i - k);
    }
  }
  return v;
}

constexpr Directions kDirections = directions();

}  // namespace

std::uint32_t sobol(std::uint64_t k, std::size_t dimension) {
  std::uint32_t x = 0;
  for (std::size_t i = 0; i < kBits && (k >> i) != 0; ++i)
    if ((k >> i & 1) != 0) x ^= kDirections[dimension][i];
  return x;
}

}  // namespace ulna::internal::campaign
