// The normal driving-axis frames (modified Denavit-Hartenberg) that Lin's article and its appendix are written in, with the two transports that its
// line costs are counted from: R v in 8M 4A and R J Rᵀ in 37M 19A.
//
// S.-K. Lin, "A new composite body method for manipulator dynamics", Journal of Robotic Systems 8(2), 197-219, 1991, Figures 2, 3 and A1.
//
//   paper                      here                       meaning
//   b_i, d_i, beta_i, theta_i  a, d, alpha, theta (DhRow) parameters of frame E_i on E_{i-1}
//   R from E_{i-1} to E_i      outward(v)                 8M 4A, because the middle and right columns share cos(beta) v_y + sin(beta) v_z
//   R from E_i to E_{i-1}      inward(v), inward(J)       its transpose; 37M 19A for a symmetric J
//   s from E_{i-1} to E_i      s                          [b, -d sin(beta), d cos(beta)] in E_{i-1}
//   u_{i-1} in E_i             previous_axis()            third column of the outward R
#pragma once

#include <vector>

#include <ulna/scalar/scalar.hpp>
#include "formulation/frames.hpp"

namespace ulna::internal::composite_body {

/// The step from E_{i-1} to E_i at one configuration.
template <class T>
struct DrivingAxisStep {
  T sin_theta{}, cos_theta{};
  T sin_beta{}, cos_beta{};
  T cos_beta_sin_theta{}, cos_beta_cos_theta{};  // the four entries of R that are products
  T sin_beta_sin_theta{}, sin_beta_cos_theta{};
  Vec3<T> s{};

  /// 4 mul.
  void form_products() {
    cos_beta_sin_theta = cos_beta * sin_theta;
    cos_beta_cos_theta = cos_beta * cos_theta;
    sin_beta_sin_theta = sin_beta * sin_theta;
    sin_beta_cos_theta = sin_beta * cos_theta;
  }
  /// u_{i-1} in E_i; read as a row, the third row of the inward R. No operation.
  Vec3<T> previous_axis() const { return {sin_beta_sin_theta, sin_beta_cos_theta, cos_beta}; }
  /// From E_{i-1} to E_i. 8 mul, 4 add.
  Vec3<T> outward(const Vec3<T>& v) const {
    const T along = cos_beta * v.y + sin_beta * v.z;
    return {cos_theta * v.x + sin_theta * along, cos_theta * along - sin_theta * v.x, cos_beta * v.z - sin_beta * v.y};
  }
  /// From E_i to E_{i-1}. 8 mul, 4 add.
  Vec3<T> inward(const Vec3<T>& v) const {
    const T along = sin_theta * v.x + cos_theta * v.y;
    return {cos_theta * v.x - sin_theta * v.y, cos_beta * along - sin_beta * v.z, sin_beta * along + cos_beta * v.z};
  }
  /// R J Rᵀ, from E_i to E_{i-1}. 37 mul, 19 add: entry (1,3) of X = R J is not needed because R has a zero there.
  Sym3<T> inward(const Sym3<T>& J) const {
    const Vec3<T> X1 = inward(Vec3<T>{J.xx, J.xy, J.xz}), X2 = inward(Vec3<T>{J.xy, J.yy, J.yz});
    const T along = sin_theta * J.xz + cos_theta * J.yz;
    const T X23 = cos_beta * along - sin_beta * J.zz, X33 = sin_beta * along + cos_beta * J.zz;
    const T last = sin_theta * X1.z + cos_theta * X2.z;
    return {cos_theta * X1.x - sin_theta * X2.x, cos_beta_sin_theta * X1.y + cos_beta_cos_theta * X2.y - sin_beta * X23,
            sin_beta * last + cos_beta * X33,    cos_theta * X1.y - sin_theta * X2.y,
            cos_theta * X1.z - sin_theta * X2.z, cos_beta * last - sin_beta * X33};
  }
};

/// Steps of all joints. What does not move is put in once: all of s for a revolute joint, all of R for a prismatic one.
template <class P, Scalar T>
class DrivingAxisChain {
 public:
  explicit DrivingAxisChain(const MdhChain<P>& chain) : rows_(chain.rows), steps_(chain.size()), d_(chain.size()), first_rotational_(chain.size()) {
    for (std::size_t i = chain.size(); i-- > 0;) {
      const DhRow<P>& row = rows_[i];
      DrivingAxisStep<T>& step = steps_[i];
      step.sin_beta = T(row.sin_alpha);
      step.cos_beta = T(row.cos_alpha);
      if (row.prismatic) {
        step.sin_theta = T(row.sin_theta);
        step.cos_theta = T(row.cos_theta);
        step.cos_beta_sin_theta = T(row.cos_alpha * row.sin_theta);
        step.cos_beta_cos_theta = T(row.cos_alpha * row.cos_theta);
        step.sin_beta_sin_theta = T(row.sin_alpha * row.sin_theta);
        step.sin_beta_cos_theta = T(row.sin_alpha * row.cos_theta);
      } else {
        step.s = {T(row.a), T(-(row.d * row.sin_alpha)), T(row.d * row.cos_alpha)};
        first_rotational_ = i;
      }
    }
  }

  std::size_t size() const { return rows_.size(); }
  bool rotational(std::size_t i) const { return !rows_[i].prismatic; }  // K_i* of (7)
  /// N_JR of the paper, counted from 0; size() when no joint is rotational.
  std::size_t first_rotational() const { return first_rotational_; }
  const DhRow<P>& row(std::size_t i) const { return rows_[i]; }
  const DrivingAxisStep<T>& step(std::size_t i) const { return steps_[i]; }
  /// d_i at this configuration.
  const T& d(std::size_t i) const { return d_[i]; }

  /// The head of Figure 3: a revolute joint costs one sincos and 4 mul, a prismatic one 2 mul.
  void set_configuration(const T* q) {
    for (std::size_t i = 0; i < size(); ++i) {
      const DhRow<P>& row = rows_[i];
      DrivingAxisStep<T>& step = steps_[i];
      if (row.prismatic) {
        d_[i] = row.d + q[i];
        step.s = {T(row.a), -(row.sin_alpha * d_[i]), row.cos_alpha * d_[i]};
      } else {
        d_[i] = T(row.d);
        const auto sc = sincos(q[i], row.theta);
        step.sin_theta = sc.sin;
        step.cos_theta = sc.cos;
        step.form_products();
      }
    }
  }

 private:
  std::vector<DhRow<P>> rows_;
  std::vector<DrivingAxisStep<T>> steps_;
  std::vector<T> d_;
  std::size_t first_rotational_;
};

}  // namespace ulna::internal::composite_body
