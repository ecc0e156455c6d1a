// Closed states of a robot with loops, and what quantities of its tree become along the motions that loops leave: for self-tests of generated code.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include <ulna/dynamics/on_plan.hpp>
#include <ulna/loop/mechanism.hpp>
#include <ulna/verify/verify.hpp>

#include "verify/bounds.hpp"

namespace ulna::internal {

/// Near the reference assembly, on the same side of singular ones; v and a are of the independent coordinates, and floats. Deterministic.
class ClosedStates {
 public:
  ClosedStates(const Model& robot, std::uint64_t seed);
  void next(std::vector<double>& q, std::vector<double>& v, std::vector<double>& a);
  const Mechanism& loops() const { return loops_; }

 private:
  bool close(std::vector<double>& q);

  Model robot_;
  Mechanism loops_;
  Plan plan_;
  Workspace ws_;
  std::vector<double> at_, pivots_;  // of the last step; at the reference
  StateSampler sampler_;
};

/// What a result must be, and how large the terms are that it is the sum of: rounding is relative to these.
struct Exact {
  std::vector<long double> value;
  double size = 0;
  double error = 0;  // of the value itself
};

/// One state in extended precision. Speeds and accelerations of the tree meet the conditions of the loops by an elimination that chooses among all pivots
/// (loop/multipliers.hpp); by d'Alembert's principle torques are gathered along them. Programs eliminate in a fixed order, in place.
class AlongLoops {
 public:
  using Real = long double;
  using Numbers = std::vector<Real>;
  AlongLoops(const Mechanism& loops, const Model& robot, const std::vector<double>& q, const std::vector<double>& v, const std::vector<double>& a);

  const Numbers& v() const { return motion_.v; }  // of the tree
  const Numbers& a() const { return motion_.a; }
  double speeds_size() const;  // of the terms that speeds of the tree are sums of
  /// Torques of the tree, what acts and friction included, whose signs stay those of this state.
  using TreeTorque = std::function<Numbers(const std::vector<double>& q, const Numbers& v, const Numbers& a)>;
  Numbers torque(const TreeTorque& of_tree) const { return torque(of_tree, q_, v_, a_); }
  /// A quantity of the closed robot from that of its tree in the same state; accelerations are those under `tau`, which is torque() but for rounding.
  Exact of(Quantity quantity, const Exact& tree, const Bounds& bounds, const TreeTorque& of_tree, const std::vector<double>& tau) const;

 private:
  struct Motion {
    Numbers v, a;
  };
  Motion motion(const std::vector<double>& q, const std::vector<double>& v, const std::vector<double>& a) const;
  Numbers dependence(const std::vector<double>& q) const;  // G, column by column
  Numbers gathered(const Numbers& G, const Numbers& x) const;
  Numbers torque(const TreeTorque& of_tree, const std::vector<double>& q, const std::vector<double>& v, const std::vector<double>& a) const;
  /// ∂tau/∂q and ∂tau/∂v by differences along closed motions; the error is what orders 6 and 8 differ by, and that of positions in doubles.
  Exact derivatives(const TreeTorque& of_tree) const;

  const Mechanism& loops_;
  const Model& robot_;
  std::size_t n_, m_, base_;  // coordinates of the tree, of v, of the base in both
  std::vector<double> q_, v_, a_;
  Motion motion_;
  Numbers G_;
  double reach_ = 1, blur_ = 1;  // the largest sum of a column of G; how much elimination may enlarge rounding
};

}  // namespace ulna::internal
