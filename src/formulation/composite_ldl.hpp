// Forward dynamics by setting up and solving M(q) a = tau - bias(q, v), which is how the papers simulate an arm:
//   S.-K. Lin, "A New Composite Body Method for Manipulator Dynamics", Journal of Robotic Systems 8 (1991): its conclusion prefers the LDLᵀ decomposition
//   for the linear equations, after a numerical experiment;
//   J. L. Turney, T. N. Mudge, C. S. G. Lee, "Equivalence of Two Formulations for Robot Arm Dynamics", University of Michigan, 1980, sec. 7: the bias is the
//   torque at zero acceleration, M the torques of unit accelerations without gravity, at rest.
// M and the bias may come from any formulation that yields them. The default is
//   M. W. Walker, D. E. Orin, "Efficient Dynamic Computer Simulation of Robotic Mechanisms", J. Dynamic Systems, Measurement, and Control 104 (1982):
//   M by composite bodies, its column j being the force that keeps everything beyond joint j rigid under unit acceleration of joint j; and the bias by the
//   recursion of Luh, Walker & Paul (same journal, 102, 1980), both here in body frames of a tree.
//
//   papers                        here
//   H or M, b or C + G            M, bias; symmetric, row by row
//   L, D                          below the diagonal of M; d_inverse holds one over D's entries
//   c_j, M_j, E_j (Walker-Orin)   Composite: m, h = m c, J about the joint's origin, of a link and everything beyond it
//   A_i^{i+1}, p_i*               R_PB rotated by q, p_PB
//
// Gravity enters as the acceleration -g of the base. Takes revolute and prismatic joints, any tree, massless links, a prescribed motion of the base and
// loads on the links; rotor inertia is added to M's diagonal. Cost: O(n d) for M, d the depth of the tree, O(n) for the bias, and n³/6 multiplications for
// the decomposition (branches do not shorten it, except on scalars that fold zeros).
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "formulation/evaluator.hpp"

#include "formulation/loads.hpp"

namespace ulna::internal {

/// M = L D Lᵀ, in place: reads the lower triangle of M (row by row), leaves L below the diagonal. No square roots, no pivoting, n divisions.
template <class T>
void ldl_factor(std::size_t n, T* M, T* d_inverse) {
  for (std::size_t i = 0; i < n; ++i) {
    T* row = M + i * n;
    T d = row[i];
    // Left to right; row[j] becomes L_ij D_j, and L_ij only once the entries to its right no longer need the product.
    for (std::size_t j = 0; j < i; ++j)
      for (std::size_t k = 0; k < j; ++k) row[j] = row[j] - row[k] * M[j * n + k];
    for (std::size_t j = 0; j < i; ++j) {
      const T l = row[j] * d_inverse[j];
      d = d - row[j] * l;
      row[j] = l;
    }
    d_inverse[i] = T(1) / d;
  }
}

/// Solves L D Lᵀ x = x in place.
template <class T>
void ldl_solve(std::size_t n, const T* L, const T* d_inverse, T* x) {
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t k = 0; k < i; ++k) x[i] = x[i] - L[i * n + k] * x[k];
  for (std::size_t i = 0; i < n; ++i) x[i] = x[i] * d_inverse[i];
  for (std::size_t i = n; i-- > 0;)
    for (std::size_t k = i + 1; k < n; ++k) x[i] = x[i] - L[k * n + i] * x[k];
}

/// M by composite bodies and the bias by Newton-Euler, for any tree.
template <class P, class T>
class CompositeBodies {
 public:
  explicit CompositeBodies(BodyTree<P> tree) : tree_(std::move(tree)), links_(tree_.size()) {
    // Known in advance: each link's first and second moments about its joint.
    for (const TreeBody<P>& b : tree_.bodies) {
      const Vec3<P>& c = b.com;
      const Vec3<P> h = b.mass * c;
      const Sym3<P> about_origin{h.y * c.y + h.z * c.z, h.x * c.x + h.z * c.z, h.x * c.x + h.y * c.y, -(h.x * c.y), -(h.x * c.z), -(h.y * c.z)};
      own_.push_back({b.mass, h, b.inertia + about_origin});
    }
  }
  std::size_t size() const { return tree_.size(); }

