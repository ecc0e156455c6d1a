// The reference of robots with loops.
#include <algorithm>
#include <cmath>
#include <utility>

#include "verify/reference_parts.hpp"

namespace ulna::internal {

namespace {

using Real = Reference::Real;
using V = Vec3<Real>;

/// A X = B with rows and columns of largest pivots, until none is left: redundant equations have none, and unknowns without a pivot are zero.
Matrix<Real> eliminate(Matrix<Real> A, Matrix<Real> B) {
  constexpr Real kNone = 1e-13L;  // of the first pivot: what positions in doubles leave of equations that follow from others
  std::vector<std::size_t> row_of, col_of;
  std::vector<bool> row_used(A.rows), col_used(A.cols);
  Real first = 0;
  for (std::size_t step = 0; step < std::min(A.rows, A.cols); ++step) {
    std::size_t row = 0, col = 0;
    Real most = 0;
    for (std::size_t i = 0; i < A.rows; ++i)
      for (std::size_t j = 0; j < A.cols && !row_used[i]; ++j)
        if (!col_used[j] && std::abs(A(i, j)) > most) most = std::abs(A(i, j)), row = i, col = j;
    if (step == 0) first = most;
    if (!(most > kNone * first)) break;
    row_used[row] = col_used[col] = true;
    row_of.push_back(row), col_of.push_back(col);
    for (std::size_t i = 0; i < A.rows; ++i) {
      if (i == row || A(i, col) == 0) continue;
      const Real factor = A(i, col) / A(row, col);
      for (std::size_t j = 0; j < A.cols; ++j) A(i, j) -= factor * A(row, j);
      for (std::size_t j = 0; j < B.cols; ++j) B(i, j) -= factor * B(row, j);
      A(i, col) = 0;
    }
  }
  Matrix<Real> X(A.cols, B.cols);
  for (std::size_t k = 0; k < row_of.size(); ++k)
    for (std::size_t j = 0; j < B.cols; ++j) X(col_of[k], j) = B(row_of[k], j) / A(row_of[k], col_of[k]);
  return X;
}

/// A vector that changes, with its first two rates.
struct Moving {
  V x, rate, second;
};

/// d²/dt² a · b by the product rule, with what comes before it.
struct DotRates {
  Real value, rate, second;
};
DotRates dot_rates(const Moving& a, const Moving& b) {
  return {dot(a.x, b.x), dot(a.rate, b.x) + dot(a.x, b.rate), dot(a.second, b.x) + 2 * dot(a.rate, b.rate) + dot(a.x, b.second)};
}

}  // namespace

/// x = from_conditions b + moved y has J x = b and y at the independent coordinates; drives tau_tree is tau of S tau + Jᵀ mu = tau_tree.
struct Reference::Solved {
  std::vector<Real> q;
  Matrix<Real> J, from_conditions, moved, drives;
};

Reference::Conditions Reference::conditions(const std::vector<Place>& place, const std::vector<Real>& v) const {
  const std::vector<LinkMotion> motion = motions(place, v, std::vector<Real>(tree_, 0), Around::nothing);
  Conditions out;
  for (const Loop& loop : model_.loops()) {
    // A vector that is fixed in a link, and the place of a point of it.
    const auto fixed = [&](std::size_t link, const V& in_link) {
      const LinkMotion& m = motion[link];
      const V x = place[link].X.R * in_link, rate = cross(m.w, x);
      return Moving{x, rate, cross(m.alpha, x) + cross(m.w, rate)};
    };
    const auto point = [&](std::size_t link, const V& in_link) {
      const Moving r = fixed(link, in_link);
      return Moving{place[link].X.p + r.x, motion[link].v + r.rate, motion[link].a + r.second};
    };
    const auto add = [&](const DotRates& row) { out.value.push_back(row.value), out.rate.push_back(row.rate), out.second.push_back(row.second); };
    const V z = loop.axis.cast<Real>(), helper = std::abs(z.x) < 0.5L ? V{1, 0, 0} : V{0, 1, 0};
    const V across = cross(z, helper), x = (1 / std::sqrt(dot(across, across))) * across, y = cross(z, x);
    const auto in_A = [&](const V& axis) { return fixed(loop.predecessor, loop.X_PA.cast<Real>().R * axis); };
    const auto in_B = [&](const V& axis) { return fixed(loop.successor, loop.X_SB.cast<Real>().R * axis); };
    const Moving A = point(loop.predecessor, loop.X_PA.cast<Real>().p), B = point(loop.successor, loop.X_SB.cast<Real>().p);
    const Moving d{B.x - A.x, B.rate - A.rate, B.second - A.second};
    if (meeting_rows(loop.type) == 3)
      for (const V& axis : {V{1, 0, 0}, V{0, 1, 0}, V{0, 0, 1}}) add(dot_rates(d, {axis, {}, {}}));
    if (turning_rows(loop.type) >= 2) add(dot_rates(in_A(x), in_B(z))), add(dot_rates(in_A(y), in_B(z)));
    if (turning_rows(loop.type) == 3) add(dot_rates(in_A(y), in_B(x)));
    if (sliding_rows(loop.type) == 1) add(dot_rates(in_A(z), d));
    if (sliding_rows(loop.type) == 2) add(dot_rates(in_A(x), d)), add(dot_rates(in_A(y), d));
  }
  return out;
}

const Reference::Solved& Reference::solved(const std::vector<Real>& q) const {
  for (std::size_t k = 0; k < solved_.size(); ++k)
    if (solved_[k] != nullptr && solved_[k]->q == q) {
      std::swap(solved_[0], solved_[k]);
      return *solved_[0];
    }
  const std::vector<Place> place = placed(q);
  const std::vector<std::size_t> independent = model_.order().independent;
  Solved now;
  now.q = q;
  std::vector<Real> unit(tree_, 0);
  for (std::size_t j = 0; j < tree_; ++j) {
    unit[j] = 1;
    const std::vector<Real> rate = conditions(place, unit).rate;
    unit[j] = 0;
    if (j == 0) now.J = Matrix<Real>(rate.size(), tree_);
    for (std::size_t i = 0; i < rate.size(); ++i) now.J(i, j) = rate[i];
  }
  const std::size_t rows = now.J.rows, n = tree_;
  Matrix<Real> A(rows + nv_, n), transposed(n, rows + nv_), right(rows + nv_, rows + nv_), identity(n, n);
  for (std::size_t j = 0; j < n; ++j) {
    for (std::size_t i = 0; i < rows; ++i) A(i, j) = transposed(j, i) = now.J(i, j);
    identity(j, j) = 1;
  }
  for (std::size_t k = 0; k < nv_; ++k) A(rows + k, independent[k]) = transposed(independent[k], rows + k) = 1;
  for (std::size_t k = 0; k < rows + nv_; ++k) right(k, k) = 1;
  const Matrix<Real> X = eliminate(std::move(A), std::move(right)), Y = eliminate(std::move(transposed), std::move(identity));
  now.from_conditions = Matrix<Real>(n, rows), now.moved = Matrix<Real>(n, nv_), now.drives = Matrix<Real>(nv_, n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < rows; ++k) now.from_conditions(i, k) = X(i, k);
    for (std::size_t k = 0; k < nv_; ++k) now.moved(i, k) = X(i, rows + k), now.drives(k, i) = Y(rows + k, i);
  }
  solved_[1] = std::exchange(solved_[0], std::make_shared<const Solved>(std::move(now)));
  return *solved_[0];
}

