#include "loop/continuation.hpp"

#include <numbers>

namespace ulna::internal {

namespace {

constexpr double kTurn = 2 * std::numbers::pi;
constexpr double kLongest = 0.3;               // step [rad, or m]
constexpr double kShortest = 0.1 * kSingular;  // a path that needs shorter ones has met a singular assembly
constexpr int kMostRound = 200;                // steps of a whole turn: joints that can rotate fully need some fifty
// Straight through a singular assembly: from kShortest before it to the same distance again and again beyond, if the tangent is what it was before.
constexpr double kLeap = 1e-3, kSteepest = 100, kStraight = 0.05;
constexpr double kRelative = 0.5;    // change of J_D in a step
constexpr double kMostWound = 1000;  // [rad]

/// ‖J⁻¹ (Y - J)‖, by the smallest of three norms: below 1, all matrices between J and Y are regular, and their determinants have one sign.
double relative_change(const Lu<double>& J_inverse, const Matrix<double>& J, const Matrix<double>& Y) {
  const std::size_t r = J.rows;
  std::vector<double> column(r), row_sums(r, 0.0);
  double squares = 0, largest_column = 0;
  for (std::size_t k = 0; k < r; ++k) {
    for (std::size_t i = 0; i < r; ++i) column[i] = Y(i, k) - J(i, k);
    double sum = 0;
    const std::vector<double> x = J_inverse.solve(column);
    for (std::size_t i = 0; i < r; ++i) squares += x[i] * x[i], sum += std::abs(x[i]), row_sums[i] += std::abs(x[i]);
    largest_column = std::max(largest_column, sum);
  }
  return std::min({std::sqrt(squares), largest_column, largest(row_sums)});
}

std::vector<double> left(const Determined& d, const LoopState& state) {
  std::vector<double> phi;
  for (const std::size_t row : d.rows) phi.push_back(state.phi[row]);
  return phi;
}

/// Newton's method until rounding is left. False where it does not converge.
bool correct(const Determined& d, LoopState& state, std::vector<double>& q, int& steps) {
  constexpr int kMost = 10;
  std::vector<double> phi = left(d, state), before;
  for (int k = 0; k < kMost; ++k, ++steps) {
    const double size = largest(phi);
    if (size == 0) return true;
    before = q;
    const std::vector<double> step = Lu<double>(d.part(state.J)).solve(phi);
    if (!(largest(step) <= kLongest)) return false;
    for (std::size_t i = 0; i < step.size(); ++i) q[d.dependent[i]] -= step[i];
    state.at(d.plan, q.data());
    phi = left(d, state);
    if (largest(phi) < size) continue;
    q = before;
    state.at(d.plan, q.data());
    return size <= 10 * kClosed;
  }
  return largest(phi) <= kClosed;
}

/// dq_D/ds = -J_D⁻¹ J_I dq_I/ds.
std::vector<double> tangent(const Determined& d, const LoopState& state, const Lu<double>& lu, const std::vector<double>& line) {
  std::vector<double> right(d.rows.size(), 0.0);
  for (std::size_t i = 0; i < right.size(); ++i)
    for (std::size_t k = 0; k < line.size(); ++k) right[i] -= state.J(d.rows[i], d.independent[k]) * line[k];
  return lu.solve(right);
}

double whole_turns(double angle) { return std::round(angle / kTurn); }

/// The number of whole turns of a joint after which its followers have made whole turns, too; none is found for multipliers of more digits.
double turns_of_followers(const Plan& plan, std::size_t coordinate) {
  constexpr int kMost = 1000;
  for (int turns = 1; turns <= kMost; ++turns)
    if (std::all_of(plan.bodies.begin(), plan.bodies.end(), [&](const PlanBody<double>& body) {
          const double turned = turns * body.multiplier;
          return body.v != coordinate || body.prismatic || std::abs(turned - std::round(turned)) < 1e-9;
        }))
      return turns;
  return kMost;
}

}  // namespace

Matrix<double> Determined::part(const Matrix<double>& J) const {
  Matrix<double> out(rows.size(), rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (std::size_t k = 0; k < rows.size(); ++k) out(i, k) = J(rows[i], dependent[k]);
  return out;
}

bool follow(const Determined& d, LoopState& state, std::vector<double>& q, const std::vector<double>& to, int& steps, int most) {
  std::vector<double> from, line, next;
  for (std::size_t k = 0; k < to.size(); ++k) from.push_back(q[d.independent[k]]), line.push_back(to[k] - from[k]);
  double s = 0, h = 1;  // of the line
  std::vector<double> slope;
  const auto predict = [&](double until) {
    next = q;
    for (std::size_t k = 0; k < to.size(); ++k) next[d.independent[k]] = until == 1 ? to[k] : from[k] + until * line[k];
    for (std::size_t k = 0; k < slope.size(); ++k) next[d.dependent[k]] += (until - s) * slope[k];
    state.at(d.plan, next.data());
  };
  const auto stay = [&] { return state.at(d.plan, q.data()), false; };
  for (int step = 0; s < 1; ++step) {
    const Matrix<double> J = d.part(state.J);
    const Lu<double> lu(J);
    if (!(lu.health() > 0) || step == most) return stay();
    slope = tangent(d, state, lu, line);
    const double speed = std::max(largest(line), largest(slope));
    if (speed == 0) break;
    h = std::min({2 * h, 1 - s, kLongest / speed});
    const auto regular = [&] { return relative_change(lu, J, d.part(state.J)) <= kRelative; };
    double until = 1;
    while (true) {
      until = h < 1 - s ? s + h : 1;
      predict(until);
      if (regular() && correct(d, state, next, steps) && regular()) break;
      h /= 2;
      if (h * speed >= kShortest) continue;
      // A singular assembly: the path ends, or it continues straight.
      const bool near_end = (1 - s) * speed <= kLeap;
      if (!near_end && largest(slope) > kSteepest * largest(line)) return stay();
      until = near_end ? 1 : s + kLeap / speed;
      predict(until);
      const std::vector<double> straight = next;
      if (!correct(d, state, next, steps)) return stay();
      double moved = 0;
      for (const std::size_t k : d.dependent) moved = std::max(moved, std::abs(next[k] - straight[k]));
      if (near_end && moved <= kLeap) break;
      const std::vector<double> beyond = tangent(d, state, Lu<double>(d.part(state.J)), line);
      for (std::size_t k = 0; k < beyond.size(); ++k)
        if (!(std::abs(beyond[k] - slope[k]) <= kStraight * speed)) return stay();
      if (!(moved <= kStraight * kLeap)) return stay();
      break;
    }
    q = next;
    s = until;
  }
  return true;
}

std::vector<bool> periodic(const Plan& plan) {
  const std::vector<PlanBody<double>>& bodies = plan.bodies;
  std::vector<bool> out(plan.nv, true);
  for (const PlanBody<double>& body : bodies)
    if (body.prismatic) out[body.v] = false;
  for (const LoopRowsOf<double>& loop : plan.loops)
    for (const std::vector<std::size_t>* path : {&loop.to_A, &loop.to_B})
      for (const std::size_t i : *path)
        if (bodies[i].multiplier != std::round(bodies[i].multiplier)) out[bodies[i].v] = false;
  return out;
}

bool reach(const Determined& d, LoopState& state, std::vector<double>& q, const std::vector<double>& to, int& steps) {
  const std::vector<bool> turns = periodic(d.plan);
  const std::size_t m = d.independent.size();
  const auto independent = [&](const std::vector<double>& at) {
    std::vector<double> out;
    for (const std::size_t k : d.independent) out.push_back(at[k]);
    return out;
  };
  // The sine and cosine of a large angle are exact, multiples of a rounded 2π are not.
  const auto nearest = [&](const std::vector<double>& from) {
    std::vector<double> out = to;
    for (std::size_t k = 0; k < m; ++k)
      if (turns[d.independent[k]]) out[k] = from[k] + std::remainder(std::atan2(std::sin(to[k]), std::cos(to[k])) - from[k], kTurn);
    return out;
  };
  const std::vector<double> begin = q, start = independent(q);
  const auto go = [&](const std::vector<double>& by) {
    q = begin;
    state.at(d.plan, q.data());
    return follow(d, state, q, by, steps);
  };
  const std::vector<double> straight = nearest(start);
  bool there = go(straight);
  if (!there && m == 1 && turns[d.independent[0]]) there = go({straight[0] + (straight[0] > start[0] ? -kTurn : kTurn)});
  constexpr int kPoints = 8;
  for (int point = 1; !there && m > 1 && point <= kPoints; ++point) {
    std::vector<double> by(m);
    for (std::size_t k = 0; k < m; ++k) {  // Weyl's sequence, on either side of the middle
      const double part = std::remainder(point * std::numbers::phi * static_cast<double>(k + 1), 1);
      by[k] = (start[k] + straight[k]) / 2 + 2 * part * (turns[d.independent[k]] ? std::numbers::pi : std::abs(straight[k] - start[k]));
    }
    there = go(by) && follow(d, state, q, nearest(by), steps);
  }
  if (!there) return false;
  for (std::size_t k = 0; k < m; ++k) {
    const double turned = turns[d.independent[k]] ? whole_turns(to[k] - q[d.independent[k]]) : 0;
    if (turned == 0) continue;
    std::vector<double> round = q, once = independent(q);
    once[k] += std::copysign(kTurn, turned);
    state.at(d.plan, q.data());
    if (!follow(d, state, round, once, steps, kMostRound)) continue;
    for (const std::size_t i : d.dependent) {
      if (!turns[i]) continue;
      const double count = whole_turns(round[i] - q[i]) * std::abs(turned), wound = kTurn * count;
      q[i] += std::abs(q[i] + wound) <= kMostWound ? wound : kTurn * std::remainder(count, turns_of_followers(d.plan, i));
    }
  }
  for (std::size_t k = 0; k < m; ++k) q[d.independent[k]] = to[k];
  state.at(d.plan, q.data());
  return true;
}

}  // namespace ulna::internal
