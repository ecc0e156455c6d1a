// Positions of a robot whose base may be free: q lies on a manifold, so it is not added to, and other programs write it in other ways.
#pragma once

#include <vector>

#include <ulna/export.hpp>
#include <ulna/model/model.hpp>
#include <ulna/spatial/pose.hpp>
#include <ulna/views.hpp>

namespace ulna ULNA_API {

/// The robot at its zero: every number 0, but the quaternion of a free base, which is that of no rotation.
std::vector<double> neutral(const Model& model);

/// Where q is after `dt` at constant velocity v. Of a robot with loops, v may also be that of all joints of the tree; else dependent positions are left where
/// they are, for closing. A free base moves along a screw, its
/// velocity constant in its own axes: exp of SE(3). The quaternion comes out with unit length. Throws std::invalid_argument for sizes, and for a quaternion
/// that is off unit length by more than kUnitQuaternion; so does difference().
void integrate(const Model& model, VectorView<const double> q, VectorView<const double> v, double dt, VectorView<double> to);

/// The constant velocity that leads from q0 to q1 in unit time, a free base turning by less than half a turn: integrate(q0, difference(q0, q1), 1) is q1.
void difference(const Model& model, VectorView<const double> q0, VectorView<const double> q1, VectorView<double> v);

/// Gives the quaternion of a free base unit length; returns what it had, 1 where there is none. A length of 0, or one that is not finite, is left as it is.
double normalize(const Model& model, VectorView<double> q);

/// Files and programs carry six digits at least: what is off by more is no unit quaternion.
inline constexpr double kUnitQuaternion = 1e-6;

/// How another program writes the state of a free base. Those that Ulna has stand first.
struct BaseConvention {
  enum class Quaternion { xyzw, wxyz } quaternion = Quaternion::xyzw;  // Order of its numbers.
  /// local: angular and linear parts in the root link's axes; world: both in the world's; mixed: angular in the root link's, linear in the world's.
  enum class Axes { local, world, mixed } axes = Axes::local;
  enum class Order { angular, linear } order = Order::angular;  // which three of six come first
  /// classical: of the root link's origin; spatial: the derivative of the numbers of the linear velocity in the root link's axes, which is less by w x v.
  enum class Acceleration { classical, spatial } acceleration = Acceleration::classical;

  friend bool operator==(const BaseConvention&, const BaseConvention&) = default;
};

/// Writes a free base's seven numbers of q, and six of v, a and tau, as Ulna does, in place. Null for what is not there; `a` needs v where it is spatial, and
/// all need q where the axes are not local. Axes are those of velocities, accelerations and wrenches alike.
void to_ulna(const BaseConvention& from, double* q, double* v, double* a, double* tau);

}  // namespace ULNA_API
