#include "formulation/hollerbach_3x3.hpp"
#include "formulation/hollerbach_4x4.hpp"
#include "formulation/lagrange.hpp"
#include "formulation/modified_newton_euler.hpp"
#include "formulation/newton_euler.hpp"
#include "formulation/newton_euler_base.hpp"
#include "formulation/strobing.hpp"
#include "formulation/uicker_kahn.hpp"
#include "formulation/waters.hpp"

#include "emit/equations_formulation.hpp"
#include "emit/joint_names.hpp"
#include "emit/symbolic_frames.hpp"

namespace ulna {

namespace {

/// For those that give torques alone.
template <template <class, class> class F>
void torque(const FormulationCall& call) {
  F<Expr, Expr> arm(with_symbols(*call.prepared.dh, call.symbols));
  arm.torque(call.q, call.v, call.third, call.results);
  if constexpr (requires { arm.omega(0u), arm.alpha(0u); }) {
    for (std::size_t i = 0; i < call.prepared.size(); ++i) {
      const JointNames name(call.symbols.graph(), i);
      name("w", arm.omega(i));
      name("dw", arm.alpha(i));
    }
  }
}
/// For those that give M and the bias, and maybe torques.
template <template <class, class> class F>
void every(const FormulationCall& call) {
  F<Expr, Expr> arm(with_symbols(*call.prepared.dh, call.symbols));
  if (call.quantity == Quantity::mass) return arm.mass(call.q, call.results);
  if constexpr (requires { arm.torque(call.q, call.v, call.third, call.results); })
    if (call.quantity == Quantity::inverse) return arm.torque(call.q, call.v, call.third, call.results);
  arm.bias(call.q, call.v, call.results);
}

constexpr std::string_view kFrames =
    "The robot is described by a standard Denavit-Hartenberg table, whatever frames its file has: from frame i-1 to frame i by theta and d along z, then by a "
    "and "
    "alpha along x. Frame i stands at the far end of link i";

}  // namespace

std::span<const SymbolicFormulation> formulations_on_standard_frames() {
  static constexpr SymbolicFormulation all[] = {
      {"uicker-kahn", &torque<hollerbach::UickerKahn>, kFrames},
      {"waters", &torque<hollerbach::Waters>, kFrames},
      {"hollerbach-4x4", &torque<hollerbach::Hollerbach4x4>, kFrames},
      {"hollerbach-3x3", &torque<hollerbach::Hollerbach3x3>, kFrames},
      {"newton-euler-base", &torque<hollerbach::NewtonEulerBase>, kFrames},
      {"newton-euler", &torque<turney::NewtonEuler>, kFrames},
      {"lagrange", &every<turney::Lagrange>, kFrames},
      {"modified-newton-euler", &torque<turney::ModifiedNewtonEuler>, kFrames},
      {"strobing", &every<turney::Strobing>, kFrames},
  };
  return all;
}

}  // namespace ulna
