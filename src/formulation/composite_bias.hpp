// The bias of a chain from composite bodies, once e_j and d_mj are there: what Lin's method and Renaud's share.
//
// S.-K. Lin, "A new composite body method for manipulator dynamics", Journal of Robotic Systems 8(2), 197-219, 1991, eqs (31)-(34), (45), (47), (54)-(58),
// (67). Those equations do not say from which point e_j and d_mj are measured: Lin's is the origin of the base, Renaud's that of E_j.
//
//   paper           here         meaning, joints counted from 0 here
//   m̂_j             m_hat        mass of the links j..n                                                                (28)
//   d_mj            d            in E_j, by pair (m, j) at m n + j                                                     (46)
//   ζ_j q̇_j         zeta_hat     in E_m, by pair (j, m)                                                                (55)-(57)
//   g, η_m          g, gravity() gravitational acceleration (points down), constant before the first rotational joint  (58), (67)
#pragma once

#include "formulation/driving_axis.hpp"

namespace ulna::internal::composite_body {

template <class P, Scalar T>
class CompositeBias {
 public:
  using Frames = DrivingAxisChain<P, T>;

  explicit CompositeBias(const MdhChain<P>& chain)
      : m_hat(chain.size()), d(chain.size() * chain.size()), zeta_hat(d.size()), g(chain.size()), eta_leading_(chain.size()), g_leading_(chain.gravity_0) {
    const std::size_t n = chain.size();
    for (std::size_t i = n; i-- > 0;) m_hat[i] = i + 1 < n ? P(m_hat[i + 1] + chain.rows[i].mass) : chain.rows[i].mass;
    for (std::size_t j = 0; j < n && chain.rows[j].prismatic; ++j) {
      const DhRow<P>& row = chain.rows[j];
      const Vec3<P> before = g_leading_;
      const P along = row.cos_alpha * before.y + row.sin_alpha * before.z;
      g_leading_ = {row.cos_theta * before.x + row.sin_theta * along, row.cos_theta * along - row.sin_theta * before.x,
                    row.cos_alpha * before.z - row.sin_alpha * before.y};
      eta_leading_[j] = -(m_hat[j] * g_leading_.z);
    }
  }

  std::vector<P> m_hat;
  std::vector<Vec3<T>> d, zeta_hat, g;

  /// η (67).
  void gravity(const Frames& frames, const std::vector<Vec3<T>>& e, T* eta) {
    const std::size_t first = frames.first_rotational();
    for (std::size_t m = 0; m < frames.size(); ++m) {
      if (m < first) {
        eta[m] = T(eta_leading_[m]);
        continue;
      }
      g[m] = frames.step(m).outward(m == first ? g_leading_.template cast<T>() : g[m - 1]);
      eta[m] = frames.rotational(m) ? -dot(e[m], g[m]) : -(m_hat[m] * g[m].z);
    }
  }

  /// ζ_j q̇_j in E_j and in all frames beyond it, (55)-(57), from the axes u of the pairs (j, m). (56) from ζ = [0, 0, q̇] is twice a column of R: that line of
  /// Figure 3 is missing in our transcription. Ours takes 6 mul, 2 add; `term_by_term`, R ζ + R u q̇ as they come, takes 9 mul, 4 add.
  void form_zeta(const Frames& frames, const std::vector<Vec3<T>>& u, const T* qd, bool term_by_term = false) {
    const std::size_t n = frames.size(), first = frames.first_rotational();
    if (first == n) return;
    const T square = qd[first] * qd[first];
    zeta_hat[first * n + first] = {T(0), T(0), square};
    Vec3<T> zeta{};
    for (std::size_t j = first + 1; j < n; ++j) {
      const Vec3<T>& axis = u[first * n + j];
      if (j == first + 1)
        zeta = term_by_term ? qd[first] * axis + qd[first] * axis : (qd[first] + qd[first]) * axis;
      else
        zeta = frames.step(j).outward(frames.rotational(j - 1) ? Vec3<T>{zeta.x, zeta.y, zeta.z + qd[j - 1]} : zeta);
      if (frames.rotational(j)) zeta.z = zeta.z + qd[j];
      zeta_hat[j * n + j] = qd[j] * zeta;
    }
    for (std::size_t m = first + 1; m < n; ++m) zeta_hat[first * n + m] = square * u[first * n + m];
    for (std::size_t j = first + 1; j < n; ++j)
      for (std::size_t m = j + 1; m < n; ++m) zeta_hat[j * n + m] = frames.step(m).outward(zeta_hat[j * n + m - 1]);
  }

  /// (54) on top of η.
  void add_to(const Frames& frames, T* b) const {
    const std::size_t n = frames.size();
    for (std::size_t m = 0; m < n; ++m)
      for (std::size_t j = frames.first_rotational(); j < n; ++j) {
        if (j < m) b[m] = b[m] - dot(zeta_hat[j * n + m], d[j * n + m]);
        if (j > m) b[m] = b[m] + dot(zeta_hat[j * n + j], d[m * n + j]);
      }
  }

  /// The coefficients of (31), b_m = Σ_kj D_mkj q̇_k q̇_j + η_m; D_mkj stands at (m n + k) n + j. O(n³).
  /// (45) for m < j, k <= j; the others by (32) D_mjk = D_mkj, (33) D_jkj = 0 for j >= k, (34) D_jkm = -D_mkj for m, j >= k.
  void coefficients(const Frames& frames, const std::vector<Vec3<T>>& u, T* D) const {
    const std::size_t n = frames.size();
    for (std::size_t k = 0; k < n * n * n; ++k) D[k] = T(0);
    for (std::size_t k = frames.first_rotational(); k < n; ++k) {
      if (!frames.rotational(k)) continue;  // K_k* of (45)
      const Vec3<T> own{T(0), T(0), T(1)};
      for (std::size_t j = k; j < n; ++j) {
        const Vec3<T>& axis = k == j ? own : u[k * n + j];
        for (std::size_t m = 0; m < j; ++m) {
          const T value = dot(axis, d[m * n + j]);
          D[(m * n + k) * n + j] = value;
          D[(m * n + j) * n + k] = value;  // (32)
          if (m < k) continue;
          D[(j * n + k) * n + m] = -value;  // (34)
          D[(j * n + m) * n + k] = -value;
        }
      }
    }
  }

 private:
  std::vector<P> eta_leading_;  // of the translational joints before the first rotational one, whose frames do not rotate
  Vec3<P> g_leading_{};         // gravity in the frame before the first rotational joint
};

}  // namespace ulna::internal::composite_body
