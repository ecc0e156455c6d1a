// The 3x3 recursive Lagrangian form exactly as J. M. Hollerbach prints it (IEEE Trans. SMC-10 (11), 1980, eqs 8 to 10 for rotations, 13, 16, 17, 18), for
// counting only: with gravity, or with a link length a_i, its torques are wrong, and hollerbach_3x3.hpp says which terms are missing. Revolute joints.
#pragma once

#include "formulation/hollerbach.hpp"

namespace ulna::internal::hollerbach {

/// One torque of a chain. 398n - 271 mul, 302n - 222 add with every product formed in full and the entries of A and its derivatives free. The mass
/// m_i in the product m_i r_i of eq. 13 counts, as printed; n_i of eq. 18 is a constant of the link.
template <class P, class T>
void torque_3x3_as_printed(const DhChain<P>& chain, const T* q, const T* v, const T* a, T* F) {
  const std::size_t n = chain.size();
  std::vector<JointMatrices<Mat3<T>>> joint(n + 1);
  std::vector<Vec3<T>> p_own(n + 1), p_before(n + 1), p_ddot(n + 1);
  std::vector<Motion<Mat3<T>>> motion(n + 1);
  motion[0] = motion_of_base<Mat3<T>, T>();
  p_ddot[0] = {T(0), T(0), T(0)};
  for (std::size_t i = 1; i <= n; ++i) {
    const DhRow<P>& row = chain.rows[i - 1];
    {
      [[maybe_unused]] const NotCounted<T> entries{};
      const Place<T> at = place(row, q[i - 1]);
      joint[i] = joint_matrices3(row, at);
      p_own[i] = as_variables<T>(offset(row, at));
      p_before[i] = as_variables<T>(Vec3<T>{row.a * at.cos_theta, row.a * at.sin_theta, at.s});
    }
    motion[i] = next_motion(motion[i - 1], i == 1, joint[i], v[i - 1], a[i - 1]);  // (8) to (10)
    p_ddot[i] = p_ddot[i - 1] - motion[i].W_ddot * p_own[i];                       // (16)
  }
  const Vec3<T> g = as_variables<T>(chain.gravity_0);
  Mat3<T> D;
  Vec3<T> e, c;
  for (std::size_t i = n; i >= 1; --i) {
    const DhRow<P>& row = chain.rows[i - 1];
    const T m = as_variable(T(row.mass));
    const Vec3<T> r = as_variables<T>(row.com), n_i = as_variables<T>(row.mass * row.com);
    const Mat3<T> J = as_variables<T>(second_moments(row).full());
    const Mat3<T> D_own = outer(n_i, p_ddot[i]) + J * motion[i].W_ddot.transposed();
    const Vec3<T> e_own = m * p_ddot[i] + motion[i].W_ddot * n_i;
    const Vec3<T> c_own = m * r;
    if (i == n) {
      D = D_own;
      e = e_own;
      c = c_own;
    } else {
      D = joint[i + 1].A * D + outer(p_before[i + 1], e) + D_own;  // (18)
      e = e + e_own;                                               // (18)
      c = c_own + joint[i + 1].A * c;                              // (13)
    }
    const Mat3<T> dW = motion[i - 1].W * joint[i].dA;
    F[i - 1] = trace(dW * D) - dot(g, dW * c);  // (17)
  }
}

}  // namespace ulna::internal::hollerbach
