// Sine and cosine as kernels compute them: the numbers, and where they stand in a kernel's table of constants.
//
// x = n π/2 + r, |r| <= π/4, n the nearest integer; π/2 is the sum of P1, P2, P3. With fused multiplication P1 has all bits of its type: n P1 and x agree in
// their leading bits, so t = x - n P1 is exact. Without it P1 has 33 bits, so that n P1 is exact for |n| < 2^20. P2 has few bits in either case (33, float
// 18): n P2 is exact for such n (float: 2^6), and so is what rounding takes off r = t - n P2. That is kept, less n P3, as `rest`, and
//   sin(r + rest) = r + (r z p(z) + rest),   cos(r + rest) = 1 + (-r/2 r + (z² c(z) - r rest)),   z = r²,
// where the product of r/2 and r is not rounded. Without fused multiplication the cosine is (1 - z/2) + (z² c(z) - r rest), and gets back what rounding took
// off 1 - z/2. p and c are minimax fits (Remez) with rounded coefficients: relative error of the sine 2^-57.7, of the cosine 2^-63.2 (float: 2^-27.9, 2^-32.3).
// Rounding brings the whole to below 1 ulp. Angles beyond kLargestAngle, infinities and NaN give NaN.
#pragma once

#include <ulna/scalar/scalar.hpp>

namespace ulna::internal::jit {

/// Numbers of a table's leading entries.
enum SinCosConstant : int {
  abs_mask,
  sign_mask,
  one_bit,  // the integer 1
  largest,
  not_a_number,
  two_over_pi,
  magic,  // 1.5 * 2^(bits of the mantissa): adding it rounds to an integer, which then stands in the lowest bits
  P1,
  P2,
  P3,
  one,
  minus_half,
  S1,
  S2,
  S3,
  S4,
  S5,
  S6,
  C1,
  C2,
  C3,
  C4,
  C5,
  C6,
  sincos_constants
};

template <class T>
struct SinCosNumbers;

template <>
struct SinCosNumbers<double> {
  static constexpr double two_over_pi = 0x1.45f306dc9c883p-1;
  static constexpr double magic = 0x1.8p52;
  static constexpr double P[] = {0x1.921fb54442d18p+0, 0x1.1a626331p-54, 0x1.1701b839a252p-88};
  static constexpr double short_P[] = {0x1.921fb544p+0, 0x1.0b4611a6p-34, 0x1.3198a2e037073p-69};
  static constexpr double S[] = {-0x1.555555555554dp-3, 0x1.111111110fd02p-7,   -0x1.a01a019c8207fp-13,
                                 0x1.71de35c7ba679p-19, -0x1.ae5e9b9417fe6p-26, 0x1.5da0856328b20p-33};
  static constexpr double C[] = {0x1.5555555555553p-5,   -0x1.6c16c16c15eb2p-10, 0x1.a01a019dcd361p-16,
                                 -0x1.27e4f8be37fd8p-22, 0x1.1eea59c25da53p-29,  -0x1.8fe24f1b944d2p-37};
  static constexpr int terms = 6;
};

template <>
struct SinCosNumbers<float> {
  static constexpr float two_over_pi = 0x1.45f306p-1f;
  static constexpr float magic = 0x1.8p23f;
  static constexpr float P[] = {0x1.921fb6p+0f, -0x1.777ap-25f, -0x1.73dcb4p-43f};
  static constexpr float S[] = {-0x1.555546p-3f, 0x1.110778p-7f, -0x1.995404p-13f, 0, 0, 0};
  static constexpr float C[] = {0x1.55554ep-5f, -0x1.6c0e3p-10f, 0x1.9a685ep-16f, 0, 0, 0};
  static constexpr int terms = 3;
};

}  // namespace ulna::internal::jit
