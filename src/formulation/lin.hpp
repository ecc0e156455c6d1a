// Inertia matrix and bias vector by Lin's composite bodies: every point is observed from the origin of the base frame, so that one set of vectors per
// pair of joints serves the inertia matrix and the Coriolis coefficients alike.
//
// S.-K. Lin, "A new composite body method for manipulator dynamics", Journal of Robotic Systems 8(2), 197-219, 1991. Equation numbers are its own.
//
//   paper                   here             meaning, joints counted from 0 here
//   E_i; b, d, beta, theta  driving_axis.hpp modified Denavit-Hartenberg frames
//   K_i*, N_JR              rotational(i), first_rotational()
//   m̂_j                     m_hat            mass of the composite body j (links j..n)                                       (28)
//   s_j^(j)                 s                origin of E_j from the base, in E_j                                             (25)
//   p_j^(j)                 p                mass centre of link j from the base, in E_j                                     (26)
//   u_m^(j), ŝ_m^(j)        u, s_hat (m, j)  axis of joint m; u_m x s_m; both in E_j                                         (24), (27)
//   p̂_j                     p_hat            first moment of the composite body j about the base                               (29)
//   Ĵ_j, J̄_j                J_hat_33, J_bar  its inertia about the base; Ĵ - ½ tr(Ĵ) E                                         (23), (30)
//   Ĩ_i                     I_tilde          I - ½ tr(I) E                                                                   (19)
//   a_j, e_j, B_j           a, e, B                                                                                          (62)-(64)
//   H_mj, d_mj              H, d                                                                                             (65), (66)
//   ζ_j, ζ_j q̇_j            zeta, zeta_hat                                                                                   (55)-(57)
//   g, η_m                  g, eta           gravitational acceleration (points down); its part of the bias                  (58), (67)
//
// "The base" is the origin of E_1 at this instant: the paper lets E_0 and E_1 coincide at the null position, and for a translational first joint any
// common reference point serves, because only distances at one instant enter. Parameters a and d of the first row therefore play no part.
// So does any other point for all of (24)-(67): LinReference names the origin of another frame, which the conclusion says to have tried and found dearer, or
// the mass centre of a link. (25) then runs from there to both sides; what (59) and (60) spare, they spare at that joint.
// Gravity enters as a force on each composite body (67); there is no accelerated base.
//
// Takes serial chains of revolute and prismatic joints in any mixture, leading prismatic ones and none revolute included; massless links too.
// Cost, n revolute joints, n >= 2: H without the entries of R 10.5n² + 38.5n - 85 mul, 6n² + 39n - 70 add; H and b with them
// 23n² + 44n - 82 mul, 15n² + 40n - 70 add in the paper, 3 mul and 2 add less here (one line of Figure 3 is missing in our transcription, see zeta below).
//
// Differs from the print: (43) D_mij is D_mjj; (44) lacks the cross product in ω x (J ω); (51) has + m r rᵀ; in (67) K_j is K_m; (24) and (27) are R
// times a vector; Ī in (30) is Ĩ. Figure 3: of the leading translational joints η_j = -m̂_j g_z (printed +m̂_j g_x), and the n = 1 branch follows
// the general one; for a first rotational joint behind translational ones H_jj is (Ĵ_j)_33 + (ŝ_j x p̂_j)_z - ŝ_j·e_j and not (Ĵ_j)_33 alone,
// which is taken about the base and not about the joint. The part of the figure from B to ζ is missing in our transcription and was
// derived again from (54)-(67).
#pragma once

#include "formulation/composite_bias.hpp"
#include "formulation/paper_quantity.hpp"