  /// Full and symmetric, row by row, without rotors.
  void mass(const T* q, T* M) {
    place(q);
    const std::size_t n = size();
    for (std::size_t k = 0; k < n * n; ++k) M[k] = T(0);
    for (std::size_t i = 0; i < n; ++i) links_[i].composite = {T(own_[i].m), as_state(own_[i].h), as_state(own_[i].J)};
    for (std::size_t i = n; i-- > 0;) {
      const Composite<T>& c = links_[i].composite;
      const bool slides = tree_.bodies[i].prismatic;
      // Walker & Orin's f and n at joint i for a unit acceleration of joint i: d'Alembert on the composite body at rest.
      Vec3<T> f = slides ? Vec3<T>{T(0), T(0), c.m} : Vec3<T>{-c.h.y, c.h.x, T(0)};
      Vec3<T> n_i = slides ? Vec3<T>{c.h.y, -c.h.x, T(0)} : Vec3<T>{c.J.xz, c.J.yz, c.J.zz};
      for (std::size_t j = i;; j = tree_.bodies[j].parent) {
        M[i * n + j] = M[j * n + i] = tree_.bodies[j].prismatic ? f.z : n_i.z;
        if (tree_.bodies[j].parent == kNone) break;
        f = to_parent(j, f);
        n_i = to_parent(j, n_i) + cross(links_[j].p, f);
      }
      if (tree_.bodies[i].parent != kNone) add_to_parent(i);
    }
  }

  /// Coriolis, centrifugal and gravity forces; with a base motion or loads also the torques that these need.
  void bias(const T* q, const T* v, T* bias, const Loads<T>& loads = {}) {
    place(q);
    const MovingBase<T> base = loads.motion();
    for (std::size_t i = 0; i < size(); ++i) {
      const TreeBody<P>& b = tree_.bodies[i];
      Link& s = links_[i];
      const bool rooted = b.parent == kNone;
      const Link* parent = rooted ? nullptr : &links_[b.parent];
      const Vec3<T> w_P = rooted ? base.w : parent->w;
      const Vec3<T> dw_P = rooted ? base.dw : parent->dw;
      const Vec3<T> dv_P = rooted ? base.dv - tree_.gravity : parent->dv;
      s.w = from_parent(i, w_P);
      s.dw = from_parent(i, dw_P);
      s.dv = from_parent(i, dv_P + cross(dw_P, s.p) + cross(w_P, cross(w_P, s.p)));
      const Vec3<T> w_z{s.w.y * v[i], -(s.w.x * v[i]), T(0)};  // w x z v
      if (b.prismatic) {
        s.dv = s.dv + (w_z + w_z);
      } else {
        s.dw = s.dw + w_z;
        s.w.z = s.w.z + v[i];
      }
      // Newton and Euler at the mass centre; moments about the joint.
      const Vec3<T> c = as_state(b.com);
      s.f = T(b.mass) * (s.dv + cross(s.dw, c) + cross(s.w, cross(s.w, c)));
      s.n = b.inertia * s.dw + cross(s.w, b.inertia * s.w);
      if (!loads.links.empty()) {
        s.f = s.f - loads.links[i].F;
        s.n = s.n - loads.links[i].N;
      }
      s.n = s.n + cross(c, s.f);
    }
    for (std::size_t i = size(); i-- > 0;) {
      const TreeBody<P>& b = tree_.bodies[i];
      const Link& s = links_[i];
      bias[i] = b.prismatic ? s.f.z : s.n.z;
      if (b.parent == kNone) continue;
      Link& parent = links_[b.parent];
      const Vec3<T> f = to_parent(i, s.f);
      parent.f = parent.f + f;
      parent.n = parent.n + (to_parent(i, s.n) + cross(s.p, f));
    }
  }

