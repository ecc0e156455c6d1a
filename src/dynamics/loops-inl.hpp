// The conditions of loops on the coordinates of the tree, on any scalar: their residuals, their Jacobian, and the part of their second time
// derivative has besides it.
//
// A loop is cut at a joint, whose frames A and B sit on two links. All is relative to C, the last common ancestor of both links: joints before C move A and B
// alike and are in no condition. Every kind of joint is made of three conditions (Haug, Computer Aided Kinematics and Dynamics of Mechanical Systems, 1989,
// sec. 9.2-9.4; a is fixed in A, b in B, d leads from Ao to Bo):
//   meet   d = 0: three rows
//   dot1   a · b = 0: two axes stay at right angles
//   dot2   a · d = 0: Bo stays in a plane of A
// All are exact where the loop is open, too, so that Newton's method converges quadratically.
#pragma once

#include <vector>

#include <ulna/plan/plan.hpp>
#include "dynamics/joint-inl.hpp"

namespace ulna::internal::kernel {

/// Motion of a frame relative to C, in the axes of C.
template <class T>
struct LoopEndOf {
  Pose<T> X;               // the frame
  Vec3<T> w, v, alpha, a;  // its angular velocity, the velocity of its origin, and accelerations that the joints' rates alone make
};

/// From C to the frame. Needs place(). `v` may be null: speeds and accelerations are not made then.
template <class P, Scalar T>
LoopEndOf<T> follow(const PlanOf<P>& plan, const WorkspaceOf<T>& ws, const std::vector<std::size_t>& path, const Pose<P>& X_BF, const T* v,
                    ClosedSpaceOf<T>& scratch) noexcept(kIsNumber<T>) {
  const Vec3<T> zero{T(0), T(0), T(0)};
  LoopEndOf<T> end{{}, zero, zero, zero, zero};
  Pose<T>& X = end.X;
  bool at_C = true;
  const auto carry = [&](const Vec3<T>& r) {  // to a point of the same body, r away
    if (v == nullptr) return;
    const Vec3<T> u = cross(end.w, r);
    end.v = end.v + u;
    end.a = end.a + cross(end.alpha, r) + cross(end.w, u);
  };
  for (const std::size_t i : path) {
    const PlanBody<P>& body = plan.bodies[i];
    const Pose<T> X_PB = pose_in_parent(body, ws.bodies[i]);
    const Pose<T> next = at_C ? X_PB : X * X_PB;
    const Vec3<T> z = next.R.column_z();
    if (!at_C) carry(next.p - X.p);  // the joint stands still in the body before it, or slides in it
    if (v != nullptr) {
      const Vec3<T> rate = joint_rate(plan, body, v) * z;
      const Vec3<T> rotated = cross(end.w, rate);
      if (body.prismatic) {
        end.v = end.v + rate;
        end.a = end.a + rotated + rotated;
      } else {
        end.alpha = end.alpha + rotated;
        end.w = end.w + rate;
      }
    }
    X = next;
    at_C = false;
    scratch.z[i] = z;
    scratch.p[i] = X.p;
  }
  const Pose<T> X_F = X_BF.template cast<T>();
  if (at_C) {
    X = X_F;
    return end;
  }
  const Vec3<T> r = X.R * X_F.p;
  carry(r);
  X = {X.R * X_F.R, X.p + r};
  return end;
}

template <class T>
Vec3<T> column_x(const Mat3<T>& R) {
  return {R.xx, R.yx, R.zx};
}
template <class T>
Vec3<T> column_y(const Mat3<T>& R) {
  return {R.xy, R.yy, R.zy};
}

/// Conditions, their Jacobian (row by row, plan.nv numbers each) and, where v is given, the part c of the second time derivative J v̇ + c that is made of
/// speeds. What is null is not computed. Needs place().
template <class P, Scalar T>
void loop_equations(const PlanOf<P>& plan, const WorkspaceOf<T>& ws, const T* v, T* phi, T* J, T* c, ClosedSpaceOf<T>& scratch) noexcept(kIsNumber<T>) {
  const std::size_t n = plan.nv;
  if (J != nullptr)
    for (std::size_t k = 0; k < plan.conditions * n; ++k) J[k] = T(0);
  const T* rates = c == nullptr ? nullptr : v;
  for (const LoopRowsOf<P>& loop : plan.loops) {
    const LoopEndOf<T> A = follow(plan, ws, loop.to_A, loop.X_A, rates, scratch);
    const LoopEndOf<T> B = follow(plan, ws, loop.to_B, loop.X_B, rates, scratch);
    const Vec3<T> d = B.X.p - A.X.p;
    std::size_t row = loop.first;
    const auto each = [&](const std::vector<std::size_t>& path, auto entry) {  // adds entry(body, its axis, its place) to the row's column
      for (const std::size_t i : path) {
        const PlanBody<P>& body = plan.bodies[i];
        T& at = J[row * n + body.v];
        const T value = entry(body, scratch.z[i], scratch.p[i]);
        at = at + (plan.coupled ? T(body.multiplier * value) : value);
      }
    };
    const auto component = [](const Vec3<T>& x, std::size_t k) { return k == 0 ? x.x : k == 1 ? x.y : x.z; };
    for (std::size_t k = 0; k < meeting_rows(loop.type); ++k, ++row) {
      if (phi != nullptr) phi[row] = component(d, k);
      if (c != nullptr) c[row] = component(B.a - A.a, k);
      if (J == nullptr) continue;
      each(loop.to_B,
           [&](const PlanBody<P>& body, const Vec3<T>& z, const Vec3<T>& p) { return component(body.prismatic ? z : cross(z, Vec3<T>(B.X.p - p)), k); });
      each(loop.to_A,
           [&](const PlanBody<P>& body, const Vec3<T>& z, const Vec3<T>& p) { return -component(body.prismatic ? z : cross(z, Vec3<T>(A.X.p - p)), k); });
    }
    const Vec3<T> w = B.w - A.w;
    for (std::size_t k = 0; k < turning_rows(loop.type); ++k, ++row) {  // x_A · z_B, y_A · z_B, y_A · x_B
      const Vec3<T> a = k == 0 ? column_x(A.X.R) : column_y(A.X.R);
      const Vec3<T> b = k == 2 ? column_x(B.X.R) : B.X.R.column_z();
      const Vec3<T> normal = cross(b, a);  // d/dt a · b = w · (b × a)
      if (phi != nullptr) phi[row] = dot(a, b);
      if (c != nullptr) c[row] = dot(Vec3<T>(B.alpha - A.alpha), normal) + dot(w, Vec3<T>(cross(Vec3<T>(cross(B.w, b)), a) + cross(b, Vec3<T>(cross(A.w, a)))));
      if (J == nullptr) continue;
      each(loop.to_B, [&](const PlanBody<P>& body, const Vec3<T>& z, const Vec3<T>&) { return body.prismatic ? T(0) : dot(z, normal); });
      each(loop.to_A, [&](const PlanBody<P>& body, const Vec3<T>& z, const Vec3<T>&) { return body.prismatic ? T(0) : -dot(z, normal); });
    }
    for (std::size_t k = 0; k < sliding_rows(loop.type); ++k, ++row) {
      const Vec3<T> a = loop.type == LoopType::planar ? A.X.R.column_z() : k == 0 ? column_x(A.X.R) : column_y(A.X.R);
      if (phi != nullptr) phi[row] = dot(a, d);
      if (c != nullptr) {  // d²/dt² a · d, a turning with A
        const Vec3<T> rotated = cross(A.w, a), apart = B.v - A.v;
        c[row] = dot(Vec3<T>(cross(A.alpha, a) + cross(A.w, rotated)), d) + T(2) * dot(rotated, apart) + dot(a, Vec3<T>(B.a - A.a));
      }
      if (J == nullptr) continue;
      each(loop.to_B, [&](const PlanBody<P>& body, const Vec3<T>& z, const Vec3<T>& p) { return dot(a, body.prismatic ? z : cross(z, Vec3<T>(B.X.p - p))); });
      each(loop.to_A, [&](const PlanBody<P>& body, const Vec3<T>& z, const Vec3<T>& p) {  // the plane rotates with the joint about p
        return -dot(a, body.prismatic ? z : cross(z, Vec3<T>(B.X.p - p)));
      });
    }
  }
}

/// 1 - cos of the angle between axes that loops hold parallel (opposed_rows() of each): 0 where the loop is closed and 2 half a turn away, which right angles
/// do not show. Needs place(). Returns where `out` ends.
template <class P, Scalar T>
T* opposed(const PlanOf<P>& plan, const WorkspaceOf<T>& ws, T* out, ClosedSpaceOf<T>& scratch) noexcept(kIsNumber<T>) {
  const T* none = nullptr;
  for (const LoopRowsOf<P>& loop : plan.loops) {
    if (opposed_rows(loop.type) == 0) continue;
    const LoopEndOf<T> A = follow(plan, ws, loop.to_A, loop.X_A, none, scratch);
    const LoopEndOf<T> B = follow(plan, ws, loop.to_B, loop.X_B, none, scratch);
    *out++ = T(1) - dot(A.X.R.column_z(), B.X.R.column_z());
    if (opposed_rows(loop.type) == 2) *out++ = T(1) - dot(column_x(A.X.R), column_x(B.X.R));
  }
  return out;
}

}  // namespace ulna::internal::kernel
