// The inertia matrix by the recursion of Fijany and Bejczy: unit acceleration of joint j makes a force and a couple at joint j, which are handed down
// to the joints before it. All of them are written in one frame k, so that the inner loop has no rotation: k = 2 or the end-effector's.
//
// A. Fijany and A. K. Bejczy, "An efficient method for computation of the manipulator inertia matrix", IEEE ICRA 1989, pp. 1366-1373, as set forth by
// S.-K. Lin, "A new composite body method for manipulator dynamics", Journal of Robotic Systems 8(2), 197-219, 1991, (A10)-(A15).
//
//   paper              here            meaning, joints counted from 0 here
//   m̂_j, ĉ_j, Ĵ_j      RenaudBodies    composite body j about the origin of E_j, (A5)-(A8)
//   k                  k_              the frame of all forces and couples: the second joint's, or another's
//   R from E_j to E_k  R_k[j]
//   u_m^(k), s_m^(k)   u_k[m], s_k[m]  axis of joint m; from the origin of E_m to that of E_{m+1}
//   f_{m,j}, t_{m,j}   f, t            force and couple at joint m for unit acceleration of joint j
//
// Takes serial chains of revolute and prismatic joints in any mixture, in modified frames; massless links too, nothing is divided.
// Cost, n >= 4 revolute joints, entries of R between neighbours not counted: 4.5n² + 93.5n - 210 mul, 4n² + 67n - 147 add. Lin's Table I has
// 4.5n² + 115.5n - 175 mul, 4n² + 88n - 134 add for the authors' own program, whose O(n) part is not printed. In the end-effector's frame, whose axes
// are those of E_n, it is 4.5n² + 95.5n - 195 mul, 4n² + 68n - 138 add; in that of the third joint 4.5n² + 93.5n - 225 mul, 4n² + 67n - 156 add.
// Differs from the text as printed: f and t are the negatives of the inertia force and couple throughout, so that (A13) needs no sign; the force on the
// right of (A14) is written in E_j (printed k).
#pragma once

#include "formulation/renaud.hpp"

namespace ulna::internal::composite_body {

template <class P, Scalar T>
class FijanyBejczy {
 public:
  static constexpr std::size_t kSecondJoint = 1;  // the paper's k = 2

  /// `k` is the joint, from 0, in whose frame the forces are; one beyond the last is the last.
  explicit FijanyBejczy(const MdhChain<P>& chain, std::size_t k = kSecondJoint)
      : bodies_(chain),
        k_(k < chain.size() ? k : chain.size() - 1),
        R_k_(chain.size()),
        u_k_(chain.size()),
        s_k_(chain.size()),
        f_(chain.size()),
        t_(chain.size() * chain.size()) {}

  std::size_t size() const { return bodies_.frames().size(); }
  /// The entries of the rotation matrices between neighbours, as in the other methods of the article.
  void set_configuration(const T* q) { bodies_.set_configuration(q); }

  /// H, row by row, full and symmetric.
  void mass(T* H) {
    bodies_.form();
    form_frame_k();
    const std::size_t n = size();
    const DrivingAxisChain<P, T>& frames = bodies_.frames();
    for (std::size_t j = 0; j < n; ++j) {
      const Vec3<T>& c = bodies_.c_hat(j);
      const Sym3<T>& J = bodies_.J_hat(j);
      const T m_hat(bodies_.m_hat(j));
      const bool revolute = frames.rotational(j);
      H[j * n + j] = revolute ? J.zz : m_hat;  // (A12)
      if (j == 0) continue;
      // (A10), (A11), (A14). A couple matters only where a rotational joint comes before j, and only there is Ĵ_j complete.
      const bool couple = frames.first_rotational() < j;
      const Vec3<T> f = R_k_[j] * (revolute ? Vec3<T>{-c.y, c.x, T(0)} : Vec3<T>{T(0), T(0), m_hat});
      f_[j] = f;
      Vec3<T> t{};
      if (couple) t = R_k_[j] * (revolute ? Vec3<T>{J.xz, J.yz, J.zz} : Vec3<T>{c.y, -c.x, T(0)});
      for (std::size_t m = j; m-- > 0;) {
        if (couple) t = t + cross(s_k_[m], f);  // (A15)
        t_[m * n + j] = t;
        H[m * n + j] = frames.rotational(m) ? dot(u_k_[m], t) : dot(u_k_[m], f);  // (A13)
        H[j * n + m] = H[m * n + j];
      }
    }
  }

