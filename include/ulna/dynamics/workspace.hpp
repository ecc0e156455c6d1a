// Scratch memory of the kernels: made once, one per thread, reused by every call without allocating.
#pragma once

#include <limits>
#include <memory_resource>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

#include <ulna/export.hpp>
#include <ulna/plan/plan.hpp>
#include <ulna/scalar/scalar.hpp>

namespace ulna ULNA_API {

/// One moving body B during one evaluation. W is the world: the root link's frame where the base is fixed; P is the parent body.
template <class T>
struct BodyState {
  // computed by place()
  SinCos<T> sincos;  // of the joint coordinate, revolute joints only
  Vec3<T> p_PB;      // from Po to Bo, in P                                     [m]
  Mat3<T> ball;      // rotation of the first body of a ball joint
  // computed by place() where the body's frame does not rotate with the joint (PlanBody::still)
  SinCos<T> held;             // sine and cosine of the body's rotation in that frame,
  T held_angle, held_offset;  // and its angle, in two parts
  PseudoInertia<T> own;       // the body's own, rotated by it
  // computed by place_in_world()
  Pose<T> X_WB;
  // computed by forward sweeps
  T v;                 // joint rate
  Vec3<T> w_WB_B;      // angular velocity of B, in B                             [rad/s]
  Vec3<T> alpha_WB_B;  // angular acceleration of B, in B                         [rad/s²]
  Vec3<T> v_WBo_B;     // velocity of Bo, in B                                    [m/s]
  Vec3<T> a_WBo_B;     // acceleration of Bo minus gravity, in B                  [m/s²]
  Mat3<T> U;           // [alpha]x + [w]x[w]x: acceleration of r is a + U r       [1/s²]
  // computed by backward sweeps
  Vec3<T> f_B;                 // force that P exerts on B, in B                          [N]
  Vec3<T> n_B;                 // its moment about Bo, in B                               [N m]
  PseudoInertia<T> composite;  // B and everything beyond it, about Bo, in B
  // computed by coriolis_matrix(); u is the velocity of a particle of the composite less that of Bo, r its place from Bo, both in B
  Vec3<T> u_PB;  // velocity of Bo less that of Po, in P                    [m/s]
  Mat3<T> K;     // ∫ u rᵀ dm                                               [kg m²/s]
  Vec3<T> k;     // ∫ u dm                                                  [kg m/s]
  // computed by regressor(), in the axes of the link L behind the joint
  Vec3<T> alpha_L;   // angular acceleration                                    [rad/s²]
  Sym3<T> ww_L;      // w wᵀ                                                    [rad²/s²]
  Vec3<T> a_L;       // acceleration of Lo minus gravity                        [m/s²]
  Vec3<T> z_j, s_j;  // unit rate of the joint at hand as a twist at Bo, in B: angular, linear
  // computed by inverse_derivatives(); J has the axes of B before the joint rotates. K and k are Q and P there
  T a;                  // joint acceleration
  Vec3<T> w_J;          // angular velocity of P, in J                             [rad/s]
  Mat3<T> U_J;          // of P, in J                                              [1/s²]
  Vec3<T> D, D_J;       // differences() of U and of U_J                           [1/s²]
  Vec3<T> a_J;          // acceleration of P's point at Bo minus gravity, in J     [m/s²]
  Vec3<T> flow_rate;    // P' of the composite, in B                               [N]
  Vec3<T> flow_moment;  // t of the composite, in B                                [N m]
  T by_position;        // parts of one entry, kept until both are there
  T by_weight;
  // articulated bodies: moment = A alpha + B a + pn, force = Bᵀ alpha + C a + pf
  Sym3<T> A;
  Mat3<T> B;
  Sym3<T> C;
  Vec3<T> c_angular;  // velocity-product accelerations across the joint, in B
  Vec3<T> c_linear;
  Vec3<T> U_moment;  // articulated inertia times the joint axis
  Vec3<T> U_force;
  T D_inverse;  // inverse of the articulated inertia about the joint axis
  T u;          // joint force left after bias
};

/// Whether U consists of numbers only, which need no construction.
template <class U>
inline constexpr bool kHoldsNumbers = std::is_floating_point_v<U>;
/// A body's state is numbers where its scalar is one.
template <class T>
inline constexpr bool kHoldsNumbers<BodyState<T>> = std::is_floating_point_v<T>;

/// Memory that is not initialised: every kernel writes before it reads, and clearing a kilobyte for each body would take longer than most kernels.
template <class T>
class Unset : public std::pmr::polymorphic_allocator<T> {
 public:
  using std::pmr::polymorphic_allocator<T>::polymorphic_allocator;
  /// Required of allocators.
  template <class U>
  struct rebind {
    using other = Unset<U>;  ///< The allocator for another type.
  };
  /// Copies use the default resource.
  Unset select_on_container_copy_construction() const { return {}; }
  /// Leaves numbers without a value uninitialised.
  template <class U, class... Args>
  void construct(U* at, Args&&... args) {
    if constexpr (sizeof...(Args) > 0 || !kHoldsNumbers<U>) ::new (static_cast<void*>(at)) U(std::forward<Args>(args)...);
  }
};

/// Further memory for a robot with loops; see src/dynamics/closed-inl.hpp. All empty without loops.
template <class T>
struct ClosedSpaceOf {
  template <class T2>
  using Array = std::vector<T2, Unset<T2>>;  // Not cleared when made.

