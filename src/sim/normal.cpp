#include "sim/random.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

#include "sim/for_each_set.hpp"

namespace ulna::internal::sim {

namespace {

/// A polynomial of degree seven, its highest coefficient first.
inline double polynomial(const double (&c)[8], double x) {
  double y = c[0];
  for (int k = 1; k < 8; ++k) y = y * x + c[k];
  return y;
}

struct Fraction {
  double above[8], below[8];
  double operator()(double x) const { return polynomial(above, x) / polynomial(below, x); }
};
constexpr Fraction kMiddle{{2.5090809287301226727e3, 3.3430575583588128105e4, 6.7265770927008700853e4, 4.5921953931549871457e4, 1.3731693765509461125e4,
                            1.9715909503065514427e3, 1.3314166789178437745e2, 3.3871328727963666080e0},
                           {5.2264952788528545610e3, 2.8729085735721942674e4, 3.9307895800092710610e4, 2.1213794301586595867e4, 5.3941960214247511077e3,
                            6.8718700749205790830e2, 4.2313330701600911252e1, 1}};
constexpr Fraction kTail{{7.74545014278341407640e-4, 2.27238449892691845833e-2, 2.41780725177450611770e-1, 1.27045825245236838258e0, 3.64784832476320460504e0,
                          5.76949722146069140550e0, 4.63033784615654529590e0, 1.42343711074968357734e0},
                         {1.05075007164441684324e-9, 5.47593808499534494600e-4, 1.51986665636164571966e-2, 1.48103976427480074590e-1, 6.89767334985100004550e-1,
                          1.67638483018380384940e0, 2.05319162663775882187e0, 1}};
constexpr Fraction kEnd{{2.01033439929228813265e-7, 2.71155556874348757815e-5, 1.24266094738807843860e-3, 2.65321895265761230930e-2, 2.96560571828504891230e-1,
                         1.78482653991729133580e0, 5.46378491116411436990e0, 6.65790464350110377720e0},
                        {2.04426310338993978564e-15, 1.42151175831644588870e-7, 1.84631831751005468180e-5, 7.86869131145613259100e-4, 1.48753612908506148525e-2,
                         1.36929880922735805310e-1, 5.99832206555887937690e-1, 1}};
constexpr double kMiddlePart = 0.425, kTailTo = 5;

/// x = m 2^e with m from √½ to √2, and ln m = 2 artanh s, s = (m - 1) / (m + 1), by its series: |s| < 0.172, so that 11 terms do.
inline double logarithm(double x) {
  const std::uint64_t bits = std::bit_cast<std::uint64_t>(x);
  double e = std::bit_cast<double>((bits >> 52) | 0x4330000000000000) - (0x1p52 + 1023);
  double m = std::bit_cast<double>((bits & 0xFFFFFFFFFFFFF) | std::uint64_t{1023} << 52);
  const bool large = m > 0x1.6a09e667f3bcdp0;
  m = large ? 0.5 * m : m;
  e = large ? e + 1 : e;
  const double s = (m - 1) / (m + 1), z = s * s;
  double sum = 0;
  for (int k = 23; k >= 3; k -= 2) sum = (sum + 1.0 / k) * z;
  constexpr double kLn2High = 0x1.62e42fefa3800p-1, kLn2Low = 0x1.ef35793c76730p-45;  // ln 2 in two parts: e times the first is exact
  return e * kLn2High + (2 * s + (2 * s * sum + e * kLn2Low));
}

/// √(-ln) of the smaller of p and 1 - p.
inline double depth(double p) { return std::sqrt(-logarithm(p < 0.5 ? p : 1 - p)); }

ULNA_FOR_EACH_SET void middles(const double* p, double* x, std::size_t count) {
  for (std::size_t k = 0; k < count; ++k) {
    const double q = p[k] - 0.5, r = 0.180625 - q * q;
    x[k] = q * polynomial(kMiddle.above, r) / polynomial(kMiddle.below, r);
  }
}

ULNA_FOR_EACH_SET void tails(double* p, std::size_t count) {
  for (std::size_t k = 0; k < count; ++k) {
    const double tail = kTail(depth(p[k]) - 1.6);
    p[k] = p[k] < 0.5 ? -tail : tail;
  }
}

}  // namespace

double natural_logarithm(double x) { return logarithm(x); }

double normal_quantile(double p) {
  const double q = p - 0.5;
  if (std::fabs(q) <= kMiddlePart) {
    const double r = 0.180625 - q * q;
    return q * polynomial(kMiddle.above, r) / polynomial(kMiddle.below, r);
  }
  const double r = depth(p), tail = r <= kTailTo ? kTail(r - 1.6) : kEnd(r - 5);
  return q < 0 ? -tail : tail;
}

void normal_quantiles(double* p, std::size_t count) {
  constexpr std::size_t kBlock = 128;
  constexpr double kLast = 1.4e-11;  // beyond that, which one of 1e11 numbers is, the fraction is another
  double middle[kBlock], tail[kBlock];
  std::uint32_t places[kBlock];
  for (; count > 0; p += std::min(count, kBlock), count -= std::min(count, kBlock)) {
    const std::size_t size = std::min(count, kBlock);
    middles(p, middle, size);
    // Six of seven numbers are in the middle: the others are put together.
    std::size_t few = 0;
    for (std::size_t k = 0; k < size; ++k) {
      tail[few] = p[k], places[few] = static_cast<std::uint32_t>(k);
      few += std::fabs(p[k] - 0.5) <= kMiddlePart ? 0 : 1;
    }
    for (std::size_t i = 0; i < few; ++i)
      if (tail[i] < kLast || 1 - tail[i] < kLast) middle[places[i]] = normal_quantile(tail[i]), places[i] = kBlock;
    tails(tail, few);
    for (std::size_t i = 0; i < few; ++i)
      if (places[i] < kBlock) middle[places[i]] = tail[i];
    std::copy_n(middle, size, p);
  }
}

}  // namespace ulna::internal::sim