namespace ulna::internal::composite_body {

/// From where all points are observed: the origin of the frame of a link (from 0; the base's for the first), or its mass centre.
struct LinReference {
  std::size_t link = 0;
  bool mass_centre = false;
};

template <class P, Scalar T>
class Lin {
 public:
  /// Figure 3, "initialization": all that never changes.
  explicit Lin(const MdhChain<P>& chain, const LinReference& from = {})
      : frames_(chain),
        from_(from),
        bias_(chain),
        I_tilde_(chain.size()),
        s_(chain.size()),
        p_(chain.size()),
        p_hat_(chain.size()),
        J_bar_(chain.size()),
        e_(chain.size()),
        a_(chain.size()),
        B_(chain.size()),
        u_(pairs()),
        s_hat_(pairs()) {
    for (std::size_t i = 0; i < size(); ++i) {
      const Sym3<P>& I = chain.rows[i].inertia;
      const P half = P(0.5) * I.trace();
      I_tilde_[i] = {I.xx - half, I.yy - half, I.zz - half, I.xy, I.xz, I.yz};
    }
    if (size() == 0) return;
    const DhRow<P>& link = chain.rows[0];
    p_hat_1_ = link.mass * link.com;
    J_33_1_ = link.inertia.zz + (p_hat_1_.x * link.com.x + p_hat_1_.y * link.com.y);
  }

  std::size_t size() const { return frames_.size(); }

  /// The entries of the rotation matrices: the part of Figure 3 that the count for the inertia matrix alone leaves out.
  void set_configuration(const T* q) { frames_.set_configuration(q); }

  /// H, row by row, full and symmetric.
  void mass(T* H) {
    form_positions();
    form_axes();
    form_composites(false);
    form_entries(H, false);
  }
  /// b = Coriolis, centripetal and gravity forces.
  void bias(const T* qd, T* b) { mass_and_bias(qd, nullptr, b); }
  /// Both; H may be null.
  void mass_and_bias(const T* qd, T* H, T* b, bool term_by_term = false) {
    form_positions();
    form_axes();
    form_composites(true);
    form_entries(H, true);
    bias_.gravity(frames_, e_, b);
    bias_.form_zeta(frames_, u_, qd, term_by_term);
    bias_.add_to(frames_, b);
  }

  /// D_mkj of (31), see CompositeBias.
  void coriolis_coefficients(const T* q, T* D) {
    set_configuration(q);
    form_positions();
    form_axes();
    form_composites(true);
    form_entries(nullptr, true);
    bias_.coefficients(frames_, u_, D);
  }
  /// η of (67).
  void gravity(T* eta) {
    form_positions();
    form_composites(true, false);
    form_e();
    bias_.gravity(frames_, e_, eta);
  }

