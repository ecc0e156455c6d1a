// Derivatives of inverse dynamics by positions, rates and accelerations (the last is the inertia matrix), by composite bodies whose motion is relative to the
// parent. O(n d), d the depth.
//
// Let r_j be the velocity that the unit rate of joint j gives to a particle at x: z × (x - O_j) of a revolute joint, z of a prismatic one. Then tau_j = ∫ r_j ·
// ẍ dm. For a joint j and one of its ancestors k (or j itself), whose body k moves with angular velocity w, U = [α]× + [w]×[w]× and acceleration a of its
// origin:
//
//   ∂tau_k/∂(q, v, a)_j   the wrench that the subtree of j would exert more, were joint j alone to move: (Fq, Nq), (Fv, Nv), (Fa, Na) about O_k;
//   ∂tau_j/∂v_k = 2 ∫ r_j · ṙ_k dm        = 2ż · Na + z · B                   of a revolute k,    2ż · Fa  of a prismatic one;
//   ∂tau_j/∂q_k = ∫ r_j · (r̈_k - z × ẍ) dm = z̈ · Na + ż · B - (z × a) · Fa     of a revolute k,    z̈ · Fa   of a prismatic one,
//
// with ż = w × z, z̈ = U z, Fa = ∫ r_j dm, Na = ∫ ρ × r_j dm, B = 2 ∫ ρ̇ × r_j dm, ρ = x - O_k. The second line is what ∂r_j/∂q_k = z × r_j and ∂ẍ/∂q_k = r̈_k
// make of the derivative. Y = B - 2 w × Na may be carried in place of B: then ∂tau_j/∂v_k = z · Y and ∂tau_j/∂q_k = -(row z of U) · Na + ż · Y - (z × a) · Fa.
//
// The wrenches of j come from integrals over its subtree, rates (°) being relative to the parent:
//   h = ∫ρ, S = ∫ρρᵀ, P = 2∫ρ°, Q = 2∫ρ°ρᵀ, P' = ∫ρ°°, t = ∫ρ × ρ°°.
// A body's own share in them is its constants h and S. Frames: B is the body's, J its axes before the joint rotates (R_PB alone); both have their origin in Bo.
// This formulation is Ulna's own; the world-frame one of Singh, Russell & Wensing (Efficient analytical derivatives of rigid-body dynamics using spatial vector
// algebra, IEEE RA-L 7(2), 2022) takes about twice the operations on a typical arm.
#pragma once

#include <type_traits>
#include <vector>

#include <ulna/dynamics/quantity.hpp>
#include "dynamics/joint_wrenches-inl.hpp"

namespace ulna::internal::kernel {

/// A linear function of a wrench that has reached some body: n · N + f · F + y · Y.
template <class T>
struct Reading {
  Vec3<T> n, f, y;
};

/// What a joint reads off the wrenches of those beyond it.
template <class T>
struct Readings {
  Reading<T> column;            // ∂tau_k/∂q_j of (Fq, Nq), ∂tau_k/∂v_j of (Fv, Nv), M_jk of (Fa, Na)
  Reading<T> rate;              // ∂tau_j/∂v_k of (Fa, Na, Y)
  Reading<T> position, weight;  // ∂tau_j/∂q_k, in two parts: the latter is -(z × a) · Fa
};

template <class P, class T>
Readings<T> readings(const PlanBody<P>& body, const BodyState<T>& s, bool absolute) {
  const Vec3<T> o{T(0), T(0), T(0)}, z{T(0), T(0), T(1)};
  const Vec3<T>&w = s.w_WB_B, &a = s.a_WBo_B;
  const Vec3<T> dz{w.y, -w.x, T(0)}, dz2{w.y + w.y, -(w.x + w.x), T(0)};
  const Vec3<T> Uz = s.U.column_z();
  if (body.prismatic) return {{o, z, o}, {o, dz2, o}, {o, Uz, o}, {o, o, o}};
  const Reading<T> weight{o, {a.y, -a.x, T(0)}, o};
  if (absolute) return {{z, o, o}, {dz2, o, z}, {Uz, o, dz}, weight};
  return {{z, o, o}, {o, o, z}, {{-s.U.zx, -s.U.zy, -s.U.zz}, o, dz}, weight};
}

template <class T>
T read(const Reading<T>& by, const Vec3<T>& F, const Vec3<T>& N, const Vec3<T>& Y) {
  return dot(by.n, N) + dot(by.f, F) + dot(by.y, Y);
}
template <class T>
T read(const Reading<T>& by, const Vec3<T>& F, const Vec3<T>& N) {
  return dot(by.n, N) + dot(by.f, F);
}

/// Whether an offset has more than one entry that is not zero by structure.
template <class P>
bool is_scattered(const Vec3<P>& p) {
  const auto some = [](const P& x) {
    if constexpr (requires { x.is(0.0); })  // an expression
      return x.is(0.0) ? 0 : 1;
    else if constexpr (requires { x == P(0); })
      return x == P(0) ? 0 : 1;
    else
      return 1;  // a dual number: its rate may matter
  };
  return some(p.x) + some(p.y) + some(p.z) > 1;
}

/// ∂tau/∂q, ∂tau/∂v and M at q, v, a, side by side: entry (row, column) of the k-th at out[row + column * stride + k * nv * stride].
/// A null v or a is zero. Coulomb friction has no derivative.
template <class P, Scalar T>
class InverseDerivatives {
 public:
  InverseDerivatives(const PlanOf<P>& plan, WorkspaceOf<T>& ws, const EffectsOf<T>& effects, const DerivativeForm& form)
      : plan_(plan), ws_(ws), effects_(effects), form_(form) {
    if (plan.free) form_.columns = form_.rows = form_.weights = 0;  // wrenches go on to the base
  }

