// The inertia matrix by composite rigid bodies, as Walker and Orin found it: joint j moves alone at unit acceleration, all links behind it are one body,
// and the force and moment of that body are handed down to the base.
//
// M. W. Walker and D. E. Orin, "Efficient dynamic computer simulation of robotic mechanisms", ASME Journal of Dynamic Systems, Measurement, and
// Control 104, 205-211, 1982 (third of its methods).
//
//   paper        here        meaning, in the frame of body j
//   M_j          M           mass of the composite body j: link j and all behind it
//   c_j          c           its mass centre, from the origin of frame j
//   E_j          E           its inertia about its mass centre
//   F_j, N_j     f, n        force and moment at the origin of frame j for unit acceleration of joint j
//   p_j*         p_PB        from the origin of the frame before to that of frame j
//
// Takes trees (the paper: chains): a composite body has one part for each branch, and forces are handed down along the path to the base, entries off
// that path being zero. Revolute and prismatic joints in any mixture. Frames are those of the joints, z along the axis.
// Masses enter as ratios that are fixed in the constructor; a composite body without any mass has its mass centre, which then means nothing, at the
// origin. (With a symbolic P the ratios are written out; a mass that is zero must be a literal zero then.)
// Cost: O(n d), d the depth of the tree; the entries of the rotations not counted. A chain of n >= 2 revolute joints costs 12n² + 68n - 72 mul,
// 9n² + 64n - 69 add, and where the frames are modified ones, whose rotations have a zero, 11n² + 65n - 68 mul, 8n² + 61n - 65 add. Lin's Table I
// (1991) has 11n² + 53n - 74 mul, 8n² + 52n - 62 add for a version that is not printed there.
#pragma once

#include <type_traits>
#include <vector>

#include <ulna/scalar/scalar.hpp>
#include "formulation/frames.hpp"

#include "formulation/paper_quantity.hpp"
#include "formulation/steiner.hpp"

namespace ulna::internal::composite_body {

template <class P, Scalar T>
class WalkerOrin {
 public:
  explicit WalkerOrin(const BodyTree<P>& tree) : bodies_(tree.bodies), parts_(tree.size()), M_(tree.size()), states_(tree.size()) {
    for (std::size_t i = 0; i < size(); ++i) M_[i] = bodies_[i].mass;
    for (std::size_t i = size(); i-- > 0;)
      if (bodies_[i].parent != kNone) M_[parent(i)] = M_[parent(i)] + M_[i];
    for (std::size_t i = 0; i < size(); ++i) {
      parts_[i].weighted_com = ratio(bodies_[i].mass, M_[i]) * bodies_[i].com;
      if (bodies_[i].parent == kNone) continue;
      parts_[i].weight = ratio(M_[i], M_[parent(i)]);
      parts_[parent(i)].children.push_back(i);
    }
  }

  std::size_t size() const { return bodies_.size(); }

  /// Rotation and displacement of every joint: 12 mul, 6 add, one sincos for a revolute joint, 3 mul, 3 add for a prismatic one.
  void set_configuration(const T* q) {
    for (std::size_t i = 0; i < size(); ++i) {
      const TreeBody<P>& body = bodies_[i];
      const Mat3<P>& R = body.R_PB;
      State& s = states_[i];
      s.R_PB = R.template cast<T>();
      s.p_PB = body.p_PB.template cast<T>();
      if (body.prismatic) {
        s.p_PB = s.p_PB + q[i] * R.column_z();
      } else {
        const auto sc = sincos(q[i]);
        const T &cos = sc.cos, &sin = sc.sin;
        s.R_PB.xx = R.xx * cos + R.xy * sin, s.R_PB.xy = R.xy * cos - R.xx * sin;
        s.R_PB.yx = R.yx * cos + R.yy * sin, s.R_PB.yy = R.yy * cos - R.yx * sin;
        s.R_PB.zx = R.zx * cos + R.zy * sin, s.R_PB.zy = R.zy * cos - R.zx * sin;
      }
    }
  }

