#include <ulna/dynamics/quantity.hpp>

#include <algorithm>

namespace ulna ULNA_API {

namespace {

constexpr std::string_view kQ[] = {"q"}, kQV[] = {"q", "v"}, kQVA[] = {"q", "v", "a"}, kQVTau[] = {"q", "v", "tau"};

constexpr QuantityRow kRows[] = {
    {.quantity = Quantity::inverse,
     .id = "inverse",
     .result = "torque",
     .title = "inverse dynamics",
     .inputs = kQVA,
     .symbol = "tau",
     .influences = {.gravity = true, .rotor = true, .friction = true, .wrenches = true, .base = true},
     .meaning = "joint torques [N m] and forces [N] that give the accelerations a",
     .letter = "tau",
     .heading = "Inverse dynamics: joint forces from the motion"},
    {.quantity = Quantity::mass,
     .id = "mass",
     .result = "mass",
     .title = "inertia matrix",
     .inputs = kQ,
     .symbol = "M",
     .columns = kCoordinates,
     .symmetric = true,
     .influences = {.rotor = true},
     .meaning = "inertia matrix, row by row, full and symmetric [kg m^2, kg m, kg]",
     .letter = "M",
     .heading = "Inertia matrix",
     .remark = "M is symmetric; entries that are not listed are those below the diagonal, or zero."},
    {.quantity = Quantity::bias,
     .id = "bias",
     .result = "bias",
     .title = "bias",
     .inputs = kQV,
     .symbol = "bias",
     .influences = {.gravity = true, .friction = true, .wrenches = true, .base = true},
     .meaning = "joint torques [N m] and forces [N] at zero acceleration: velocities and gravity",
     .letter = "b",
     .heading = "Bias forces: joint forces without acceleration"},
    {.quantity = Quantity::gravity,
     .id = "gravity",
     .result = "gravity",
     .title = "gravity",
     .inputs = kQ,
     .symbol = "gravity",
     .influences = {.gravity = true},
     .meaning = "joint torques [N m] and forces [N] that hold the robot against gravity",
     .letter = "G",
     .heading = "Joint forces of gravity"},
    {.quantity = Quantity::coriolis,
     .id = "coriolis",
     .result = "coriolis",
     .title = "Coriolis matrix",
     .inputs = kQV,
     .symbol = "C",
     .columns = kCoordinates,
     .meaning = "Coriolis matrix of Christoffel symbols, column by column; C v are the torques of velocities [kg m^2/s, kg m/s, kg/s]",
     .letter = "C",
     .heading = "Coriolis matrix: its product with the rates are the joint forces of velocities",
     .remark = "C is made of Christoffel symbols of M; entries that are not listed are zero."},
    {.quantity = Quantity::forward,
     .id = "forward",
     .result = "acceleration",
     .title = "forward dynamics",
     .inputs = kQVTau,
     .symbol = "a",
     .influences = {.gravity = true, .rotor = true, .friction = true, .wrenches = true, .base = true},
     .meaning = "joint accelerations [rad/s^2, m/s^2] under the torques tau",
     .letter = "a",
     .heading = "Forward dynamics: accelerations from joint forces"},
    {.quantity = Quantity::mass_inverse,
     .id = "mass_inverse",
     .result = "mass_inverse",
     .title = "inverse of the inertia matrix",
     .inputs = kQ,
     .symbol = "M_inverse",
     .columns = kCoordinates,
     .symmetric = true,
     .written = false,
     .influences = {.rotor = true},
     .meaning = "inverse of the inertia matrix, full and symmetric [1/(kg m^2), 1/(kg m), 1/kg]"},
    {.quantity = Quantity::energy,
     .id = "energy",
     .result = "energy",
     .title = "energy",
     .inputs = kQV,
     .symbol = "energy",
     .rows = {.fixed = 2},
     .lumps = false,
     .influences = {.gravity = true, .rotor = true, .base = true},
     .meaning = "kinetic energy, rotors included, and potential energy, zero where all mass stood at the base's origin [J]",
     .heading = "Kinetic and potential energy",
     .remark = "T is the kinetic energy, V the potential energy, zero where all mass stood at the base's origin."},
    {.quantity = Quantity::momentum,
     .id = "momentum",
     .result = "momentum",
     .title = "momentum",
     .inputs = kQV,
     .symbol = "momentum",
     .rows = {.fixed = 6},
     .lumps = false,
     .written = false,
     .influences = {.base = true},
     .meaning = "angular momentum about the base's origin [N m s], then linear momentum [N s], of all links, in the base's axes"},
    {.quantity = Quantity::pose,
     .id = "pose",
     .result = "pose",
     .title = "pose of a link",
     .inputs = kQ,
     .symbol = "pose",
     .rows = {.fixed = 12},
     .of_link = true,
     .lumps = false,
     .meaning = "rotation matrix, row by row, and origin [m] of a link's frame in that of the root link",
     .heading = "Pose of a link in the base",
     .remark = "R turns vectors of the link's frame into the base's; p is the link's origin from that of the base, in the base's axes."},
    {.quantity = Quantity::jacobian,
     .id = "jacobian",
     .result = "jacobian",
     .title = "Jacobian of a link",
     .inputs = kQ,
     .symbol = "J",
     .rows = {.fixed = 6},
     .columns = kCoordinates,
     .of_link = true,
     .lumps = false,
     .meaning = "angular velocity, then velocity of a link's origin, in the root link's axes, by joint rates: 6 rows, column by column",
     .letter = "J",
     .heading = "Jacobian of a link",
     .remark = "J times the rates is the angular velocity of the link (rows 1 to 3) and the velocity of its origin (rows 4 to 6), in the base's axes. Entries "
               "that are not listed are zero."},
    {.quantity = Quantity::regressor,
     .id = "regressor",
     .result = "regressor",
     .title = "regressor",
     .inputs = kQVA,
     .symbol = "Y",
     .columns = {.bodies = kBodyParameters},
     .lumps = false,
     .read = false,
     .influences = {.gravity = true, .base = true},
     .meaning =
         "torques by the parameters of the moving bodies, column by column: m, h_x, h_y, h_z, J_xx, J_yy, J_zz, J_xy, J_xz, J_yz of each, about the origin "
         "and in the axes of the link behind its joint"},
};
static_assert(std::size(kRows) == kQuantities);

}  // namespace

bool QuantityRow::takes(std::string_view input) const { return std::find(inputs.begin(), inputs.end(), input) != inputs.end(); }

std::span<const QuantityRow> quantities() { return kRows; }

const QuantityRow& row_of(Quantity quantity) { return kRows[static_cast<std::size_t>(quantity)]; }

const QuantityRow* find_quantity(std::string_view id) {
  const auto found = std::find_if(std::begin(kRows), std::end(kRows), [&](const QuantityRow& row) { return row.id == id; });
  return found == std::end(kRows) ? nullptr : found;
}

std::string_view to_string(Quantity quantity) { return row_of(quantity).id; }
std::string_view result_name(Quantity quantity) { return row_of(quantity).result; }

}  // namespace ULNA_API
