// Derivatives by central differences of fourth order. In long double they are as good as rounding in double.
#pragma once

#include <cmath>
#include <limits>

#include "support/oracle.hpp"

namespace ulna::test {

/// d f/dt at 0. `rate` is how fast f moves (the sum of the speeds of its angles): the step is a fixed small part of 1/rate.
template <class F>
auto derivative(F f, Real rate) {
  const Real h = std::pow(std::numeric_limits<Real>::epsilon(), Real(0.2)) / std::max(Real(1), rate);
  using Value = decltype(f(Real(0)));
  const Value inner = f(h) - f(-h);
  const Value outer = f(2 * h) - f(-2 * h);
  return Value((8 * inner - outer) / (12 * h));
}

}  // namespace ulna::test
