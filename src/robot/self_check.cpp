#include "robot/self_check.hpp"

#include <algorithm>
#include <iterator>
#include <numbers>

#include <ulna/loop/mechanism.hpp>
#include "dynamics/compute-inl.hpp"

#include "jit/bits.hpp"
#include "robot/templates.hpp"
#include "trace/digits.hpp"
#include "trace/spread.hpp"

namespace ulna::internal::robot {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
// Of the bound for the robot's own frames: the search may double what rounding does (Digits::kMost), and as much again may come from its plan, which is made in
// doubles; the templates have a rounding of their own. Bounds hold to first order, and were measured in other states: twice that.
constexpr double kAllowed = 2 * (2 * Digits::kMost + 1);
// What verify() allows of a result's terms, for kernels and templates, and twice for chance.
constexpr double kOfTerms = 4;
// As in the search: this part of the largest bound among the results is allowed to all.
constexpr double kSmallPart = 1.0 / 64;
// Not the states that the search has measured digits in.
constexpr std::size_t kFirstState = 16;

/// Infinite where numbers leave their range, for any terms.
double tighter(double bound, double of_terms) { return std::isfinite(bound) ? std::fmin(bound, of_terms) : bound; }

/// A difference over the allowance; numbers out of range do not count.
double part_of(double difference, double error) {
  if (difference == 0 || error == kInfinity) return 0;
  const double part = std::fabs(difference) / (kAllowed * error);
  return std::isnan(part) ? kInfinity : part;
}

/// Every allowance at least a small part of the largest, in units of the coordinates.
void allow_small_parts(std::vector<double>& allowed, const std::vector<double>& units) {
  double largest = 0;
  for (std::size_t i = 0; i < units.size(); ++i) largest = std::fmax(largest, allowed[i] * units[i]);
  for (std::size_t i = 0; i < units.size(); ++i) allowed[i] = std::fmax(allowed[i], kSmallPart * largest / units[i]);
}

}  // namespace

SelfCheck::SelfCheck(const Model& model, Plan plan, const DynamicsOptions& options, Precision precision, bool passed)
    : plan_(std::move(plan)),
      by_terms_(passed),
      precision_(precision),
      options_(options),
      terms_(model),
      roundings_(kOfTerms / kAllowed * rounding_tolerance(plan_.nv) * unit_roundoff(precision) / unit_roundoff(Precision::full)),
      units_(coordinate_units(plan_)),
      states_(plan_.closed() ? closed_states(model, precision == Precision::single, passed ? 1 : kStates) : trial_states(plan_, passed ? 1 : kStates)) {
  options_.friction = false;  // no kernel has it
  if (precision == Precision::single && plan_.has_balls())
    for (State& state : states_)
      for (double& x : state.q) x = static_cast<float>(x);
  if (precision == Precision::single) doubles_ = std::make_unique<SelfCheck>(model, plan_, options, Precision::full, passed);
}

SelfCheck::Results SelfCheck::rounded(Quantity quantity, const std::vector<double>& q, const std::vector<double>& v, const std::vector<double>& a,
                                      std::size_t link) {
  if (!rounding_) rounding_.emplace(plan_, precision_, options_.rotor);
  return rounding_->of(quantity, plan_, q, v, a, link);
}

SelfCheck::Results SelfCheck::templates(Quantity quantity, const std::vector<double>& q, const std::vector<double>& v, const std::vector<double>& a) {
  if (!by_terms_) return rounded(quantity, q, v, a);
  const auto in = [](const std::vector<double>& x) { return x.empty() ? nullptr : x.data(); };
  Results results;
  results.value.resize(row_of(quantity).size(plan_.sizes()));
  by_templates<double>(plan_, effects_of<double>(options_), quantity, {in(q), in(v), in(a)}, results.value.data());
  constexpr double kNoBound = 1e150;  // terms are smaller
  for (const double x : results.value) results.error.push_back(std::isfinite(x) ? kNoBound : kInfinity);
  return results;
}