  void operator()(const T* q, const T* v, const T* a, T* out, std::size_t stride) noexcept(kIsNumber<T>) {
    out_ = out;
    q_ = q;
    v_ = v;
    stride_ = stride;
    for (std::size_t column = 0; column < 3 * plan_.nv; ++column)
      for (std::size_t row = 0; row < plan_.nv; ++row) out[row + column * stride] = T(0);
    place(plan_, ws_, q);
    motion(plan_, ws_, q, v, a, effects_.base);
    begin();
    if constexpr (std::is_floating_point_v<T>) {
      const std::size_t bodies = plan_.bodies.size();
      if (bodies > 0 && bodies <= kMostSideBySide && plan_.bodies.front().behind > 0 && !plan_.coupled && !form_.meets() && !form_.absolute) {
        side_by_side();
        if (plan_.free) base_block(q);
        return world_wrenches(q);
      }
    }
    if (form_.meets()) pull_readings();
    for (std::size_t j = plan_.bodies.size(); j-- > 0;) {
      const PlanBody<P>& body = plan_.bodies[j];
      const BodyState<T>& s = ws_.bodies[j];
      const Subtree<T> t = with_joint(body, s);
      const JointWrenches<T> r =
          body.prismatic ? prismatic_wrenches(t, s.w_J, s.U_J, s.a_J, form_.absolute) : revolute_wrenches(t, s.w_J, s.U_J, s.D_J, s.a_J, form_.absolute);
      diagonal(j, r);
      climb_by_acceleration(j, r);
      climb(j, 1, r.Fv, r.Nv);
      climb(j, 0, r.Fq, r.Nq);
      if (!bolted(plan_, body)) add_to_parent(body, s, t, ws_.parent(body.parent));
    }
    if (plan_.free) base_block(q);
    world_wrenches(q);
  }

 private:
  void add(std::size_t part, std::size_t row, std::size_t column, const T& value) {
    const PlanBody<P>&r = plan_.bodies[row], &c = plan_.bodies[column];
    T& entry = out_[r.v + (c.v + part * plan_.nv) * stride_];
    entry = plan_.coupled ? entry + (r.multiplier * c.multiplier) * value : value;
  }

