#include "trace/digits.hpp"

#include <numbers>

#include "dynamics/whole.hpp"
#include "trace/spread.hpp"

namespace ulna::internal {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
// Of a result whose own bound is small: below this part of the largest bound among the results it is not a loss.
constexpr double kSmallPart = 1.0 / 64;
// Measurements in a few states scatter: up to this factor it is not a loss.
constexpr double kChance = 8;

}  // namespace

Digits::Digits(const Plan& given, Precision precision, bool rotor, std::size_t configurations, bool repeats)
    : rotor_(rotor),
      repeats_(repeats),
      doubles_(unit_roundoff(precision) / unit_roundoff(Precision::full)),
      rounding_(given, precision, rotor),
      given_(given),
      unit_(coordinate_units(given)) {
  for (std::size_t k = 0; k < configurations; ++k) {
    const std::vector<double> q = spread_configuration(given, unit_, 3 * k, std::numbers::pi);
    states_.push_back({q, {}, {}});
    states_.push_back({q, spread_numbers(unit_, 3 * k + 1, 1), {}});
    states_.push_back({q, {}, spread_numbers(unit_, 3 * k + 2, 1)});
  }
}

const Digits::State& Digits::known(State& state) {
  if (!state.value.empty()) return state;
  const Rounding::Results& own = torques(given_, state);
  state.value = own.value;
  state.allowed = own.error;
  const std::size_t n = unit_.size();
  double largest = 0;  // forces times a length are moments
  for (std::size_t i = 0; i < n; ++i) largest = std::fmax(largest, state.allowed[i] * unit_[i]);
  for (std::size_t i = 0; i < n; ++i) state.allowed[i] = std::fmax(state.allowed[i], kSmallPart * largest / unit_[i]);
  return state;
}

const Digits::Motion& Digits::motion(std::size_t k, ForwardMethod method) {
  std::vector<Motion>& motions = motions_[repeats_ ? static_cast<std::size_t>(method) : 0];
  if (k < motions.size()) return motions[k];
  const State* of = &states_[repeats_ ? 0 : 3 * k];
  Motion motion{of[0].q, of[1].v, std::vector<double>(unit_.size())};
  const auto sign = [&](std::size_t bit) { return repeats_ && (k & bit) != 0 ? -1 : 1; };
  for (std::size_t i = 0; i < motion.tau.size(); ++i)
    motion.tau[i] = static_cast<float>(sign(4) * of[0].value[i] + sign(2) * of[1].value[i] + sign(1) * of[2].value[i]);
  motion.loss = kInfinity;
  const PlanOf<float> floats = given_.cast<float>();
  for (const ForwardMethod tried : {ForwardMethod::mass_matrix, ForwardMethod::articulated}) {
    if (!takes(tried, given_) || (repeats_ && tried != method && takes(method, given_))) continue;
    std::vector<double> a;
    const double loss = forward_loss(given_, floats, motion, tried, a);
    if (loss < motion.loss || motion.a.empty()) motion.loss = loss, motion.a = std::move(a);
  }
  double largest = 0;
  for (std::size_t i = 0; i < unit_.size(); ++i) largest = std::fmax(largest, std::fabs(motion.a[i]) / unit_[i]);
  motion.loss = std::fmax(motion.loss, unit_roundoff(Precision::single) * largest);
  return motions.emplace_back(std::move(motion));
}

bool Digits::takes(ForwardMethod method, const Plan& plan) {
  if (plan.coupled) return method == ForwardMethod::mass_matrix;  // articulated bodies do not take mimic joints
  // O(n d²) operations: not worth it for robots that articulated bodies suit by far.
  return method == ForwardMethod::articulated || !plan.deep || plan.nv <= kLargestFactored;
}

const Rounding::Results& Digits::torques(const Plan& plan, const State& state) {
  if (state.gravity()) return rounding_.of(Quantity::inverse, plan, state.q);
  scratch_ = plan;
  scratch_.gravity = {};
  return rounding_.of(Quantity::inverse, scratch_, state.q, state.v, state.a);
}

double Digits::forward_loss(const Plan& plan, const PlanOf<float>& floats, const Motion& motion, ForwardMethod method, std::vector<double>& a) {
  const auto run = [&]<class T>(const PlanOf<T>& as, std::optional<WorkspaceOf<T>>& space) {
    WorkspaceOf<T>& ws = space ? *space : space.emplace(as);
    EffectsOf<T> effects;
    effects.rotor = rotor_;
    const auto in = [](const std::vector<double>& x) { return std::vector<T>(x.begin(), x.end()); };
    const std::vector<T> q = in(motion.q), v = in(motion.v), tau = in(motion.tau);
    std::vector<T> out(tau.size());
    whole_everywhere<Quantity::forward>(as, ws, {.q = q.data(), .v = v.data(), .last = tau.data(), .method = method}, out.data(), effects);
    return out;
  };
  a = run(plan, doubles_space_);
  const std::vector<float> rough = run(floats, floats_space_);
  double loss = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double difference = std::fabs(static_cast<double>(rough[i]) - a[i]) / unit_[i];
    loss = std::isfinite(difference) ? std::fmax(loss, difference) : kInfinity;
  }
  return loss;
}

bool Digits::keep(const Plan& plan, const Question& question) {
  const Influences& influences = row_of(question.quantity).influences;
  growth_ = 0;
  const auto note = [&](double loss, double allowed) {
    if (std::isnan(loss)) loss = kInfinity;
    if (loss > allowed * growth_) growth_ = loss / allowed;
  };
  for (State& state : states_) {
    if (state.gravity() ? !influences.gravity : state.a.empty() ? !row_of(question.quantity).takes("v") : !influences.rotor) continue;  // inertia is in rotors
    known(state);
    const Rounding::Results& now = torques(plan, state);
    for (std::size_t i = 0; i < now.value.size(); ++i) {
      note(now.error[i], state.allowed[i]);
      note(std::fabs(now.value[i] - state.value[i]) * doubles_, state.allowed[i]);  // plans are made in doubles, whatever runs them
    }
  }
  const bool forward = question.quantity == Quantity::forward || question.quantity == Quantity::forward_derivatives;
  if (growth_ > kMost || !forward) return growth_ <= kMost;
  for (State& state : states_) known(state);
  const PlanOf<float> floats = plan.cast<float>();
  const double of_torques = growth_, doubles = unit_roundoff(Precision::full) / unit_roundoff(Precision::single);
  std::vector<double> a;
  double loss = 0, difference = 0, allowed = 0;
  for (std::size_t k = 0; k < (repeats_ ? kMotions : states_.size() / 3); ++k) {
    const Motion& now = motion(k, question.method);
    if (repeats_)
      growth_ = of_torques;
    else
      loss = difference = allowed = 0;
    loss += forward_loss(plan, floats, now, question.method, a);
    allowed += kChance * now.loss;
    double largest = 0;
    for (std::size_t i = 0; i < a.size(); ++i) largest = std::fmax(largest, std::fabs(a[i] - now.a[i]) / unit_[i]);
    difference += largest;
    note(loss, allowed);
    note(difference, allowed * doubles);
    if (repeats_ && growth_ <= kMost) break;
  }
  return growth_ <= kMost;
}

}  // namespace ulna::internal