std::vector<SelfCheck::State> SelfCheck::trial_states(const Plan& plan, std::size_t count) {
  const std::vector<double> units = coordinate_units(plan);
  if (units.size() > kFewJoints) count = 1;
  // In a long chain rates add up, and what rounding may do to the products of their sums would hide everything else.
  const double rate = std::fmin(1, 8 / static_cast<double>(units.size()));
  std::vector<State> states;
  for (std::size_t k = kFirstState; k < kFirstState + count; ++k)
    states.push_back(
        {spread_configuration(plan, units, 3 * k, std::numbers::pi), spread_numbers(units, 3 * k + 1, rate), spread_numbers(units, 3 * k + 2, rate)});
  return states;
}

SelfCheck::Results SelfCheck::torque(const std::vector<double>& q, const std::vector<double>& v, const std::vector<double>& a) {
  Results results = templates(Quantity::inverse, q, v, a);
  allow_small_parts(results.error, units_);
  const std::vector<double> rest(units_.size(), 0.0);
  const Terms::Size size = terms_.torque(q, v.empty() ? rest : v, a.empty() ? rest : a);
  for (std::size_t i = 0; i < units_.size(); ++i) results.error[i] = tighter(results.error[i], of_terms(size, i, a.empty() ? 0 : std::fabs(a[i])));
  return results;
}

double SelfCheck::of_terms(const Terms::Size& size, std::size_t i, double rotor) const {
  const Terms::Share& share = terms_.shares()[i];
  return roundings_ * (share.force * size.force + share.moment * size.moment + rotor * share.rotor);
}

SelfCheck::Results SelfCheck::matrix(Quantity quantity, const std::vector<double>& q, const std::vector<double>& v) {
  Results results = templates(quantity, q, v);
  const bool mass = quantity == Quantity::mass;
  const std::size_t n = units_.size();
  // Digits were measured of torques: what one joint's torque may lose by one acceleration, it may lose by any of them.
  std::vector<double> row(n, 0.0);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) row[i] = std::fmax(row[i], results.error[i + j * n] * units_[j]);
  allow_small_parts(row, units_);
  std::vector<double> terms(n * n);
  for (std::size_t j = 0; j < n; ++j) {
    const Terms::Size column = mass ? terms_.column(q, j) : terms_.coriolis_column(q, v, j);
    for (std::size_t i = 0; i < n; ++i) terms[i + j * n] = of_terms(column, i, mass && i == j ? 1 : 0);
  }
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j)
      results.error[i + j * n] = tighter(std::fmax(row[i] / units_[j], row[j] / units_[i]), std::fmax(terms[i + j * n], terms[j + i * n]));
  return results;
}

const SelfCheck::Results& SelfCheck::effort(State& state) {
  if (state.torques.value.empty()) state.torques = torque(state.q, state.v, state.a);
  return state.torques;
}

SelfCheck::Results SelfCheck::rounded_effort(State& state) {
  Results results = effort(state);
  if (precision_ == Precision::single)
    for (double& tau : results.value) tau = static_cast<float>(tau);
  return results;
}

SelfCheck::Results SelfCheck::derivatives(const std::vector<double>& q, const std::vector<double>& v, const std::vector<double>& a) {
  Results results = rounded(Quantity::inverse_derivatives, q, v, a);
  const std::size_t n = units_.size();
  // As in matrix(): what a joint's torque may lose by one coordinate, it may lose by any of them.
  for (std::size_t part = 0; part < 3; ++part) {
    const std::size_t first = part * n * n;
    std::vector<double> row(n, 0.0);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j) row[i] = std::fmax(row[i], results.error[first + i + j * n] * units_[j]);
    allow_small_parts(row, units_);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j) results.error[first + i + j * n] = row[i] / units_[j];
  }
  return results;
}

