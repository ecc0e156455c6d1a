#include "trace/spread.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "plan/reframe.hpp"

namespace ulna::internal {

namespace {

/// Number k of a sequence that fills (-1, 1) evenly (multiples of the golden ratio).
double spread(std::size_t k) {
  double whole = 0;
  const double x = 2 * std::modf(static_cast<double>(k + 1) * (std::numbers::phi - 1), &whole) - 1;
  return std::copysign(0.25 + 0.75 * std::fabs(x), x);
}

double small_length(const Plan& plan) {
  const double part = reach(plan) / (8 * static_cast<double>(plan.nv));
  return std::isfinite(part) && part > 0 ? part : 1;
}

}  // namespace

std::vector<double> coordinate_units(const Plan& plan) {
  std::vector<double> units(plan.nv, 1);
  const double length = small_length(plan);
  for (const PlanBody<double>& body : plan.bodies)
    if (body.prismatic) units[body.v] = length;
  if (plan.free) units[3] = units[4] = units[5] = length;
  return units;
}

std::vector<double> spread_numbers(const std::vector<double>& units, std::size_t which, double scale) {
  std::vector<double> x(units.size());
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(scale * units[i] * spread(which * x.size() + i));
  return x;
}

std::vector<double> spread_configuration(const Plan& plan, const std::vector<double>& units, std::size_t which, double scale) {
  std::vector<double> x = spread_numbers(units, which, scale);
  if (plan.free) std::rotate(x.begin(), x.begin() + 3, x.begin() + 6);  // the place of the base, then its rotation, which has one number more
  std::size_t first = which * (units.size() + 4 * plan.quaternions.size());
  for (const std::size_t at : plan.quaternions) {
    x.insert(x.begin() + static_cast<std::ptrdiff_t>(at) + 3, 0.0);
    double quaternion[4], square = 0;
    for (double& number : quaternion) {
      number = spread(first++);
      square += number * number;
    }
    // A ball joint rotates inertias: an error of its unit length is one of M, and is not what rounding of the kernels explains.
    const bool base = plan.free && at == 3;
    for (std::size_t k = 0; k < 4; ++k) x[at + k] = base ? static_cast<float>(quaternion[k] / std::sqrt(square)) : quaternion[k] / std::sqrt(square);
  }
  return x;
}

}  // namespace ulna::internal
