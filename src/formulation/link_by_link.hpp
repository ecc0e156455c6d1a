// The inertia matrix link by link, from partial derivatives of velocities, in driving-axis frames: for counting.
//
// S.-K. Lin, "A new composite body method for manipulator dynamics", Journal of Robotic Systems 8(2), 197-219, 1991, introduction, on his method of 1988: "an
// explicit formulation which relates the entries of the inertia matrix to the partial derivatives of the velocities and angular velocities of links with
// respect to the joint velocities", O(n³), in driving-axis frames. That is H_mj = Σ_i u_m · I_i u_j + m_i v_m · v_j, as Kane's method forms it. How the article
// of 1988 orders the work is not said; here u_m and the velocity t_m of the origin of E_i are carried outward, and all that is constant in a link is known
// before.
//
//   u_m, v_m   partial angular velocity of link i by joint m, and partial velocity of its mass centre, in E_i
//   t_m        partial velocity of the origin of E_i, in E_i
//
// Takes serial chains of revolute and prismatic joints. Cost, n revolute joints: 7/6 n³ and n³ are its parts in n³, as in the polynomials printed for 1988.
#pragma once

#include "formulation/driving_axis.hpp"

namespace ulna::internal::composite_body {

template <class P, Scalar T>
class LinkByLink {
 public:
  explicit LinkByLink(const MdhChain<P>& chain) : frames_(chain), own_(chain.size()), u_(chain.size()), t_(chain.size()), v_(chain.size()) {
    for (std::size_t i = 0; i < size(); ++i) {
      const DhRow<P>& row = chain.rows[i];
      const Sym3<P>& I = row.inertia;
      const P o(0);
      own_[i].I_z = row.prismatic ? Vec3<P>{o, o, o} : Vec3<P>{I.xz, I.yz, I.zz};
      own_[i].v = row.prismatic ? Vec3<P>{o, o, P(1)} : Vec3<P>{-row.com.y, row.com.x, o};
      own_[i].m_v = row.mass * own_[i].v;
      own_[i].H = own_[i].I_z.z + dot(own_[i].v, own_[i].m_v);
    }
  }
  std::size_t size() const { return frames_.size(); }
  void set_configuration(const T* q) { frames_.set_configuration(q); }

  /// Row by row, full and symmetric.
  void mass(T* H) {
    const std::size_t n = size();
    for (std::size_t i = 0; i < n; ++i) {
      const DhRow<P>& row = frames_.row(i);
      for (std::size_t m = 0; m < i; ++m) {
        const DrivingAxisStep<T>& step = frames_.step(i);
        const bool revolute = frames_.rotational(m), next = m + 1 == i;
        if (revolute) {
          t_[m] = step.outward(next ? Vec3<T>{-step.s.y, step.s.x, T(0)} : t_[m] + cross(u_[m], step.s));
          u_[m] = next ? step.previous_axis() : step.outward(u_[m]);
          v_[m] = t_[m] + cross(u_[m], row.com);
        } else {
          v_[m] = t_[m] = next ? step.previous_axis() : step.outward(t_[m]);
        }
      }
      for (std::size_t j = 0; j < i; ++j) {
        const bool revolute = frames_.rotational(j);
        const Vec3<T> Iu = revolute ? row.inertia * u_[j] : Vec3<T>{T(0), T(0), T(0)};
        for (std::size_t m = 0; m <= j; ++m) {
          const T linear = row.mass * dot(v_[m], v_[j]);
          H[m * n + j] = H[m * n + j] + (revolute && frames_.rotational(m) ? dot(u_[m], Iu) + linear : linear);
        }
        const Own& own = own_[i];
        const T linear = dot(v_[j], own.m_v);
        H[j * n + i] = revolute && frames_.rotational(i) ? dot(u_[j], own.I_z) + linear : linear;
      }
      H[i * n + i] = T(own_[i].H);
    }
    for (std::size_t j = 0; j < n; ++j)
      for (std::size_t m = 0; m < j; ++m) H[j * n + m] = H[m * n + j];
  }

 private:
  struct Own {  // of joint i in link i
    Vec3<P> I_z{}, v{}, m_v{};
    P H{};
  };
  DrivingAxisChain<P, T> frames_;
  std::vector<Own> own_;
  std::vector<Vec3<T>> u_, t_, v_;  // of joint m, in the link that is at hand
};

}  // namespace ulna::internal::composite_body