std::vector<SelfCheck::State> SelfCheck::closed_states(const Model& model, bool single, std::size_t count) {
  constexpr double kFar = 0.3, kNear = 1e-3, kSound = 0.02, kOpen = 0.01;
  const Mechanism loops = Mechanism::of(model);
  const Plan tree = make_plan(without_loops(model));
  const std::vector<double> units = coordinate_units(tree);
  const EliminationOrder order = model.order();
  std::vector<State> states;
  for (std::size_t k = kFirstState; k < kFirstState + count; ++k) {
    State state{model.reference(), {}, {}};
    for (double size = kFar; size > kNear; size /= 2) {  // near enough to the reference that it can be closed
      const std::vector<double> moved = spread_configuration(tree, units, 3 * k, size);
      for (std::size_t i = 0; i < base_nq(model.base()); ++i) state.q[i] = moved[i];
      for (const std::size_t i : order.independent)
        if (i >= base_nv(model.base())) state.q[tree.position_of(i)] = model.reference()[tree.position_of(i)] + moved[tree.position_of(i)];
      const Closure closure = loops.assemble(state.q);
      if (closure.closed && !closure.crossed && closure.singularity > std::fmin(kSound, model.singularity() / 2)) break;
    }
    // Where loops are closed, terms vanish that must be right, too.
    const std::vector<double> apart = spread_configuration(tree, units, 3 * k + 1, kOpen);
    for (const std::size_t i : order.columns) state.q[tree.position_of(i)] += apart[tree.position_of(i)];
    if (single)
      for (double& x : state.q) x = static_cast<float>(x);
    const std::vector<double> v = spread_numbers(units, 3 * k + 1, 1), a = spread_numbers(units, 3 * k + 2, 1);
    for (const std::size_t i : order.independent) state.v.push_back(v[i]), state.a.push_back(a[i]);
    state.tau = state.a;
    states.push_back(std::move(state));
  }
  return states;
}

SelfCheck::Results SelfCheck::closed_results(Quantity quantity, std::size_t link, State& state) {
  // Of what rounding does to the templates, the largest of some samples, each with another rounding of q: one alone may be small by chance. Programs have
  // roundings of their own, which are as large.
  constexpr double kOfMeasured = 64;
  constexpr std::size_t kSamples = 4;
  const auto run = [&]<class T>(T, std::size_t sample) {
    const auto numbers = [](const std::vector<double>& x) { return std::vector<T>(x.begin(), x.end()); };
    std::vector<T> q = numbers(state.q);
    const std::vector<T> v = numbers(state.v), last = numbers(state.a);
    for (std::size_t i = 0; sample > 0 && i < q.size(); ++i)
      q[i] =
          std::nextafter(q[i], ((i + 1) * sample * 0x9E3779B97F4A7C15u) >> 63 == 0 ? std::numeric_limits<T>::infinity() : -std::numeric_limits<T>::infinity());
    std::vector<T> out(row_of(quantity).size(plan_.sizes()));
    EffectsOf<T> effects;
    effects.rotor = options_.rotor;
    const auto by = [&](const auto& plan) {
      WorkspaceOf<T> ws(plan);
      kernel::compute_closed(quantity, plan, ws, InputsOf<T>{q.data(), v.data(), last.data(), link}, out.data(), effects, 0);
    };
    if constexpr (std::is_same_v<T, float>)
      by(plan_.cast<float>());
    else
      by(plan_);
    return std::vector<double>(out.begin(), out.end());
  };
  Results results{run(0.0L, 0), {}};
  double most = 0, loss = 0;
  for (std::size_t sample = 0; sample < kSamples; ++sample) {
    const std::vector<double> rough = precision_ == Precision::single ? run(0.0f, sample) : run(0.0, sample);
    for (std::size_t i = 0; i < rough.size(); ++i)
      most = std::fmax(most, std::fabs(results.value[i])), loss = std::fmax(loss, std::fabs(rough[i] - results.value[i]));
  }
  results.error.assign(results.value.size(), kOfMeasured * (loss + unit_roundoff(precision_) * most) / kAllowed);
  return results;
}

