// The forms in which the papers describe a robot. P is the parameter scalar. All three list the moving joints in the order of the model (mimic joints
// as free ones), with fixed joints merged; q of row i is the model's joint coordinate, without a change of sign.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <ulna/model/model.hpp>
#include <ulna/spatial/spatial.hpp>

namespace ulna::internal {

/// One row of a Denavit-Hartenberg table with the link behind it. alpha enters through its cosine and sine, so that right angles are exact 0 and ±1.
/// Revolute: the angle is theta + q. Prismatic: the offset is d + q, and theta stands still.
template <class P>
struct DhRow {
  bool prismatic = false;
  P a{};
  P alpha{};
  P cos_alpha{};
  P sin_alpha{};
  P d{};
  P theta{};
  P cos_theta{};  // of theta alone: what a prismatic joint needs
  P sin_theta{};
  P mass{};
  Vec3<P> com{};      // mass centre from the origin of frame i, in frame i
  Sym3<P> inertia{};  // about the mass centre, in the axes of frame i
};

/// What the two conventions share.
template <class P>
struct ChainRows {
  std::vector<DhRow<P>> rows;
  Pose<P> X_W0{};                  // frame 0 in the root link
  Vec3<P> gravity_0{};             // gravity in the axes of frame 0 (points down)
  std::vector<Pose<double>> X_BF;  // frame i in the plan's body frame B_i: the map back

  std::size_t size() const { return rows.size(); }
};

/// Serial chain in standard frames: A_i = Rz(theta) Tz(d) Tx(a) Rx(alpha) takes frame i to frame i-1; frame i sits at the far end of link i.
template <class P>
struct DhChain : ChainRows<P> {
  template <class U>
  DhChain<U> cast() const;
};

/// Serial chain in modified frames: Rx(alpha) Tx(a) Rz(theta) Tz(d) with the row's own alpha and a; frame i sits on the axis of joint i. After
/// make_mdh_chain the first row has a = alpha = d = theta = 0: the base frame lies on the first joint's null position.
template <class P>
struct MdhChain : ChainRows<P> {
  template <class U>
  MdhChain<U> cast() const;
};

/// Any tree, in frames of the plan: the joint's axis is z of its body, X_PB holds at q = 0.
template <class P>
struct TreeBody {
  std::size_t parent = kNone;  // kNone is the base; parents come first
  bool prismatic = false;
  Mat3<P> R_PB{};
  Vec3<P> p_PB{};
  P mass{};
  Vec3<P> com{};
  Sym3<P> inertia{};  // about the mass centre, in B
  P rotor{};          // gear² times rotor inertia
};
/// A joint that closes a loop: frames A and B on two bodies, z along its axis.
template <class P>
struct TreeLoop {
  LoopType type{};
  std::size_t A = kNone, B = kNone;  // bodies; kNone is the base
  std::size_t C = kNone;             // the last body that both hang from: joints before it are in no condition
  Pose<P> X_A{}, X_B{};
};
template <class P>
struct TreeLoops {
  std::vector<TreeLoop<P>> loops;
  std::size_t coordinates = 0;          // of the tree: joints that follow no other
  std::vector<std::size_t> coordinate;  // of each body's joint
  std::vector<P> multiplier;            // that its speed is of that coordinate's
  EliminationOrder order;
};
template <class P>
struct BodyTree {
  std::vector<TreeBody<P>> bodies;
  Vec3<P> gravity{};  // in the root link's axes
  std::optional<TreeLoops<P>> loops{};

  std::size_t size() const { return bodies.size(); }
  template <class U>
  BodyTree<U> cast() const;
};

BodyTree<double> make_body_tree(const Model& model, double snap = kSnap);

/// Empty when the moving joints form one chain, each joint on the link before it, and common normals can be had: axes that are nearly, but not
/// within `snap`, parallel have theirs too far away. Else what is in the way.
std::string why_not_a_chain(const Model& model, double snap = kSnap);
/// Re-frames a chain by common normals, whatever its file's frames were; parallel, intersecting and coincident axes included. Throws
/// std::invalid_argument with why_not_a_chain() for a tree.
DhChain<double> make_dh_chain(const Model& model, double snap = kSnap);
MdhChain<double> make_mdh_chain(const Model& model, double snap = kSnap);

/// A robot in all of them.
struct Forms {
  BodyTree<double> tree;
  std::string why_not_chain;  // empty: dh and mdh are there
  std::optional<DhChain<double>> dh;
  std::optional<MdhChain<double>> mdh;
};

// --- casts ---------------------------------------------------------------------------------------------------------------------------------------

template <class P, class U>
DhRow<U> cast_row(const DhRow<P>& r) {
  return {r.prismatic, U(r.a),         U(r.alpha),     U(r.cos_alpha), U(r.sin_alpha),           U(r.d),
          U(r.theta),  U(r.cos_theta), U(r.sin_theta), U(r.mass),      r.com.template cast<U>(), r.inertia.template cast<U>()};
}
template <class U, class P>
ChainRows<U> cast_rows(const ChainRows<P>& from) {
  ChainRows<U> to;
  for (const DhRow<P>& row : from.rows) to.rows.push_back(cast_row<P, U>(row));
  to.X_W0 = from.X_W0.template cast<U>();
  to.gravity_0 = from.gravity_0.template cast<U>();
  to.X_BF = from.X_BF;
  return to;
}
template <class P>
template <class U>
DhChain<U> DhChain<P>::cast() const {
  return {cast_rows<U>(*this)};
}
template <class P>
template <class U>
MdhChain<U> MdhChain<P>::cast() const {
  return {cast_rows<U>(*this)};
}
template <class P>
template <class U>
BodyTree<U> BodyTree<P>::cast() const {
  BodyTree<U> to;
  for (const TreeBody<P>& b : bodies)
    to.bodies.push_back({b.parent, b.prismatic, b.R_PB.template cast<U>(), b.p_PB.template cast<U>(), U(b.mass), b.com.template cast<U>(),
                         b.inertia.template cast<U>(), U(b.rotor)});
  to.gravity = gravity.template cast<U>();
  if (!loops) return to;
  to.loops = TreeLoops<U>{{}, loops->coordinates, loops->coordinate, {loops->multiplier.begin(), loops->multiplier.end()}, loops->order};
  for (const TreeLoop<P>& l : loops->loops) to.loops->loops.push_back({l.type, l.A, l.B, l.C, l.X_A.template cast<U>(), l.X_B.template cast<U>()});
  return to;
}

}  // namespace ulna::internal
