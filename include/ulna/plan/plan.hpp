// A model prepared for the kernels: fixed joints merged, every joint axis rotated to z, inertial parameters lumped, couplings resolved.
#pragma once

#include <string>
#include <vector>

#include <ulna/export.hpp>
#include <ulna/model/model.hpp>
#include <ulna/spatial/spatial.hpp>

namespace ulna ULNA_API {

/// Which inertial parameters of a revolute link are made zero by moving them to its parent; see lump() and docs/design.md.
enum class Lumping {
  none,  // the parameters as they are
  szz,   // m, h_z and S_zz vanish
  jyy,   // m, h_z and J_yy = S_xx + S_zz vanish (the customary base parameters)
  jxx    // m, h_z and J_xx = S_yy + S_zz vanish
};

struct PlanOptions {
  double snap = kSnap;             // rotation entries this near to 0 and ±1 are taken as exact; 0 for none
  Lumping lumping = Lumping::szz;  // Which parameters move to the parent link.

  friend bool operator==(const PlanOptions&, const PlanOptions&) = default;
};

/// One moving body behind one joint of one degree of freedom. A ball joint is three such bodies in series, which rotate about the child's x, y and
/// z: the quaternion rotates the first; the angles of all three are 0, and the first two have no mass (docs/design.md, Plan). P is
/// the parameter scalar.
template <class P>
struct PlanBody {
  std::size_t parent = kNone;  // body index; kNone is the base
  bool prismatic = false;      // along z of B; else revolute about it
  bool aligned = false;        // revolute: z of B lies along an axis of P; prismatic: all axes of B do
  bool square = false;         // all axes of B lie along axes of P
  bool about_x = false;        // R_PB is a rotation about x, not by a right angle
  bool still = false;          // revolute, its children's axes parallel to its own: its frame does not rotate with the joint; see plan/reframe.hpp
  bool passes_x = false;       // some child uses this entry of the angular acceleration
  bool passes_y = false;
  std::size_t q = 0;  // joint coordinate = multiplier * q[q] + offset; behind the base's coordinates. Of a ball: the place of x, y, z, whose w follows
  std::size_t v = 0;  // joint rate       = multiplier * v[v]; likewise
  P multiplier{};
  P offset{};
  Mat3<P> R_PB{};  // at joint coordinate 0
  Vec3<P> p_PB{};
  PseudoInertia<P> inertia{};  // as in the model, about Bo, in B
  PseudoInertia<P> lumped{};   // the same joint torques with fewer parameters
  bool flat = false;           // S_zz of `lumped` is zero
  P rotor{};                   // gear² * rotor inertia, joint side
  FrictionOf<P> friction{};
  std::size_t link = kNone;  // the one behind the joint, in PlanOf::links; kNone of the first two bodies of a planar base, and of a ball joint
  std::size_t behind = 0;    // size of its subtree, itself included, where bodies and coordinates of the subtree are consecutive; else 0

  std::size_t ball = 0;  // 1, 2, 3: about x, y, z of a ball joint; else 0

  bool rotates() const { return !prismatic && !still && ball == 0; }  // whether the body's frame rotates about z with the joint
};

template <class P>
struct PlanLink {            // Where a link of the model is in the plan.
  std::size_t body = kNone;  // kNone: attached to the base
  Pose<P> X_BL{};
};

/// A loop, cut at the joint that closes it, with frames A and B on two bodies. C is their last common ancestor.
template <class P>
struct LoopRowsOf {
  LoopType type = LoopType::spherical;
  std::size_t first = 0;                       // index of its first condition
  std::vector<std::size_t> to_A{}, to_B{};     // bodies from C (excluded) to the frames, in order
  std::size_t body_A = kNone, body_B = kNone;  // bodies of the frames: C where there are none between
  Pose<P> X_A{};                               // frame A in its body; its z axis is the joint's
  Pose<P> X_B{};
};

/// Immutable. Bodies are numbered from the base to the tips, so a parent's index is smaller than its child's. A planar base is three bodies before all
/// others, two prismatic and one revolute: the kernels support fixed and free bases only (RootJoint).
template <class P>
struct PlanOf {
  std::string name;
  std::size_t nq = 0;
  std::size_t nv = 0;                    // of the tree; speeds of a robot with loops are fewer, sizes().nv
  bool free = false;                     // q begins with the base's position and quaternion, v with its angular and linear velocity
  std::vector<std::size_t> quaternions;  // where q has them: Model::quaternions()
  bool coupled = false;                  // some coordinate moves several bodies (mimic), or has a multiplier other than 1
  bool loaded = false;                   // friction of some coordinate depends on the torque that it transmits
  bool deep = false;                     // the tree is so deep that articulated bodies are the cheaper forward dynamics
  Vec3<P> gravity{};                     // in the world's axes, which are those of a fixed base
  std::vector<PlanBody<P>> bodies;
  std::vector<PlanLink<P>> links;        // in the order of Model::links()
  PseudoInertia<P> base{};               // of what is attached to the root link, about its origin, in its axes
  PseudoInertia<P> lumped_base{};        // the same with what was lumped onto it; used for a free base only
  std::vector<std::size_t> mass_parent;  // of each velocity coordinate: column of the next non-zero in its row of the inertia matrix; kNone for none
  std::vector<std::size_t> snapped;      // joints (of the model) whose rotation was changed by more than rounding
  double largest_snap = 0;
  std::vector<LoopRowsOf<P>> loops;
  std::size_t conditions = 0;  // of all loops, on v_tree
  EliminationOrder order;      // of a robot with loops
  std::size_t tests = 0;       // see Sizes

