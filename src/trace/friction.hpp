// Friction in programs. An expression has no sign, so the signs of the rates are inputs of their own, "side": constants of a state, whatever is differentiated.
// So is what friction takes where a joint has more than viscous and Coulomb friction.
#pragma once

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include <ulna/dynamics/quantity.hpp>
#include <ulna/expr/expr.hpp>
#include <ulna/plan/plan.hpp>
#include "dynamics/joint-inl.hpp"

#include "expr/differentiate.hpp"
#include "trace/compute_expr.hpp"

namespace ulna::internal {

/// An input of programs with friction, made from the speed v of a coordinate of the tree: its sign, or what friction takes where that is more than viscous v +
/// coulomb side. Programs that are differentiated have friction there as taken + (v - rate) (slope + (v - rate) bend): what it is to second order. Where
/// friction depends on the torque T that is transmitted, `share` is what |T| is multiplied with; and `left`, made from tau, too, what tau less other friction
/// is multiplied with to be T, where there is no rotor on the motor's side.
struct Side {
  enum Kind { sign, taken, slope, bend, rate, share, left } kind = sign;
  std::size_t k = 0;  // of the tree's speeds
};

/// All of them, in order: one for each coordinate of the tree, then what is there besides.
class Sides {
 public:
  /// `order` of the derivatives that are needed: of values 0, of quantities that are derivatives 1, of programs that will be differentiated 2.
  Sides(const Plan& plan, int order, bool driven = false) : rubbing_(plan.nv), further_(plan.nv, kNone), order_(order) {
    std::vector<double> rotor(plan.nv, 0);
    for (const PlanBody<double>& body : plan.bodies) {
      rubbing_[body.v].push_back({body.multiplier, body.friction});
      rotor[body.v] += body.multiplier * body.multiplier * body.rotor;
    }
    for (std::size_t k = 0; k < plan.nv; ++k) {
      const bool plain = std::all_of(rubbing_[k].begin(), rubbing_[k].end(), [](const Rubbing& r) { return kernel::is_plain(r.friction); });
      list_.push_back({plain ? Side::sign : Side::taken, k});
    }
    for (std::size_t k = 0; k < plan.nv && order > 0; ++k) {
      if (list_[k].kind == Side::sign) continue;
      further_[k] = list_.size();
      list_.push_back({Side::slope, k});
      if (order > 1) list_.push_back({Side::bend, k}), list_.push_back({Side::rate, k});
    }
    for (std::size_t k = 0; k < plan.nv; ++k) {
      if (std::none_of(rubbing_[k].begin(), rubbing_[k].end(), [](const Rubbing& r) { return r.friction.load != 0; })) continue;
      const std::vector<std::size_t>& order_of = plan.order.independent;
      const std::size_t row = plan.closed() ? static_cast<std::size_t>(std::find(order_of.begin(), order_of.end(), k) - order_of.begin()) : k;
      loads_.push_back({row, list_.size(), rotor[k]});
      list_.push_back({driven ? Side::left : Side::share, k});
    }
  }
  /// A coordinate of v whose friction depends on what it transmits: its result in a program, its number in list(), and the rotors on it.
  struct Load {
    std::size_t row, side;
    double rotor;
  };
  const std::vector<Load>& loads() const { return loads_; }

  const std::vector<Side>& list() const { return list_; }
  /// A number of the list for a rate.
  template <class T>
  T operator()(const Side& side, const T& v, const T& tau = T(0.0)) const {
    switch (side.kind) {
      case Side::sign: return T(sign(v));
      case Side::taken: return taken(side.k, v);
      case Side::slope: return taken(side.k, Dual<T>(v, T(1.0))).rate;
      case Side::bend: return T(0.5) * taken(side.k, Dual<Dual<T>>(Dual<T>(v, T(1.0)), Dual<T>(T(1.0), T(0.0)))).rate.rate;
      case Side::rate: return v;
      case Side::share: return share(side.k, v);
      case Side::left: break;
    }
    return T(1.0) / (T(1.0) + share(side.k, v) * sign(T(tau - taken(side.k, v))));
  }

  /// Friction on a coordinate of the tree. A joint has the side of its coordinate, but for the sign of its multiplier.
  Expr of(std::size_t k, const Expr& v, const std::vector<Expr>& side) const {
    if (list_[k].kind == Side::sign) return kernel::friction(Friction{viscous(k), coulomb(k)}, v, side[k]);
    if (order_ < 2) return side[k];
    const Expr more = v - side[further_[k] + 2];
    return side[k] + more * (side[further_[k]] + more * side[further_[k] + 1]);
  }
  Expr slope(std::size_t k, const Expr& v, const std::vector<Expr>& side) const {
    if (list_[k].kind == Side::sign) return Expr(viscous(k));
    if (order_ < 2) return side[further_[k]];
    const Expr more = v - side[further_[k] + 2];
    return side[further_[k]] + (more + more) * side[further_[k] + 1];
  }

