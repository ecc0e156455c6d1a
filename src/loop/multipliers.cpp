#include "loop/multipliers.hpp"

#include <algorithm>

#include <ulna/dynamics/compute-inl.hpp>

#include "loop/mechanism_parts.hpp"

namespace ulna::internal {

namespace {

using Real = long double;

/// Rows and columns of largest pivots, until none is left: redundant equations have none, and their unknowns are zero.
std::vector<Real> eliminate(Matrix<Real> A, std::vector<Real> b) {
  const std::size_t rows = A.rows, cols = A.cols;
  std::vector<std::size_t> row_of, col_of;
  std::vector<bool> row_used(rows), col_used(cols);
  Real first = 0;
  for (std::size_t step = 0; step < std::min(rows, cols); ++step) {
    std::size_t row = 0, col = 0;
    Real most = 0;
    for (std::size_t i = 0; i < rows; ++i)
      for (std::size_t j = 0; j < cols; ++j)
        if (!row_used[i] && !col_used[j] && std::abs(A(i, j)) > most) most = std::abs(A(i, j)), row = i, col = j;
    if (step == 0) first = most;
    if (!(most > 1e-13L * first)) break;
    row_used[row] = col_used[col] = true;
    row_of.push_back(row), col_of.push_back(col);
    for (std::size_t i = 0; i < rows; ++i) {
      if (i == row || A(i, col) == 0) continue;
      const Real factor = A(i, col) / A(row, col);
      for (std::size_t j = 0; j < cols; ++j) A(i, j) -= factor * A(row, j);
      A(i, col) = 0;
      b[i] -= factor * b[row];
    }
  }
  std::vector<Real> x(cols, 0);
  for (std::size_t k = 0; k < row_of.size(); ++k) x[col_of[k]] = b[row_of[k]] / A(row_of[k], col_of[k]);
  return x;
}

/// Coefficients at one state: M, h, J, c, and v that follows from u.
struct System {
  std::size_t n, rows;
  Matrix<Real> M, J;
  std::vector<Real> h, c, v;

  System(const Mechanism& robot, const double* at, const double* u, const Effects& given)
      : n(robot.nv()), rows(robot.equations()), M(n, n), J(rows, n), h(n), c(rows), v(n) {
    const Mechanism::Parts& p = robot.parts();
    const Plan& plan = p.plan;
    const std::vector<Real> q(at, at + n);
    WorkspaceOf<Real> ws(plan);
    kernel::place(plan, ws, q.data());
    const Real* none = nullptr;
    Real* nothing = nullptr;
    kernel::loop_equations(plan, ws, none, nothing, J.entries.data(), nothing, ws.closed);
    Matrix<Real> A(rows + robot.mobility(), n);  // J v = 0, v_I = u
    std::vector<Real> b(A.rows, 0);
    A.entries.assign(J.entries.begin(), J.entries.end());
    A.entries.resize(A.rows * n, 0);
    for (std::size_t k = 0; k < robot.mobility(); ++k) A(rows + k, robot.independent()[k]) = 1, b[rows + k] = u == nullptr ? 0 : u[k];
    v = eliminate(std::move(A), std::move(b));
    kernel::loop_equations(plan, ws, v.data(), nothing, nothing, c.data(), ws.closed);
    EffectsOf<Real> effects;
    effects.rotor = given.rotor;
    effects.friction = given.friction;
    std::vector<WrenchOf<Real>> wrenches;
    for (const Wrench& w : given.wrenches) wrenches.push_back({w.link, w.axes, w.force.cast<Real>(), w.moment.cast<Real>()});
    effects.wrenches = wrenches;
    kernel::inverse_dynamics(plan, ws, q.data(), v.data(), none, h.data(), effects);
    std::vector<Real> a(n, 0), column(n);
    for (std::size_t k = 0; k < n; ++k) {
      a[k] = 1;
      kernel::inverse_dynamics(plan, ws, q.data(), v.data(), a.data(), column.data(), effects);
      a[k] = 0;
      for (std::size_t i = 0; i < n; ++i) M(i, k) = column[i] - h[i];
    }
  }

  /// [M -Jᵀ; J 0] [v̇; mu] = [right; -c], with `more` columns and rows besides.
  Matrix<Real> matrix(std::size_t more) const {
    Matrix<Real> A(n + rows + more, n + rows + more);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j) A(i, j) = M(i, j);
    for (std::size_t i = 0; i < rows; ++i)
      for (std::size_t j = 0; j < n; ++j) A(n + i, j) = J(i, j), A(j, n + i) = -J(i, j);
    return A;
  }
};

}  // namespace

ByMultipliers inverse_by_multipliers(const Mechanism& robot, const double* q, const double* u, const double* u_dot, const Effects& effects) {
  const System s(robot, q, u, effects);
  const std::size_t m = robot.mobility(), first = s.n + s.rows;
  Matrix<Real> A = s.matrix(m);
  std::vector<Real> b(first + m, 0);
  for (std::size_t i = 0; i < s.n; ++i) b[i] = -s.h[i];
  for (std::size_t i = 0; i < s.rows; ++i) b[s.n + i] = -s.c[i];
  for (std::size_t k = 0; k < m; ++k) {
    A(robot.independent()[k], first + k) = -1;
    A(first + k, robot.independent()[k]) = 1;
    b[first + k] = u_dot == nullptr ? 0 : u_dot[k];
  }
  const std::vector<Real> x = eliminate(std::move(A), std::move(b));
  ByMultipliers out{{x.begin() + static_cast<std::ptrdiff_t>(first), x.end()}, s.v, {x.begin(), x.begin() + static_cast<std::ptrdiff_t>(s.n)}};
  Real most = 0, least = 0;
  for (std::size_t i = 0; i < s.n; ++i) {
    Real torque = std::abs(s.h[i]);
    for (std::size_t j = 0; j < s.n; ++j) torque += std::abs(s.M(i, j) * x[j]);
    out.tree_torque = std::max(out.tree_torque, static_cast<double>(torque));
    most = std::max(most, s.M(i, i));
    if (s.M(i, i) > 0 && (least == 0 || s.M(i, i) < least)) least = s.M(i, i);
  }
  if (least > 0) out.condition = static_cast<double>(most / least);
  return out;
}

std::vector<long double> forward_by_multipliers(const Mechanism& robot, const double* q, const double* u, const double* tau, const Effects& effects) {
  const System s(robot, q, u, effects);
  std::vector<Real> b(s.n + s.rows, 0);
  for (std::size_t i = 0; i < s.n; ++i) b[i] = -s.h[i];
  for (std::size_t k = 0; k < robot.mobility(); ++k) b[robot.independent()[k]] += tau[k];
  for (std::size_t i = 0; i < s.rows; ++i) b[s.n + i] = -s.c[i];
  const std::vector<Real> x = eliminate(s.matrix(0), std::move(b));
  std::vector<Real> out;
  for (const std::size_t k : robot.independent()) out.push_back(x[k]);
  return out;
}

EnergyOf<long double> energy_by_multipliers(const Mechanism& robot, const double* q, const double* u, const Effects& effects) {
  const System s(robot, q, u, effects);
  const Plan& tree = robot.parts().plan;
  WorkspaceOf<Real> ws(tree);
  EffectsOf<Real> same;
  same.rotor = effects.rotor;
  const std::vector<Real> at(q, q + s.n);
  return kernel::energy(tree, ws, at.data(), s.v.data(), same);
}

}  // namespace ulna::internal
