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
// The wrenches of j come from integrals over its subtree, rates (°) being those that an observer on the parent sees:
//   h = ∫ρ, S = ∫ρρᵀ, P = 2∫ρ°, Q = 2∫ρ°ρᵀ, P' = ∫ρ°°, t = ∫ρ × ρ°°.
// A body's own share in them is its constants h and S. Frames: B is the body's, J its axes before the joint turns (R_PB alone); both have their origin in Bo.
// This formulation is Ulna's own; the world-frame one of Singh, Russell & Wensing (Efficient analytical derivatives of rigid-body dynamics using spatial vector
// algebra, IEEE RA-L 7(2), 2022) takes about twice the operations on a typical arm.
#pragma once

#include <vector>

#include <ulna/dynamics/coriolis-inl.hpp>
#include <ulna/dynamics/inverse-inl.hpp>
#include <ulna/dynamics/quantity.hpp>

namespace ulna::kernel {

/// z × u.
template <class T>
Vec3<T> across_z(const Vec3<T>& u) {
  return {-u.y, u.x, T(0)};
}
/// s (z × u).
template <class T>
Vec3<T> across_z(const T& s, const Vec3<T>& u) {
  return {-(s * u.y), s * u.x, T(0)};
}

/// differences() of Rᵀ U R from those of U, R a signed permutation: they change places, and all of them sign when the permutation is odd.
template <class P, class T>
Vec3<T> permuted_differences(const Mat3<P>& R, const Vec3<T>& D) {
  const Mat3<P> places{R.xx * R.xx, R.xy * R.xy, R.xz * R.xz, R.yx * R.yx, R.yy * R.yy, R.yz * R.yz, R.zx * R.zx, R.zy * R.zy, R.zz * R.zz};
  const Mat3<P>& p = places;
  const P even = p.xx * (p.yy * p.zz - p.yz * p.zy) - p.xy * (p.yx * p.zz - p.yz * p.zx) + p.xz * (p.yx * p.zy - p.yy * p.zx);
  return even * Vec3<T>(tmul(places, D));
}

/// The motion of every body as the wrenches want it: in J that of the parent (w_J, U_J, and a_J of the parent's point at Bo), in B the body's own.
template <class P, Scalar T>
void motion(const PlanOf<P>& plan, WorkspaceOf<T>& ws, const T* q, const T* v, const T* a, const BaseMotionOf<T>& base) noexcept {
  move_base(plan, ws, v, base);
  accelerate_base(plan, ws, q, a, base);
  ws.base.U = acceleration_matrix(ws.base.w_WB_B, ws.base.alpha_WB_B);
  ws.base.D = differences(ws.base.U);
  for (std::size_t i = 0; i < plan.bodies.size(); ++i) {
    const PlanBody<P>& body = plan.bodies[i];
    BodyState<T>& s = ws.bodies[i];
    const BodyState<T>& parent = ws.parent(body.parent);
    s.v = joint_rate(plan, body, v);
    s.a = joint_rate(plan, body, a);
    const Vec3<T> alpha_J = tmul(body.R_PB, parent.alpha_WB_B);
    s.w_J = tmul(body.R_PB, parent.w_WB_B);
    s.U_J = body.square ? body.R_PB.transposed() * parent.U * body.R_PB : acceleration_matrix(s.w_J, alpha_J);
    s.D_J = body.square ? permuted_differences(body.R_PB, parent.D) : differences(s.U_J);
    s.a_J = tmul(body.R_PB, parent.a_WBo_B + parent.U * s.p_PB);
    if (body.prismatic) {
      const T twice = s.v + s.v;  // Coriolis: 2 w x z v
      s.w_WB_B = s.w_J;
      s.alpha_WB_B = alpha_J;
      s.U = s.U_J;
      s.D = s.D_J;
      s.a_WBo_B = {s.a_J.x + s.w_J.y * twice, s.a_J.y - s.w_J.x * twice, s.a_J.z + s.a};
      continue;
    }
    // A point on the axis does not feel the joint, so U z is the parent's; see turn().
    const Vec3<T> w_P = from_joint(body, s, s.w_J);
    const Vec3<T> w{w_P.x, w_P.y, w_P.z + s.v};
    const Vec3<T> Uz = from_joint(body, s, s.U_J.column_z());
    const T xx = w.x * w.x, zz = w.z * w.z, xy = w.x * w.y, xz = w.x * w.z, yz = w.y * w.z;
    const Vec3<T> alpha{yz - Uz.y, Uz.x - xz, alpha_J.z + s.a};
    // 2 w is at hand, so an entry of alpha that no child takes need not be formed.
    const T zx = body.passes_y ? xz - alpha.y : (w.x + w.x) * w.z - Uz.x;
    const T zy = body.passes_x ? yz + alpha.x : (w.y + w.y) * w.z - Uz.y;
    s.w_WB_B = w;
    s.alpha_WB_B = alpha;
    s.U = {Uz.z + (xx - zz), xy - alpha.z, Uz.x, xy + alpha.z, -(xx + zz), Uz.y, zx, zy, Uz.z};
    s.D = {s.U.zz - s.U.yy, xx - zz, s.U.yy - s.U.xx};
    s.a_WBo_B = from_joint(body, s, s.a_J);
  }
}

/// Integrals over the subtree of a body, about its origin, in the axes of J, with the joint's motion.
template <class T>
struct Subtree {
  PseudoInertia<T> c;
  T trace_S, trace_Q;  // of the parts in x and y
  Vec3<T> P;
  Mat3<T> Q;
  Vec3<T> rate;    // P'
  Vec3<T> moment;  // t
};

/// What one joint's motion asks of its subtree, about Bo, in J.
template <class T>
struct JointWrenches {
  Vec3<T> Fa, Na, Y;  // by acceleration; Y or B as the form has it
  Vec3<T> Fv, Nv;     // by rate
  Vec3<T> Fq, Nq;     // by position
};

template <class P, class T>
Subtree<T> with_joint(const PlanBody<P>& body, const BodyState<T>& s) {
  Subtree<T> t{s.composite, s.composite.S.xx + s.composite.S.yy, s.K.xx + s.K.yy, s.k, s.K, s.flow_rate, s.flow_moment};
  const T &v = s.v, &a = s.a;
  if (body.prismatic) {  // ρ° += v z, ρ°° += a z; what a particle does to its parent, O_j being the parent's point
    const T along = (v + v) * t.c.m;
    const T twice = v + v;
    t.P.z = t.P.z + along;
    t.rate.z = t.rate.z + a * t.c.m;
    t.moment = {t.moment.x + a * t.c.h.y, t.moment.y - a * t.c.h.x, t.moment.z};
    t.Q.zx = t.Q.zx + twice * t.c.h.x;
    t.Q.zy = t.Q.zy + twice * t.c.h.y;
    t.Q.zz = t.Q.zz + twice * t.c.h.z;
    return t;
  }
  if (body.turns()) {
    t.c.h = turned(s.turn, s.composite.h);
    t.c.S = turned(s.turn, s.composite.S);
    t.P = turned(s.turn, s.k);
    t.Q = turned(s.turn, s.K);
    t.rate = turned(s.turn, s.flow_rate);
    t.moment = turned(s.turn, s.flow_moment);
  }
  // ρ° += v z × ρ, ρ°° += 2v z × ρ° + a z × ρ + v² z × (z × ρ)
  const Vec3<T> zh = across_z(t.c.h);
  const Vec3<T> vzh{v * zh.x, v * zh.y, T(0)};
  const Vec3<T> middle = t.P + vzh;
  t.rate = {t.rate.x - v * middle.y + a * zh.x, t.rate.y + v * middle.x + a * zh.y, t.rate.z};
  t.P = middle + vzh;
  const Sym3<T>& S = t.c.S;
  const T vx = v * S.yz, vy = v * S.xz;
  const T Qxz = t.Q.xz - vx, Qyz = t.Q.yz + vy;
  t.moment = {t.moment.x - v * Qxz - a * S.xz, t.moment.y - v * Qyz - a * S.yz, t.moment.z + v * t.trace_Q + a * t.trace_S};
  const T v2 = v + v, xy = v2 * S.xy;
  t.Q = {t.Q.xx - xy, t.Q.xy - v2 * S.yy, Qxz - vx, t.Q.yx + v2 * S.xx, t.Q.yy + xy, Qyz + vy, t.Q.zx, t.Q.zy, t.Q.zz};
  return t;
}

/// Of a revolute joint. A turn about z by one takes X to δX = Z X - X Z, Z = [z]×.
template <class T>
JointWrenches<T> revolute_wrenches(const Subtree<T>& t, const Vec3<T>& w, const Mat3<T>& U, const Vec3<T>& D, const Vec3<T>& a, bool absolute) {
  const Vec3<T>&h = t.c.h, &P = t.P;
  const Sym3<T>& S = t.c.S;
  const Mat3<T>& Q = t.Q;
  const Vec3<T> w2 = w + w;
  JointWrenches<T> r;
  r.Fa = across_z(h);
  r.Na = {-S.xz, -S.yz, t.trace_S};
  const T sx = S.xx * w2.x + S.xy * w2.y + S.xz * w2.z, sy = S.xy * w2.x + S.yy * w2.y + S.yz * w2.z;  // 2 S w
  r.Nv = {sy - Q.xz, -sx - Q.yz, t.trace_Q};
  r.Fv = {-(w2.z * h.x) - P.y, P.x - w2.z * h.y, w2.x * h.x + w2.y * h.y};
  if (absolute)
    r.Y = {w2.y * S.xx - w2.x * S.xy - Q.zx, w2.y * S.xy - w2.x * S.yy - Q.zy, w2.y * S.xz - w2.x * S.yz + t.trace_Q};
  else
    r.Y = {-sy - Q.zx, sx - Q.zy, t.trace_Q};
  const T dS = S.xx - S.yy, S2 = S.xy + S.xy, dQ = Q.xx - Q.yy, sQ = Q.xy + Q.yx;
  r.Nq = {U.zx * dS + U.zy * S2 + D.x * S.xz + U.yx * S.yz + (sQ * w.x - dQ * w.y + Q.yz * w.z) - t.moment.y + h.x * a.z,
          U.zx * S2 - U.zy * dS - D.y * S.yz + U.xy * S.xz - (dQ * w.x + sQ * w.y + Q.xz * w.z) + t.moment.x + h.y * a.z,
          D.z * dS - S2 * (U.xy + U.yx) - U.yz * S.yz - U.xz * S.xz + (Q.zy * w.x - Q.zx * w.y) - (h.x * a.x + h.y * a.y)};
  r.Fq = {U.xy * h.x - U.xx * h.y - w.z * P.x - t.rate.y,  //
          U.yy * h.x - U.yx * h.y - w.z * P.y + t.rate.x,  //
          U.zy * h.x - U.zx * h.y + w.x * P.x + w.y * P.y};
  return r;
}

/// Of a prismatic joint: every particle moves along z, and the force F of the subtree with it.
template <class T>
JointWrenches<T> prismatic_wrenches(const Subtree<T>& t, const Vec3<T>& w, const Mat3<T>& U, const Vec3<T>& a, bool absolute) {
  const Vec3<T>& h = t.c.h;
  const T& m = t.c.m;
  const Vec3<T> Uz = U.column_z();
  const Vec3<T> dz{w.y + w.y, -(w.x + w.x), T(0)};  // 2 w × z
  const Vec3<T> F = m * a + U * h + cross(w, t.P) + t.rate;
  JointWrenches<T> r;
  r.Fa = {T(0), T(0), m};
  r.Na = {h.y, -h.x, T(0)};
  r.Fv = m * dz;
  r.Nv = cross(h, dz);
  r.Fq = m * Uz;
  r.Nq = across_z(F) + cross(h, Uz);
  // B = (2 w × h + P) × z, Y = B - 2 w × (h × z) = P × z - h × (2 w × z)
  const Vec3<T> Pz{t.P.y, -t.P.x, T(0)};
  r.Y = Pz - r.Nv;
  if (absolute) {
    const Vec3<T> wh = cross(w + w, h);
    r.Y = {wh.y + Pz.x, Pz.y - wh.x, T(0)};
  }
  return r;
}

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

