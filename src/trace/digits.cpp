#include "trace/digits.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace ulna {

namespace {

constexpr int kConfigurations = 3;
// Of a result whose own bound is small: this part of the largest bound among the results is nobody's loss.
constexpr double kSmallPart = 1.0 / 64;
// Of accelerations: the better of two methods, result by result, is more than either promises.
constexpr double kOfBoth = 2;

/// Number k of a sequence that fills (-1, 1) evenly (multiples of the golden ratio), never near 0: all terms take part.
double spread(std::size_t k) {
  double whole = 0;
  const double x = 2 * std::modf(static_cast<double>(k + 1) * (std::numbers::phi - 1), &whole) - 1;
  return std::copysign(0.25 + 0.75 * std::fabs(x), x);
}

/// What a radian of a turning joint is to a sliding one: a small part of the robot's size, because a joint that is far out would hide what the others lose.
double small_length(const Plan& plan) {
  double sum = 0;
  for (const PlanBody<double>& body : plan.bodies) {
    sum += std::hypot(body.p_PB.x, body.p_PB.y, body.p_PB.z);
    if (body.inertia.m > 0) sum += std::sqrt(std::fabs(body.inertia.S.trace())) / std::sqrt(body.inertia.m);
  }
  const double part = sum / (8 * static_cast<double>(plan.bodies.size()));
  return std::isfinite(part) && part > 0 ? part : 1;
}

/// Of each coordinate: 1 for radians, else a length.
std::vector<double> units(const Plan& plan) {
  std::vector<double> unit(static_cast<std::size_t>(plan.nv), 1);
  const double length = small_length(plan);
  for (const PlanBody<double>& body : plan.bodies)
    if (body.prismatic) unit[static_cast<std::size_t>(body.v)] = length;
  return unit;
}

}  // namespace

Digits::Digits(const Plan& given, Precision precision, const Question& question)
    : question_(question),
      doubles_(unit_roundoff(precision) / unit_roundoff(Precision::full)),
      rounding_(given, precision, question.rotor),
      scratch_(given) {
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
    state.allowed.assign(n, std::numeric_limits<double>::infinity());
    state.value.assign(n, 0);
    const auto learn = [&](ForwardMethod method) {
      const Rounding::Results& known = results(given, state, method);
      for (std::size_t i = 0; i < n; ++i)
        if (known.error[i] < state.allowed[i]) state.value[i] = known.value[i], state.allowed[i] = known.error[i];
    };
    for (const ForwardMethod method : {ForwardMethod::mass_matrix, ForwardMethod::articulated})
      if (method == question.method || (state.forward && !given.coupled)) learn(method);
    // Forces times a length are moments; accelerations are divided by it.
    const auto scale = [&](std::size_t i) { return state.forward ? 1 / unit[i] : unit[i]; };
    double largest = 0;
    for (std::size_t i = 0; i < n; ++i) largest = std::fmax(largest, state.allowed[i] * scale(i));
    for (std::size_t i = 0; i < n; ++i) state.allowed[i] = (state.forward ? kOfBoth : 1) * std::fmax(state.allowed[i], kSmallPart * largest / scale(i));
  }
}

const Rounding::Results& Digits::results(const Plan& plan, const State& state, ForwardMethod method) {
  scratch_ = plan;
  if (!state.gravity) scratch_.gravity = {};
  if (state.forward) return rounding_.acceleration(scratch_, state.q, state.v, state.a, method);
  return rounding_.torque(scratch_, state.q, state.v, state.a);
}

bool Digits::keep(const Plan& plan) {
  growth_ = 0;
  for (const State& state : states_) {
    const Rounding::Results& now = results(plan, state, question_.method);
    for (std::size_t i = 0; i < now.value.size(); ++i) {
      // Plans are made in doubles, whatever runs them.
      const double difference = std::fabs(now.value[i] - state.value[i]) * doubles_;
      const double loss = std::fmax(now.error[i], difference);
      if (std::isnan(now.error[i]) || std::isnan(difference)) growth_ = std::numeric_limits<double>::infinity();
      if (loss > state.allowed[i] * growth_) growth_ = loss / state.allowed[i];
    }
  }
  return growth_ <= kMost;
}

}  // namespace ulna
