// Rigid placements: X_AB takes the coordinates of a point from frame B to frame A.
#pragma once

#include <ulna/export.hpp>
#include <ulna/spatial/vec3.hpp>

namespace ulna ULNA_API {

template <class T>
struct Pose {                       // Rotation and origin of one frame in another.
  Mat3<T> R = Mat3<T>::identity();  // R_AB
  Vec3<T> p{};                      // p_AB: from Ao to Bo, in A

  Pose inverse() const { return {R.transposed(), -tmul(R, p)}; }  // The other frame in this one.
  template <class U>
  Pose<U> cast() const {  // In another scalar.
    return {R.template cast<U>(), p.template cast<U>()};
  }
  friend bool operator==(const Pose&, const Pose&) = default;
};

/// X_AC = X_AB * X_BC: adjacent letters cancel.
template <class A, class B>
auto operator*(const Pose<A>& X_AB, const Pose<B>& X_BC) -> Pose<decltype(X_AB.p.x * X_BC.p.x)> {
  return {X_AB.R * X_BC.R, X_AB.p + X_AB.R * X_BC.p};
}

// The elementary placements that file formats are written in (double only: they are used while reading, never in kernels).
Mat3<double> rotation_x(double angle);
Mat3<double> rotation_y(double angle);
Mat3<double> rotation_z(double angle);
/// Fixed axes x, y, z in this order, as URDF means it: Rz(yaw) Ry(pitch) Rx(roll).
Mat3<double> rotation_rpy(double roll, double pitch, double yaw);
/// Rotation by an angle about a unit axis (Rodrigues).
Mat3<double> rotation_about(const Vec3<double>& axis, double angle);
/// A rotation whose third column is the unit vector `axis`; a permutation with signs when the axis lies along a coordinate axis.
Mat3<double> rotation_z_to(const Vec3<double>& axis);

/// Unit quaternion, order x, y, z, w, with w >= 0.
struct Quaternion {
  double x, y, z, w;
};
Quaternion quaternion(const Mat3<double>& R);  // Of a rotation; w is not negative.

}  // namespace ULNA_API