  /// On numbers, where bodies that hang from another come one after the other: the wrenches of all joints beyond a body are carried to its parent side by side,
  /// as mass_matrix_columns() does.
  static constexpr std::size_t kMostSideBySide = 64;
  struct Side {
    T x[kMostSideBySide], y[kMostSideBySide], z[kMostSideBySide];
    void put(std::size_t k, const Vec3<T>& u) { x[k] = u.x, y[k] = u.y, z[k] = u.z; }
    Vec3<T> get(std::size_t k) const { return {x[k], y[k], z[k]}; }
  };
  void side_by_side() {
    Side Fa, Na, Y, Fv, Nv, Fq, Nq;
    const std::size_t bodies = plan_.bodies.size(), first = plan_.nv - bodies;
    const auto entry = [&](std::size_t part, std::size_t row, std::size_t column) -> T& {
      return out_[first + row + (first + column + part * plan_.nv) * stride_];
    };
    for (std::size_t i = bodies; i-- > 0;) {
      const PlanBody<P>& body = plan_.bodies[i];
      const BodyState<T>& s = ws_.bodies[i];
      const std::size_t end = i + body.behind;
      const Subtree<T> t = with_joint(body, s);
      const JointWrenches<T> r = body.prismatic ? prismatic_wrenches(t, s.w_J, s.U_J, s.a_J, false) : revolute_wrenches(t, s.w_J, s.U_J, s.D_J, s.a_J, false);
      diagonal(i, r);
      const Vec3<T>&w = s.w_WB_B, &a = s.a_WBo_B;
      if (body.prismatic) {
        const Vec3<T> Uz = s.U.column_z();
        for (std::size_t k = i + 1; k < end; ++k) {
          entry(2, k, i) = Fa.z[k];
          entry(1, k, i) = (w.y + w.y) * Fa.x[k] - (w.x + w.x) * Fa.y[k];
          entry(0, k, i) = Uz.x * Fa.x[k] + Uz.y * Fa.y[k] + Uz.z * Fa.z[k];
        }
        for (std::size_t k = i + 1; k < end; ++k) entry(2, i, k) = Fa.z[k], entry(1, i, k) = Fv.z[k], entry(0, i, k) = Fq.z[k];
      } else {
        for (std::size_t k = i + 1; k < end; ++k) {
          entry(2, k, i) = Na.z[k];
          entry(1, k, i) = Y.z[k];
          entry(0, k, i) = w.y * Y.x[k] - w.x * Y.y[k] - (s.U.zx * Na.x[k] + s.U.zy * Na.y[k] + s.U.zz * Na.z[k]) + (a.y * Fa.x[k] - a.x * Fa.y[k]);
        }
        for (std::size_t k = i + 1; k < end; ++k) entry(2, i, k) = Na.z[k], entry(1, i, k) = Nv.z[k], entry(0, i, k) = Nq.z[k];
      }
      if (bolted(plan_, body)) continue;
      const Mat3<T> R = rotation(body, s);
      const Vec3<T> p = s.p_PB, w2 = twice_w(body.parent);
      const T pw = dot(p, w2), twice = s.v + s.v;
      const Side& turned_with = body.prismatic ? Fa : Na;
      for (std::size_t k = i + 1; k < end; ++k) {
        const Vec3<T> F = R * Fa.get(k), N = R * Na.get(k) + cross(p, F);
        const Vec3<T> y{Y.x[k] - twice * turned_with.y[k], Y.y[k] + twice * turned_with.x[k], Y.z[k]};
        const Vec3<T> B = R * y - dot(p, F) * w2 + pw * F;
        Fa.put(k, F), Na.put(k, N), Y.put(k, B);
      }
      for (std::size_t k = i + 1; k < end; ++k) {
        const Vec3<T> F = R * Fv.get(k);
        Nv.put(k, R * Nv.get(k) + cross(p, F)), Fv.put(k, F);
      }
      for (std::size_t k = i + 1; k < end; ++k) {
        const Vec3<T> F = R * Fq.get(k);
        Nq.put(k, R * Nq.get(k) + cross(p, F)), Fq.put(k, F);
      }
      const Vec3<T> F_a = body.R_PB * r.Fa, F_v = body.R_PB * r.Fv, F_q = body.R_PB * r.Fq;
      Fa.put(i, F_a), Na.put(i, body.R_PB * r.Na + cross(p, F_a)), Y.put(i, body.R_PB * r.Y - dot(p, F_a) * w2 + pw * F_a);
      Fv.put(i, F_v), Nv.put(i, body.R_PB * r.Nv + cross(p, F_v));
      Fq.put(i, F_q), Nq.put(i, body.R_PB * r.Nq + cross(p, F_q));
      add_to_parent(body, s, t, ws_.parent(body.parent));
    }
    if (!plan_.free) return;
    const Vec3<T> g = gravity_in_base(plan_, q_), none{T(0), T(0), T(0)};
    for (std::size_t k = 0; k < bodies; ++k) {
      base_column(0, k, Nq.get(k), Fq.get(k));
      base_column(1, k, Nv.get(k), Fv.get(k));
      base_column(2, k, Na.get(k), Fa.get(k));
      base_row(0, k, cross(g, Fa.get(k)), none);
      base_row(1, k, Y.get(k) + cross(ws_.base.w_WB_B, Na.get(k)), none);
      base_row(2, k, Na.get(k), Fa.get(k));
    }
  }

