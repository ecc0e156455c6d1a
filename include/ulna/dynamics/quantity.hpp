// What can be computed of a robot: a row each. Kernels, machine code, generated code, equations, counts, verification, command line and Python loop over the
// rows. A new quantity is a row here and a case in src/dynamics/compute-inl.hpp.
#pragma once

#include <cstddef>
#include <ranges>
#include <span>
#include <string_view>
#include <type_traits>

#include <ulna/export.hpp>
#include <ulna/model/model.hpp>
#include <ulna/spatial/spatial.hpp>
#include <ulna/views.hpp>

// What acts on the robot besides its joints' torques, which features of the model count, and its energy and momentum.

namespace ulna ULNA_API {

/// The axes a wrench is given in. World axes are those of the root link.
enum class Axes { link, world };

/// What the environment exerts on a link, at the link's origin.
template <class T>
struct WrenchOf {
  std::size_t link = 0;  // index into Model::links()
  Axes axes = Axes::link;
  Vec3<T> force{};   // [N]
  Vec3<T> moment{};  // about the link's origin [N m]
};

/// Prescribed motion of the root link against an inertial frame, in the root link's axes.
template <class T>
struct BaseMotionOf {
  Vec3<T> angular_velocity{};      // [rad/s]
  Vec3<T> linear_velocity{};       // of its origin [m/s]
  Vec3<T> angular_acceleration{};  // [rad/s²]
  Vec3<T> linear_acceleration{};   // of its origin: what an accelerometer there reads, less gravity [m/s²]
};

/// A view of wrenches that the caller owns. They are read when the effects are used, so a temporary is refused: it would be destroyed by then.
template <class T>
class WrenchesOf : public std::span<const WrenchOf<T>> {
  using Span = std::span<const WrenchOf<T>>;

 public:
  constexpr WrenchesOf() = default;
  constexpr WrenchesOf(const WrenchOf<T>* first, std::size_t count) : Span(first, count) {}
  template <class C>
  requires std::is_constructible_v<Span, C> &&(std::is_lvalue_reference_v<C> || std::ranges::borrowed_range<C>)constexpr WrenchesOf(C&& kept) : Span(kept) {}
};

template <class T>
struct EffectsOf {        // What acts besides the drives.
  bool rotor = true;      // gear² * rotor inertia on the diagonal of the inertia matrix
  bool friction = false;  // viscous * v + coulomb * sign(v), joint side, sign(0) = 0
  BaseMotionOf<T> base{};
  WrenchesOf<T> wrenches{};
};

using Wrench = WrenchOf<double>;          // In doubles.
using BaseMotion = BaseMotionOf<double>;  // In doubles.
using Effects = EffectsOf<double>;        // In doubles.

template <class T>
struct EnergyOf {  // Kinetic and potential energy.
  T kinetic{};     // rotors included where they count [J]
  T potential{};   // of all links; zero if their mass stood at the root link's origin [J]
};

/// About the world's origin, in its axes: those of a root link that is fixed, or whose motion is prescribed. Rotors are not included: the model has their
/// inertia along the joint only.
template <class T>
struct MomentumOf {
  Vec3<T> angular{};  // [N m s]
  Vec3<T> linear{};   // [N s]
};

/// In the world's axes. Rotors are not included.
template <class T>
struct CentroidalOf {
  Vec3<T> com{};           // mass centre of all links [m]
  Vec3<T> velocity{};      // of it [m/s]
  Vec3<T> angular{};       // momentum about it [N m s]
  Vec3<T> linear{};        // [N s]
  Vec3<T> angular_rate{};  // Ȧ v: of the momentum while v keeps its numbers [N m]
  Vec3<T> linear_rate{};   // [N]
};

using Centroidal = CentroidalOf<double>;  // In doubles.
using Energy = EnergyOf<double>;          // In doubles.
using Momentum = MomentumOf<double>;      // In doubles.

enum class Quantity {  // What Ulna computes.
  inverse,
  mass,
  bias,
  gravity,
  coriolis,
  forward,
  mass_inverse,
  energy,
  momentum,
  centroidal,
  centroidal_matrix,
  pose,
  jacobian,
  inverse_derivatives,
  forward_derivatives,
  regressor,
  closure,  // of robots with loops alone, as the next one
  loop_motion
};
inline constexpr std::size_t kQuantities = 18;  // Number of quantities.
inline constexpr std::size_t kOfLoops = 2;      // Of them, those for robots with loops only, which come last.

/// Rows or columns of a result: a number of their own, and multiples of the robot's sizes.
struct Dimension {
  std::size_t fixed = 0;
  std::size_t nv = 0;
  std::size_t bodies = 0;
  std::size_t nq = 0;
  std::size_t tests = 0;
  std::size_t motion = 0;