SelfCheck::Results SelfCheck::results(Quantity quantity, std::size_t link, State& state) {
  if (plan_.closed()) return closed_results(quantity, link, state);
  switch (quantity) {
    case Quantity::inverse: return effort(state);
    case Quantity::bias: return torque(state.q, state.v, {});
    case Quantity::gravity: return torque(state.q, {}, {});
    case Quantity::mass:
    case Quantity::mass_inverse: return matrix(Quantity::mass, state.q, {});
    case Quantity::coriolis: return matrix(quantity, state.q, state.v);
    case Quantity::regressor: {
      Results out = rounded(quantity, state.q, state.v, state.a);
      // As in matrix(): what a torque may lose by one component of a first moment, or of an inertia, it may lose by any of them, because kernels rotate frames.
      const std::size_t n = units_.size();
      constexpr std::size_t kKinds[] = {0, 1, 4, kBodyParameters};
      for (std::size_t body = 0; body * kBodyParameters * n < out.error.size(); ++body)
        for (std::size_t kind = 0; kind + 1 < std::size(kKinds); ++kind) {
          double* first = &out.error[(body * kBodyParameters + kKinds[kind]) * n];
          const std::size_t columns = kKinds[kind + 1] - kKinds[kind];
          std::vector<double> row(n, 0.0);
          for (std::size_t k = 0; k < columns * n; ++k) row[k % n] = std::fmax(row[k % n], first[k]);
          allow_small_parts(row, units_);
          for (std::size_t k = 0; k < columns * n; ++k) first[k] = row[k % n];
        }
      return out;
    }
    case Quantity::inverse_derivatives: return derivatives(state.q, state.v, state.a);
    case Quantity::forward_derivatives: state.tau = rounded_effort(state).value; return derivatives(state.q, state.v, state.a);
    case Quantity::forward: {
      Results tau = rounded_effort(state);
      state.tau = tau.value;
      return tau;
    }
    default: break;
  }
  Results out = rounded(quantity, state.q, {}, {}, link);
  allow_small_parts(out.error, std::vector<double>(out.error.size(), 1.0));
  const double size = terms_.fastest() * terms_.blurred(state.q) * (1 + terms_.extent(state.q).reach);
  for (double& error : out.error) error = tighter(error, roundings_ * size);
  return out;
}

const std::vector<SelfCheck::Results>& SelfCheck::expected(Quantity quantity, std::size_t link) {
  if (!expected_.empty() && quantity_ == quantity && link_ == link) return expected_;
  quantity_ = quantity, link_ = link;
  expected_.clear(), of_program_ = -1;
  known_.assign(states_.size(), {});
  for (State& state : states_) expected_.push_back(results(quantity, link, state));
  return expected_;
}

bool SelfCheck::beyond_numbers(Quantity quantity, std::size_t k, const std::vector<double>& got) {
  const auto finite = [](double x) { return std::isfinite(x); };
  if (std::all_of(got.begin(), got.end(), finite)) return false;
  const State& state = states_[k];
  const Results bounds = rounded(quantity, state.q, state.v, state.tau);
  double largest = 0, error = 0;
  for (std::size_t i = 0; i < got.size(); ++i) largest = std::fmax(largest, std::fabs(bounds.value[i])), error = std::fmax(error, bounds.error[i]);
  // No digit is left: M is singular within its rounding, and its inverse is arbitrary.
  if (!(error * std::sqrt(unit_roundoff(precision_)) < largest)) return true;
  const auto held = [&]<class T>(const PlanOf<T>& plan) {
    const auto in = [](const std::vector<double>& x) { return std::vector<T>(x.begin(), x.end()); };
    const std::vector<T> q = in(state.q), v = in(state.v), tau = in(state.tau);
    std::vector<T> out(got.size());
    by_templates<T>(plan, effects_of<T>(options_), quantity, {q.data(), v.data(), tau.data()}, out.data());
    return std::all_of(out.begin(), out.end(), finite);
  };
  return precision_ == Precision::single ? !held(plan_.cast<float>()) : !held(plan_);
}

