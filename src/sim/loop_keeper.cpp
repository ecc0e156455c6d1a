#include "sim/loop_keeper.hpp"

#include <algorithm>

#include "loop/continuation.hpp"
#include "text/message.hpp"

namespace ulna::internal::sim {

namespace {

constexpr int kNewtonSteps = 2;  // from a step's error e to about e⁴
/// Nearer to a singular assembly the motion is lost: dependent speeds grow as its inverse. A run may come nearer than a given state (Closure::singular): a
/// parallelogram that passes its flat assembly is there for one evaluation of many, and three digits of it are enough.
constexpr double kPassed = 1e-6;
/// Largest change of a dependent position by closing [rad, or m]. A step that needs more has lost the motion.
constexpr double kJump = 0.1;
constexpr double kClosedWell = 1e-11;
constexpr double kReliablePivot = 0.02;  // of what it is at the reference assembly

}  // namespace

LoopKeeper::LoopKeeper(const Dynamics& dynamics)
    : dynamics_(dynamics),
      loops_(Mechanism::of(dynamics.model())),
      nq_(dynamics.nq()),
      tests_(dynamics.model().sizes().tests),
      out_(nq_ + tests_),
      least_pivots_(pivot_count(dynamics.model().order().rows.size())),
      q_(nq_),
      last_q_(nq_) {
  check(dynamics.model().reference().data());
  std::transform(out_.end() - static_cast<std::ptrdiff_t>(least_pivots_.size()), out_.end(), least_pivots_.begin(),
                 [](double x) { return kReliablePivot * std::abs(x); });
}

LoopKeeper::Check LoopKeeper::check(const double* q) {
  dynamics_.compute(Quantity::closure, {q}, out_.data());
  const double *conditions = out_.data() + nq_, *pivots = out_.data() + out_.size() - least_pivots_.size();
  Check result;
  for (const double* x = conditions; x < pivots; ++x)
    if (!(std::abs(*x) <= result.residual)) result.residual = std::abs(*x);  // NaN, too
  for (std::size_t k = 0; k < least_pivots_.size(); ++k) {
    result.side = pivots[k] < 0 ? -result.side : result.side;
    result.reliable = result.reliable && std::abs(pivots[k]) > least_pivots_[k];
  }
  return result;
}

bool LoopKeeper::reaches(std::vector<double>& q, const std::vector<double>& to) const {
  const Mechanism::Parts& parts = loops_.parts();
  const auto first = q.begin() + static_cast<std::ptrdiff_t>(parts.base_q);
  const ulna::internal::Determined determined(parts);
  ulna::internal::LoopState state(determined.plan);
  std::vector<double> joints(first, q.end());
  state.at(determined.plan, joints.data());
  int steps = 0;
  const bool there = ulna::internal::follow(determined, state, joints, to, steps);
  std::copy(joints.begin(), joints.end(), first);
  return there;
}

void LoopKeeper::lead(std::vector<double>& q, const double* to) const {
  if (!reaches(q, {to, to + loops_.mobility()})) throw LoopsLost("the reference cannot be followed: it leads beyond a singular assembly, or out of reach");
}

LoopKeeper::Closing LoopKeeper::close(double* q) {
  const Check open = check(q);
  if (std::isnan(open.residual)) throw LoopsLost("the state is no longer finite");
  Check done = open;
  for (int k = 0; k < kNewtonSteps || (k == kNewtonSteps && !(done.residual <= kClosedWell)); ++k) {
    std::copy_n(out_.begin(), nq_, q_.begin());
    done = check(q_.data());
  }
  if (!done.reliable || done.side != open.side || !(done.residual <= kClosedWell)) {
    std::copy_n(q, nq_, q_.begin());
    const Closure closure = loops_.close(q_);
    const std::string loop = closure.loop == kNone ? "a loop" : cat("loop ", in_quotes(loops_.loops()[closure.loop].name));
    if (!closure.closed) throw LoopsLost(cat(loop, " does not close any more: residual ", rounded(closure.residual), " (m, or sine of the angle error)"));
    if (closure.singularity < kPassed)
      throw LoopsLost("the assembly is singular: the independent joints do not determine the others here; simulate it with other ones (independent: …)");
    if (closure.crossed) throw LoopsLost("a step led across a singular assembly to another branch; make the step smaller, or take other independent joints");
    done = check(q_.data());
    done.residual = closure.residual;
  }
  for (std::size_t k = 0; k < nq_; ++k)
    if (!(std::abs(q_[k] - q[k]) <= kJump))
      throw LoopsLost(cat("joint ", in_quotes(dynamics_.model().position_names()[k]), " would jump by ", rounded(q_[k] - q[k]),
                          " to close the loops after a step; make the step smaller"));
  if (side_ * done.side < 0) {  // Does q_ follow from last_q_?
    constexpr double kSame = 1e-6;
    const Mechanism::Parts& parts = loops_.parts();
    std::vector<double> to;
    for (const std::size_t k : parts.independent) to.push_back(q_[parts.base_q + k]);
    const auto joints = static_cast<std::ptrdiff_t>(parts.base_q);
    std::vector<double> way = last_q_;
    if (!reaches(way, to) || !std::equal(q_.begin() + joints, q_.end(), way.begin() + joints, [](double x, double y) { return std::abs(x - y) <= kSame; }))
      throw LoopsLost("a step led beyond a singular assembly, to another circuit; make the step smaller, or take other independent joints");
  }
  side_ = done.side;
  last_q_ = q_;
  std::copy(q_.begin(), q_.end(), q);
  return {open.residual, done.residual};
}

}  // namespace ulna::internal::sim
