// The normal distribution without the C library's functions, whose last digits differ from computer to computer: +, -, *, / and the square root are the
// same everywhere.
#pragma once

#include <cstddef>

#include <ulna/export.hpp>

namespace ulna::internal::sim {

/// The number below which a share p of the standard normal distribution lies, 0 < p < 1: M. J. Wichura, "Algorithm AS 241: The percentage points of the normal
/// distribution", Applied Statistics 37 (1988), PPND16, relative accuracy 1e-16.
double normal_quantile(double p);
/// The same of many, in place, bit for bit.
void normal_quantiles(double* p, std::size_t count);

/// ln x of a normal number x > 0, to 2e-16 of max(1, |ln x|).
double natural_logarithm(double x);

}  // namespace ulna::internal::sim
