// Walker and Orin's composite bodies on a chain, in frames of either kind, to see what the frames are worth. Lin (1991, the section on the algorithm) quotes
// from an article of his own that the normal driving-axis frames "save 45 multiplications and 28 additions for a general open chain in comparison with the one
// based on the Denavit-Hartenberg notation", and prints neither program. Here both are one text, with the transports of driving_axis.hpp.
//
// A frame of Denavit and Hartenberg lies at the far end of its link; the joint's axis is the z axis of the frame before. So a composite body is carried into
// that frame before its joint is needed, the last link too; with a frame on the driving axis it is carried only to be joined to the link before. One
// carrying is what they save: R E Rᵀ 37 mul 19 add, p + R c 8 mul 7 add, together 45 mul 26 add for any n. Lin has two additions more.
#pragma once

#include <vector>

#include <ulna/scalar/scalar.hpp>
#include "formulation/driving_axis.hpp"
#include "formulation/steiner.hpp"

namespace ulna::internal::composite_body {

/// From the frame of a link to the one before, standard Denavit-Hartenberg. As dear as DrivingAxisStep.
template <class T>
struct DhStep {
  T sin_theta{}, cos_theta{}, sin_alpha{}, cos_alpha{};
  T cos_alpha_cos_theta{}, sin_alpha_cos_theta{};
  Vec3<T> s{};

  /// 8 mul, 4 add.
  Vec3<T> inward(const Vec3<T>& v) const {
    const T across = cos_alpha * v.y - sin_alpha * v.z;
    return {cos_theta * v.x - sin_theta * across, sin_theta * v.x + cos_theta * across, sin_alpha * v.y + cos_alpha * v.z};
  }
  /// R J Rᵀ. 37 mul, 19 add: entry (3,1) of X = R J is not needed.
  Sym3<T> inward(const Sym3<T>& J) const {
    const Vec3<T> X2 = inward(Vec3<T>{J.xy, J.yy, J.yz}), X3 = inward(Vec3<T>{J.xz, J.yz, J.zz});
    const T across = cos_alpha * J.xy - sin_alpha * J.xz;
    const T X11 = cos_theta * J.xx - sin_theta * across, X21 = sin_theta * J.xx + cos_theta * across;
    const T first = cos_alpha * X2.x - sin_alpha * X3.x;
    return {cos_theta * X11 - sin_theta * first, sin_theta * X21 + cos_alpha_cos_theta * X2.y - sin_alpha_cos_theta * X3.y,
            sin_alpha * X2.z + cos_alpha * X3.z, sin_theta * X11 + cos_theta * first,
            sin_alpha * X2.x + cos_alpha * X3.x, sin_alpha * X2.y + cos_alpha * X3.y};
  }
};

/// H of a chain of revolute and prismatic joints. Step: DhStep of a DhChain, or DrivingAxisStep of an MdhChain.
template <class T, class Step>
class WalkerOrinChain {
 public:
  static constexpr bool far_end = std::is_same_v<Step, DhStep<T>>;

  explicit WalkerOrinChain(const std::vector<DhRow<double>>& rows) : rows_(rows), steps_(rows.size()), M_(rows.size()) {
    for (std::size_t j = rows.size(); j-- > 0;) M_[j] = rows[j].mass + (j + 1 < rows.size() ? M_[j + 1] : 0.0);
  }

  std::size_t size() const { return rows_.size(); }

  void set_configuration(const T* q) {
    for (std::size_t j = 0; j < size(); ++j) {
      const DhRow<double>& row = rows_[j];
      Step& step = steps_[j];
      const T d = row.prismatic ? row.d + q[j] : T(row.d);
      step.sin_theta = T(row.sin_theta), step.cos_theta = T(row.cos_theta);
      if (!row.prismatic) {
        const auto sc = sincos(q[j], row.theta);
        step.sin_theta = sc.sin, step.cos_theta = sc.cos;
      }
      if constexpr (far_end) {
        step.sin_alpha = T(row.sin_alpha), step.cos_alpha = T(row.cos_alpha);
        step.cos_alpha_cos_theta = row.cos_alpha * step.cos_theta, step.sin_alpha_cos_theta = row.sin_alpha * step.cos_theta;
        step.s = {row.a * step.cos_theta, row.a * step.sin_theta, d};
      } else {
        step.sin_beta = T(row.sin_alpha), step.cos_beta = T(row.cos_alpha);
        step.form_products();
        step.s = {T(row.a), -(row.sin_alpha * d), row.cos_alpha * d};
      }
    }
  }

  /// H, row by row, full and symmetric.
  void mass(T* H) {
    const std::size_t n = size();
    Composite behind{};  // the one from j + 1 on, in the frame of link j
    for (std::size_t j = n; j-- > 0;) {
      Composite own = join(j, behind);
      if (far_end || j > 0) behind = {steps_[j].s + steps_[j].inward(own.c), steps_[j].inward(own.E)};
      const Composite& moved = far_end ? behind : own;  // in the frame whose z is the joint's axis
      const T M(M_[j]);
      Vec3<T> f{T(0), T(0), M};
      Vec3<T> moment = {M * moved.c.y, -(M * moved.c.x), T(0)};
      if (!rows_[j].prismatic) {
        f = {-(M * moved.c.y), M * moved.c.x, T(0)};
        moment = Vec3<T>{moved.E.xz, moved.E.yz, moved.E.zz} + cross(moved.c, f);
      }
      H[j * n + j] = rows_[j].prismatic ? f.z : moment.z;
      for (std::size_t i = j; i-- > 0;) {
        const Step& step = steps_[far_end ? i : i + 1];
        f = step.inward(f);
        moment = step.inward(moment) + cross(step.s, f);
        H[i * n + j] = H[j * n + i] = rows_[i].prismatic ? f.z : moment.z;
      }
    }
  }

 private:
  struct Composite {
    Vec3<T> c{};  // mass centre
    Sym3<T> E{};  // inertia about it
  };

  Composite join(std::size_t j, const Composite& behind) const {
    const DhRow<double>& link = rows_[j];
    if (j + 1 == size()) return {link.com.template cast<T>(), link.inertia.template cast<T>()};
    const double whole = M_[j] == 0 ? 1 : M_[j];
    Composite all;
    all.c = (link.mass / whole * link.com).template cast<T>() + M_[j + 1] / whole * behind.c;
    all.E = link.inertia.template cast<T>() + steiner(link.mass, link.com.template cast<T>() - all.c) + behind.E + steiner(M_[j + 1], behind.c - all.c);
    return all;
  }

  std::vector<DhRow<double>> rows_;
  std::vector<Step> steps_;
  std::vector<double> M_;
};

}  // namespace ulna::internal::composite_body
