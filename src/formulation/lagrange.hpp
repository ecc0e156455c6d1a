// Lagrangian dynamics with 4x4 matrices, by the strategy that makes them O(n³).
//
// J. L. Turney, T. N. Mudge, C. S. G. Lee, "Equivalence of two formulations for robot arm dynamics", Systems Engineering Laboratory, The University of
// Michigan, Ann Arbor, December 1980: sec. 2 (after R. A. Lewis, JPL Technical Memo 33-679, 1974), eqs 2.8-2.11, and the appendix. Indices are the
// paper's: links and joints from 1, frame 0 at the base.
//
//   paper                  here               meaning
//   T_r^s                  T_(r, s)           takes homogeneous points (x, y, z, 1) of frame s to frame r (eqs 1.13, 1.15)
//   Q_{i-1}^{i-1}          Q(i, X)            derivative of joint i: d T_{i-1}^i / d theta_i = Q T_{i-1}^i. A change of rows and signs, hence free
//   dT_0^q/dtheta_j        D_(q, j)           j <= q
//   d²T_0^q/dtheta_j dtheta_k   DD_(q, j, k)  j <= k <= q
//   J_q^a                  link.J             integral of d dᵗ dm over link q, d homogeneous, from the origin of frame q (eqs 1.26, 1.28)
//   m_q g rbar_q^a         link.weight        minus gravity times first moments, one 4-vector per axis of frame 0
//   M, C^i, G              mass(), coriolis_coefficients(), gravity()   tau = M a + (v' C^i v)_i + G (eq. 2.11)
//
// Takes: serial chains of revolute joints (the paper) and prismatic joints (ours: Q then has its one 1 in row z, column 4), in any mixture; any inertia
// tensor (J = tr(I) E / 2 - I + m rbar rbarᵗ; the paper assumes principal axes); gravity in any direction, entering as potential energy of every link; loads
// on the links (ours), by the work of their forces. A base that moves has no place in eq. 2.11, whose velocities are those of the joints alone.
// Corrected: the potential energy (2.1) and its sign in 2.7 are both wrong, and cancel. Eq. 2.6 lacks a sum over k and the speeds. The gravity term has
// dT_0^q, not dT_i^q. C^i_jk is printed with indices ij.
// Cost: O(n³); 13.5 n³ + 90.5 n² + 13 n mul, 32/3 n³ + 74 n² - 8/3 n add for revolute joints under vertical gravity. The paper prints 13.5 n³ + 82.5 n²
// + 5 n and 40/3 n³ + 58 n² - 64/3 n; docs/formulations/lagrange.md says where the difference comes from; in_row() names the
// rows of its Table 2. A product of 4x4 matrices is 64 mul, 48 add whatever its entries are; forming T_{i-1}^i, doubling a mixed term and adding gravity at the
// end are not counted, as in the paper.
#pragma once

#include "formulation/loads.hpp"
#include "formulation/mat4.hpp"
#include "formulation/paper_quantity.hpp"
#include "formulation/turney_link.hpp"

namespace ulna::internal::turney {

template <class P, Scalar T>
class Lagrange {
 public:
  explicit Lagrange(const DhChain<P>& chain) : n_(chain.size()), rows_(chain.rows) {
    for (const DhRow<P>& row : rows_) links_.push_back(make(row, chain.gravity_0));
    store_T_.resize((n_ + 1) * (n_ + 1));
    store_D_.resize((n_ + 1) * (n_ + 1));
    store_DD_.resize(n_ * (n_ + 1) * (n_ + 2) / 6);
    SJ_.resize(n_ + 1);
  }
  std::size_t size() const { return n_; }

  void torque(const T* q, const T* v, const T* a, T* tau, std::span<const LinkLoad<T>> loads = {}) {
    transforms(q);
    first_derivatives();
    second_derivatives();
    project(v, a, loads, tau);
    projected_ = true;
  }
  /// C(q, v) + G(q): the torque without the terms in a.
  void bias(const T* q, const T* v, T* bias, std::span<const LinkLoad<T>> loads = {}) { torque(q, v, nullptr, bias, loads); }

  /// M_ij, row by row, full and symmetric (eq. after 2.11).
  void mass(const T* q, T* M) {
    transforms(q);
    first_derivatives();
    mass_placed(M);
    projected_ = false;
  }

