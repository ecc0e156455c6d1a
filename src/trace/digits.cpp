#include "trace/digits.hpp"

#include <cmath>
#include <limits>
#include <numbers>

#include "dynamics/whole.hpp"
#include "trace/spread.hpp"

namespace ulna::internal {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
// Of a result whose own bound is small: this part of the largest bound among the results is nobody's loss.
constexpr double kSmallPart = 1.0 / 64;
// What is measured in a few states is a matter of chance: so many times more is not seen as a loss.
constexpr double kChance = 8;

}  // namespace

Digits::Digits(const Plan& given, Precision precision, const Question& question, std::size_t configurations)
    : question_(question),
      doubles_(unit_roundoff(precision) / unit_roundoff(Precision::full)),
      rounding_(given, precision, question.rotor),
      scratch_(given),
      unit_(coordinate_units(given)) {
  const std::size_t n = unit_.size();
  const QuantityRow& row = row_of(question.quantity);
  const bool forward = question.quantity == Quantity::forward || question.quantity == Quantity::forward_derivatives;
  for (std::size_t k = 0; k < configurations; ++k) {
    const auto numbers = [&](std::size_t which, double scale) { return spread_numbers(unit_, 3 * k + which, scale); };
    const std::vector<double> q = spread_configuration(given, unit_, 3 * k, std::numbers::pi), v = numbers(1, 1), a = numbers(2, 1);
    if (row.influences.gravity) states_.push_back({q, {}, {}, true});
    if (row.takes("v")) states_.push_back({q, v, {}, false});
    if (row.influences.rotor) states_.push_back({q, {}, a, false});  // inertia is in it
    if (!forward) continue;
    Motion motion{q, v, rounding_.of(Quantity::inverse, given, q, v, a).value};
    for (double& tau : motion.tau) tau = static_cast<float>(tau);
    motions_.push_back(std::move(motion));
  }
  for (State& state : states_) {
    const Rounding::Results& own = torques(given, state);
    state.value = own.value;
    state.allowed = own.error;
    double largest = 0;  // forces times a length are moments
    for (std::size_t i = 0; i < n; ++i) largest = std::fmax(largest, state.allowed[i] * unit_[i]);
    for (std::size_t i = 0; i < n; ++i) state.allowed[i] = std::fmax(state.allowed[i], kSmallPart * largest / unit_[i]);
  }
  for (Motion& motion : motions_) {
    motion.loss = kInfinity;
    for (const ForwardMethod method : {ForwardMethod::mass_matrix, ForwardMethod::articulated}) {
      if (!takes(method, given)) continue;
      std::vector<double> a;
      const double loss = forward_loss(given, motion, method, a);
      if (loss < motion.loss || motion.a.empty()) motion.loss = loss, motion.a = std::move(a);
    }
    double largest = 0;
    for (std::size_t i = 0; i < n; ++i) largest = std::fmax(largest, std::fabs(motion.a[i]) / unit_[i]);
    motion.loss = std::fmax(motion.loss, unit_roundoff(Precision::single) * largest);
  }
}

bool Digits::takes(ForwardMethod method, const Plan& plan) {
  if (plan.coupled) return method == ForwardMethod::mass_matrix;  // articulated bodies do not take mimic joints
  // O(n d²) operations: not worth it for robots that articulated bodies suit by far.
  return method == ForwardMethod::articulated || !plan.deep || plan.nv <= kLargestFactored;
}

const Rounding::Results& Digits::torques(const Plan& plan, const State& state) {
  scratch_ = plan;
  if (!state.gravity) scratch_.gravity = {};
  return rounding_.of(Quantity::inverse, scratch_, state.q, state.v, state.a);
}

double Digits::forward_loss(const Plan& plan, const Motion& motion, ForwardMethod method, std::vector<double>& a) const {
  const auto run = [&]<class T>(const PlanOf<T>& as) {
    WorkspaceOf<T> ws(as);
    EffectsOf<T> effects;
    effects.rotor = question_.rotor;
    const auto in = [](const std::vector<double>& x) { return std::vector<T>(x.begin(), x.end()); };
    const std::vector<T> q = in(motion.q), v = in(motion.v), tau = in(motion.tau);
    std::vector<T> out(tau.size());
    whole_everywhere<Quantity::forward>(as, ws, {.q = q.data(), .v = v.data(), .last = tau.data(), .method = method}, out.data(), effects);
    return out;
  };
  a = run(plan);
  const std::vector<float> rough = run(plan.cast<float>());
  double loss = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double difference = std::fabs(static_cast<double>(rough[i]) - a[i]) / unit_[i];
    loss = std::isfinite(difference) ? std::fmax(loss, difference) : kInfinity;
  }
  return loss;
}

bool Digits::keep(const Plan& plan) {
  growth_ = 0;
  const auto note = [&](double loss, double allowed) {
    if (std::isnan(loss)) loss = kInfinity;
    if (loss > allowed * growth_) growth_ = loss / allowed;
  };
  for (const State& state : states_) {
    const Rounding::Results& now = torques(plan, state);
    for (std::size_t i = 0; i < now.value.size(); ++i) {
      note(now.error[i], state.allowed[i]);
      note(std::fabs(now.value[i] - state.value[i]) * doubles_, state.allowed[i]);  // plans are made in doubles, whatever runs them
    }
  }
  if (growth_ > kMost) return false;
  std::vector<double> a;
  for (const Motion& motion : motions_) {
    note(forward_loss(plan, motion, question_.method, a), kChance * motion.loss);
    const double doubles = unit_roundoff(Precision::full) / unit_roundoff(Precision::single);
    for (std::size_t i = 0; i < a.size(); ++i) note(std::fabs(a[i] - motion.a[i]) / unit_[i], kChance * motion.loss * doubles);
  }
  return growth_ <= kMost;
}

}  // namespace ulna::internal