  void operator()(const T* q, const T* v, const T* a, T* out, std::size_t stride) noexcept {
    out_ = out;
    q_ = q;
    stride_ = stride;
    for (std::size_t column = 0; column < 3 * plan_.nv; ++column)
      for (std::size_t row = 0; row < plan_.nv; ++row) out[row + column * stride] = T(0);
    place(plan_, ws_, q);
    motion(plan_, ws_, q, v, a, effects_.base);
    begin();
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
    if (effects_.friction) by_v = by_v + T(body.viscous);
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
  /// What a free base feels of joint j, and joint j of a free base: angular, then linear.
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

  /// The free base's own six rows and columns, from the composite of the whole robot. Its place matters to its weight alone: turned by δ in its own axes, it
  /// sees gravity g change by g × δ. Along each axis e: ∂/∂w of w × J w + tr(Q) w - Q w, and of w × (w × h) + w × P.
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
      if (at == kNone) {  // ∂tau_j/∂w of a free base: its α does not turn with it, as that of a joint's axis does
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

  /// Forces that keep their directions in the world, whatever the robot does. tau_j = -(r_j · f + z_j · n) of a revolute joint, -z_j · f of a prismatic one,
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
        const Vec3<T> turn = plan_.bodies[j].prismatic ? none : axis(j);
        for (std::size_t k = j; k != kNone; k = plan_.bodies[k].parent) {
          const Vec3<T> z = axis(k);
          if (plan_.bodies[k].prismatic) continue;
          const T below = dot(cross(z, r), wrench.force);
          if (k != j) accumulate(k, j, -below);
          accumulate(j, k, -(below + dot(cross(z, turn), wrench.moment)));
        }
        if (plan_.free) world_wrench_and_base(j, wrench, r, turn);
      }
      if (plan_.free) world_wrench_on_base(wrench, x);
    }
  }
  /// A free base is turned about its own axes: rows of joint j by that, and its moments by joint j. -(e × r) · f = e · (f × r).
  void world_wrench_and_base(std::size_t j, const WrenchOf<T>& wrench, const Vec3<T>& r, const Vec3<T>& turn) {
    const Mat3<T>& R = ws_.base.X_WB.R;
    const Vec3<T> by_base = tmul(R, cross(wrench.force, r) + cross(wrench.moment, turn)), on_base = tmul(R, cross(wrench.force, r));
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
  T* out_ = nullptr;
  std::size_t stride_ = 0;
  std::vector<std::size_t> depth_;                // empty unless readings and wrenches meet
  std::vector<std::vector<Readings<T>>> pulled_;  // of each body near the base
};

