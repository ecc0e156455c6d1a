// Times that differ by rounding.
#pragma once

#include <cmath>

#include <ulna/export.hpp>

namespace ulna::internal::sim {

/// Of a step, and of a run: sums of steps round, and nothing that happens is so short.
inline constexpr double kTimeRounding = 1e-9, kRunRounding = 1e-12;

inline bool same_time(double a, double b, double step) { return std::abs(a - b) <= kTimeRounding * step; }

}  // namespace ulna::internal::sim
