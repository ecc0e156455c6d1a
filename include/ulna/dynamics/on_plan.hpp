// The production algorithms on a plan: the layer below Dynamics (ulna/robot/dynamics.hpp), for programs that keep plan and memory themselves. Compiled for
// double and float. For a scalar of your own, generate C++: `ulna generate --lang cpp` writes templates over the scalar.
//
//   const ulna::Plan plan = ulna::make_plan(model);
//   ulna::Workspace workspace(plan);                       // one per thread; nothing allocates after this
//   ulna::inverse_dynamics(plan, workspace, q, v, a, tau);
//
// Overloads that take views check every size and throw std::invalid_argument with both numbers. Overloads that take pointers are unchecked and
// noexcept; a null v, a or tau stands for zeros. All are safe to call at once from several threads, each with its own workspace. An input that is NaN,
// infinite, or an angle beyond kLargestAngle makes every result NaN.
#pragma once

#include <type_traits>

#include <ulna/dynamics/quantity.hpp>
#include <ulna/dynamics/workspace.hpp>
#include <ulna/export.hpp>
#include <ulna/plan/plan.hpp>
#include <ulna/views.hpp>

namespace ulna ULNA_API {

template <class T>
using In = VectorView<const std::type_identity_t<T>>;  // Numbers that are read.
template <class T>
using Out = VectorView<std::type_identity_t<T>>;  // Numbers that are written.
template <class T>
using Read = const std::type_identity_t<T>*;  // A vector that is read.
template <class T>
using Write = std::type_identity_t<T>*;  // A vector that is written.
template <class T>
using Given = const EffectsOf<std::type_identity_t<T>>&;  // Effects of the scalar.

/// Any quantity, by its row: `out` has row_of(quantity).size(plan.sizes()) numbers, columns of a matrix `stride` apart, 0 for contiguous ones. Unchecked.
template <class T>
void compute(Quantity quantity, const PlanOf<T>& plan, WorkspaceOf<T>& ws, const InputsOf<std::type_identity_t<T>>& in, Write<T> out, Given<T> effects = {},
             std::size_t stride = 0) noexcept;

/// tau = M(q) a + bias(q, v). O(n).
template <class T>
void inverse_dynamics(const PlanOf<T>& plan, WorkspaceOf<T>& ws, In<T> q, In<T> v, In<T> a, Out<T> tau, Given<T> effects = {});
template <class T>
void inverse_dynamics(const PlanOf<T>& plan, WorkspaceOf<T>& ws, Read<T> q, Read<T> v, Read<T> a, Write<T> tau, Given<T> effects = {}) noexcept;

/// inverse_dynamics at a = 0: Coriolis, centrifugal and gravity terms, and those of the effects. O(n).
template <class T>
void bias_forces(const PlanOf<T>& plan, WorkspaceOf<T>& ws, In<T> q, In<T> v, Out<T> bias, Given<T> effects = {});

/// The torques that hold the robot still against gravity alone. O(n).
template <class T>
void gravity_forces(const PlanOf<T>& plan, WorkspaceOf<T>& ws, In<T> q, Out<T> gravity);

/// The inertia matrix, full and symmetric. O(n d), d the depth of the tree.
template <class T>
void mass_matrix(const PlanOf<T>& plan, WorkspaceOf<T>& ws, In<T> q, MatrixView<std::type_identity_t<T>> M, bool rotor = true);
template <class T>
void mass_matrix(const PlanOf<T>& plan, WorkspaceOf<T>& ws, Read<T> q, Write<T> M, bool rotor = true) noexcept;

/// The Coriolis matrix of Christoffel symbols: C v = bias - gravity, and Ṁ - 2 C is skew-symmetric. It does not depend on rotors. O(n d).
template <class T>
void coriolis_matrix(const PlanOf<T>& plan, WorkspaceOf<T>& ws, In<T> q, In<T> v, MatrixView<std::type_identity_t<T>> C);

/// tau = Y(q, v, a) pi + rotors, pi being ten parameters of each moving body: Y is nv x 10 bodies. O(n d).
template <class T>
void regressor(const PlanOf<T>& plan, WorkspaceOf<T>& ws, In<T> q, In<T> v, In<T> a, MatrixView<std::type_identity_t<T>> Y, Given<T> effects = {});
/// ∂tau/∂q, ∂tau/∂v and M of inverse dynamics, side by side: nv x 3 nv. Coulomb friction has no derivative. O(n d).
template <class T>
void inverse_derivatives(const PlanOf<T>& plan, WorkspaceOf<T>& ws, In<T> q, In<T> v, In<T> a, MatrixView<std::type_identity_t<T>> d, Given<T> effects = {});

/// ∂a/∂q, ∂a/∂v and M⁻¹ of forward dynamics, side by side: nv x 3 nv. O(n² d).
template <class T>
void forward_derivatives(const PlanOf<T>& plan, WorkspaceOf<T>& ws, In<T> q, In<T> v, In<T> tau, MatrixView<std::type_identity_t<T>> d, Given<T> effects = {});

/// a = M(q)⁻¹ (tau - bias(q, v)).
template <class T>
void forward_dynamics(const PlanOf<T>& plan, WorkspaceOf<T>& ws, In<T> q, In<T> v, In<T> tau, Out<T> a, Given<T> effects = {},
                      ForwardMethod method = ForwardMethod::automatic);
template <class T>
void forward_dynamics(const PlanOf<T>& plan, WorkspaceOf<T>& ws, Read<T> q, Read<T> v, Read<T> tau, Write<T> a, Given<T> effects = {}) noexcept;

/// Kinetic and potential energy of all links. O(n).
template <class T>
EnergyOf<T> energy(const PlanOf<T>& plan, WorkspaceOf<T>& ws, In<T> q, In<T> v, Given<T> effects = {});

/// Momentum of all links about the base. O(n).
template <class T>
MomentumOf<T> momentum(const PlanOf<T>& plan, WorkspaceOf<T>& ws, In<T> q, In<T> v, Given<T> effects = {});

/// X_WL of one link, W being the root link. O(n).
template <class T>
Pose<T> link_pose(const PlanOf<T>& plan, WorkspaceOf<T>& ws, In<T> q, std::size_t link);
/// Of all links, in the order of Model::links().
template <class T>
void link_poses(const PlanOf<T>& plan, WorkspaceOf<T>& ws, In<T> q, VectorView<Pose<std::type_identity_t<T>>> poses);

/// Geometric Jacobian of a link, 6 x nv: rows angular, then linear velocity of the link's origin, in the root link's axes. O(n).
template <class T>
void jacobian(const PlanOf<T>& plan, WorkspaceOf<T>& ws, In<T> q, std::size_t link, MatrixView<std::type_identity_t<T>> J);

}  // namespace ULNA_API