  /// What Figure 3 forms; a number above in brackets is that of the frame.
  void visit(const PaperVisitor<T>& shown) const {
    static constexpr PaperSymbol s{"s", "origin of E(j) from the base, in E(j)", "R (s(j-1) + s)", "25"},
        p{"p", "mass centre of link j from the base, in E(j)", "s(j) + c(j)", "26"}, u{"u", "axis of joint m, in the frame above", "R u(m)", "24"},
        s_hat{"shat", "u(m) x s(m), in the frame above", "R shat(m)", "27"},
        p_hat{"phat", "first moment of the links from j on about the base, in E(j)", "m(j) p(j) + R phat(j+1)", "29"},
        J_bar{"Jbar", "inertia Jhat(j) of the links from j on about the base, less half its trace, in E(j)", "Itilde(j) - m(j) p(j) p(j)^T + R Jbar(j+1) R^T",
              "30"},
        e{"e", "", "u(j) x phat(j) - mhat(j) shat(j)", "63"}, a{"a", "", "Jhat(j) u(j) + shat(j) x phat(j)", "62"},
        B{"B", "", "-Jbar(j) [u(j) x] + [shat(j) x][phat(j) x]", "64"},
        d{"d", "numbered mj, in E(j)", "B(j) u(m) + shat(m) x e(j); D(mkj) = u(k) . d(mj)", "66, 45"}, g{"g", "gravity, in E(j)", "", "58"},
        zeta{"zetahat", "zeta(j) q(j)', in the frame above", "zeta(j) = R (zeta(j-1) + u(j-1) q(j-1)') + u(j) q(j)'", "56"};
    const PaperQuantities<T> show(shown);
    const std::size_t n = size(), first = frames_.first_rotational();
    const auto pair = [&](const std::vector<Vec3<T>>& of, std::size_t m, std::size_t j) -> const Vec3<T>& { return of[m * n + j]; };
    for (std::size_t j = 0; j < n; ++j) {
      show(s, {j + 1}, s_[j]);
      show(p, {j + 1}, p_[j]);
    }
    for (std::size_t m = 0; m < n; ++m)
      for (std::size_t j = m + 1; j < n; ++j) show(u, {m + 1, 0, j + 1}, pair(u_, m, j));
    for (std::size_t m = 0; m < n; ++m)
      for (std::size_t j = m; j < (frames_.rotational(m) ? n : m + 1); ++j) show(s_hat, {m + 1, 0, j + 1}, pair(s_hat_, m, j));
    for (std::size_t j = n; j-- > first;) {
      if (j > first) show(J_bar, {j + 1}, J_bar_[j]);
      if (with_bias_ || j > 0 || !from_base()) show(p_hat, {j + 1}, p_hat_[j]);
    }
    for (std::size_t j = first; j < n; ++j) {
      const bool revolute = frames_.rotational(j);
      if (revolute) show(e, {j + 1}, e_[j]);
      if (revolute && j > first) show(a, {j + 1}, a_[j]);
      if (revolute && j > first && with_bias_) show(B, {j + 1}, B_[j]);
      for (std::size_t m = 0; m < j && with_bias_; ++m) show(d, {m + 1, j + 1}, pair(bias_.d, m, j));
    }
    if (!with_bias_) return;
    for (std::size_t j = first; j < n; ++j) show(g, {j + 1}, bias_.g[j]);
    for (std::size_t j = first; j < n; ++j)
      for (std::size_t m = j; m < n; ++m) show(zeta, {j + 1, 0, m + 1}, pair(bias_.zeta_hat, j, m));
  }

 private:
  std::size_t pairs() const { return size() * size(); }
  template <class V>
  V& at(std::vector<V>& of, std::size_t m, std::size_t j) {
    return of[m * size() + j];
  }

  /// Whether the axis of joint i goes through the reference point: its ŝ vanishes.
  bool from_here(std::size_t i) const { return i == from_.link && !from_.mass_centre; }
  /// Whether it is the base's origin, as in Figure 3: then link 1 has constants.
  bool from_base() const { return from_here(0); }

  /// (25), (26), (59)-(61), from the reference point outwards and, where there is something, inwards. Of s_j only x, y make up ŝ_j in E_j.
  void form_positions() {
    const std::size_t r = from_.link;
    for (std::size_t i = r; i < size(); ++i) {
      const DrivingAxisStep<T>& step = frames_.step(i);
      const DhRow<P>& row = frames_.row(i);
      if (from_here(i))
        s_[i] = {T(0), T(0), T(0)};
      else if (i == r)
        s_[i] = (-row.com).template cast<T>();
      else if (from_here(i - 1))
        s_[i] = {row.a * step.cos_theta, -(row.a * step.sin_theta), frames_.d(i)};
      else
        s_[i] = step.outward(s_[i - 1] + step.s);
    }
    for (std::size_t i = r; i-- > 0;) {
      const DrivingAxisStep<T>& next = frames_.step(i + 1);
      s_[i] = from_here(i + 1) ? -next.s : next.inward(s_[i + 1]) - next.s;
    }
    for (std::size_t i = 0; i < size(); ++i) {
      if (i == r && from_.mass_centre)
        p_[i] = {T(0), T(0), T(0)};
      else
        p_[i] = s_[i] + frames_.row(i).com;
      at(s_hat_, i, i) = {-s_[i].y, s_[i].x, T(0)};
    }
  }