namespace {

std::vector<Real> times(const Matrix<Real>& A, const std::vector<Real>& x) {
  std::vector<Real> out(A.rows, 0);
  for (std::size_t i = 0; i < A.rows; ++i)
    for (std::size_t j = 0; j < A.cols; ++j) out[i] += A(i, j) * x[j];
  return out;
}

/// Differences of sixth order: a step, and its weight over 60 of them.
constexpr std::pair<int, Real> kDifferences[] = {{1, 45}, {2, -9}, {3, 1}};

}  // namespace

std::vector<Real> Reference::speeds(const std::vector<Real>& q, const std::vector<Real>& v) const { return closed() ? times(solved(q).moved, v) : v; }

std::vector<Real> Reference::accelerations(const std::vector<Real>& q, const std::vector<Real>& v, const std::vector<Real>& a) const {
  if (!closed()) return a;
  std::vector<Real> out = times(solved(q).moved, a);
  const std::vector<Real> more = times(solved(q).from_conditions, conditions(placed(q), speeds(q, v)).second);
  for (std::size_t i = 0; i < tree_; ++i) out[i] -= more[i];
  return out;
}

std::vector<Real> Reference::moved_by(const std::vector<Real>& q, std::size_t j) const {
  std::vector<Real> unit(nv_, 0);
  unit[j] = 1;
  return speeds(q, unit);
}

void Reference::gather(const std::vector<Real>& q, std::vector<Real>& tau) const {
  if (closed()) tau = times(solved(q).drives, tau);
}

Real Reference::condition(const std::vector<Real>& q) const {
  if (!closed()) return 1;
  const Solved& s = solved(q);
  Real most = 1;
  for (std::size_t i = 0; i < tree_; ++i) {
    Real sum = 0;
    for (std::size_t k = 0; k < s.J.rows; ++k)
      for (std::size_t j = 0; j < tree_; ++j) sum += std::abs(s.from_conditions(i, k) * s.J(k, j));
    most = std::max(most, sum);
  }
  return most;
}

