#include "campaign/normal.hpp"

#include <bit>
#include <cmath>
#include <cstdint>

namespace ulna::campaign::internal {

/// x = m 2^e with m from √½ to √2, and ln m = 2 artanh s, s = (m - 1) / (m + 1), by its series: |s| < 0.172, so that 11 terms do.
double natural_logarithm(double x) {
  const std::uint64_t bits = std::bit_cast<std::uint64_t>(x);
  std::int64_t exponent = static_cast<std::int64_t>(bits >> 52) - 1023;
  double m = std::bit_cast<double>((bits & 0xFFFFFFFFFFFFF) | std::uint64_t{1023} << 52);
  if (m > 0x1.6a09e667f3bcdp0) {
    m *= 0.5;
    ++exponent;
  }
  const double s = (m - 1) / (m + 1), z = s * s;
  double sum = 0;
  for (int k = 23; k >= 3; k -= 2) sum = (sum + 1.0 / k) * z;
  const double e = static_cast<double>(exponent);
  constexpr double kLn2High = 0x1.62e42fefa3800p-1, kLn2Low = 0x1.ef35793c76730p-45;  // ln 2 in two parts: e times the first is exact
  return e * kLn2High + (2 * s + (2 * s * sum + e * kLn2Low));
}

double normal_quantile(double p) {
  const double q = p - 0.5;
  if (std::fabs(q) <= 0.425) {
    const double r = 0.180625 - q * q;
    const double above = ((((((2.5090809287301226727e3 * r + 3.3430575583588128105e4) * r + 6.7265770927008700853e4) * r + 4.5921953931549871457e4) * r +
                            1.3731693765509461125e4) *
                               r +
                           1.9715909503065514427e3) *
                              r +
                          1.3314166789178437745e2) *
                             r +
                         3.3871328727963666080e0;
    const double below = ((((((5.2264952788528545610e3 * r + 2.8729085735721942674e4) * r + 3.9307895800092710610e4) * r + 2.1213794301586595867e4) * r +
                            5.3941960214247511077e3) *
                               r +
                           6.8718700749205790830e2) *
                              r +
                          4.2313330701600911252e1) *
                             r +
                         1;
    return q * above / below;
  }
  double r = std::sqrt(-natural_logarithm(q < 0 ? p : 1 - p));
  double above, below;
  if (r <= 5) {
    r -= 1.6;
    above = ((((((7.74545014278341407640e-4 * r + 2.27238449892691845833e-2) * r + 2.41780725177450611770e-1) * r + 1.27045825245236838258e0) * r +
               3.64784832476320460504e0) *
                  r +
              5.76949722146069140550e0) *
                 r +
             4.63033784615654529590e0) *
                r +
            1.42343711074968357734e0;
    below = ((((((1.05075007164441684324e-9 * r + 5.47593808499534494600e-4) * r + 1.51986665636164571966e-2) * r + 1.48103976427480074590e-1) * r +
               6.89767334985100004550e-1) *
                  r +
              1.67638483018380384940e0) *
                 r +
             2.05319162663775882187e0) *
                r +
            1;
  } else {
    r -= 5;
    above = ((((((2.01033439929228813265e-7 * r + 2.71155556874348757815e-5) * r + 1.24266094738807843860e-3) * r + 2.65321895265761230930e-2) * r +
               2.96560571828504891230e-1) *
                  r +
              1.78482653991729133580e0) *
                 r +
             5.46378491116411436990e0) *
                r +
            6.65790464350110377720e0;
    below = ((((((2.04426310338993978564e-15 * r + 1.42151175831644588870e-7) * r + 1.84631831751005468180e-5) * r + 7.86869131145613259100e-4) * r +
               1.48753612908506148525e-2) *
                  r +
              1.36929880922735805310e-1) *
                 r +
             5.99832206555887937690e-1) *
                r +
            1;
  }
  return q < 0 ? -above / below : above / below;
}

}  // namespace ulna::campaign::internal