  /// C^i_jk at C[((i-1) n + j-1) n + k-1], both orders of j and k.
  void coriolis_coefficients(const T* q, T* C) {
    transforms(q);
    first_derivatives();
    second_derivatives();
    for (std::size_t j = 1; j <= n_; ++j)
      for (std::size_t k = j; k <= n_; ++k) {
        for (std::size_t i = 1; i <= n_; ++i) at(C, i, j, k) = T(0);
        for (std::size_t link = k; link <= n_; ++link) {
          const Mat4<T> DDJ = DD_(link, j, k) * links_[link - 1].J;
          for (std::size_t i = 1; i <= link; ++i) at(C, i, j, k) = at(C, i, j, k) + trace_product(DDJ, D_(link, i));
        }
        for (std::size_t i = 1; i <= n_; ++i) at(C, i, k, j) = at(C, i, j, k);
      }
  }

  void gravity(const T* q, T* G) {
    transforms(q);
    first_derivatives();
    for (std::size_t i = 1; i <= n_; ++i) G[i - 1] = gravity(i);
  }

  /// T_r^s and its derivatives, as far as the last call formed them, and the bracket of eq. 2.10.
  void visit(const PaperVisitor<T>& shown) const {
    static constexpr PaperSymbol J{"J", "second and first moments about the origin of frame q, and the mass: [int d d^T dm, m rbar; m rbar^T, m]", "", "1.28"},
        T_rs{"T", "transform from frame s to frame r, numbered rs", "T(rs-1) T(s-1s)", "1.15"},
        D{"dT", "derivative of T(0q) to q(j), numbered qj", "T(0j-1) Q T(j-1q)", "1.11, 1.18"},
        DD{"ddT", "second derivative of T(0q) to q(j) and q(k), numbered jk, above it q", "dT(k-1j) Q T(k-1q)", "1.12, 1.19"},
        SJ{"S", "second derivative of T(0q) in time, times J(q)",
           "(sum dT(qj) q(j)'' + sum ddT(jk) q(j)' q(k)') J(q); tau(i) = sum over q >= i of Tr{S(q) dT(qi)^T} and weights", "2.10"};
    const PaperQuantities<T> show(shown);
    const std::size_t width = n_ + 1;
    for (std::size_t q = 1; q <= n_; ++q) show(J, {q}, links_[q - 1].J);
    for (std::size_t length = 1; length <= n_; ++length)
      for (std::size_t r = 0; r + length <= n_; ++r) show(T_rs, {r, r + length}, store_T_[r * width + r + length]);
    for (std::size_t q = 1; q <= n_; ++q)
      for (std::size_t j = 1; j <= q; ++j) show(D, {q, j}, store_D_[q * width + j]);
    if (!projected_) return;
    for (std::size_t q = 1; q <= n_; ++q)
      for (std::size_t k = 1; k <= q; ++k)
        for (std::size_t j = 1; j <= k; ++j) show(DD, {j, k, q}, store_DD_[(q - 1) * q * (q + 1) / 6 + (k - 1) * k / 2 + j - 1]);
    for (std::size_t q = 1; q <= n_; ++q) show(SJ, {q}, SJ_[q]);
  }

 private:
  struct LinkTerms {
    bool prismatic = false;
    Mat4<T> J;
    Vec4<T> weight[3];
  };

  static LinkTerms make(const DhRow<P>& row, const Vec3<P>& gravity_0) {
    const NotCounted<T> given;
    LinkTerms link;
    link.prismatic = row.prismatic;
    const Sym3<P>& I = row.inertia;
    const Vec3<P>& c = row.com;
    const P half_trace = P(0.5) * I.trace(), m = row.mass;
    const P J[4][4] = {{half_trace - I.xx + m * c.x * c.x, m * c.x * c.y - I.xy, m * c.x * c.z - I.xz, m * c.x},
                       {m * c.x * c.y - I.xy, half_trace - I.yy + m * c.y * c.y, m * c.y * c.z - I.yz, m * c.y},
                       {m * c.x * c.z - I.xz, m * c.y * c.z - I.yz, half_trace - I.zz + m * c.z * c.z, m * c.z},
                       {m * c.x, m * c.y, m * c.z, m}};
    // A component of gravity that is absent stays a literal 0, so its products drop out: with gravity along z_0 this is the paper's (z_0^a)ᵗ.
    const P up[3] = {-gravity_0.x, -gravity_0.y, -gravity_0.z};
    for (std::size_t r = 0; r < 4; ++r)
      for (std::size_t s = 0; s < 4; ++s) link.J(r, s) = as_variable(T(J[r][s]));
    for (std::size_t r = 0; r < 4; ++r)
      for (std::size_t axis = 0; axis < 3; ++axis) link.weight[axis][r] = T(up[axis]) * link.J(3, r);
    return link;
  }

