// Sines and cosines of many angles at once: a loop without branches or calls, which compilers vectorise.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include <ulna/scalar/scalar.hpp>

namespace ulna::internal {

/// Of `count` angles, a multiple of kAnglesAtOnce. x = n π/2 + r + rest, n the nearest integer; π/2 is the sum of three parts, of which the first two have 33
/// bits, so that their products with n are exact for |n| < 2^20. With z = r²,
///   sin(r + rest) = r + (r z p(z) + rest),   cos(r + rest) = (1 - z/2) + (z² c(z) - r rest),
/// the cosine with what rounding has taken off 1 - z/2. p and c are minimax fits (Remez): relative errors 2^-57.7 and 2^-63.2, with rounding below 1 ulp.
/// Angles beyond kLargestAngle, infinities and NaN give NaN.
inline void sincos_many(std::size_t count, const double* angles, double* sines, double* cosines) {
  constexpr double kTwoOverPi = 0x1.45f306dc9c883p-1, kMagic = 0x1.8p52;  // adding which rounds to an integer, which then stands in the lowest bits
  constexpr double kP1 = 0x1.921fb544p+0, kP2 = 0x1.0b4611a6p-34, kP3 = 0x1.3198a2e037073p-69;
  for (std::size_t first = 0; first < count; first += kAnglesAtOnce)
    for (std::size_t k = first; k < first + kAnglesAtOnce; ++k) {
      const double x = angles[k];
      const double shifted = x * kTwoOverPi + kMagic, n = shifted - kMagic;
      const double t = x - n * kP1, u = t - n * kP2;
      const double beyond = (x * kOverflowsBeyond<double>)*0.0;  // 0, or NaN
      const double left = ((t - u) - n * kP2) - n * kP3 + beyond;
      const double r = u + left, rest = (u - r) + left, z = r * r;  // what is left of a large angle has several units in the last place of u
      const double p =
          -0x1.555555555554dp-3 +
          z * (0x1.111111110fd02p-7 + z * (-0x1.a01a019c8207fp-13 + z * (0x1.71de35c7ba679p-19 + z * (-0x1.ae5e9b9417fe6p-26 + z * 0x1.5da0856328b20p-33))));
      const double c =
          0x1.5555555555553p-5 +
          z * (-0x1.6c16c16c15eb2p-10 + z * (0x1.a01a019dcd361p-16 + z * (-0x1.27e4f8be37fd8p-22 + z * (0x1.1eea59c25da53p-29 + z * -0x1.8fe24f1b944d2p-37))));
      const double half = 0.5 * z, less = 1 - half;
      const double sine = r + (r * z * p + rest), cosine = less + (((1 - less) - half) + (z * z * c - r * rest));
      // Odd n: they change places. Bit 1 of n is the sign of the sine, bit 1 of n + 1 that of the cosine.
      const auto bits = std::bit_cast<std::uint64_t>(shifted);
      const std::uint64_t odd = 0 - (bits & 1), s = std::bit_cast<std::uint64_t>(sine), o = std::bit_cast<std::uint64_t>(cosine), either = (s ^ o) & odd;
      sines[k] = std::bit_cast<double>((s ^ either) ^ ((bits & 2) << 62));
      cosines[k] = std::bit_cast<double>((o ^ either) ^ (((bits + 1) & 2) << 62));
    }
}

}  // namespace ulna::internal
