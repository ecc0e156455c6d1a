// What can be computed of a robot: a row each. Kernels, machine code, generated code, equations, counts, verification, command line and Python loop over the
// rows. A new quantity is a row here and a case in compute-inl.hpp.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include <ulna/export.hpp>
#include <ulna/model/model.hpp>
#include <ulna/views.hpp>

namespace ulna ULNA_API {

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
inline constexpr std::size_t kQuantities = 18, kOfLoops = 2;  // Number of quantities; of them, those of robots with loops alone, which stand last.

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

/// What a result has in it, where the model has it or the call gives it.
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
  bool symmetric = false;                         // a matrix of which one half says all
  bool of_link = false;                           // of one link; else of the robot
  bool lumps = true;                              // the same on lumped parameters (plan/plan.hpp): joint torques and what follows from them
  bool written = true;                            // as equations and as code
  bool read = true;                               // as equations, where it is written: not of those that nobody could read
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

/// How derivatives are written down. The results are the same, the operations are not; see derivatives-inl.hpp.
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

/// What a quantity is computed from. A null v or last stands for zeros; what the quantity does not take is not looked at.
template <class T>
struct InputsOf {
  const T* q = nullptr;      // nq numbers
  const T* v = nullptr;      // nv, as `last`
  const T* last = nullptr;   // a of inverse dynamics and the regressor, tau of forward dynamics
  std::size_t link = kNone;  // of quantities that are of a link: an index into Model::links()
  ForwardMethod method = ForwardMethod::automatic;
  DerivativeForm form{};
};

}  // namespace ULNA_API