  // Paper's indices to storage.
  Mat4<T>& T_(std::size_t r, std::size_t s) { return store_T_[r * (n_ + 1) + s]; }
  Mat4<T>& D_(std::size_t q, std::size_t j) { return store_D_[q * (n_ + 1) + j]; }
  Mat4<T>& DD_(std::size_t q, std::size_t j, std::size_t k) { return store_DD_[(q - 1) * q * (q + 1) / 6 + (k - 1) * k / 2 + j - 1]; }
  T& at(T* C, std::size_t i, std::size_t j, std::size_t k) const { return C[((i - 1) * n_ + j - 1) * n_ + k - 1]; }

  /// Q_{i-1}^{i-1} X, the derivative of joint i put in front of X.
  Mat4<T> Q(std::size_t i, const Mat4<T>& X) const {
    const T zero = as_variable(T(0));
    const bool revolute = !links_[i - 1].prismatic;
    Mat4<T> QX;
    for (std::size_t c = 0; c < 4; ++c) {
      QX(0, c) = revolute ? -X(1, c) : zero;
      QX(1, c) = revolute ? X(0, c) : zero;
      QX(2, c) = revolute ? zero : X(3, c);
      QX(3, c) = zero;
    }
    return QX;
  }
  /// Tr{X Yᵗ}: only the diagonal is formed. 16 mul, 15 add.
  static T trace_product(const Mat4<T>& X, const Mat4<T>& Y) {
    T sum = T(0);
    for (std::size_t r = 0; r < 4; ++r)
      for (std::size_t c = 0; c < 4; ++c) sum = sum + X(r, c) * Y(r, c);
    return sum;
  }

  /// All T_r^s: pairs, then triples, and so on. n (n-1) / 2 products.
  void transforms(const T* q) {
    for (std::size_t i = 1; i <= n_; ++i) T_(i - 1, i) = transform(rows_[i - 1], q[i - 1]);
    for (std::size_t length = 2; length <= n_; ++length)
      for (std::size_t r = 0; r + length <= n_; ++r) T_(r, r + length) = in_row<T>("T", [&] { return T_(r, r + length - 1) * T_(r + length - 1, r + length); });
  }
  /// T_{i-1}^i (eq. 1.13) with p = (a cos theta, a sin theta, d). All entries count, also in the last row.
  static Mat4<T> transform(const DhRow<P>& row, const T& q) {
    const NotCounted<T> given;
    const SinCos<T> theta = joint_angle(row, q);
    const Mat3<T> R = rotation(row, theta);
    const T d = row.prismatic ? row.d + q : T(row.d);
    const T entries[4][4] = {{R.xx, R.xy, R.xz, row.a * theta.cos}, {R.yx, R.yy, R.yz, row.a * theta.sin}, {R.zx, R.zy, R.zz, d}, {T(0), T(0), T(0), T(1)}};
    Mat4<T> X;
    for (std::size_t r = 0; r < 4; ++r)
      for (std::size_t c = 0; c < 4; ++c) X(r, c) = as_variable(entries[r][c]);
    return X;
  }
  /// dT_0^q/dtheta_j = T_0^{j-1} Q T_{j-1}^q. n (n-1) / 2 products.
  void first_derivatives() {
    for (std::size_t q = 1; q <= n_; ++q)
      for (std::size_t j = 1; j <= q; ++j) D_(q, j) = j == 1 ? Q(1, T_(0, q)) : in_row<T>("dT", [&] { return T_(0, j - 1) * Q(j, T_(j - 1, q)); });
  }
  /// d²T_0^q/dtheta_j dtheta_k = (dT_0^{k-1}/dtheta_j) Q T_{k-1}^q, from fragments that exist already. n (n² - 1) / 6 products.
  void second_derivatives() {
    for (std::size_t q = 1; q <= n_; ++q)
      for (std::size_t k = 1; k <= q; ++k)
        for (std::size_t j = 1; j <= k; ++j) {
          DD_(q, j, k) = in_row<T>("d2T", [&] {
            if (j == 1) return Q(1, D_(q, k));
            if (j == k) return T_(0, j - 1) * Q(j, Q(j, T_(j - 1, q)));
            return D_(k - 1, j) * Q(k, T_(k - 1, q));
          });
        }
  }