  template <class P>
  ClosedSpaceOf(const PlanOf<P>& plan, std::pmr::memory_resource* memory)
      : z(plan.closed() ? plan.bodies.size() : 0, memory),
        p(z.size(), memory),
        phi(plan.conditions, memory),
        c(plan.conditions, memory),
        J(plan.conditions * plan.nv, memory),
        A(plan.order.rows.size() * plan.order.rows.size(), memory),
        inverse(plan.order.rows.size(), memory),
        pivots(plan.pivots(), memory),
        mu(plan.order.rows.size(), memory),
        v(plan.closed() ? plan.nv : 0, memory),
        a(v.size(), memory),
        x(v.size(), memory),
        G(plan.nv * plan.order.independent.size(), memory),
        M(plan.order.independent.size() * plan.order.independent.size(), memory),
        b(plan.order.independent.size(), memory),
        tree(v.size() * (v.size() > kBodyNumbers * plan.sizes().bodies ? v.size() : kBodyNumbers * plan.sizes().bodies), memory) {}

  Array<Vec3<T>> z, p;          // axes and places of bodies, seen from C
  Array<T> phi, c;              // conditions, and the part of their second time derivative that speeds make
  Array<T> J;                   // their Jacobian, row by row                      (conditions x nv of the tree)
  Array<T> A, inverse, pivots;  // J_D⁻¹, or its factors and their inverse pivots
  Array<T> mu;                  // right sides of J_D, then solutions
  Array<T> v, a, x;             // speeds, accelerations and torques of the tree
  Array<T> G;                   // v_tree = G v, column by column                  (nv of the tree x nv)
  Array<T> M, b;                // of the closed robot: inertia matrix, right side  (nv x nv, nv)
  Array<T> tree;                // a matrix of the tree

 private:
  static constexpr std::size_t kBodyNumbers = 10;  // columns that a body has in the regressor
};

template <class T>
struct WorkspaceOf {  // Memory that a computation needs; one for each thread.
  /// Not initialised.
  template <class T2>
  using Array = std::vector<T2, Unset<T2>>;

  template <class P>
  explicit WorkspaceOf(const PlanOf<P>& plan) : WorkspaceOf(plan, std::pmr::get_default_resource()) {
    poison();
  }
  /// In memory of the caller's choice, such as the stack, for a single call.
  template <class P>
  WorkspaceOf(const PlanOf<P>& plan, std::pmr::memory_resource* memory)
      : nq(plan.nq),
        nv(plan.nv),
        bodies(plan.bodies.size(), memory),
        M(plan.nv * plan.nv, memory),
        columns(6 * plan.bodies.size(), memory),
        angles(std::is_floating_point_v<T> ? 3 * (plan.bodies.size() + kAnglesAtOnce - 1) : 0, memory),
        x(plan.nv, memory),
        d(plan.nv, memory),
        a(plan.nv, memory),
        loaded(plan.loaded ? plan.sizes().nv * (4 * plan.sizes().nv + 8) : 0, memory),
        closed(plan, memory) {}

  /// The state of a parent body; kNone is the base.
  BodyState<T>& parent(std::size_t index) { return index == kNone ? base : bodies[index]; }
  const BodyState<T>& parent(std::size_t index) const { return index == kNone ? base : bodies[index]; }

  std::size_t nq;
  std::size_t nv;
  BodyState<T> base{};  // the root link: its motion and, where it is free, the wrench on it
  Array<BodyState<T>> bodies;
  Array<T> M;            // inertia matrix and its factors, row by row      (nv x nv)
  Array<T> columns;      // of the inertia matrix, as forces and moments    (6 x bodies)
  Array<double> angles;  // of all joints, then their sines, then their cosines
  Array<T> x;            // right side, then solution                       (nv)
  Array<T> d;            // inverse pivots                                  (nv)
  Array<T> a;            // accelerations that derivatives are taken at     (nv)
  Array<T> loaded;       // see src/dynamics/loaded-inl.hpp; empty for most robots
  ClosedSpaceOf<T> closed;

 private:
  // A kernel that reads what it has not written yields NaN, not yesterday's number.
  void poison() {
    if constexpr (std::is_floating_point_v<T>) {
      constexpr T nan = std::numeric_limits<T>::quiet_NaN();
      BodyState<T> state;
      static_assert(sizeof(state) % sizeof(T) == 0 && std::is_trivially_copyable_v<BodyState<T>>);
      T* numbers = reinterpret_cast<T*>(&state);
      for (std::size_t k = 0; k < sizeof(state) / sizeof(T); ++k) numbers[k] = nan;
      base = state;
      bodies.assign(bodies.size(), state);
      M.assign(M.size(), nan);
      columns.assign(columns.size(), nan);
      x.assign(x.size(), nan);
      d.assign(d.size(), nan);
      a.assign(a.size(), nan);
    }
  }
};

using Workspace = WorkspaceOf<double>;  // In doubles.

}  // namespace ULNA_API
