// Positions: Newton's method on the conditions of the loops.
#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "loop/mechanism_parts.hpp"
#include "text/cat.hpp"
#include "text/quote.hpp"

namespace ulna {

namespace internal {

void LoopState::at(const LoopPlan& plan, const double* q) {
  kernel::place(plan.tree, ws, q);
  const double* none = nullptr;
  double* nothing = nullptr;
  loop_equations(plan, ws, none, phi.data(), J.entries.data(), nothing, scratch);
}

Matrix<double> dependent_part(const Mechanism::Parts& parts, const Matrix<double>& J) {
  const std::size_t r = parts.rows.size();
  Matrix<double> part(r, r);
  for (std::size_t i = 0; i < r; ++i)
    for (std::size_t k = 0; k < r; ++k) part(i, k) = J(parts.rows[i], parts.dependent[k]);
  return part;
}

namespace {

double largest(const std::vector<double>& x) {
  double most = 0;
  for (const double value : x) most = std::max(most, std::isfinite(value) ? std::abs(value) : INFINITY);
  return most;
}

double squares(const std::vector<double>& x) {
  double sum = 0;
  for (const double value : x) sum += value * value;
  return std::isfinite(sum) ? sum : INFINITY;
}

constexpr double kLongestStep = 0.5;  // [rad, or m]: beyond, the conditions are no longer what they were

/// x less a part of the step that makes the conditions smaller. False when no part does.
template <class Set>
bool descend(const LoopPlan& plan, LoopState& state, std::vector<double>& q, const std::vector<double>& step, const Set& set) {
  const double before = squares(state.phi);
  const std::vector<double> start = q;
  double part = std::min(1.0, kLongestStep / std::max(largest(step), 1e-300));
  for (int halving = 0; halving < 12; ++halving, part /= 2) {
    set(q, start, part);
    state.at(plan, q.data());
    if (squares(state.phi) < before) return true;
  }
  set(q, start, 0.0);
  state.at(plan, q.data());
  return false;
}

/// Axes that a loop holds parallel must not point opposite ways.
bool faces(const LoopPlan& plan, LoopState& state) {
  return std::all_of(plan.loops.begin(), plan.loops.end(), [&](const LoopRowsOf<double>& loop) {
    const std::size_t held = turning_rows(loop.type);
    return (held < 2 || facing(plan, state.ws, loop, false, state.scratch) > 0) && (held < 3 || facing(plan, state.ws, loop, true, state.scratch) > 0);
  });
}

}  // namespace

bool project(const LoopPlan& plan, LoopState& state, std::vector<double>& q) {
  state.at(plan, q.data());
  for (int step = 0; step < 100; ++step) {
    const RowSvd svd(state.J);
    const std::vector<double> dq = svd.solve(state.phi, 1e-7 * svd.largest());
    const bool better = descend(plan, state, q, dq, [&](std::vector<double>& to, const std::vector<double>& from, double part) {
      for (std::size_t k = 0; k < to.size(); ++k) to[k] = from[k] - part * dq[k];
    });
    if (!better) break;
  }
  return largest(state.phi) <= kClosed && faces(plan, state);
}

void find_largest(const LoopPlan& plan, LoopState& state, Closure& closure) {
  closure.residual = 0;
  for (std::size_t l = 0; l < plan.loops.size(); ++l) {
    const LoopRowsOf<double>& loop = plan.loops[l];
    for (std::size_t row = loop.first; row < loop.first + loop_rows(loop.type); ++row) {
      const double size = std::isfinite(state.phi[row]) ? std::abs(state.phi[row]) : INFINITY;
      if (size > closure.residual) closure.residual = size, closure.loop = l;
    }
  }
}

}  // namespace internal

using namespace internal;

namespace {

void judge(const Mechanism::Parts& parts, LoopState& state, Closure& closure) {
  find_largest(parts.plan, state, closure);
  closure.closed = closure.residual <= 10 * kClosed && faces(parts.plan, state);
  if (parts.rows.empty()) {
    closure.singularity = 1;
    return;
  }
  const RowSvd svd(dependent_part(parts, state.J));
  closure.singularity = svd.largest() > 0 ? *std::min_element(svd.s.begin(), svd.s.end()) / svd.largest() : 0;
}

/// Newton's method on the dependent positions. `state` is at q before and after.
Closure newton(const Mechanism::Parts& parts, LoopState& state, std::vector<double>& q) {
  constexpr int kMostSteps = 60;
  Closure closure;
  const std::size_t r = parts.rows.size();
  std::vector<double> rest(r);
  for (; closure.steps < kMostSteps; ++closure.steps) {
    for (std::size_t i = 0; i < r; ++i) rest[i] = state.phi[parts.rows[i]];
    if (largest(state.phi) == 0) break;
    const Matrix<double> J = dependent_part(parts, state.J);
    const Lu<double> lu(J);
    // Near a singular assembly the shortest step that helps is taken instead.
    std::vector<double> step;
    if (lu.health() > 1e-8) {
      step = lu.solve(rest);
    } else {
      const RowSvd svd(J);
      step = svd.solve(rest, 1e-4 * svd.largest());
    }
    const bool better = descend(parts.plan, state, q, step, [&](std::vector<double>& to, const std::vector<double>& from, double part) {
      to = from;
      for (std::size_t k = 0; k < r; ++k) to[parts.dependent[k]] -= part * step[k];
    });
    if (!better) break;  // all that rounding allows, or a place where no step helps
  }
  judge(parts, state, closure);
  return closure;
}

}  // namespace

namespace {

std::vector<double> positions(const Mechanism::Parts& p, const double* q, std::size_t size) {
  if (size != p.tree.nq()) throw std::invalid_argument(cat("q has ", size, " entries, but robot ", in_quotes(p.tree.name()), " has nq = ", p.tree.nq()));
  return {q, q + size};
}

bool finite(const std::vector<double>& q) {
  return std::all_of(q.begin(), q.end(), [](double value) { return std::isfinite(value); });
}

Closure not_a_number() {
  Closure closure;
  closure.residual = std::numeric_limits<double>::quiet_NaN();
  return closure;
}

/// From the reference to the independent positions of q, along a straight line of them.
Closure follow_line(const Mechanism::Parts& p, LoopState& state, std::vector<double>& q) {
  constexpr int kParts = 32;
  std::vector<double> moved = p.reference;
  Closure closure;
  for (int part = 1; part <= kParts; ++part) {
    for (const std::size_t k : p.independent) moved[k] = part == kParts ? q[k] : p.reference[k] + (q[k] - p.reference[k]) * part / kParts;
    state.at(p.plan, moved.data());
    const int steps = closure.steps;
    closure = newton(p, state, moved);
    closure.steps += steps;
    if (!closure.closed && part < kParts) continue;  // a singular assembly on the way may be passed
  }
  q = moved;
  return closure;
}

/// The same by closed forms: each place follows from the one before, so that joints turn as far as they do on the way.
Closure follow_dyads(const Mechanism::Parts& p, LoopState& state, std::vector<double>& q) {
  constexpr int kParts = 16;
  std::vector<double> moved = p.reference;
  for (int part = 1; part <= kParts; ++part) {
    for (const std::size_t k : p.independent) moved[k] = part == kParts ? q[k] : p.reference[k] + (q[k] - p.reference[k]) * part / kParts;
    solve_dyads(p.plan, p.dyads, p.branch, state, moved);
  }
  const Closure closure = newton(p, state, moved);  // roundings are left
  if (closure.closed) q = moved;
  return closure;
}

}  // namespace

Closure Mechanism::close(Out out) const {
  const Parts& p = *parts_;
  std::vector<double> q = positions(p, out.data(), out.size());
  if (!finite(q)) return not_a_number();
  LoopState state(p.plan);
  state.at(p.plan, q.data());
  const Lu<double> before(dependent_part(p, state.J));
  Closure closure = newton(p, state, q);
  if (closure.closed) {
    const Lu<double> after(dependent_part(p, state.J));
    closure.crossed = before.health() > 1e-6 && after.health() > 1e-6 && before.negative() != after.negative();
  } else {
    const auto try_else = [&](const Closure& second, const std::vector<double>& other) {
      if (second.closed) closure = second, q = other;
    };
    if (!p.dyads.empty()) {  // on the branch of the guess
      std::vector<double> other(out.data(), out.data() + out.size());
      solve_dyads(p.plan, p.dyads, branches(p.plan, p.dyads, state, other), state, other);
      try_else(newton(p, state, other), other);
    }
    if (!closure.closed) {
      std::vector<double> other = q;
      const Closure second = follow_line(p, state, other);
      try_else(second, other);
    }
  }
  std::copy(q.begin(), q.end(), out.data());
  return closure;
}

Closure Mechanism::assemble(Out out) const {
  const Parts& p = *parts_;
  std::vector<double> q = positions(p, out.data(), out.size());
  if (!finite(q)) return not_a_number();
  LoopState state(p.plan);
  // Step by step first: a parallelogram that goes through its flat place stays one, where the branch of its circles changes.
  std::vector<double> other = q;
  Closure closure = follow_line(p, state, q);
  if (!closure.closed && !p.dyads.empty()) {
    const Closure second = follow_dyads(p, state, other);
    if (second.closed) closure = second, q = other;
  }
  std::copy(q.begin(), q.end(), out.data());
  return closure;
}

Closure Mechanism::residual(In q) const {
  const Parts& p = *parts_;
  const std::vector<double> given = positions(p, q.data(), q.size());
  LoopState state(p.plan);
  state.at(p.plan, given.data());
  Closure closure;
  judge(p, state, closure);
  return closure;
}

}  // namespace ulna
