// What each joint transmits: the force and the moment that the link before a joint exerts on the link behind it, through its bearings and its drive. Newton and
// Euler's f_i and n_i (Turney, Mudge & Lee 1980, eqs 3.19, 3.20; Hollerbach 1980), Nasser's reaction loads U_i (1990, sec. 2.1).
//
//   ulna::JointReactions reactions(ulna::Prepared(model), ulna::Quantity::inverse);
//   for (const ulna::JointReaction& r : reactions.compute({q.data(), v.data(), a.data()})) …
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include <ulna/dynamics/quantity.hpp>
#include <ulna/export.hpp>
#include <ulna/formulation/formulation.hpp>
#include <ulna/spatial/spatial.hpp>

namespace ulna ULNA_API {

/// In the axes of the joint's frame, which moves with the link behind it (of a URDF file: that link's frame), about its origin. The component along `axis` is
/// the drive's: its torque less what rotor and friction take. The other five are those of the bearings. A ball joint has no axis: its moment is the drive's.
struct JointReaction {
  std::size_t joint = 0;  // index into Model::joints()
  Vec3<double> axis{};    // of the joint; zero of a ball joint
  Vec3<double> force{};   // [N]
  Vec3<double> moment{};  // [N m]
};

/// A load of an actuator across a joint's axis, on the link behind the joint, and with the opposite sign on the one before it: Nasser's f_i^c and n_i^c.
/// Nothing moves by it; the bearings take it.
struct JointControl {
  std::size_t joint = 0;  // index into Model::joints()
  Vec3<double> force{};   // [N], in the axes and about the origin of JointReaction
  Vec3<double> moment{};  // [N m]
};

/// One object per thread.
class JointReactions {
 public:
  /// By the formulation: the production path, or one that transmits (Formulation::transmits). `from` is the third input besides q and v: accelerations
  /// (inverse), nothing (bias) or torques (forward). Throws std::invalid_argument with why_not().
  JointReactions(const Prepared& robot, Quantity from, const Formulation& formulation = production_path());
  JointReactions(JointReactions&&) noexcept;
  JointReactions& operator=(JointReactions&&) noexcept;
  ~JointReactions();

  /// One for each joint that moves, in the order of Model::joints(); a null v or third input is zero. Good until the next call. Bad inputs make all NaN. Throws
  /// std::invalid_argument for a control that is not across its joint, or whose joint does not move.
  std::span<const JointReaction> compute(const InputsOf<double>& in, const Effects& effects = {}, std::span<const JointControl> control = {});

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace ULNA_API
