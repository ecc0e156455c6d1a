// A chain in motion, from derivatives of places and rotations as matrix products (turney_arm.hpp): no recursion of velocities.
#pragma once

#include "verify/derivation.hpp"
#include "verify/turney_arm.hpp"

namespace ulna::internal::proof {

/// The vector a of a matrix [a x].
template <class T>
Vec3<T> axial(const Mat3<T>& X) {
  return {X.zy, X.xz, X.yx};
}

/// Everything in the axes of the base. h is a point of link i, from the origin of its frame, in its axes.
template <class T>
struct ChainMotion {
  ChainMotion(const DhChain<T>& chain, const std::vector<T>& q, const std::vector<T>& rates, const std::vector<T>& accelerations)
      : arm(chain, q), v(rates), a(accelerations), R_dot_(arm.n + 1), R_ddot_(arm.n + 1), p_dot_(arm.n + 1, zero<T>()), p_ddot_(arm.n + 1, zero<T>()) {
    for (std::size_t i = 1; i <= arm.n; ++i) {
      Mat3<T>&R1 = R_dot_[i], &R2 = R_ddot_[i];
      R1 = R2 = zero_matrix<T>();
      for (std::size_t j = 1; j <= i; ++j) {
        R1 = R1 + v[j - 1] * arm.dR(i, j);
        R2 = R2 + a[j - 1] * arm.dR(i, j);
        p_dot_[i] = p_dot_[i] + v[j - 1] * arm.dp(i, j);
        p_ddot_[i] = p_ddot_[i] + a[j - 1] * arm.dp(i, j);
        for (std::size_t k = 1; k <= i; ++k) {
          const T vv = v[j - 1] * v[k - 1];
          R2 = R2 + vv * arm.ddR(i, j, k);
          p_ddot_[i] = p_ddot_[i] + vv * arm.ddp(i, j, k);
        }
      }
    }
  }

  TurneyArm<T> arm;
  std::vector<T> v, a;

  Vec3<T> place(std::size_t i, const Vec3<T>& h) const { return arm.p(0, i) + arm.R(0, i) * h; }
  Vec3<T> velocity(std::size_t i, const Vec3<T>& h) const { return p_dot_[i] + R_dot_[i] * h; }
  Vec3<T> acceleration(std::size_t i, const Vec3<T>& h) const { return p_ddot_[i] + R_ddot_[i] * h; }
  Vec3<T> omega(std::size_t i) const { return axial(R_dot_[i] * arm.R(i, 0)); }
  Vec3<T> alpha(std::size_t i) const { return axial(R_ddot_[i] * arm.R(i, 0) + R_dot_[i] * R_dot_[i].transposed()); }
  /// About the mass centre.
  Mat3<T> inertia(std::size_t i) const { return arm.R(0, i) * arm.I[i] * arm.R(i, 0); }
  /// By the rate of joint j: of a point, and of the rotation as an angular velocity.
  Vec3<T> moved(std::size_t i, const Vec3<T>& h, std::size_t j) const { return arm.dp(i, j) + arm.dR(i, j) * h; }
  Vec3<T> rotated(std::size_t i, std::size_t j) const { return axial(arm.dR(i, j) * arm.R(i, 0)); }
  /// ∫ f(h) dm of a vector.
  template <class F>
  Vec3<T> integral(std::size_t i, const F& f) const {
    const LinkMoments<T> link = arm.moments(i);
    const auto part = [&](auto component) { return proof::integral(link, [&](const Vec3<T>& h) { return component(f(h)); }); };
    return {part([](const Vec3<T>& x) { return x.x; }), part([](const Vec3<T>& x) { return x.y; }), part([](const Vec3<T>& x) { return x.z; })};
  }

 private:
  std::vector<Mat3<T>> R_dot_, R_ddot_;
  std::vector<Vec3<T>> p_dot_, p_ddot_;
};

}  // namespace ulna::internal::proof