  /// Every body alone: its constants, and the wrenches that are fixed to it, which the joints need not supply.
  void begin() {
    own_composites(plan_, ws_);
    const Vec3<T> none{T(0), T(0), T(0)};
    const auto clear = [&](BodyState<T>& s) {
      s.K = {T(0), T(0), T(0), T(0), T(0), T(0), T(0), T(0), T(0)};
      s.k = s.flow_rate = s.flow_moment = none;
    };
    for (BodyState<T>& s : ws_.bodies) clear(s);
    clear(ws_.base);
    for (const WrenchOf<T>& wrench : effects_.wrenches) {
      const PlanLink<P>& link = plan_.links[wrench.link];
      if (link.body == kNone || wrench.axes == Axes::world) continue;
      BodyState<T>& s = ws_.bodies[link.body];
      const Vec3<T> f_B = link.X_BL.R * wrench.force;
      s.flow_rate = s.flow_rate - f_B;
      s.flow_moment = s.flow_moment - (link.X_BL.R * wrench.moment + cross(link.X_BL.p, f_B));
    }
  }

  void diagonal(std::size_t j, const JointWrenches<T>& r) {
    const PlanBody<P>& body = plan_.bodies[j];
    T by_a = body.prismatic ? r.Fa.z : r.Na.z;
    T by_v = body.prismatic ? r.Fv.z : r.Nv.z;
    if (effects_.rotor) by_a = by_a + T(body.rotor);
    if (effects_.friction) by_v = by_v + friction_slope(body.friction, joint_rate(plan_, body, v_));
    add(0, j, j, body.prismatic ? r.Fq.z : r.Nq.z);
    add(1, j, j, by_v);
    add(2, j, j, by_a);
  }

  /// The reading of joint k where the wrenches of j are read by it: at k itself, or at the body where readings and wrenches meet.
  void climb(std::size_t j, std::size_t part, Vec3<T> F, Vec3<T> N) {
    std::size_t at = j;
    while (!bolted(plan_, plan_.bodies[at])) {
      const PlanBody<P>& below = plan_.bodies[at];
      if (at != j) {
        F = to_joint(below, ws_.bodies[at], F);
        N = to_joint(below, ws_.bodies[at], N);
      }
      F = below.R_PB * F;
      N = below.R_PB * N + cross(ws_.bodies[at].p_PB, F);
      at = below.parent;
      if (at == kNone) return base_column(part, j, N, F);
      if (meets(at, form_.columns)) return each_above(at, [&](std::size_t k, const Readings<T>& by) { add(part, k, j, read(by.column, F, N)); });
      add(part, at, j, plan_.bodies[at].prismatic ? F.z : N.z);
    }
  }
  /// Coupling of joint j with a free base, both ways: angular, then linear.
  void base_column(std::size_t part, std::size_t j, const Vec3<T>& angular, const Vec3<T>& linear) {
    T numbers[kFreeV];
    write(angular, linear, numbers);
    for (std::size_t k = 0; k < kFreeV; ++k) put(part, k, plan_.bodies[j].v, j, numbers[k]);
  }
  void base_row(std::size_t part, std::size_t j, const Vec3<T>& angular, const Vec3<T>& linear) {
    T numbers[kFreeV];
    write(angular, linear, numbers);
    for (std::size_t k = 0; k < kFreeV; ++k) put(part, plan_.bodies[j].v, k, j, numbers[k]);
  }
  void put(std::size_t part, std::size_t row, std::size_t column, std::size_t j, const T& value) {
    T& entry = out_[row + (column + part * plan_.nv) * stride_];
    entry = plan_.coupled ? entry + plan_.bodies[j].multiplier * value : value;
  }

