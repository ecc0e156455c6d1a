// The reference that all formulations are measured against: plain, slow, in extended precision, and from the model itself.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include <ulna/model/model.hpp>

#include "dynamics/acting.hpp"
#include "loop/dense.hpp"

namespace ulna::internal {

/// Newton's and Euler's laws for every link of the model about its mass centre, in the axes of the world, in long double. It uses neither plan nor frames of
/// any paper; fixed joints are walked through, not merged. Results are those of the rigid bodies and rotors, in independent coordinates, behind those of a free
/// base, which are rotated to its own axes at the end. A planar base has to be joints (with_base_as_joints).
///
/// Loops by Lagrange's multipliers: with J the Jacobian of all conditions, J v = 0 and J a + c = 0 give the speeds and accelerations of the tree that belong to
/// v and a, and S tau + Jᵀ mu = tau_tree the drives' torques and the multipliers; each by one elimination with full pivots, without the order of
/// elimination. J and c are rates of the conditions in the world's axes. q has to be closed.
class Reference {
 public:
  using Real = long double;
  /// `acting` enters torque() alone; its bodies are the model's links behind the root, one after the other; kNone is the root.
  explicit Reference(const Model& model, Acting acting = {});

  void torque(const std::vector<Real>& q, const std::vector<Real>& v, const std::vector<Real>& a, std::vector<Real>& tau) const;
  /// What holds the robot still against its weight alone.
  void gravity(const std::vector<Real>& q, std::vector<Real>& tau) const;
  /// Row by row, by one recursion a column.
  void mass(const std::vector<Real>& q, std::vector<Real>& M) const;
  /// Column by column. The torques of velocities are a quadratic form of v, and its Christoffel symbols are symmetric in both: C(v) w is its mixed part, a
  /// quarter of what v + w needs more than v - w. The velocities of a free base are no rates of coordinates, and there C is ∫ r_i · ṙ_j dm, where r_j is the
  /// field of velocities of unit rate j, whose rates are differences along the motion.
  void coriolis(const std::vector<Real>& q, const std::vector<Real>& v, std::vector<Real>& C) const;
  /// Torques by unit parameters of the bodies (Quantity::regressor), column by column.
  void regressor(const std::vector<Real>& q, const std::vector<Real>& v, const std::vector<Real>& a, std::vector<Real>& Y) const;
  /// ∂tau/∂q and ∂tau/∂v, column by column, under what acts. Differences that are exact but for rounding: torques are quadratic in v, and in a joint's own
  /// coordinate quadratic where it slides, of its angle's first two harmonics if revolute. (A coordinate that moves several joints is a sum of these.) The
  /// signs of Coulomb friction stay.
  void derivatives(const std::vector<Real>& q, const std::vector<Real>& v, const std::vector<Real>& a, std::vector<Real>& by_q, std::vector<Real>& by_v) const;
  /// Of a link's frame in the root link's.
  Pose<Real> pose(const std::vector<Real>& q, std::size_t link) const { return poses(q)[link]; }
  /// 6 x nv, column by column: angular velocity, then velocity of the link's origin, in the root link's axes.
  std::vector<Real> jacobian(const std::vector<Real>& q, std::size_t link) const;
  /// Of a robot whose base is free: angular momentum about the world's origin, then linear momentum, in the world's axes.
  std::vector<Real> momentum(const std::vector<Real>& q, const std::vector<Real>& v) const;
  /// The wrench of the weight about the world's origin, moment first.
  std::vector<Real> weight(const std::vector<Real>& q) const;
  bool free() const { return free_; }
  Real kinetic(const std::vector<Real>& q, const std::vector<Real>& v) const;
  Real potential(const std::vector<Real>& q) const;
  /// potential(to) - potential(from), link by link: masses that do not move, which may outweigh all others, leave no rounding in it.
  Real potential_difference(const std::vector<Real>& from, const std::vector<Real>& to) const;
  std::size_t nv() const { return nv_; }