std::vector<Real> Reference::along(const std::vector<Real>& q, const std::vector<Real>& v, const std::vector<Real>& a, Real t) const {
  if (!closed()) return tree_along(q, v, a, t);
  std::vector<Real> at = tree_along(q, speeds(q, v), accelerations(q, v, a), t);
  // Closed by Newton's method with the matrix of q: steps are short.
  constexpr int kSteps = 12;
  constexpr Real kLast = 1e-19L;
  const std::vector<Real> rest(tree_, 0);
  const std::size_t after = q.size() - tree_;
  for (int k = 0; k < kSteps; ++k) {
    const std::vector<Real> off = times(solved(q).from_conditions, conditions(placed(at), rest).value);
    Real most = 0;
    for (const std::size_t i : model_.order().columns) at[i + after] -= off[i], most = std::max(most, std::abs(off[i]));
    if (most < kLast) break;
  }
  return at;
}

std::vector<std::vector<Real>> Reference::moved_by_rates(const std::vector<Real>& q, const std::vector<Real>& v) const {
  // Accelerations that speeds make are a quadratic form of them, Ġ v, and Ġ its mixed part: exact but for rounding, which differences along the motion are not.
  const std::vector<Real> steady(nv_, 0);
  std::vector<std::vector<Real>> rates;
  for (std::size_t j = 0; j < nv_; ++j) {
    std::vector<Real> faster = v, slower = v;
    faster[j] += 1, slower[j] -= 1;
    std::vector<Real>& own = rates.emplace_back(accelerations(q, faster, steady));
    const std::vector<Real> less = accelerations(q, slower, steady);
    for (std::size_t i = 0; i < tree_; ++i) own[i] = (own[i] - less[i]) / 4;
  }
  return rates;
}

void Reference::closed_derivatives(const std::vector<Real>& q, const std::vector<Real>& v, const std::vector<Real>& a, std::vector<Real>& by_q,
                                   std::vector<Real>& by_v) const {
  by_q.assign(nv_ * nv_, 0);
  by_v.resize(nv_ * nv_);
  std::vector<Real> rates = v, more, less;
  const bool curved = acting_.friction && std::any_of(model_.joints().begin(), model_.joints().end(), [](const Joint& j) { return !j.friction.plain(); });
  constexpr Real kRate = 1e-4L;
  for (std::size_t j = 0; j < nv_ && curved; ++j) {
    std::fill_n(by_v.begin() + static_cast<std::ptrdiff_t>(j * nv_), nv_, Real(0));
    for (const auto& [far, weight] : kDifferences) {
      rates[j] = v[j] + far * kRate;
      torque(q, rates, a, more);
      rates[j] = v[j] - far * kRate;
      torque(q, rates, a, less);
      rates[j] = v[j];
      for (std::size_t i = 0; i < nv_; ++i) by_v[i + j * nv_] += weight * (more[i] - less[i]) / (60 * kRate);
    }
  }
  for (std::size_t j = 0; j < nv_ && !curved; ++j) {
    rates[j] = v[j] + 1;
    torque(q, rates, a, more);
    rates[j] = v[j] - 1;
    torque(q, rates, a, less);
    rates[j] = v[j];
    for (std::size_t i = 0; i < nv_; ++i) by_v[i + j * nv_] = (more[i] - less[i]) / 2;
  }
  const std::vector<Real> steady(nv_, 0);
  for (std::size_t j = 0; j < nv_; ++j) {
    std::vector<Real> way(nv_, 0);
    way[j] = 1;
    Real fastest = 1;
    for (const Real rate : speeds(q, way)) fastest += std::abs(rate);
    const Real step = 1e-3L / (condition(q) * fastest);
    for (const auto& [far, weight] : kDifferences) {
      torque(along(q, way, steady, far * step), v, a, more);
      torque(along(q, way, steady, -far * step), v, a, less);
      for (std::size_t i = 0; i < nv_; ++i) by_q[i + j * nv_] += weight * (more[i] - less[i]) / (60 * step);
    }
  }
}

std::vector<Real> Reference::jacobian(const std::vector<Real>& q, std::size_t link) const {
  const std::vector<Real> of_tree = tree_jacobian(q, link);
  if (!closed()) return of_tree;
  std::vector<Real> J(6 * nv_, 0);
  for (std::size_t j = 0; j < nv_; ++j) {
    const std::vector<Real> way = moved_by(q, j);
    for (std::size_t k = 0; k < tree_; ++k)
      for (std::size_t i = 0; i < 6; ++i) J[i + 6 * j] += of_tree[i + 6 * k] * way[k];
  }
  return J;
}

}  // namespace ulna::internal