  bool closed() const { return !loops.empty(); }                          // Whether it has loops.
  bool has_balls() const { return quaternions.size() > (free ? 1 : 0); }  // Whether it has ball joints.
  std::size_t position_of(std::size_t v) const { return v + (nq - nv); }  // Of a joint's coordinate of v_tree: the one of q.
  std::size_t pivots() const { return pivot_count(order.rows.size()); }   // Of the elimination.
  std::size_t nbody() const { return bodies.size(); }                     // Number of moving bodies.
  Sizes sizes() const {                                                   // Sizes of all vectors.
    return {nq, closed() ? order.independent.size() : nv, bodies.size() + (free ? 1 : 0), tests, motion_size(nv, loops.size())};
  }
  template <class U>
  PlanOf<U> cast() const;  // In another scalar.
  /// The tree: all loops open.
  PlanOf opened() const {
    PlanOf tree = *this;
    tree.loops.clear();
    tree.order = {};
    tree.conditions = tree.tests = 0;
    return tree;
  }
  /// Of each coordinate of v: column of the next non-zero in its row of the inertia matrix. With loops the matrix is dense.
  std::vector<std::size_t> mass_parents() const {
    if (!closed()) return mass_parent;
    std::vector<std::size_t> before;
    for (std::size_t k = 0; k < order.independent.size(); ++k) before.push_back(k - 1);
    return before;
  }
};

using Plan = PlanOf<double>;  // In doubles.

Plan make_plan(const Model& model, const PlanOptions& options = {});  // Makes the plan of a robot.

/// The plan of a tree with these loops, before their elimination order is found.
Plan with_conditions(Plan tree, const std::vector<Loop>& loops, const PlanOptions& options = {});

/// Sum over bodies of the number of joints from the base: the number of non-zero entries of the inertia matrix.
std::size_t path_lengths(const Plan& plan);

/// Of each coordinate: the largest rotation of a joint per unit of it, 1 without couplings; 0 for coordinates that rotate no joint.
std::vector<double> turning_rates(const Plan& plan);

/// Determines which joints are aligned. Call it after a change of R_PB.
void find_aligned(Plan& plan);

/// Moves to each link's parent the parameters without effect on its joint torque, from the tips to the base (exact for any tree and any base motion):
/// revolute about z: m, h_z and S_zz (or as much of it as makes J_yy vanish), through the joint's placement; prismatic: all of S, rotated only.
/// Joint torques, the wrench on a free base, the inertia matrix and forward dynamics do not change; reaction forces between links do.
void lump(Plan& plan, Lumping lumping);

template <class P>
template <class U>
PlanOf<U> PlanOf<P>::cast() const {
  PlanOf<U> to;
  to.name = name;
  to.nq = nq;
  to.nv = nv;
  to.free = free;
  to.quaternions = quaternions;
  to.coupled = coupled;
  to.loaded = loaded;
  to.deep = deep;
  to.gravity = gravity.template cast<U>();
  for (const PlanBody<P>& b : bodies)
    to.bodies.push_back({b.parent,
                         b.prismatic,
                         b.aligned,
                         b.square,
                         b.about_x,
                         b.still,
                         b.passes_x,
                         b.passes_y,
                         b.q,
                         b.v,
                         U(b.multiplier),
                         U(b.offset),
                         b.R_PB.template cast<U>(),
                         b.p_PB.template cast<U>(),
                         b.inertia.template cast<U>(),
                         b.lumped.template cast<U>(),
                         b.flat,
                         U(b.rotor),
                         b.friction.template cast<U>(),
                         b.link,
                         b.behind,
                         b.ball});
  for (const PlanLink<P>& l : links) to.links.push_back({l.body, l.X_BL.template cast<U>()});
  to.base = base.template cast<U>();
  to.lumped_base = lumped_base.template cast<U>();
  to.mass_parent = mass_parent;
  to.snapped = snapped;
  to.largest_snap = largest_snap;
  for (const LoopRowsOf<P>& l : loops)
    to.loops.push_back({l.type, l.first, l.to_A, l.to_B, l.body_A, l.body_B, l.X_A.template cast<U>(), l.X_B.template cast<U>()});
  to.conditions = conditions;
  to.order = order;
  to.tests = tests;
  return to;
}

}  // namespace ULNA_API
