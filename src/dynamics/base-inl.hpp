// The root link: what it does. Of a base that is bolted down that is what the effects prescribe, of a free one it is a part of the state.
#pragma once

#include <algorithm>

#include <ulna/dynamics/quantity.hpp>
#include <ulna/dynamics/workspace.hpp>
#include <ulna/plan/plan.hpp>
#include <ulna/scalar/scalar.hpp>

namespace ulna::internal::kernel {

inline constexpr std::size_t kFreeV = base_nv(RootJoint::free);

/// Whether a body hangs from a base that does not feel it.
template <class P>
bool bolted(const PlanOf<P>& plan, const PlanBody<P>& body) {
  return body.parent == kNone && !plan.free;
}

/// Three numbers of a state from `first` on; a null vector is zero.
template <Scalar T>
Vec3<T> three(const T* numbers, std::size_t first) {
  return numbers == nullptr ? Vec3<T>{T(0), T(0), T(0)} : Vec3<T>{numbers[first], numbers[first + 1], numbers[first + 2]};
}

/// Rows of R_WB of the unit quaternion x, y, z, w in q[3] to q[6], as polynomials. Each row costs 6 products at most, and rows share them.
template <Scalar T>
Vec3<T> base_row(const T* q, std::size_t row) {
  const T &x = q[3], &y = q[4], &z = q[5], &w = q[6];
  const auto twice = [](const T& a) { return a + a; };
  if (row == 0) return {T(1) - twice(y * y + z * z), twice(x * y - z * w), twice(x * z + y * w)};
  if (row == 1) return {twice(x * y + z * w), T(1) - twice(x * x + z * z), twice(y * z - x * w)};
  return {twice(x * z - y * w), twice(y * z + x * w), T(1) - twice(x * x + y * y)};
}

/// X_WB of a free base.
template <Scalar T>
Pose<T> base_pose(const T* q) {
  const Vec3<T> x = base_row(q, 0), y = base_row(q, 1), z = base_row(q, 2);
  return {{x.x, x.y, x.z, y.x, y.y, y.z, z.x, z.y, z.z}, {q[0], q[1], q[2]}};
}

/// Gravity in the base's axes: rows of R_WB that gravity has no part in cost nothing.
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

/// How the nq numbers of q move with coordinate k of a robot whose base is free: a rotation or a translation of the base in its own axes, or a joint.
template <Scalar T>
void tangent(const T* q, std::size_t nq, std::size_t k, T* to) noexcept(kIsNumber<T>) {
  std::fill_n(to, nq, T(0));
  if (k >= kFreeV) {
    to[k + 1] = T(1);
    return;
  }
  const Pose<T> X = base_pose(q);
  const T half(0.5), x = half * q[3], y = half * q[4], z = half * q[5], w = half * q[6];
  const T rotations[3][4] = {{w, z, -y, -x}, {-z, w, x, -y}, {y, -x, w, -z}};
  const T axes[3][3] = {{X.R.xx, X.R.yx, X.R.zx}, {X.R.xy, X.R.yy, X.R.zy}, {X.R.xz, X.R.yz, X.R.zz}};
  if (k < 3)
    std::copy_n(rotations[k], 4, to + 3);
  else
    std::copy_n(axes[k - 3], 3, to);
}

}  // namespace ulna::internal::kernel