  /// (24), (27). ŝ_m is needed only for rotational joints, and that of the joint at the reference point is zero (59).
  void form_axes() {
    const std::size_t n = size();
    for (std::size_t m = 0; m + 1 < n; ++m) {
      const bool revolute = frames_.rotational(m);
      const DrivingAxisStep<T>& next = frames_.step(m + 1);
      at(u_, m, m + 1) = next.previous_axis();
      const Vec3<T>& own = at(s_hat_, m, m);
      if (revolute && !from_here(m))  // R times a vector without z
        at(s_hat_, m, m + 1) = {next.cos_theta * own.x + next.cos_beta_sin_theta * own.y, next.cos_beta_cos_theta * own.y - next.sin_theta * own.x,
                                -(next.sin_beta * own.y)};
      for (std::size_t i = m + 2; i < n; ++i) {
        at(u_, m, i) = frames_.step(i).outward(at(u_, m, i - 1));
        if (revolute && !from_here(m)) at(s_hat_, m, i) = frames_.step(i).outward(at(s_hat_, m, i - 1));
      }
      if (from_here(m))
        for (std::size_t i = m + 1; i < n; ++i) at(s_hat_, m, i) = {T(0), T(0), T(0)};
    }
  }

  /// (29), (30), from the tip to the first rotational joint; of that one only the entry (3,3) of Ĵ is needed, and p̂ of a joint
  /// at the reference point with nothing in front only by the bias.
  void form_composites(bool bias, bool inertias = true) {
    with_bias_ = bias;
    const std::size_t n = size(), first = frames_.first_rotational();
    for (std::size_t i = n; i-- > first;) {
      const DhRow<P>& link = frames_.row(i);
      const Vec3<T>& p = p_[i];
      const bool last = i + 1 == n;
      Vec3<T> m_p = i == 0 && from_base() ? p_hat_1_.template cast<T>() : link.mass * p;
      if (i > first && inertias) {
        Sym3<T>& J = J_bar_[i];
        const Sym3<P>& I = I_tilde_[i];
        J = {I.xx - m_p.x * p.x, I.yy - m_p.y * p.y, I.zz - m_p.z * p.z, I.xy - m_p.x * p.y, I.xz - m_p.x * p.z, I.yz - m_p.y * p.z};
        if (!last) J = J + frames_.step(i + 1).inward(J_bar_[i + 1]);
      } else if (inertias) {
        J_hat_33_ = i == 0 && from_base() ? T(J_33_1_) : link.inertia.zz + m_p.x * p.x + m_p.y * p.y;
        if (!last) {  // Ĵ_{i+1} = J̄ - tr(J̄) E (23), and the third row of R on both sides of it
          const Sym3<T>& J = J_bar_[i + 1];
          const Sym3<T> J_hat{-(J.yy + J.zz), -(J.xx + J.zz), -(J.xx + J.yy), J.xy, J.xz, J.yz};
          const Vec3<T> row = frames_.step(i + 1).previous_axis();
          J_hat_33_ = J_hat_33_ + dot(row, J_hat * row);
        }
      }
      p_hat_[i] = m_p;
      if (!last && (bias || i > 0 || !from_base())) p_hat_[i] = m_p + frames_.step(i + 1).inward(p_hat_[i + 1]);
    }
  }

  /// (63).
  void form_e() {
    for (std::size_t j = 0; j < size(); ++j)
      if (frames_.rotational(j)) e_[j] = {-p_hat_[j].y - bias_.m_hat[j] * at(s_hat_, j, j).x, p_hat_[j].x - bias_.m_hat[j] * at(s_hat_, j, j).y, T(0)};
  }

