#include "sim/integrator.hpp"

#include <cmath>

#include "sim/same_time.hpp"

namespace ulna::internal::sim {

Multiples::Multiples(double period) : period_(period), per_second_(0) {
  const double inverse = 1 / period, whole = std::round(inverse);
  if (whole >= 1 && same_time(inverse, whole, whole)) per_second_ = whole;
}

double Multiples::operator()(long k) const { return per_second_ > 0 ? static_cast<double>(k) / per_second_ : static_cast<double>(k) * period_; }

long Multiples::next(double t) const {
  long k = static_cast<long>(std::floor(t / period_)) - 1;
  while ((*this)(k) <= t + kTimeRounding * period_) ++k;
  return k;
}

}  // namespace ulna::internal::sim