  /// The free base's own six rows and columns, from the composite of the whole robot. Its pose matters for its weight alone: rotated by δ in its own axes,
  /// gravity g changes by g × δ. Along each axis e: ∂/∂w of w × J w + tr(Q) w - Q w, and of w × (w × h) + w × P.
  void base_block(const T* q) {
    const BodyState<T>& s = ws_.base;
    const PseudoInertia<T>& c = s.composite;
    const Vec3<T>& w = s.w_WB_B;
    const Vec3<T> g = gravity_in_base(plan_, q), o{T(0), T(0), T(0)};
    const Vec3<T> axes[] = {{T(1), T(0), T(0)}, {T(0), T(1), T(0)}, {T(0), T(0), T(1)}};
    const Sym3<T> J = c.J();
    const Vec3<T> Jw = J * w, wh = cross(w, c.h);
    const T trace = s.K.xx + s.K.yy + s.K.zz;
    const auto column = [&](std::size_t part, std::size_t k, const Vec3<T>& angular, const Vec3<T>& linear) {
      write(angular, linear, out_ + (k + part * plan_.nv) * stride_);
    };
    for (std::size_t k = 0; k < 3; ++k) {
      const Vec3<T>& e = axes[k];
      const Vec3<T> eg = cross(e, g);
      column(0, k, cross(c.h, eg), c.m * eg);
      column(0, 3 + k, o, o);
      column(1, k, cross(e, Jw) + cross(w, J * e) + trace * e - s.K * e, cross(e, wh) + cross(w, cross(e, c.h)) + cross(e, s.k));
      column(1, 3 + k, o, o);
    }
    base_entries(c, [&](std::size_t row, std::size_t col) -> T& { return out_[row + (col + 2 * plan_.nv) * stride_]; });
  }

  void climb_by_acceleration(std::size_t j, const JointWrenches<T>& r) {
    Vec3<T> F = r.Fa, N = r.Na, Y = r.Y;
    const auto mass = [&](std::size_t k, const T& value) {
      add(2, k, j, value);
      add(2, j, k, value);
    };
    bool rows = true, weights = true;  // still to be read at every body
    std::size_t at = j;
    while (!bolted(plan_, plan_.bodies[at]) && (rows || weights)) {
      const PlanBody<P>& below = plan_.bodies[at];
      const BodyState<T>& s = ws_.bodies[at];
      if (at != j) {
        const T twice = s.v + s.v;
        if (below.prismatic)
          Y = Y + across_z(twice, F);
        else if (!form_.absolute)
          Y = Y + across_z(twice, N);
        F = to_joint(below, s, F);
        N = to_joint(below, s, N);
        Y = to_joint(below, s, Y);
      }
      F = below.R_PB * F;
      N = below.R_PB * N + cross(s.p_PB, F);
      Y = below.R_PB * Y;
      at = below.parent;
      const Vec3<T> w2 = twice_w(at);
      if (form_.absolute)
        Y = Y + cross(cross(w2, s.p_PB), F);
      else if (form_.expanded && is_scattered(below.p_PB))
        Y = Y - dot(s.p_PB, F) * w2 + dot(s.p_PB, w2) * F;
      else
        Y = Y - cross(s.p_PB, cross(w2, F));
      if (at == kNone) {  // ∂tau_j/∂w of a free base: its α does not rotate with it, as that of a joint's axis does
        const Vec3<T>& w = ws_.base.w_WB_B;
        const Vec3<T> wN = cross(w, N), o{T(0), T(0), T(0)};
        base_row(2, j, N, F);
        base_column(2, j, N, F);
        base_row(1, j, form_.absolute ? Y - wN : Y + wN, o);
        base_row(0, j, cross(gravity_in_base(plan_, q_), F), o);
        break;
      }
      const Readings<T> own = readings(plan_.bodies[at], ws_.bodies[at], form_.absolute);
      if (rows && meets(at, form_.rows)) {
        each_above(at, [&](std::size_t k, const Readings<T>& by) {
          mass(k, read(by.column, F, N));
          add(1, j, k, read(by.rate, F, N, Y));
          position(k) = read(by.position, F, N, Y);
        });
        rows = false;
      } else if (rows) {
        mass(at, read(own.column, F, N));
        add(1, j, at, read(own.rate, F, N, Y));
        position(at) = read(own.position, F, N, Y);
      }
      if (weights && meets(at, form_.weights)) {
        each_above(at, [&](std::size_t k, const Readings<T>& by) { weight(k) = read(by.weight, F, N, Y); });
        weights = false;
      } else if (weights) {
        weight(at) = read(own.weight, F, N, Y);
      }
    }
    for (std::size_t k = plan_.bodies[j].parent; k != kNone; k = plan_.bodies[k].parent) add(0, j, k, position(k) + weight(k));
  }