double SelfCheck::share(Quantity quantity, std::size_t k, const std::vector<double>& got) {
  if (known_[k].first != got) known_[k] = {got, share_of(quantity, k, got)};
  return known_[k].second;
}

double SelfCheck::share_of(Quantity quantity, std::size_t k, const std::vector<double>& got) {
  const Results& wanted = expected_[k];
  double worst = 0;
  const auto note = [&](double difference, double error) { worst = std::fmax(worst, part_of(difference, error)); };
  if (plan_.closed()) {
    for (std::size_t i = 0; i < got.size(); ++i) note(got[i] - wanted.value[i], wanted.error[i]);
    return worst;
  }
  const std::size_t n = units_.size();
  if ((row_of(quantity).takes("tau") || quantity == Quantity::mass_inverse) && beyond_numbers(quantity, k, got)) return 0;
  if (quantity == Quantity::forward) {
    const Results back = torque(states_[k].q, states_[k].v, got);
    for (std::size_t i = 0; i < n; ++i) note(back.value[i] - wanted.value[i], std::fmax(back.error[i], wanted.error[i]));
  } else if (quantity == Quantity::forward_derivatives) {
    // M ∂a = -∂tau by q and by v, M ∂a = 1 by tau; at accelerations that are off by what M⁻¹ makes of the torques' rounding.
    const double* M = wanted.value.data() + 2 * n * n;
    const double* M_error = wanted.error.data() + 2 * n * n;
    const Results& tau = effort(states_[k]);
    std::vector<double> off(n, 0.0);
    for (std::size_t l = 0; l < n; ++l)
      for (std::size_t m = 0; m < n; ++m) off[l] += std::fabs(got[2 * n * n + l + m * n]) * tau.error[m];
    for (std::size_t j = 0; j < 3 * n; ++j)
      for (std::size_t i = 0; i < n; ++i) {
        double sum = j < 2 * n ? wanted.value[i + j * n] : (i == j - 2 * n ? -1 : 0);
        double error = j < 2 * n ? wanted.error[i + j * n] : 0;
        for (std::size_t l = 0; l < n; ++l) {
          sum += M[i + l * n] * got[l + j * n];
          error += M_error[i + l * n] * std::fabs(got[l + j * n]) + (j < n ? 2 * std::fabs(M[i + l * n]) * off[l] / units_[j] : 0);
        }
        note(sum, error);
      }
  } else if (quantity == Quantity::mass_inverse) {
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j) {
        double sum = i == j ? -1 : 0, error = 0;
        for (std::size_t l = 0; l < n; ++l) {
          sum += wanted.value[i * n + l] * got[l * n + j];
          error += wanted.error[i * n + l] * std::fabs(got[l * n + j]);
        }
        note(sum, error);
      }
  } else {
    for (std::size_t i = 0; i < got.size(); ++i) note(got[i] - wanted.value[i], wanted.error[i]);
  }
  return worst;
}

namespace {

/// What the quantity takes.
template <class State>
std::array<const std::vector<double>*, 3> inputs(Quantity quantity, const State& state) {
  const QuantityRow& row = row_of(quantity);
  return {&state.q, row.takes("v") ? &state.v : nullptr, row.takes("a") ? &state.a : row.takes("tau") ? &state.tau : nullptr};
}

}  // namespace

double SelfCheck::share_of_program(Quantity quantity, std::size_t link, const jit::Trial& trial) {
  expected(quantity, link);
  Evaluation run(*trial.program, trial.parameters);
  std::vector<double> in, got(trial.program->results.size());
  double worst = 0;
  for (std::size_t k = 0; k < states_.size(); ++k) {
    in.clear();
    for (const std::vector<double>* given : inputs(quantity, states_[k]))
      if (given != nullptr) in.insert(in.end(), given->begin(), given->end());
    run(in, got);
    worst = std::fmax(worst, share(quantity, k, trial.solve != nullptr ? trial.solve->solved(got) : got));
  }
  return worst;
}