template <class P, Scalar T>
void inverse_derivatives(const PlanOf<P>& plan, WorkspaceOf<T>& ws, const T* q, const T* v, const T* a, T* out, std::size_t stride, const EffectsOf<T>& effects,
                         const DerivativeForm& form = {}) noexcept {
  InverseDerivatives<P, T>(plan, ws, effects, form)(q, v, a, out, stride);
}

/// The torques that hold the robot against gravity, from the first moments of its composites, which the derivatives have, too. Needs place().
template <class P, Scalar T>
void gravity_by_composites(const PlanOf<P>& plan, WorkspaceOf<T>& ws, const T* q, T* tau) noexcept {
  const T* rest = nullptr;
  const Vec3<T> o{T(0), T(0), T(0)};
  motion(plan, ws, q, rest, rest, BaseMotionOf<T>{o, o, o, o});
  own_composites(plan, ws);
  for (std::size_t k = 0; k < plan.nv; ++k) tau[k] = T(0);
  for (std::size_t j = plan.bodies.size(); j-- > 0;) {
    const PlanBody<P>& body = plan.bodies[j];
    const BodyState<T>& s = ws.bodies[j];
    PseudoInertia<T> c = s.composite;
    if (body.turns()) c.h = turned(s.turn, c.h), c.S = turned(s.turn, c.S);
    const T joint = body.prismatic ? c.m * s.a_J.z : c.h.x * s.a_J.y - c.h.y * s.a_J.x;
    tau[body.v] = plan.coupled ? tau[body.v] + body.multiplier * joint : joint;
    if (bolted(plan, body)) continue;
    BodyState<T>& parent = ws.parent(body.parent);
    parent.composite = parent.composite + moved(body, c, s.p_PB);
  }
  const BodyState<T>& base = ws.base;
  if (plan.free) write(cross(base.composite.h, base.a_WBo_B), base.composite.m * base.a_WBo_B, tau);
}

