// Positions of robots with loops.
#include <algorithm>
#include <cmath>
#include <numbers>

#include <ulna/loop/mechanism.hpp>

#include "robot/call.hpp"
#include "robot/checks.hpp"

namespace ulna ULNA_API {

using namespace internal;

namespace {

/// Residual of closed loops, in doubles and in floats [m, or rad].
template <class T>
constexpr T kMet = sizeof(T) == 4 ? T(2e-6) : T(1e-12);
constexpr std::size_t kMostNumbers = 1024;  // of a closure; robots beyond that are closed by Mechanism
constexpr double kLongest = 0.3;            // step of an independent position, and of a correction [rad, or m]
constexpr double kContracts = 0.25;         // Newton's corrections, from one to the next
constexpr double kPivot = 0.5;              // a pivot changes by less than this part of itself in a step
constexpr double kReliablePivot = 0.02;     // of what it is at the reference assembly
constexpr int kMostSteps = 64, kMostCorrections = 8;

/// Newton's method by the closure kernel.
template <class T, class State>
class Corrector {
 public:
  explicit Corrector(const State& state) : state_(state), nq_(state.plan.nq), pivots_(state.plan.pivots()), tests_(state.plan.sizes().tests - pivots_) {}

  bool fits() const { return nq_ + tests_ + pivots_ <= kMostNumbers; }
  T residual() const { return residual_; }

  /// One evaluation at q.
  void look(const T* q) noexcept {
    robot::call<T>(state_, Quantity::closure, {q}, out_);
    residual_ = 0;
    for (std::size_t k = 0; k < tests_; ++k) residual_ = larger(residual_, std::fabs(out_[nq_ + k]));
  }
  /// The same, and a step. The correction's largest part is returned.
  T step(T* q) noexcept {
    look(q);
    T most = 0;
    for (std::size_t k = 0; k < nq_; ++k) most = larger(most, std::fabs(out_[k] - q[k])), q[k] = out_[k];
    return most;
  }
  const T* pivots() const { return out_ + nq_ + tests_; }

  /// Of singular assemblies: the sign of det J_D.
  T side() const {
    T sign = 1;
    for (std::size_t k = 0; k < pivots_; ++k) sign *= pivots()[k] < 0 ? T(-1) : T(1);
    return sign;
  }

  /// Until the conditions are met at q. False where corrections are long or do not contract.
  bool converge(T* q) noexcept {
    T before = T(kLongest);
    for (int k = 0; k < kMostCorrections; ++k) {
      const T most = step(q);
      if (residual_ <= kMet<T>) return true;
      if (!(most <= before)) return false;
      before = T(kContracts) * most;
    }
    return false;
  }

  /// Whether elimination is as reliable here as at the reference assembly, on the same side of singular ones.
  bool reliable() const {
    for (std::size_t k = 0; k < pivots_; ++k)
      if (!(pivots()[k] * state_.pivots[k] > T(kReliablePivot) * state_.pivots[k] * state_.pivots[k])) return false;
    return true;
  }

 private:
  static T larger(T a, T b) { return b > a || std::isnan(b) ? b : a; }