  // Of loops; without them every coordinate is its own.
  bool closed() const { return nv_ != tree_; }
  /// Speeds and accelerations of the tree.
  std::vector<Real> speeds(const std::vector<Real>& q, const std::vector<Real>& v) const;
  std::vector<Real> accelerations(const std::vector<Real>& q, const std::vector<Real>& v, const std::vector<Real>& a) const;
  /// How the tree moves with coordinate j of v, and how fast that changes at speeds v.
  std::vector<Real> moved_by(const std::vector<Real>& q, std::size_t j) const;
  std::vector<std::vector<Real>> moved_by_rates(const std::vector<Real>& q, const std::vector<Real>& v) const;
  /// What rounding of the conditions' coefficients is multiplied by, at least 1: R. D. Skeel, J. ACM 26(3), 1979, |J⁻¹| |J|.
  Real condition(const std::vector<Real>& q) const;
  /// Where q is a time t later, along a curve that begins with velocities v and accelerations a: q + t v + t²/2 a, a free base along a screw. For differences:
  /// any curve with these derivatives serves.
  std::vector<Real> along(const std::vector<Real>& q, const std::vector<Real>& v, const std::vector<Real>& a, Real t) const;

 private:
  struct Place;
  struct LinkMotion;
  struct Solved;
  /// With one joint displaced by `moved`.
  std::vector<Place> placed(const std::vector<Real>& q, std::size_t joint = kNone, Real moved = 0) const;
  std::vector<Pose<Real>> poses(const std::vector<Real>& q) const;
  enum class Around { nothing, gravity, all };
  std::vector<LinkMotion> motions(const std::vector<Place>& place, const std::vector<Real>& v, const std::vector<Real>& a, Around around) const;
  /// Of the tree.
  void recursion(const std::vector<Place>& place, const std::vector<Real>& v, const std::vector<Real>& a, Around around, std::vector<Real>& tau) const;
  void tree_coriolis(const std::vector<Real>& q, const std::vector<Real>& v, std::vector<Real>& C) const;
  void coriolis_by_fields(const std::vector<Real>& q, const std::vector<Real>& v, std::vector<Real>& C) const;
  std::vector<Real> tree_along(const std::vector<Real>& q, const std::vector<Real>& v, const std::vector<Real>& a, Real t) const;
  std::vector<Real> tree_jacobian(const std::vector<Real>& q, std::size_t link) const;
  void closed_derivatives(const std::vector<Real>& q, const std::vector<Real>& v, const std::vector<Real>& a, std::vector<Real>& by_q,
                          std::vector<Real>& by_v) const;
  /// Conditions of all loops with their first and second rates, one after the other.
  struct Conditions {
    std::vector<Real> value, rate, second;
  };
  Conditions conditions(const std::vector<Place>& place, const std::vector<Real>& v) const;
  const Solved& solved(const std::vector<Real>& q) const;
  /// The drives' part of torques of the tree's joints.
  void gather(const std::vector<Real>& q, std::vector<Real>& tau) const;
  Real friction_of(const Friction& f, Real rate, Real sided) const;
  static Real curved_slope(const Friction& f, Real rate);

  Model model_;
  std::vector<Link> links_;  // masses, mass centres and inertias that count
  Acting acting_;
  std::vector<Real> sides_;  // speeds of the tree whose signs Coulomb friction has; none: its own
  bool straight_ = false;    // friction has terms only that are polynomials of the rates
  bool free_, loaded_;
  std::size_t nv_, tree_;                           // speeds, and those of the tree
  std::vector<std::size_t> position_, coordinate_;  // in q and in v, of each joint that moves
  std::vector<Real> multiplier_, offset_;
  mutable std::array<std::shared_ptr<const Solved>, 2> solved_;  // of the last configurations, the latest first: one, and those around it
};

}  // namespace ulna::internal
