// Motion of the root link. The effects prescribe that of a fixed base; that of a free one is a part of the state.
#pragma once

#include <algorithm>

#include <ulna/dynamics/quantity.hpp>
#include <ulna/dynamics/workspace.hpp>
#include <ulna/plan/plan.hpp>
#include <ulna/scalar/scalar.hpp>

namespace ulna::internal::kernel {

inline constexpr std::size_t kFreeV = base_nv(RootJoint::free);

/// Whether a body is a child of a fixed base, whose wrench is not computed.
template <class P>
bool bolted(const PlanOf<P>& plan, const PlanBody<P>& body) {
  return body.parent == kNone && !plan.free;
}

/// Three numbers of a state from `first` on; a null vector is zero.
template <Scalar T>
Vec3<T> three(const T* numbers, std::size_t first) {
  return numbers == nullptr ? Vec3<T>{T(0), T(0), T(0)} : Vec3<T>{numbers[first], numbers[first + 1], numbers[first + 2]};
}

/// Rows of the rotation of the unit quaternion x, y, z, w, as polynomials. Each row costs 6 products at most, and rows share them.
template <Scalar T>
Vec3<T> rotation_row(const T& x, const T& y, const T& z, const T& w, std::size_t row) {
  const auto twice = [](const T& a) { return a + a; };
  if (row == 0) return {T(1) - twice(y * y + z * z), twice(x * y - z * w), twice(x * z + y * w)};
  if (row == 1) return {twice(x * y + z * w), T(1) - twice(x * x + z * z), twice(y * z - x * w)};
  return {twice(x * z - y * w), twice(y * z + x * w), T(1) - twice(x * x + y * y)};
}

template <Scalar T>
Mat3<T> rotation_of(const T& x, const T& y, const T& z, const T& w) {
  const Vec3<T> a = rotation_row(x, y, z, w, 0), b = rotation_row(x, y, z, w, 1), c = rotation_row(x, y, z, w, 2);
  return {a.x, a.y, a.z, b.x, b.y, b.z, c.x, c.y, c.z};
}
/// Of R_WB of a free base, whose quaternion is in q[3] to q[6].
template <Scalar T>
Vec3<T> base_row(const T* q, std::size_t row) {
  return rotation_row(q[3], q[4], q[5], q[6], row);
}

/// X_WB of a free base.
template <Scalar T>
Pose<T> base_pose(const T* q) {
  return {rotation_of(q[3], q[4], q[5], q[6]), {q[0], q[1], q[2]}};
}

/// Gravity in the base's axes: rows of R_WB without gravity cost nothing.
template <class P, Scalar T>
Vec3<T> gravity_in_base(const PlanOf<P>& plan, const T* q) {
  if (!plan.free) return {T(plan.gravity.x), T(plan.gravity.y), T(plan.gravity.z)};
  return plan.gravity.x * base_row(q, 0) + plan.gravity.y * base_row(q, 1) + plan.gravity.z * base_row(q, 2);
}

/// Its velocities: w_WB_B and v_WBo_B.
template <class P, Scalar T>
void move_base(const PlanOf<P>& plan, WorkspaceOf<T>& ws, const T* v, const BaseMotionOf<T>& prescribed) {
  ws.base.w_WB_B = plan.free ? three(v, 0) : prescribed.angular_velocity;
  ws.base.v_WBo_B = plan.free ? three(v, 3) : prescribed.linear_velocity;
}

/// Its accelerations: alpha_WB_B and a_WBo_B, which is less gravity.
template <class P, Scalar T>
void accelerate_base(const PlanOf<P>& plan, WorkspaceOf<T>& ws, const T* q, const T* a, const BaseMotionOf<T>& prescribed) {
  ws.base.alpha_WB_B = plan.free ? three(a, 0) : prescribed.angular_acceleration;
  ws.base.a_WBo_B = (plan.free ? three(a, 3) : prescribed.linear_acceleration) - gravity_in_base(plan, q);
}

/// Angular, then linear: as the base's coordinates go.
template <class T>
void write(const Vec3<T>& angular, const Vec3<T>& linear, T* out) {
  out[0] = angular.x, out[1] = angular.y, out[2] = angular.z;
  out[3] = linear.x, out[4] = linear.y, out[5] = linear.z;
}

/// Derivative of a unit quaternion by a rotation about its own axis k, 0, 1 or 2.
template <Scalar T>
void turn_quaternion(const T* from, std::size_t k, T* to) {
  const T half(0.5), x = half * from[0], y = half * from[1], z = half * from[2], w = half * from[3];
  const T rotations[3][4] = {{w, z, -y, -x}, {-z, w, x, -y}, {y, -x, w, -z}};
  std::copy_n(rotations[k], 4, to);
}

/// How the numbers of q move with coordinate k of a tree: a rotation or a translation of a free base in its own axes, a rotation of a ball joint in those of
/// its child, or a joint.
template <class P, Scalar T>
void tangent(const PlanOf<P>& plan, const T* q, std::size_t k, T* to) noexcept(kIsNumber<T>) {
  std::fill_n(to, plan.nq, T(0));
  if (plan.free && k < kFreeV) {
    const Pose<T> X = base_pose(q);
    if (k < 3) return turn_quaternion(q + 3, k, to + 3);
    const T axes[3][3] = {{X.R.xx, X.R.yx, X.R.zx}, {X.R.xy, X.R.yy, X.R.zy}, {X.R.xz, X.R.yz, X.R.zz}};
    std::copy_n(axes[k - 3], 3, to);
    return;
  }
  std::size_t at = plan.free ? k + 1 : k;  // of q
  for (const std::size_t place : plan.quaternions) {
    if (plan.free && place == 3) continue;
    if (at >= place && at < place + 3) return turn_quaternion(q + place, at - place, to + place);
    if (at >= place) ++at;
  }
  to[at] = T(1);
}

}  // namespace ulna::internal::kernel