  const State& state_;
  std::size_t nq_, pivots_, tests_;
  T out_[kMostNumbers];
  T residual_ = 0;
};

/// From the reference assembly along the straight line to the independent positions that q holds, in steps whose corrections contract and whose pivots keep
/// their sign. False where that is not certain; Mechanism's path is longer and proven.
template <class T, class State>
bool go(const State& state, Corrector<T, State>& newton, const std::vector<double>& reference, T* q) noexcept {
  T from[kMostNumbers], trial[kMostNumbers];
  const std::size_t base = base_nq(state.model.base()), nq = state.plan.nq;
  for (std::size_t k = 0; k < nq; ++k) from[k] = k < base ? q[k] : static_cast<T>(reference[k]);
  T farthest = 0;
  const auto& order = state.plan.order;
  for (const std::size_t v : order.independent) {
    if (v < base_nv(state.model.base())) continue;
    const std::size_t k = state.plan.position_of(v);
    if (!(std::fabs(q[k] - from[k]) <= T(std::numbers::pi))) return false;  // whole turns
    farthest = std::max(farthest, std::fabs(q[k] - from[k]));
  }
  std::copy_n(from, nq, trial);
  if (!newton.converge(trial)) return false;
  T at[kMostNumbers];  // pivots of the last place
  std::copy_n(newton.pivots(), state.plan.pivots(), at);
  double done = 0, part = farthest > 0 ? std::min(1.0, kLongest / static_cast<double>(farthest)) : 1.0;
  T here[kMostNumbers];
  std::copy_n(trial, nq, here);
  for (int k = 0; k < kMostSteps && done < 1; ++k) {
    const double next = std::min(1.0, done + part);
    std::copy_n(here, nq, trial);
    for (const std::size_t v : order.independent) {
      if (v < base_nv(state.model.base())) continue;
      const std::size_t i = state.plan.position_of(v);
      trial[i] = next == 1 ? q[i] : from[i] + static_cast<T>(next) * (q[i] - from[i]);
    }
    bool kept = newton.converge(trial);
    for (std::size_t i = 0; kept && i < state.plan.pivots(); ++i) kept = std::fabs(newton.pivots()[i] - at[i]) <= T(kPivot) * std::fabs(at[i]);
    if (!kept) {
      part /= 2;
      continue;
    }
    std::copy_n(trial, nq, here);
    std::copy_n(newton.pivots(), state.plan.pivots(), at);
    done = next;
  }
  if (done < 1 || !newton.reliable()) return false;
  std::copy_n(here, nq, q);
  return true;
}

}  // namespace

template <class T>
Closure DynamicsOf<T>::close(Out q) const {
  const State& state = *state_;
  robot::Checks(state).template configuration<T>({q.data(), q.size()});
  if (state.loops == nullptr) return {.closed = true, .singularity = 1};
  std::vector<double> numbers(q.data(), q.data() + q.size());
  const Closure closure = state.loops->close(numbers);
  for (std::size_t k = 0; k < q.size(); ++k) q[k] = static_cast<T>(numbers[k]);
  return closure;
}

template <class T>
T DynamicsOf<T>::close(T* q, int steps) const noexcept {
  if (state_->loops == nullptr) return 0;
  Corrector<T, State> newton(*state_);
  if (!newton.fits()) return std::numeric_limits<T>::quiet_NaN();
  if (steps <= 0) {
    newton.look(q);
    return newton.residual();
  }
  newton.step(q);
  const T side = newton.side();  // of where q was
  for (int k = 1; k < steps; ++k) newton.step(q);
  return side * newton.side() < 0 ? std::numeric_limits<T>::infinity() : newton.residual();
}

template <class T>
std::size_t DynamicsOf<T>::close_batch(States given, Results q, Closure* worst) const {
  const State& state = *state_;
  const std::vector<std::size_t> positions = model().independent_positions();
  const std::size_t nq = state.plan.nq, few = positions.size();
  if (given.rows() != nq && given.rows() != few)
    throw std::invalid_argument(cat("q has ", given.rows(), " rows, but must have ", nq, " for robot ", in_quotes(model().name()),
                                    few == nq ? std::string() : cat(", or ", few, ", its independent positions alone"), ", one state per column"));
  if (q.rows() != nq || q.cols() != given.cols())
    throw std::invalid_argument(cat("the closed q has ", q.rows(), " x ", q.cols(), " numbers, but ", nq, " x ", given.cols(), " are needed"));
  const std::vector<double> reference = model().reference();
  const bool alone = given.rows() < nq;
  Corrector<T, State> newton(state);
  for (std::size_t s = 0; s < given.cols(); ++s) {
    const T* from = given.data() + s * given.stride();
    T* to = q.data() + s * q.stride();
    if (!alone) {
      std::copy_n(from, nq, to);
    } else {
      for (std::size_t k = 0; k < nq; ++k) to[k] = static_cast<T>(reference[k]);
      for (std::size_t k = 0; k < few; ++k) to[positions[k]] = from[k];
    }
    if (state.loops == nullptr) continue;
    if (newton.fits()) {
      T trial[kMostNumbers];
      std::copy_n(to, nq, trial);
      if (alone ? go(state, newton, reference, trial) : newton.converge(trial) && newton.reliable()) {
        std::copy_n(trial, nq, to);
        continue;
      }
    }
    std::vector<double> numbers(to, to + nq);
    const Closure closure = alone ? state.loops->assemble(numbers) : state.loops->close(numbers);
    for (std::size_t k = 0; k < nq; ++k) to[k] = static_cast<T>(numbers[k]);
    if (problem(closure, model().loops()).what.empty()) continue;
    if (worst != nullptr) *worst = closure;
    return s;
  }
  return given.cols();
}

#define ULNA_INSTANTIATE(T)                                \
  template Closure DynamicsOf<T>::close(Out) const;        \
  template T DynamicsOf<T>::close(T*, int) const noexcept; \
  template std::size_t DynamicsOf<T>::close_batch(States, Results, Closure*) const;
ULNA_INSTANTIATE(double)
ULNA_INSTANTIATE(float)
#undef ULNA_INSTANTIATE

}  // namespace ULNA_API