  void visit(const PaperVisitor<T>& shown) const {
    static constexpr PaperSymbol R{"R", "rotation from E(j) to E(k), k = 2", "", "A10"}, u{"u", "axis of joint m, in E(k), k = 2", "R(m) z", "A13"},
        s{"s", "from the origin of E(m) to that of E(m+1), in E(k), k = 2", "R(m) s", "A15"},
        f{"f", "force for unit acceleration of joint j, in E(k), k = 2", "R(j) (z x chat(j)), R(j) mhat(j) z of a slide", "A10, A14"},
        t{"t", "couple at joint m for unit acceleration of joint j, in E(k), k = 2, numbered mj", "t(m+1j) + s(m) x f(j)", "A11, A15"};
    const PaperQuantities<T> show(shown);
    const std::size_t n = size();
    bodies_.visit(show);
    for (std::size_t m = 0; m < n; ++m) {
      show(R, {m + 1}, R_k_[m]);
      show(u, {m + 1}, u_k_[m]);
      show(s, {m + 1}, s_k_[m]);
    }
    for (std::size_t j = 1; j < n; ++j) {
      show(f, {j + 1}, f_[j]);
      for (std::size_t m = j; m-- > 0 && bodies_.frames().first_rotational() < j;) show(t, {m + 1, j + 1}, t_[m * n + j]);
    }
  }

 private:
  /// Axes and distances of all joints in E_k. A further joint costs 24 mul, 12 add for its rotation and 9 mul, 6 add for its distance.
  void form_frame_k() {
    const std::size_t n = size();
    if (n < 2) return;
    const DrivingAxisChain<P, T>& frames = bodies_.frames();
    R_k_[k_] = Mat3<T>::identity();
    for (std::size_t m = k_ + 1; m < n; ++m) {
      s_k_[m - 1] = R_k_[m - 1] * frames.step(m).s;
      R_k_[m] = m == k_ + 1 ? inward_matrix(frames.step(m)) : product(R_k_[m - 1], frames.step(m));
    }
    for (std::size_t m = k_; m-- > 1;) {
      R_k_[m] = m + 1 == k_ ? inward_matrix(frames.step(k_)).transposed() : product_outward(R_k_[m + 1], frames.step(m + 1));
      s_k_[m] = m + 1 == k_ ? turned_outward(k_) : R_k_[m] * frames.step(m + 1).s;
    }
    // Nothing hangs on E_1 but its axis and distance, which are seen from E_2: u is a column of R, s is (61).
    for (std::size_t m = 1; m < n; ++m) u_k_[m] = R_k_[m].column_z();
    if (k_ == 0) {
      u_k_[0] = R_k_[0].column_z();
    } else {
      u_k_[0] = R_k_[1] * frames.step(1).previous_axis();
      s_k_[0] = R_k_[1] * turned_outward(1);
    }
  }
  /// From the origin of E_{m-1} to that of E_m, in E_m (61). 2 mul.
  Vec3<T> turned_outward(std::size_t m) const {
    const DrivingAxisStep<T>& step = bodies_.frames().step(m);
    const P& b = bodies_.frames().row(m).a;
    return {b * step.cos_theta, -(b * step.sin_theta), bodies_.frames().d(m)};
  }
  static Mat3<T> inward_matrix(const DrivingAxisStep<T>& step) {
    return {step.cos_theta,          -step.sin_theta,         T(0),         step.cos_beta_sin_theta, step.cos_beta_cos_theta, -step.sin_beta,
            step.sin_beta_sin_theta, step.sin_beta_cos_theta, step.cos_beta};
  }
  /// Q times the inward rotation: the rows of Q are rotated by its transpose. 24 mul, 12 add.
  static Mat3<T> product(const Mat3<T>& Q, const DrivingAxisStep<T>& step) {
    const Vec3<T> x = step.outward({Q.xx, Q.xy, Q.xz}), y = step.outward({Q.yx, Q.yy, Q.yz}), z = step.outward({Q.zx, Q.zy, Q.zz});
    return {x.x, x.y, x.z, y.x, y.y, y.z, z.x, z.y, z.z};
  }

  /// Q times the outward rotation. 24 mul, 12 add.
  static Mat3<T> product_outward(const Mat3<T>& Q, const DrivingAxisStep<T>& step) {
    const Vec3<T> x = step.inward(Vec3<T>{Q.xx, Q.xy, Q.xz}), y = step.inward(Vec3<T>{Q.yx, Q.yy, Q.yz}), z = step.inward(Vec3<T>{Q.zx, Q.zy, Q.zz});
    return {x.x, x.y, x.z, y.x, y.y, y.z, z.x, z.y, z.z};
  }

  RenaudBodies<P, T> bodies_;
  std::size_t k_;
  std::vector<Mat3<T>> R_k_;
  std::vector<Vec3<T>> u_k_, s_k_, f_, t_;
};

}  // namespace ulna::internal::composite_body