  /// (62)-(66). d_mj is not needed where ζ_j = 0, that is before the first rotational joint.
  void form_entries(T* H, bool bias) {
    const std::size_t n = size(), first = frames_.first_rotational();
    form_e();
    for (std::size_t j = 0; j < n; ++j) {
      const T m_hat(bias_.m_hat[j]);
      const bool revolute = frames_.rotational(j);
      const Vec3<T>& s_hat_j = at(s_hat_, j, j);
      const Vec3<T>& p_hat = p_hat_[j];
      Vec3<T>& a = a_[j];
      Mat3<T>& B = B_[j];
      T H_jj = m_hat;
      if (revolute) {
        if (j > first) {
          form_a_and_B(J_bar_[j], s_hat_j, p_hat, bias, a, B);
          H_jj = a.z - dot(s_hat_j, e_[j]);
        } else if (!from_here(j)) {
          H_jj = J_hat_33_ + (s_hat_j.x * p_hat.y - s_hat_j.y * p_hat.x) - dot(s_hat_j, e_[j]);
        } else {
          H_jj = J_hat_33_;
        }
      }
      if (H != nullptr) H[j * n + j] = H_jj;
      for (std::size_t m = 0; m < j; ++m) {
        const bool revolute_m = frames_.rotational(m);
        const Vec3<T>&u = at(u_, m, j), &s_hat = at(s_hat_, m, j);
        Vec3<T> moved{};  // u_m x p̂_j - m̂_j ŝ_m, of a translational j behind a rotational m; x and y only for d_mj
        if (!revolute && revolute_m) {
          moved.z = u.x * p_hat.y - u.y * p_hat.x - m_hat * s_hat.z;
          if (bias) {
            moved.x = u.y * p_hat.z - u.z * p_hat.y - m_hat * s_hat.x;
            moved.y = u.z * p_hat.x - u.x * p_hat.z - m_hat * s_hat.y;
          }
        }
        if (H != nullptr) {  // (65)
          T& entry = H[m * n + j];
          if (revolute)
            entry = revolute_m ? dot(a, u) - dot(s_hat, e_[j]) : dot(e_[j], u);
          else
            entry = revolute_m ? moved.z : m_hat * u.z;
          H[j * n + m] = entry;
        }
        if (bias && j >= first) {  // (66)
          Vec3<T>& d = at(bias_.d, m, j);
          if (revolute)
            d = revolute_m ? B * u + cross(s_hat, e_[j]) : cross(e_[j], u);
          else
            d = revolute_m ? Vec3<T>{-moved.y, moved.x, T(0)} : Vec3<T>{m_hat * -u.y, m_hat * u.x, T(0)};
        }
      }
    }
  }

  /// (62), (64) with ŝ_z = 0. For H alone 4 mul, 5 add; with B the products ŝ p̂ᵀ are shared: 6 mul, 12 add.
  static void form_a_and_B(const Sym3<T>& J, const Vec3<T>& s_hat, const Vec3<T>& p_hat, bool bias, Vec3<T>& a, Mat3<T>& B) {
    const T A12 = s_hat.x * p_hat.y, A13 = s_hat.x * p_hat.z, A21 = s_hat.y * p_hat.x, A23 = s_hat.y * p_hat.z;
    a = {J.xz + A23, J.yz - A13, A12 - A21 - J.xx - J.yy};
    if (!bias) return;
    const T A11 = s_hat.x * p_hat.x, A22 = s_hat.y * p_hat.y;
    B = {-J.xy - A22, J.xx + A21, T(0), A12 - J.yy, J.xy - A11, T(0), A13 - J.yz, J.xz + A23, -A22 - A11};
  }

  DrivingAxisChain<P, T> frames_;
  LinReference from_;
  // constants
  CompositeBias<P, T> bias_;  // and what it computes
  std::vector<Sym3<P>> I_tilde_;
  Vec3<P> p_hat_1_{};       // m_1 c_1
  P J_33_1_{};              // of link 1 about its axis
  bool with_bias_ = false;  // whether what the bias needs was formed
  // of one configuration, by joint
  std::vector<Vec3<T>> s_, p_;
  std::vector<Vec3<T>> p_hat_;
  std::vector<Sym3<T>> J_bar_;
  T J_hat_33_{};
  std::vector<Vec3<T>> e_, a_;
  std::vector<Mat3<T>> B_;
  // by pair (m, j), m <= j, at m n + j, in E_j
  std::vector<Vec3<T>> u_, s_hat_;
};

}  // namespace ulna::internal::composite_body