  T& position(std::size_t k) { return ws_.bodies[k].by_position; }
  T& weight(std::size_t k) { return ws_.bodies[k].by_weight; }
  Vec3<T> twice_w(std::size_t k) const { return ws_.parent(k).w_WB_B + ws_.parent(k).w_WB_B; }

  /// Forces with constant directions in the world. tau_j = -(r_j · f + z_j · n) of a revolute joint, -z_j · f of a prismatic one,
  /// and ∂r_j/∂q_k is z_k × r_j for a revolute k up to j, z_j × r_k for a revolute j above k, else zero. O(d²) for each.
  void world_wrenches(const T* q) {
    bool any = false;
    for (const WrenchOf<T>& wrench : effects_.wrenches) any = any || wrench.axes == Axes::world;
    if (!any) return;
    place_in_world(plan_, ws_, q);
    for (const WrenchOf<T>& wrench : effects_.wrenches) {
      const PlanLink<P>& link = plan_.links[wrench.link];
      if (wrench.axes != Axes::world || (link.body == kNone && !plan_.free)) continue;
      const Pose<T>& X_WB = ws_.parent(link.body).X_WB;
      const Vec3<T> x = X_WB.p + X_WB.R * link.X_BL.p;
      const auto axis = [&](std::size_t k) { return ws_.bodies[k].X_WB.R.column_z(); };
      const auto moved_by = [&](std::size_t k) { return plan_.bodies[k].prismatic ? axis(k) : cross(axis(k), x - ws_.bodies[k].X_WB.p); };
      const Vec3<T> none{T(0), T(0), T(0)};
      for (std::size_t j = link.body; j != kNone; j = plan_.bodies[j].parent) {
        const Vec3<T> r = moved_by(j);
        const Vec3<T> angular = plan_.bodies[j].prismatic ? none : axis(j);
        for (std::size_t k = j; k != kNone; k = plan_.bodies[k].parent) {
          const Vec3<T> z = axis(k);
          if (plan_.bodies[k].prismatic) continue;
          const T below = dot(cross(z, r), wrench.force);
          if (k != j) accumulate(k, j, -below);
          accumulate(j, k, -(below + dot(cross(z, angular), wrench.moment)));
        }
        if (plan_.free) world_wrench_and_base(j, wrench, r, angular);
      }
      if (plan_.free) world_wrench_on_base(wrench, x);
    }
  }
  /// Rotations of a free base about its own axes: rows of joint j by these, and its moments by joint j. -(e × r) · f = e · (f × r).
  void world_wrench_and_base(std::size_t j, const WrenchOf<T>& wrench, const Vec3<T>& r, const Vec3<T>& angular) {
    const Mat3<T>& R = ws_.base.X_WB.R;
    const Vec3<T> by_base = tmul(R, cross(wrench.force, r) + cross(wrench.moment, angular)), on_base = tmul(R, cross(wrench.force, r));
    const T row[] = {by_base.x, by_base.y, by_base.z}, column[] = {on_base.x, on_base.y, on_base.z};
    const PlanBody<P>& body = plan_.bodies[j];
    for (std::size_t k = 0; k < 3; ++k) {
      T &across = out_[body.v + k * stride_], &down = out_[k + body.v * stride_];
      across = across + body.multiplier * row[k];
      down = down + body.multiplier * column[k];
    }
  }
  void world_wrench_on_base(const WrenchOf<T>& wrench, const Vec3<T>& x) {
    const Pose<T>& X = ws_.base.X_WB;
    const Vec3<T> f = tmul(X.R, wrench.force), n = tmul(X.R, wrench.moment), arm = tmul(X.R, x - X.p);
    const Vec3<T> axes[] = {{T(1), T(0), T(0)}, {T(0), T(1), T(0)}, {T(0), T(0), T(1)}};
    for (std::size_t k = 0; k < 3; ++k) {
      const Vec3<T> ef = cross(axes[k], f);
      T numbers[kFreeV];
      write(cross(axes[k], n) + cross(arm, ef), ef, numbers);
      for (std::size_t i = 0; i < kFreeV; ++i) out_[i + k * stride_] = out_[i + k * stride_] + numbers[i];
    }
  }
  void accumulate(std::size_t row, std::size_t column, const T& value) {
    const PlanBody<P>&r = plan_.bodies[row], &c = plan_.bodies[column];
    T& entry = out_[r.v + c.v * stride_];
    entry = entry + (r.multiplier * c.multiplier) * value;
  }

