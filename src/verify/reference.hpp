// The reference that all formulations are measured against: plain, slow, in extended precision, and from the model itself.
#pragma once

#include <vector>

#include <ulna/model/model.hpp>

#include "verify/acting.hpp"

namespace ulna::internal {

/// Newton's and Euler's laws for every link of the model about its mass centre, in the axes of the world, in long double. It knows neither plan nor frames of
/// any paper; fixed joints are walked through, not merged. Results are those of the rigid bodies and rotors, in independent coordinates, behind those of a free
/// base, which are turned into its own axes at the end. A planar base has to be joints (with_base_as_joints).
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
  /// coordinate quadratic where it slides, of its angle's first two harmonics where it turns. (A coordinate that moves several joints is a sum of these.)
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
  /// Where q is a time t later, along a curve that begins with velocities v and accelerations a: q + t v + t²/2 a, a free base along a screw. For differences:
  /// any curve with these derivatives serves.
  std::vector<Real> along(const std::vector<Real>& q, const std::vector<Real>& v, const std::vector<Real>& a, Real t) const;

 private:
  struct Place;
  /// With one joint displaced by `moved`.
  std::vector<Place> placed(const std::vector<Real>& q, std::size_t joint = kNone, Real moved = 0) const;
  std::vector<Pose<Real>> poses(const std::vector<Real>& q) const;
  enum class Around { nothing, gravity, all };
  void recursion(const std::vector<Place>& place, const std::vector<Real>& v, const std::vector<Real>& a, Around around, std::vector<Real>& tau) const;
  void coriolis_by_fields(const std::vector<Real>& q, const std::vector<Real>& v, std::vector<Real>& C) const;

  Model model_;
  std::vector<Link> links_;  // masses, mass centres and inertias that count
  bool rotors_ = true;
  Acting acting_;
  bool free_;
  std::size_t nv_;
  std::vector<std::size_t> position_, coordinate_;  // in q and in v, of each joint that moves
  std::vector<Real> multiplier_, offset_;
};

}  // namespace ulna::internal
