// Positions: Newton's method on the conditions of the loops.
#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "loop/continuation.hpp"
#include "text/message.hpp"

namespace ulna {

namespace internal {

namespace {

/// The rotation vector, in axes of A, that takes the frame A of a loop to frame B: all its axes, or z alone.
Vec3<double> rotated(const Mat3<double>& A, const Mat3<double>& B, bool axis_alone) {
  if (!axis_alone) {
    const Quaternion r = quaternion(A.transposed() * B);
    const Vec3<double> v{r.x, r.y, r.z};
    const double sine = std::sqrt(dot(v, v));  // of half the angle
    return (sine > 0 ? 2 * std::atan2(sine, r.w) / sine : 2.0) * v;
  }
  const Vec3<double> z = tmul(A, B.column_z()), n{-z.y, z.x, 0};  // z_A × z_B
  const double sine = std::sqrt(dot(n, n)), angle = std::atan2(sine, z.z);
  return sine > 0 ? (angle / sine) * n : Vec3<double>{angle, 0, 0};  // half a turn: about any axis
}

}  // namespace

void LoopState::at(const Plan& plan, const double* q) {
  kernel::place(plan, ws, q);
  const double* none = nullptr;
  double* nothing = nullptr;
  kernel::loop_equations(plan, ws, none, phi.data(), J.entries.data(), nothing, ws.closed);
  for (const LoopRowsOf<double>& loop : plan.loops) {
    const std::size_t held = turning_rows(loop.type), first = loop.first + meeting_rows(loop.type);
    if (held == 0) continue;
    const Mat3<double> A = kernel::follow(plan, ws, loop.to_A, loop.X_A, none, ws.closed).X.R,
                       B = kernel::follow(plan, ws, loop.to_B, loop.X_B, none, ws.closed).X.R;
    const Vec3<double> rho = rotated(A, B, held < 3);
    const double angles[] = {rho.y, -rho.x, rho.z};  // of x_A · z_B, y_A · z_B, y_A · x_B
    const Vec3<double> about[] = {kernel::column_y(A), -kernel::column_x(A), A.column_z()};
    for (std::size_t k = 0; k < held; ++k) {
      phi[first + k] = angles[k];
      double* row = &J(first + k, 0);
      std::fill(row, row + J.cols, 0.0);
      const auto add = [&](const std::vector<std::size_t>& path, double sign) {
        for (const std::size_t i : path) {
          const PlanBody<double>& body = plan.bodies[i];
          if (!body.prismatic) row[body.v] += sign * (plan.coupled ? body.multiplier : 1.0) * dot(ws.closed.z[i], about[k]);
        }
      };
      add(loop.to_B, 1), add(loop.to_A, -1);
    }
  }
}

Matrix<double> dependent_part(const Mechanism::Parts& parts, const Matrix<double>& J) { return Determined(parts).part(J); }

namespace {

double squares(const std::vector<double>& x) {
  double sum = 0;
  for (const double value : x) sum += value * value;
  return std::isfinite(sum) ? sum : INFINITY;
}

constexpr double kLongestStep = 0.5;  // [rad, or m]: beyond, the linearisation does not hold

/// x less a part of the step that makes the conditions smaller. False when no part does.
template <class Set>
bool descend(const Plan& plan, LoopState& state, std::vector<double>& q, const std::vector<double>& step, const Set& set) {
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

}  // namespace

bool project(const Plan& plan, LoopState& state, std::vector<double>& q) {
  state.at(plan, q.data());
  for (int step = 0; step < 100; ++step) {
    const RowSvd svd(state.J);
    const std::vector<double> dq = svd.solve(state.phi, 1e-7 * svd.largest());
    const bool better = descend(plan, state, q, dq, [&](std::vector<double>& to, const std::vector<double>& from, double part) {
      for (std::size_t k = 0; k < to.size(); ++k) to[k] = from[k] - part * dq[k];
    });
    if (!better) break;
  }
  return largest(state.phi) <= kClosed;
}

void find_largest(const Plan& plan, LoopState& state, Closure& closure) {
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
  closure.closed = closure.residual <= 10 * kClosed;
  if (parts.rows.empty()) {
    closure.singularity = 1;
    return;
  }
  const RowSvd svd(dependent_part(parts, state.J));
  closure.singularity = svd.largest() > 0 ? *std::min_element(svd.s.begin(), svd.s.end()) / svd.largest() : 0;
  closure.singular = closure.singularity < kSingular;
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
    if (!better) break;  // converged to rounding, or stuck
  }
  judge(parts, state, closure);
  return closure;
}

/// Of the joints, without a base that moves.
std::vector<double> positions(const Mechanism::Parts& p, const double* q, std::size_t size) {
  const std::size_t nq = p.base_q + p.tree.nq();
  if (size != nq) throw std::invalid_argument(cat("q has ", size, " entries, but robot ", in_quotes(p.tree.name()), " has nq = ", nq));
  return {q + p.base_q, q + size};
}

bool finite(const std::vector<double>& q) {
  return std::all_of(q.begin(), q.end(), [](double value) { return std::isfinite(value); });
}

Closure not_a_number() {
  Closure closure;
  closure.residual = closure.singularity = std::numeric_limits<double>::quiet_NaN();
  return closure;
}

/// Dependent positions of a state that is not known.
Closure not_a_number(const Mechanism::Parts& p, double* q) {
  for (const std::size_t k : p.dependent) q[p.base_q + k] = std::numeric_limits<double>::quiet_NaN();
  return not_a_number();
}

/// Whether two configurations lie on either side of a singular assembly.
bool opposite(const Lu<double>& x, const Lu<double>& y) {
  constexpr double kClear = 1e-6;
  return x.health() > kClear && y.health() > kClear && x.negative() != y.negative();
}

/// By the closed form on a branch, then by Newton's method down to rounding.
Closure by_dyads(const Mechanism::Parts& p, LoopState& state, const std::vector<int>& branch, std::vector<double>& q) {
  solve_dyads(p.plan, p.dyads, branch, state, q);
  return newton(p, state, q);
}

/// From the reference assembly to the independent positions of `wanted`, which becomes closed.
Closure assembled(const Mechanism::Parts& p, std::vector<double>& wanted) {
  std::vector<double> to, q = p.reference;
  for (const std::size_t k : p.independent) to.push_back(wanted[k]);
  if (!finite(to)) {
    for (const std::size_t k : p.dependent) wanted[k] = std::numeric_limits<double>::quiet_NaN();
    return not_a_number();
  }
  LoopState state(p.plan);
  const auto place = [&](const std::vector<double>& dependent) {
    q = dependent;
    for (std::size_t k = 0; k < to.size(); ++k) q[p.independent[k]] = to[k];
    state.at(p.plan, q.data());
  };
  int steps = 0;
  const bool there = p.rows.empty() || reach(Determined(p), state, q, to, steps);
  std::vector<double> last = q;
  place(last);
  Closure closure = newton(p, state, q);
  if (!there) {  // Is there an assembly at all? The last point on the path, the closed form and the reference are tried.
    if (!closure.closed && !p.dyads.empty()) place(last), closure = by_dyads(p, state, p.branch, q);
    if (!closure.closed) place(p.reference), closure = newton(p, state, q);
    closure.crossed = closure.closed;
  }
  closure.steps += steps;
  wanted = q;
  return closure;
}

}  // namespace

ClosureProblem problem(const Closure& closure, const std::vector<Loop>& loops) {
  if (std::isnan(closure.residual)) return {};
  if (!closure.closed)
    return {cat(closure.loop < loops.size() ? cat("loop ", in_quotes(loops[closure.loop].name)) : "a loop", " does not close in this state: residual ",
                rounded(closure.residual), " (m, or sine of the angle error)"),
            "give positions of the independent joints that the links can reach, and a guess (q.NAME) of the dependent ones"};
  if (closure.singular)
    return {cat("the assembly is singular: the independent joints do not determine the others here (", rounded(closure.singularity), " of 1, at least ",
                kSingular, ")"),
            "take another state, or other independent joints"};
  if (closure.crossed)
    return {"the loops close beyond a singular assembly only, perhaps on another circuit",
            "give a guess (q.NAME) of the dependent joints, on the circuit that is meant"};
  return {};
}

Closure Mechanism::close(Out out) const {
  const Parts& p = *parts_;
  const std::vector<double> guess = positions(p, out.data(), out.size());
  if (!finite(guess)) return not_a_number(p, out.data());
  std::vector<double> q = guess;
  LoopState state(p.plan);
  state.at(p.plan, q.data());
  const Lu<double> before(dependent_part(p, state.J));
  Closure closure = newton(p, state, q);
  const auto try_else = [&](const Closure& second, const std::vector<double>& other) {
    if (second.closed) closure = second, q = other;
  };
  if (!closure.closed && !p.dyads.empty()) {  // on the branch of the guess
    std::vector<double> other = guess;
    try_else(by_dyads(p, state, branches(p.plan, p.dyads, state, other), other), other);
  }
  if (!closure.closed) {
    std::vector<double> other = guess;
    try_else(assembled(p, other), other);
  }
  if (closure.closed) {
    state.at(p.plan, q.data());
    closure.crossed = closure.crossed || opposite(before, Lu<double>(dependent_part(p, state.J)));
  }
  std::copy(q.begin(), q.end(), out.data() + p.base_q);
  return closure;
}

Closure Mechanism::assemble(Out out) const {
  const Parts& p = *parts_;
  std::vector<double> q = positions(p, out.data(), out.size());
  const Closure closure = assembled(p, q);
  std::copy(q.begin(), q.end(), out.data() + p.base_q);
  return closure;
}

Closure Mechanism::residual(In q) const {
  const Parts& p = *parts_;
  const std::vector<double> given = positions(p, q.data(), q.size());
  if (!finite(given)) return not_a_number();
  LoopState state(p.plan);
  state.at(p.plan, given.data());
  Closure closure;
  judge(p, state, closure);
  return closure;
}

}  // namespace ulna