  /// What link q exerts on the environment, the opposite of a load at the origin of frame q, as the sum of f_k r_kᵗ over forces in frame 0 at homogeneous
  /// points of frame q: with it the trace of eq. 2.10 gives the work of these forces, as it gives that of the inertia forces with d²T_0^q/dt² J_q.
  Mat4<T> load_matrix(std::size_t q, const LinkLoad<T>& load) {
    const Vec3<T>&F = load.F, n = T(-0.5) * load.N;
    const T o = T(0);
    return T_(0, q) * Mat4<T>{{{{o, -n.z, n.y, -F.x}, {n.z, o, -n.x, -F.y}, {-n.y, n.x, o, -F.z}, {o, o, o, o}}}};
  }

  /// tau_i of eq. 2.10: the bracket of each link, which does not depend on i, then its traces and the weights. Null a leaves its terms out.
  void project(const T* v, const T* a, std::span<const LinkLoad<T>> loads, T* tau) {
    for (std::size_t q = 1; q <= n_; ++q) {
      SJ_[q] = in_row<T>("kinetic", [&] {
        Mat4<T> S = Mat4<T>::zero();
        if (a != nullptr)
          for (std::size_t j = 1; j <= q; ++j) S = S + a[j - 1] * D_(q, j);
        for (std::size_t k = 1; k <= q; ++k)
          for (std::size_t j = 1; j <= k; ++j) {
            T pair = v[j - 1] * v[k - 1];
            if (j != k) pair = twice(pair);  // jk and kj
            S = S + pair * DD_(q, j, k);
          }
        return S * links_[q - 1].J;
      });
      if (!loads.empty()) SJ_[q] = SJ_[q] + load_matrix(q, loads[q - 1]);
    }
    for (std::size_t i = 1; i <= n_; ++i) {
      T kinetic = T(0);
      for (std::size_t q = i; q <= n_; ++q) kinetic = in_row<T>("trace", [&] { return kinetic + trace_product(SJ_[q], D_(q, i)); });
      const T weight = in_row<T>("gravity", [&] { return gravity(i); });
      const NotCounted<T> not_in_the_paper;
      tau[i - 1] = kinetic + weight;
    }
  }
  static T twice(const T& x) {
    const NotCounted<T> not_in_the_paper;
    return x + x;
  }
  /// G_i, the sum over q >= i of minus g' dT_0^q/dtheta_i m_q rbar_q^a (eq. 2.8).
  T gravity(std::size_t i) {
    T sum = T(0);
    for (std::size_t q = i; q <= n_; ++q)
      for (std::size_t axis = 0; axis < 3; ++axis) {
        const Mat4<T>& D = D_(q, i);
        sum = sum + dot(Vec4<T>{D.e[axis]}, links_[q - 1].weight[axis]);
      }
    return sum;
  }
  /// M_ij = sum over q of Tr{dT_0^q/dtheta_j J_q (dT_0^q/dtheta_i)ᵗ}.
  void mass_placed(T* M) {
    for (std::size_t j = 1; j <= n_; ++j) {
      for (std::size_t i = 1; i <= j; ++i) M[(i - 1) * n_ + j - 1] = T(0);
      for (std::size_t q = j; q <= n_; ++q) {
        const Mat4<T> DJ = D_(q, j) * links_[q - 1].J;
        for (std::size_t i = 1; i <= j; ++i) M[(i - 1) * n_ + j - 1] = M[(i - 1) * n_ + j - 1] + trace_product(DJ, D_(q, i));
      }
      for (std::size_t i = 1; i < j; ++i) M[(j - 1) * n_ + i - 1] = M[(i - 1) * n_ + j - 1];
    }
  }

  std::size_t n_;
  std::vector<DhRow<P>> rows_;
  std::vector<LinkTerms> links_;
  std::vector<Mat4<T>> store_T_, store_D_, store_DD_;  // through T_, D_, DD_
  std::vector<Mat4<T>> SJ_;                            // of link q: the bracket of eq. 2.10 times J_q
  bool projected_ = false;                             // whether the last call formed what eq. 2.10 has beyond M
};

}  // namespace ulna::internal::turney