/// ∂a/∂q, ∂a/∂v and ∂a/∂tau = M⁻¹ at q, v, tau, side by side as above: with D the derivatives of inverse dynamics at the accelerations that tau gives,
/// ∂a/∂q = -M⁻¹ ∂tau/∂q and ∂a/∂v = -M⁻¹ ∂tau/∂v.
template <class P, Scalar T>
void forward_derivatives(const PlanOf<P>& plan, WorkspaceOf<T>& ws, const T* q, const T* v, const T* tau, T* out, std::size_t stride,
                         const EffectsOf<T>& effects, const DerivativeForm& form = {}) noexcept {
  const std::size_t n = plan.nv;
  const T* none = nullptr;
  const auto entry = [&](std::size_t part, std::size_t row, std::size_t column) -> T& { return out[row + (column + part * n) * stride]; };
  const auto keep_mass = [&] {
    for (std::size_t row = 0; row < n; ++row)
      for (std::size_t column = 0; column < n; ++column) ws.M[row * n + column] = entry(2, row, column);
  };
  T* a = ws.a.data();
  if (form.rates_give_bias) {
    // The torques of velocities are homogeneous of degree two in v, so ∂tau/∂v v is twice them; M and ∂tau/∂v do not depend on a.
    inverse_derivatives(plan, ws, q, v, none, out, stride, effects, form);
    keep_mass();
    gravity_by_composites(plan, ws, q, a);
    for (std::size_t row = 0; row < n; ++row) {
      T bias = a[row];
      for (std::size_t column = 0; column < n && v != nullptr; ++column) bias = bias + entry(1, row, column) * (T(0.5) * v[column]);
      a[row] = (tau == nullptr ? T(0) : tau[row]) - bias;
    }
  } else {
    kernel::inverse_dynamics(plan, ws, q, v, none, a, effects);
    mass_matrix_entries(plan, ws, effects.rotor, [&](std::size_t row, std::size_t column) -> T& { return ws.M[row * n + column]; });
    for (std::size_t row = 0; row < n; ++row) a[row] = (tau == nullptr ? T(0) : tau[row]) - a[row];
  }
  factor(plan, ws);
  solve(plan, ws, a);
  inverse_derivatives(plan, ws, q, v, static_cast<const T*>(a), out, stride, effects, form);
  inverse_from_factors(plan, ws, [&](std::size_t row, std::size_t column) -> T& { return entry(2, row, column); });
  for (std::size_t part = 0; part < 2; ++part)
    for (std::size_t column = 0; column < n; ++column) {
      T* const x = &entry(part, 0, column);
      for (std::size_t row = 0; row < n; ++row) x[row] = -x[row];
      if (!form.by_inverse) {
        solve(plan, ws, x);
        continue;
      }
      for (std::size_t row = 0; row < n; ++row) {
        ws.x[row] = T(0);
        for (std::size_t k = 0; k < n; ++k) ws.x[row] = ws.x[row] + entry(2, row, k) * x[k];
      }
      for (std::size_t row = 0; row < n; ++row) x[row] = ws.x[row];
    }
}

}  // namespace ulna::kernel