 private:
  struct Rubbing {
    double multiplier;
    Friction friction;
  };
  template <class T>
  T taken(std::size_t k, const T& v) const {
    T sum(0.0);
    for (const Rubbing& r : rubbing_[k]) sum = sum + T(r.multiplier) * kernel::friction(r.friction.template cast<T>(), T(T(r.multiplier) * v));
    return sum;
  }
  template <class T>
  T share(std::size_t k, const T& v) const {
    T sum(0.0);
    for (const Rubbing& r : rubbing_[k])
      if (r.friction.load != 0) sum = sum + T(r.friction.load) * kernel::side_of(r.friction.template cast<T>(), v);
    return sum;
  }
  double viscous(std::size_t k) const {
    double sum = 0;
    for (const Rubbing& r : rubbing_[k]) sum += r.multiplier * r.multiplier * r.friction.viscous;
    return sum;
  }
  double coulomb(std::size_t k) const {
    double sum = 0;
    for (const Rubbing& r : rubbing_[k]) sum += std::fabs(r.multiplier) * r.friction.coulomb;
    return sum;
  }

  std::vector<std::vector<Rubbing>> rubbing_;
  std::vector<std::size_t> further_;
  std::vector<Side> list_;
  std::vector<Load> loads_;
  int order_;
};

/// Of a robot with loops: what its tree's coordinates lose to friction, gathered at the independent ones, and the derivatives of that along closed motions.
struct LoopFriction {
  LoopFriction(const Sides& friction, const PlanOf<Expr>& plan, Graph& graph, const InputsOf<Expr>& in, const std::vector<Expr>& side, bool derivatives)
      : taken(plan.sizes().nv), by_q(derivatives ? taken.size() * taken.size() : 0), by_v(by_q.size()) {
    const std::size_t n = plan.nv, m = taken.size();
    WorkspaceOf<Expr> ws(plan);
    kernel::resolve_loops(plan, ws, in.q);
    const Expr* v = kernel::complete_speeds(plan, ws, in.v);
    std::vector<Expr> lost(n), move(plan.nq);
    for (std::size_t k = 0; k < n; ++k) lost[k] = friction.of(k, v[k], side);
    kernel::gather(plan, ws.closed, lost.data(), taken.data());
    if (!derivatives) return;
    kernel::dependence(plan, ws.closed);
    const std::vector<Expr> q(in.q, in.q + plan.nq);
    for (std::size_t k = 0; k < m; ++k) {
      kernel::closed_tangent(plan, ws.closed, in.q, k, move.data());
      const std::vector<Expr> change = along(graph, taken, q, move);
      std::copy(change.begin(), change.end(), by_q.begin() + static_cast<std::ptrdiff_t>(k * m));
      for (std::size_t i = 0; i < n; ++i) lost[i] = friction.slope(i, v[i], side) * ws.closed.G[i + k * n];
      kernel::gather(plan, ws.closed, lost.data(), by_v.data() + k * m);
    }
  }

  std::vector<Expr> taken, by_q, by_v;  // matrices column by column
};

/// A quantity that friction enters: run(in) writes its equations without friction into `results`. Friction is subtracted from the torques that drive, and added
/// to those that are computed. Where it depends on loads, torques that are transmitted stand behind the results: |T| is formed by the caller of the program.
template <class Run>
void with_friction(const Plan& plan, const Sides& friction, Graph& graph, const QuantityRow& row, InputsOf<Expr> in, std::vector<Expr>& results,
                   const Run& run) {
  const std::vector<Expr> side = graph.inputs("side", friction.list().size());
  const std::size_t n = plan.sizes().nv;
  const bool driven = row.takes("tau");
  std::vector<Expr> taken(n), driving(n);
  std::optional<LoopFriction> loops;
  if (plan.closed()) loops.emplace(friction, plan.cast<Expr>(), graph, in, side, !row.parts.empty());
  for (std::size_t k = 0; k < n; ++k) taken[k] = loops ? loops->taken[k] : friction.of(k, in.v[k], side);
  for (std::size_t k = 0; k < n && driven; ++k) driving[k] = in.last[k] - taken[k];
  if (driven) {
    for (const Sides::Load& load : friction.loads()) driving[load.row] = driving[load.row] * side[load.side];
    in.last = driving.data();
  }
  run(in);
  if (row.parts.empty()) {
    for (const Sides::Load& load : friction.loads())
      if (!driven) results.push_back(row.takes("a") ? results[load.row] - load.rotor * in.last[load.row] : results[load.row]);
    for (std::size_t k = 0; k < n && !driven; ++k) results[k] = results[k] + taken[k];
    return;
  }
  if (loops) {
    for (std::size_t part = 0; part < 2; ++part)
      for (std::size_t k = 0; k < n * n; ++k) {
        const std::vector<Expr>& by = part == 0 ? loops->by_q : loops->by_v;
        Expr& to = results[part * n * n + k];
        if (!driven) to = to + by[k];
        for (std::size_t j = 0; j < n && driven; ++j) to = to - results[2 * n * n + k % n + j * n] * by[j + k / n * n];
      }
    return;
  }
  // Derivatives: the second matrix is by rates, and of accelerations the third is M⁻¹.
  for (std::size_t k = 0; k < n; ++k) {
    const std::size_t column = n * n + k * n;
    if (!driven) results[column + k] = results[column + k] + friction.slope(k, in.v[k], side);
    for (std::size_t i = 0; i < n && driven; ++i) results[column + i] = results[column + i] - friction.slope(k, in.v[k], side) * results[n * n + column + i];
  }
}

}  // namespace ulna::internal