  /// Whether the wrenches of those beyond it go no further up than this body: joints above it have sent their readings down to it.
  bool meets(std::size_t at, std::size_t depth) const { return depth > 0 && depth_[at] <= depth; }
  /// f(k, readings of joint k at this body) for the body's own joint and all above it.
  template <class F>
  void each_above(std::size_t at, F f) {
    std::size_t k = at;
    for (const Readings<T>& by : pulled_[at]) {
      f(k, by);
      k = plan_.bodies[k].parent;
    }
  }
  /// The readings of all joints above, at every body near the base: what they read off a wrench there is what they would read off it at their own.
  void pull_readings() {
    const std::size_t deepest = form_.deepest();
    depth_.assign(plan_.bodies.size(), 0);
    pulled_.assign(plan_.bodies.size(), {});
    for (std::size_t i = 0; i < plan_.bodies.size(); ++i) {
      const PlanBody<P>& body = plan_.bodies[i];
      if (body.parent != kNone) depth_[i] = depth_[body.parent] + 1;
      if (depth_[i] > deepest) continue;
      pulled_[i].push_back(readings(body, ws_.bodies[i], form_.absolute));
      if (body.parent == kNone) continue;
      for (const Readings<T>& by : pulled_[body.parent])
        pulled_[i].push_back({pulled(i, by.column), pulled(i, by.rate), pulled(i, by.position), pulled(i, by.weight)});
    }
  }
  /// From the parent to body i.
  Reading<T> pulled(std::size_t i, Reading<T> by) const {
    const PlanBody<P>& body = plan_.bodies[i];
    const BodyState<T>& s = ws_.bodies[i];
    const Vec3<T> w2 = twice_w(body.parent);
    by.f = by.f + cross(by.n, s.p_PB);
    by.f = form_.absolute ? by.f + cross(by.y, cross(w2, s.p_PB)) : by.f - cross(cross(by.y, s.p_PB), w2);
    const auto down = [&](const Vec3<T>& u) { return from_joint(body, s, Vec3<T>(tmul(body.R_PB, u))); };
    by = {down(by.n), down(by.f), down(by.y)};
    const T twice = s.v + s.v;
    if (body.prismatic)
      by.f = by.f - across_z(twice, by.y);
    else if (!form_.absolute)
      by.n = by.n - across_z(twice, by.y);
    return by;
  }

  /// Integrals about the parent's origin. h and S as in the inertia matrix; Q += P pᵀ, t += p × P'.
  static void add_to_parent(const PlanBody<P>& body, const BodyState<T>& s, const Subtree<T>& t, BodyState<T>& parent) {
    const Vec3<T> P_P = body.R_PB * t.P, rate_P = body.R_PB * t.rate;
    parent.composite = parent.composite + moved(body, t.c, s.p_PB);
    parent.K = parent.K + in_parent(body, t.Q) + outer(P_P, s.p_PB);
    parent.k = parent.k + P_P;
    parent.flow_rate = parent.flow_rate + rate_P;
    parent.flow_moment = parent.flow_moment + body.R_PB * t.moment + cross(s.p_PB, rate_P);
  }

  const PlanOf<P>& plan_;
  WorkspaceOf<T>& ws_;
  const EffectsOf<T>& effects_;
  DerivativeForm form_;
  const T* q_ = nullptr;
  const T* v_ = nullptr;
  T* out_ = nullptr;
  std::size_t stride_ = 0;
  std::vector<std::size_t> depth_;                // empty unless readings and wrenches meet
  std::vector<std::vector<Readings<T>>> pulled_;  // of each body near the base
};

template <class P, Scalar T>
void inverse_derivatives(const PlanOf<P>& plan, WorkspaceOf<T>& ws, const T* q, const T* v, const T* a, T* out, std::size_t stride, const EffectsOf<T>& effects,
                         const DerivativeForm& form = {}) noexcept(kIsNumber<T>) {
  InverseDerivatives<P, T>(plan, ws, effects, form)(q, v, a, out, stride);
}
}  // namespace ulna::internal::kernel