  constexpr std::size_t of(const Sizes& robot) const {  // The number, for this robot.
    return fixed + nv * robot.nv + bodies * robot.bodies + nq * robot.nq + tests * robot.tests + motion * robot.motion;
  }
  friend constexpr bool operator==(const Dimension&, const Dimension&) = default;
};
/// Of a rigid body, which torques are linear in: m, h_x, h_y, h_z, J_xx, J_yy, J_zz, J_xy, J_xz, J_yz.
inline constexpr std::size_t kBodyParameters = 10;
inline constexpr Dimension kOne{.fixed = 1};
inline constexpr Dimension kCoordinates{.nv = 1};  // one for each degree of freedom

/// Which effects a quantity depends on.
struct Influences {
  bool gravity = false;
  bool rotor = false;
  bool friction = false;
  bool wrenches = false;
  bool base = false;  // prescribed motion of the root link
};

struct QuantityRow {  // Everything that is known of a quantity.
  Quantity quantity;
  std::string_view id;                            // "inverse": the command, the generated function, the method in C++ and Python
  std::string_view result;                        // "torque": what formulations and certificates call it
  std::string_view title;                         // "inverse dynamics": in headings
  std::span<const std::string_view> inputs;       // "q", "v", "a": the first has nq numbers, the others nv
  std::string_view symbol;                        // "tau": of the result
  Dimension rows = kCoordinates, columns = kOne;  // of the result; numbers lie column by column
  std::span<const std::string_view> parts{};      // "d_q", "d_v", "d_a": names of equal parts of its columns; none for one matrix
  bool symmetric = false;                         // a symmetric matrix
  bool of_link = false;                           // of one link; else of the robot
  bool lumps = true;                              // the same on lumped parameters (plan/plan.hpp): joint torques and what follows from them
  bool written = true;                            // as equations and as code
  bool read = true;                               // as equations, where it is written; false where they would be too long to read
  Influences influences{};
  std::string_view meaning;                        // one line, with units
  std::string_view letter{}, heading{}, remark{};  // in equations: of the result, above, and below

  std::size_t size(const Sizes& robot) const { return rows.of(robot) * columns.of(robot); }                 // Numbers of a result.
  std::size_t input_size(std::size_t k, const Sizes& robot) const { return k == 0 ? robot.nq : robot.nv; }  // Numbers of an input.
  bool is_matrix() const { return columns != kOne; }                                                        // Whether a result has rows and columns.
  bool takes(std::string_view input) const;                                                                 // Whether it has this input.
};

/// Rows of what every robot has, in the order of the enum; those of robots with loops alone come after them.
std::span<const QuantityRow> quantities();
const QuantityRow& row_of(Quantity quantity);
/// Null when there is none of this id.
const QuantityRow* find_quantity(std::string_view id);
std::string_view to_string(Quantity quantity);    // the id
std::string_view result_name(Quantity quantity);  // what formulations and certificates call it

/// How accelerations are computed.
enum class ForwardMethod {
  automatic,    // the cheaper one for this model
  mass_matrix,  // M and its factors along the tree
  articulated   // articulated bodies; not for models with mimic joints
};

/// How derivatives are written down. The results are the same, the operations are not; see src/dynamics/derivatives-inl.hpp.
struct DerivativeForm {
  bool absolute = false;         // B is carried along, not Y
  bool expanded = false;         // p × (w × F) as w (p · F) - F (p · w)
  bool rates_give_bias = false;  // accelerations of forward dynamics by ∂tau/∂v. Only with a base at rest, no friction and no wrenches
  bool by_inverse = false;       // the last products of forward dynamics with M⁻¹, not with its factors
  // Joints up to this many from the base read at the body that far out, not at their own: columns, rows, and the part of rows that is made of accelerations.
  std::size_t columns = 0, rows = 0, weights = 0;

  bool meets() const { return columns > 0 || rows > 0 || weights > 0; }  // Whether both directions meet.
  std::size_t deepest() const { return columns > rows ? (columns > weights ? columns : weights) : (rows > weights ? rows : weights); }  // Most links.
  friend bool operator==(const DerivativeForm&, const DerivativeForm&) = default;
};

/// Inputs of a quantity. A null v or last stands for zeros; inputs that the quantity does not take are ignored.
template <class T>
struct InputsOf {
  const T* q = nullptr;      // nq numbers
  const T* v = nullptr;      // nv, as `last`
  const T* last = nullptr;   // a of inverse dynamics and the regressor, tau of forward dynamics
  std::size_t link = kNone;  // of quantities of a link: an index into Model::links()
  ForwardMethod method = ForwardMethod::automatic;
  DerivativeForm form{};
};

}  // namespace ULNA_API
