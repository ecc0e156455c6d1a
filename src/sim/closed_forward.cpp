#include "sim/closed_forward.hpp"

#include <algorithm>
#include <cmath>

#include "loop/continuation.hpp"
#include "text/cat.hpp"
#include "text/number.hpp"
#include "text/quote.hpp"

namespace ulna::sim::internal {

namespace {

constexpr int kSteps = 2;  // of Newton's method: from a step's error e to about e⁴
/// Nearer to a singular assembly the motion is lost: dependent speeds grow as its inverse. A run may come nearer than a state may lie (Closure::singular): a
/// parallelogram that passes its flat assembly is there for one evaluation of many, and three digits of it are enough.
constexpr double kPassed = 1e-6;
/// What closing may change a dependent position by [rad, or m]. A step that leads further away has lost the motion.
constexpr double kJump = 0.1;
constexpr double kClosedWell = 1e-11;

}  // namespace

ClosedForward::ClosedForward(const Mechanism& mechanism, bool rotor)
    : mechanism_(mechanism),
      fast_(mechanism, {.rotor = rotor, .steps = 0}),
      rotor_(rotor),
      q_(mechanism.tree().nq()),
      last_q_(mechanism.tree().nq()),
      u_(mechanism.mobility()),
      last_(mechanism.mobility()),
      result_(mechanism.mobility()),
      v_(mechanism.nv()),
      a_(mechanism.nv()) {}

bool ClosedForward::plain(const Effects& effects) const {
  const Vec3<double> none{};
  const BaseMotion& base = effects.base;
  return fast_.compiled() && effects.wrenches.empty() && !effects.friction && base.angular_velocity == none && base.angular_acceleration == none &&
         base.linear_acceleration == none;
}

void ClosedForward::take(const double* all, std::vector<double>& independent) const {
  for (std::size_t k = 0; k < independent.size(); ++k) independent[k] = all == nullptr ? 0 : all[mechanism_.independent()[k]];
}

void ClosedForward::put(const std::vector<double>& independent, double* all) const {
  for (const std::size_t k : mechanism_.dependent()) all[k] = 0;
  for (std::size_t k = 0; k < independent.size(); ++k) all[mechanism_.independent()[k]] = independent[k];
}

bool ClosedForward::follows() const {
  constexpr double kSame = 1e-6;
  const ulna::internal::Determined determined(mechanism_.parts());
  ulna::internal::LoopState state(determined.plan);
  std::vector<double> q = last_q_, to;
  for (const std::size_t k : mechanism_.independent()) to.push_back(q_[k]);
  state.at(determined.plan, q.data());
  int steps = 0;
  return ulna::internal::follow(determined, state, q, to, steps) &&
         std::equal(q.begin(), q.end(), q_.begin(), [&](double x, double y) { return std::abs(x - y) <= kSame; });
}

ClosedForward::Closing ClosedForward::close(double* q, double* v) {
  const std::size_t nq = q_.size();
  std::copy(q, q + nq, q_.begin());
  Closing closing;
  const ClosedResult open = fast_.close(q_.data(), 0);
  closing.before = open.residual;
  if (std::isnan(closing.before)) throw LoopsLost("the state is no longer finite");
  ClosedResult done = fast_.close(q_.data(), kSteps);
  if (!(done.residual <= kClosedWell)) done = fast_.close(q_.data(), 1);
  closing.after = done.residual;
  const bool slow = !fast_.compiled() || !done.sure || done.side != open.side || !(done.residual <= kClosedWell);
  if (slow) {
    ++unsure_;
    std::copy(q, q + nq, q_.begin());
    const Closure closure = mechanism_.close(q_);
    const std::string loop = closure.loop == kNone ? "a loop" : cat("loop ", in_quotes(mechanism_.loops()[closure.loop].name));
    if (!closure.closed) throw LoopsLost(cat(loop, " does not close any more: its ends stay ", rounded(closure.residual), " m (or rad) apart"));
    if (closure.singularity < kPassed)
      throw LoopsLost(cat("the assembly is singular: the independent joints do not determine the others here; simulate it with other ones (independent: …)"));
    if (closure.crossed) throw LoopsLost("a step led across a singular assembly to another branch; make the step smaller, or take other independent joints");
    closing.after = closure.residual;
    done.side = fast_.close(q_.data(), 0).side;
  }
  for (const std::size_t k : mechanism_.dependent())
    if (!(std::abs(q_[k] - q[k]) <= kJump))
      throw LoopsLost(cat("joint ", in_quotes(mechanism_.tree().velocity_names()[k]), " would jump by ", rounded(q_[k] - q[k]),
                          " to close the loops after a step; make the step smaller"));
  if (side_ * done.side < 0 && !follows())
    throw LoopsLost("a step led beyond a singular assembly, to another circuit; make the step smaller, or take other independent joints");
  side_ = done.side;
  last_q_ = q_;
  std::copy(q_.begin(), q_.end(), q);
  if (v == nullptr) return closing;
  take(v, u_);
  std::fill(last_.begin(), last_.end(), 0.0);
  if (slow)
    mechanism_.velocities({q, nq}, u_, {v, v_.size()});
  else
    fast_.motion(q_.data(), u_.data(), last_.data(), v, a_.data());
  return closing;
}

void ClosedForward::accelerations(const double* q, const double* v, const double* tau, double* a, const Effects& effects) {
  const std::size_t nq = q_.size(), n = v_.size();
  const bool passive = std::any_of(mechanism_.dependent().begin(), mechanism_.dependent().end(), [&](std::size_t k) { return tau[k] != 0; });
  take(v, u_);
  if (plain(effects)) {
    std::copy(q, q + nq, q_.begin());
    if (passive)
      mechanism_.gather({q, nq}, {tau, n}, last_);
    else
      take(tau, last_);
    if (fast_.forward(q_.data(), u_.data(), last_.data(), result_.data()).sure) {
      fast_.motion(q_.data(), u_.data(), result_.data(), v_.data(), a);
      return;
    }
    ++unsure_;
  }
  mechanism_.forward({q, nq}, u_, {tau, n}, result_, effects);
  mechanism_.accelerations({q, nq}, u_, result_, {a, n});
}

void ClosedForward::complete(const double* q, const double* v, double* a) {
  take(v, u_), take(a, last_);
  mechanism_.accelerations({q, q_.size()}, u_, last_, {a, a_.size()});
}

void ClosedForward::torques(const double* q, const double* v, const double* a, double* tau, const Effects& effects) {
  take(v, u_), take(a, last_);
  std::copy(q, q + q_.size(), q_.begin());
  if (!plain(effects) || !fast_.inverse(q_.data(), u_.data(), last_.data(), result_.data()).sure)
    mechanism_.inverse({q, q_.size()}, u_, last_, result_, effects);
  put(result_, tau);
}

void ClosedForward::gravity(const double* q, double* tau) {
  std::copy(q, q + q_.size(), q_.begin());
  if (!fast_.compiled() || !fast_.gravity(q_.data(), result_.data()).sure) mechanism_.gravity({q, q_.size()}, result_);
  put(result_, tau);
}

void ClosedForward::mass(const double* q, double* M) {
  const std::size_t m = u_.size();
  std::copy(q, q + q_.size(), q_.begin());
  if (!fast_.compiled() || !fast_.mass(q_.data(), M).sure) mechanism_.mass({q, q_.size()}, {M, m, m}, rotor_);
}

void ClosedForward::gather(const double* q, double* tau) {
  if (std::all_of(mechanism_.dependent().begin(), mechanism_.dependent().end(), [&](std::size_t k) { return tau[k] == 0; })) return;
  mechanism_.gather({q, q_.size()}, {tau, v_.size()}, result_);
  put(result_, tau);
}

}  // namespace ulna::sim::internal
