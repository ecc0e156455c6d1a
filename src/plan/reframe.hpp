// Other frames for the same robot: joint torques, inertia matrix and motion stay the same, the numbers in the equations change. All of these keep a
// plan consistent (inertias, children, links); lump() has to be called again afterwards.
#pragma once

#include <span>

#include <ulna/plan/plan.hpp>

namespace ulna::internal {

/// Moves the origin of a body's frame by t, in the axes of B. A revolute joint allows t along z only, a prismatic one any t.
template <class P>
void slide(PlanOf<P>& plan, std::size_t body, const Vec3<P>& t);

/// Rotates a body's frame by an angle about its own z. A revolute joint's coordinate gets the angle as an offset, a prismatic one's R_PB is rotated.
void rotate_frame(Plan& plan, std::size_t body, double angle);

/// Writes R_PB of a revolute body as R0 Rz(angle) with as many zeros in R0 as its axis allows, and moves the angle to the joint's offset.
/// Nothing is changed when R_PB has them already.
void strip(Plan& plan, std::size_t body);

/// Keeps a revolute body's frame from rotating with it, where the axes of all its children are parallel to its own: vectors are passed along it unrotated.
/// Its own h and S and its children's offsets are rotated instead, and the children's angles are sums. Returns whether it could be done. Links on the body have
/// other poses then, so this is for plans that give torques, inertia and accelerations alone.
template <class P>
bool hold_still(PlanOf<P>& plan, std::size_t body);

/// The same plan with lengths counted in `unit` metres and masses in 1/unit² kilograms, which leaves the joint torques of revolute joints in N m. Only for
/// plans of revolute joints: throws std::invalid_argument for others.
template <class P>
PlanOf<P> in_length_unit(const PlanOf<P>& plan, const P& unit);

/// Whether a length is of the robot's own size, within four decades of its reach: what is counted in a residue of 1e-36 m leaves the range of floats.
bool suits_as_unit(const Plan& plan, double length);

/// Upper bound of a robot's reach: the sum of all offsets and radii of gyration.
double reach(const Plan& plan);

/// How one body is lumped. Besides what goes to its parent, mass on the axis of a revolute child may go either way: a point mass at the child's origin
/// that makes h_x or h_y of this body vanish, and second moments along the child's axis that make a product of inertia vanish. The child then has a mass
/// or S_zz to pay for, which can cost less.
struct LumpChoice {
  Lumping lumping = Lumping::szz;
  std::size_t mass_to = kNone;    // the child, or kNone
  int axis = 0;                   // h_x (0) or h_y (1) vanishes
  std::size_t moment_to = kNone;  // the child, or kNone
  int entry = 0;                  // S_xy (0), S_xz (1) or S_yz (2) vanishes
  friend bool operator==(const LumpChoice&, const LumpChoice&) = default;
};

/// As lump(), with a choice for each body. Choices that are not possible (no such child, no offset, an axis that does not reach the entry) do nothing.
template <class P>
void lump(PlanOf<P>& plan, std::span<const LumpChoice> choices);

// Templates are compiled for doubles; other scalars include reframe-inl.hpp.
extern template void slide(Plan&, std::size_t, const Vec3<double>&);
extern template bool hold_still(Plan&, std::size_t);
extern template Plan in_length_unit(const Plan&, const double&);
extern template void lump(Plan&, std::span<const LumpChoice>);

}  // namespace ulna::internal
