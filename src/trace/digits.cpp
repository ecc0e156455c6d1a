#include "trace/digits.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace ulna {

namespace {

constexpr int kConfigurations = 2;
// Of a result whose own bound is small: this part of the largest bound among the results is nobody's loss.
constexpr double kSmallPart = 1.0 / 64;

/// Number k of a sequence that fills (-1, 1) evenly (multiples of the golden ratio), never near 0: all terms take part.
double spread(std::size_t k) {
  double whole = 0;
  const double x = 2 * std::modf(static_cast<double>(k + 1) * (std::numbers::phi - 1), &whole) - 1;
  return std::copysign(0.25 + 0.75 * std::fabs(x), x);
}

/// How far the robot reaches: what a metre of a sliding joint is to a radian of a turning one.
double reach(const Plan& plan) {
  double sum = 0;
  for (const PlanBody<double>& body : plan.bodies) {
    sum += std::hypot(body.p_PB.x, body.p_PB.y, body.p_PB.z);
    if (body.inertia.m > 0) sum += std::sqrt(std::fabs(body.inertia.S.trace())) / std::sqrt(body.inertia.m);
  }
  return std::isfinite(sum) && sum > 0 ? sum : 1;
}

/// Of each coordinate: 1 for radians, else the robot's reach.
std::vector<double> units(const Plan& plan) {
  std::vector<double> unit(static_cast<std::size_t>(plan.nv), 1);
  const double length = reach(plan);
  for (const PlanBody<double>& body : plan.bodies)
    if (body.prismatic) unit[static_cast<std::size_t>(body.v)] = length;
  return unit;
}

}  // namespace

Digits::Digits(const Plan& given, Precision precision, const Question& question)
    : question_(question), rounding_(given, precision, question.rotor), scratch_(given) {
  const std::vector<double> unit = units(given);
  const std::size_t n = unit.size();
  for (std::size_t k = 0; k < kConfigurations; ++k) {
    const auto numbers = [&](std::size_t which, double scale) {
      std::vector<double> x(n);
      for (std::size_t i = 0; i < n; ++i) x[i] = scale * unit[i] * spread((3 * k + which) * n + i);
      return x;
    };
    const std::vector<double> q = numbers(0, std::numbers::pi), v = numbers(1, 1), a = numbers(2, 1);
    const Quantity quantity = question.quantity;
    if (quantity != Quantity::mass) states_.push_back({q, {}, {}, true});
    if (quantity != Quantity::mass && !question.at_rest) states_.push_back({q, v, {}, false});
    if (quantity != Quantity::bias) states_.push_back({q, {}, a, false});
    if (quantity == Quantity::acceleration) {
      std::vector<double> tau = rounding_.torque(given, q, v, a).value;
      states_.push_back({q, v, std::move(tau), true, true});
    }
  }
  for (State& state : states_) {
    state.allowed = errors(given, state, question.method);
    if (state.forward && !given.coupled) {  // the better of the two ways
      const std::vector<double>& other =
          errors(given, state, question.method == ForwardMethod::articulated ? ForwardMethod::mass_matrix : ForwardMethod::articulated);
      for (std::size_t i = 0; i < n; ++i) state.allowed[i] = std::fmin(state.allowed[i], other[i]);
    }
    // Forces times a length are moments; accelerations are divided by it.
    const auto scale = [&](std::size_t i) { return state.forward ? 1 / unit[i] : unit[i]; };
    double largest = 0;
    for (std::size_t i = 0; i < n; ++i) largest = std::fmax(largest, state.allowed[i] * scale(i));
    for (std::size_t i = 0; i < n; ++i) state.allowed[i] = std::fmax(state.allowed[i], kSmallPart * largest / scale(i));
  }
}

const std::vector<double>& Digits::errors(const Plan& plan, const State& state, ForwardMethod method) {
  scratch_ = plan;
  if (!state.gravity) scratch_.gravity = {};
  return (state.forward ? rounding_.acceleration(scratch_, state.q, state.v, state.a, method) : rounding_.torque(scratch_, state.q, state.v, state.a)).error;
}

bool Digits::keep(const Plan& plan) {
  growth_ = 0;
  for (const State& state : states_) {
    const std::vector<double>& now = errors(plan, state, question_.method);
    for (std::size_t i = 0; i < now.size(); ++i) {
      if (now[i] == 0 || now[i] <= state.allowed[i] * growth_) continue;
      growth_ = std::isnan(now[i]) ? std::numeric_limits<double>::infinity() : now[i] / state.allowed[i];
    }
  }
  return growth_ <= kMost;
}

}  // namespace ulna