  /// Centre and inertia of the composite body that begins with link j, in its frame, after mass().
  void visit(const PaperVisitor<T>& shown) const {
    static constexpr PaperSymbol c{"c", "mass centre of the links from j on", "(m(j)/M(j)) s(j) + sum (M(k)/M(j)) (p(k) + R(k) c(k))", "third method"},
        E{"E", "their inertia about it", "I(j) + S(m(j), s(j) - c(j)) + sum R(k) E(k) R(k)^T + S(M(k), r(k) - c(j)), S(m, r) = m (r.r 1 - r r^T)",
          "third method"};
    const PaperQuantities<T> show(shown);
    for (std::size_t j = states_.size(); j-- > 0;) {
      show(c, {j + 1}, states_[j].c);
      show(E, {j + 1}, states_[j].E);
    }
  }

  /// H, row by row, full and symmetric.
  void mass(T* H) {
    const std::size_t n = size();
    for (std::size_t k = 0; k < n * n; ++k) H[k] = T(0);
    for (std::size_t j = n; j-- > 0;) {
      compose(j);
      const State& s = states_[j];
      const T M(M_[j]);
      // z x c M and E z about the mass centre, or M z: then the moment about the origin is N + c x F.
      Vec3<T> f{T(0), T(0), M};
      Vec3<T> moment = {M * s.c.y, -(M * s.c.x), T(0)};
      if (!bodies_[j].prismatic) {
        f = {-(M * s.c.y), M * s.c.x, T(0)};
        moment = Vec3<T>{s.E.xz, s.E.yz, s.E.zz} + cross(s.c, f);
      }
      H[j * n + j] = bodies_[j].prismatic ? f.z : moment.z;
      for (std::size_t i = j; bodies_[i].parent != kNone;) {
        f = states_[i].R_PB * f;
        moment = states_[i].R_PB * moment + cross(states_[i].p_PB, f);
        i = parent(i);
        H[i * n + j] = bodies_[i].prismatic ? f.z : moment.z;
        H[j * n + i] = H[i * n + j];
      }
    }
  }

 private:
  struct Part {
    Vec3<P> weighted_com{};  // m_j / M_j times the link's own mass centre
    P weight{};              // M_j / M of the parent's composite
    std::vector<std::size_t> children;
  };
  struct State {
    Mat3<T> R_PB{};
    Vec3<T> p_PB{};
    Vec3<T> c{};  // of the composite, in B
    Sym3<T> E{};
    Vec3<T> c_P{};  // the same mass centre from the origin of P, in P
  };

  std::size_t parent(std::size_t i) const { return bodies_[i].parent; }
  /// A decision about the robot, not about its state: only plain numbers can be tested for zero.
  static P ratio(const P& part, const P& whole) {
    if constexpr (std::is_floating_point_v<P>) {
      if (whole == P(0)) return P(0);
    } else if constexpr (requires { whole.is(0.0); }) {
      if (whole.is(0.0)) return P(0);
    }
    return part / whole;
  }

  /// Mass centre and inertia of the composite body j from link j and the composites of its branches.
  void compose(std::size_t j) {
    const TreeBody<P>& link = bodies_[j];
    const Part& part = parts_[j];
    State& s = states_[j];
    s.c = (part.children.empty() ? link.com : part.weighted_com).template cast<T>();
    s.E = link.inertia.template cast<T>();
    if (part.children.empty()) return;
    for (const std::size_t child : part.children) {
      State& branch = states_[child];
      branch.c_P = branch.p_PB + branch.R_PB * branch.c;
      s.c = s.c + parts_[child].weight * branch.c_P;
    }
    s.E = s.E + steiner(link.mass, link.com - s.c);
    for (const std::size_t child : part.children) {
      const State& branch = states_[child];
      s.E = s.E + congruence(branch.R_PB, branch.E) + steiner(M_[child], branch.c_P - s.c);
    }
  }

  std::vector<TreeBody<P>> bodies_;
  std::vector<Part> parts_;
  std::vector<P> M_;
  std::vector<State> states_;
};

}  // namespace ulna::internal::composite_body