  /// Of the last calls, in the axes of link i.
  void visit(const PaperQuantities<T>& show) const {
    static constexpr PaperSymbol w{"omega", "angular velocity", "", "Luh, Walker & Paul"},
        dw{"omega", "angular acceleration while the joints' are zero", "", "Luh, Walker & Paul", 1},
        dv{"a", "acceleration of the joint's origin less gravity, while the joints' are zero", "", "Luh, Walker & Paul"},
        f{"f", "force of the link before on this one, for the bias", "", "Luh, Walker & Paul"},
        n{"n", "its moment about the joint's origin", "", "Luh, Walker & Paul"},
        m{"m", "mass of the link and all beyond it", "m(i) + sum m", "Walker & Orin", 0, "c"},
        h{"h", "their first moment about the joint's origin", "m(i) c(i) + sum (R h + m p)", "Walker & Orin", 0, "c"},
        J{"J", "their inertia about it", "J(i) + sum R J R^T + (p.k + p.l) 1 - (k p^T + p l^T), k = R h, l = k + m p", "Walker & Orin", 0, "c"};
    for (std::size_t i = 0; i < size(); ++i) {
      show(w, {i + 1}, links_[i].w);
      show(dw, {i + 1}, links_[i].dw);
      show(dv, {i + 1}, links_[i].dv);
    }
    for (std::size_t i = size(); i-- > 0;) {
      show(f, {i + 1}, links_[i].f);
      show(n, {i + 1}, links_[i].n);
    }
    for (std::size_t i = size(); i-- > 0;) {
      show(m, {i + 1}, links_[i].composite.m);
      show(h, {i + 1}, links_[i].composite.h);
      show(J, {i + 1}, links_[i].composite.J);
    }
  }

 private:
  template <class S>
  struct Composite {
    S m{};
    Vec3<S> h{};  // m times the mass centre, from the joint's origin
    Sym3<S> J{};  // inertia tensor about the joint's origin
  };
  struct Link {
    SinCos<T> sincos;        // of q, revolute joints only
    Vec3<T> p;               // from Po to Bo, in P
    Composite<T> composite;  // in B
    Vec3<T> w, dw, dv;       // angular velocity and acceleration, acceleration of Bo less gravity, in B
    Vec3<T> f, n;            // force of P on B and its moment about Bo, in B
  };

  static Vec3<T> as_state(const Vec3<P>& v) { return {T(v.x), T(v.y), T(v.z)}; }
  static Sym3<T> as_state(const Sym3<P>& s) { return {T(s.xx), T(s.yy), T(s.zz), T(s.xy), T(s.xz), T(s.yz)}; }