template <class T>
double SelfCheck::difference(Quantity quantity, std::size_t link, const jit::Trial& trial) {
  const std::size_t size = expected(quantity, link).front().value.size(), count = trial.way == jit::Way::one ? states_.size() : trial.width;
  if (doubles_ != nullptr && of_program_ < 0) of_program_ = doubles_->share_of_program(quantity, link, trial);
  std::vector<T> states, results(size * count);
  states.reserve(trial.program->input_count() * count);
  for (std::size_t k = 0; k < count; ++k)
    for (const std::vector<double>* given : inputs(quantity, states_[k % states_.size()]))
      if (given != nullptr) std::transform(given->begin(), given->end(), std::back_inserter(states), [](double x) { return static_cast<T>(x); });
  call<T>(trial, states, results);
  double worst = std::fmax(of_program_, 0);
  for (std::size_t k = 0; k < count; ++k) {
    const T* first = &results[k * size];
    worst = std::fmax(worst, share(quantity, k % states_.size(), std::vector<double>(first, first + size)));
  }
  return worst;
}

template double SelfCheck::difference<double>(Quantity, std::size_t, const jit::Trial&);
template double SelfCheck::difference<float>(Quantity, std::size_t, const jit::Trial&);

namespace {

// Of a number: four units in its last place.
constexpr double kRoundings = 0x1p-50;
// Of what these roundings do to a result: a program has hundreds of its own, which are not of one sign.
constexpr double kOfRoundings = 64;

double rounded_once(double x, std::size_t which) { return x * (1 + (which * 0x9E3779B97F4A7C15u >> 63 == 0 ? kRoundings : -kRoundings)); }

}  // namespace

Plan with_rounded_numbers(Plan plan) {
  std::size_t which = 0;
  const auto change = [&](PseudoInertia<double>& I) {
    for (double* x : {&I.m, &I.h.x, &I.h.y, &I.h.z, &I.S.xx, &I.S.yy, &I.S.zz, &I.S.xy, &I.S.xz, &I.S.yz}) *x = rounded_once(*x, ++which);
  };
  change(plan.base);
  plan.lumped_base = plan.base;
  for (PlanBody<double>& body : plan.bodies) {
    change(body.inertia);
    body.lumped = body.inertia;
    for (double* x : {&body.p_PB.x, &body.p_PB.y, &body.p_PB.z}) *x = rounded_once(*x, ++which);
  }
  return plan;
}

double share_of_rounding(DualDerivative& right, DualDerivative& other, const std::vector<double>& numbers, const std::vector<double>& got) {
  std::vector<double> wanted(got.size()), moved = numbers, at(got.size()), error(got.size());
  right(numbers.data(), wanted.data());
  double largest = kOfRoundings * kRoundings * right.largest();  // derivatives may be 0 where the quantity is not
  for (std::size_t sample = 0; sample < 2; ++sample) {
    for (std::size_t i = 0; i < moved.size(); ++i) moved[i] = rounded_once(numbers[i], 2 * i + sample + 1);
    other(moved.data(), at.data());
    for (std::size_t i = 0; i < got.size(); ++i) {
      error[i] = std::fmax(error[i], kOfRoundings * (std::fabs(at[i] - wanted[i]) + kRoundings * std::fabs(wanted[i])));
      largest = std::fmax(largest, error[i]);
    }
  }
  double worst = 0;
  for (std::size_t i = 0; i < got.size(); ++i) {
    if (!std::isfinite(wanted[i]) || !std::isfinite(largest)) return kInfinity;
    worst = std::fmax(worst, part_of(got[i] - wanted[i], std::fmax(error[i], kSmallPart * largest)));
  }
  return worst;
}

}  // namespace ulna::internal::robot