  void place(const T* q) {
    for (std::size_t i = 0; i < size(); ++i) {
      const TreeBody<P>& b = tree_.bodies[i];
      links_[i].p = as_state(b.p_PB);
      if (b.prismatic)
        links_[i].p = links_[i].p + q[i] * b.R_PB.column_z();
      else
        links_[i].sincos = sincos(q[i]);
    }
  }
  Vec3<T> to_parent(std::size_t i, const Vec3<T>& v) const {
    const SinCos<T>& t = links_[i].sincos;
    if (tree_.bodies[i].prismatic) return tree_.bodies[i].R_PB * v;
    return tree_.bodies[i].R_PB * Vec3<T>{t.cos * v.x - t.sin * v.y, t.sin * v.x + t.cos * v.y, v.z};
  }
  Vec3<T> from_parent(std::size_t i, const Vec3<T>& v) const {
    const SinCos<T>& t = links_[i].sincos;
    const Vec3<T> u = tmul(tree_.bodies[i].R_PB, v);
    if (tree_.bodies[i].prismatic) return u;
    return {t.cos * u.x + t.sin * u.y, t.cos * u.y - t.sin * u.x, u.z};
  }
  /// J about Po, of a body rotated by R and displaced by p: R J Rᵀ + (p·k + p·h) E - (k pᵀ + p hᵀ), with k = R h_B and h = k + m p.
  void add_to_parent(std::size_t i) {
    const TreeBody<P>& b = tree_.bodies[i];
    const Link& s = links_[i];
    Composite<T>& parent = links_[b.parent].composite;
    const Vec3<T> k = to_parent(i, s.composite.h);
    const Vec3<T>& p = s.p;
    const Vec3<T> h = k + s.composite.m * p;
    Sym3<T> J = s.composite.J;
    if (!b.prismatic) {
      const T o(0.0);
      J = congruence(Mat3<T>{s.sincos.cos, -s.sincos.sin, o, s.sincos.sin, s.sincos.cos, o, o, o, T(1.0)}, J);
    }
    J = congruence(b.R_PB, J);
    const T x = k.x * p.x + p.x * h.x, y = k.y * p.y + p.y * h.y, z = k.z * p.z + p.z * h.z;
    const Sym3<T> moved{y + z, x + z, x + y, -(k.x * p.y + p.x * h.y), -(k.x * p.z + p.x * h.z), -(k.y * p.z + p.y * h.z)};
    parent = {parent.m + s.composite.m, parent.h + h, parent.J + (J + moved)};
  }

  BodyTree<P> tree_;
  std::vector<Composite<P>> own_;
  std::vector<Link> links_;
};

/// Source has size(), mass(q, M) and bias(q, v, bias, extra...), as CompositeBodies has. `rotor` is added to the diagonal of M.
template <class P, class T, class Source = CompositeBodies<P, T>>
class CompositeLdl {
 public:
  CompositeLdl(Source source, std::vector<P> rotor)
      : source_(std::move(source)), rotor_(std::move(rotor)), M_(rotor_.size() * rotor_.size()), d_inverse_(rotor_.size()) {}

  template <class... Extra>
  void acceleration(const T* q, const T* v, const T* tau, T* a, const Extra&... extra) {
    const std::size_t n = rotor_.size();
    source_.bias(q, v, a, extra...);
    for (std::size_t i = 0; i < n; ++i) a[i] = tau[i] - a[i];
    source_.mass(q, M_.data());
    for (std::size_t i = 0; i < n; ++i) M_[i * n + i] = M_[i * n + i] + T(rotor_[i]);
    ldl_factor(n, M_.data(), d_inverse_.data());
    ldl_solve(n, M_.data(), d_inverse_.data(), a);
  }

  void visit(const PaperVisitor<T>& shown) const {
    static constexpr PaperSymbol L{"L", "below the diagonal of L in M = L D L^T", "", "Lin, conclusion"};
    const PaperQuantities<T> show(shown);
    if constexpr (requires { source_.visit(show); }) source_.visit(show);
    const std::size_t n = rotor_.size();
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < i; ++j) show(L, {i + 1, j + 1}, M_[i * n + j]);
  }

 private:
  Source source_;
  std::vector<P> rotor_;
  std::vector<T> M_;
  std::vector<T> d_inverse_;
};

/// The rotors of a tree, for CompositeLdl.
template <class P>
std::vector<P> rotors(const BodyTree<P>& tree) {
  std::vector<P> all;
  for (const TreeBody<P>& b : tree.bodies) all.push_back(b.rotor);
  return all;
}

/// The same with M and bias from two formulations of the registry. One that gives only torques yields M by unit accelerations at rest without gravity, and the
/// bias as the torque at zero acceleration (Turney, Mudge & Lee, sec. 7). Throws std::invalid_argument when an id is unknown, when the formulation does not
/// take the model or the scalar, or when it gives neither the quantity nor the torque. For double, float, Counted and Expr.
template <class T>
std::unique_ptr<Evaluator<T>> make_composite_ldl(const Prepared& prepared, std::string_view mass_id, std::string_view bias_id);

}  // namespace ulna::internal
