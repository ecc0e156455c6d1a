#include "formulation/fijany_bejczy.hpp"
#include "formulation/lin.hpp"
#include "formulation/renaud.hpp"

#include "emit/equations_formulation.hpp"
#include "emit/symbolic_frames.hpp"

namespace ulna {

namespace {

template <template <class, class> class F>
void composite(const FormulationCall& call) {
  F<Expr, Expr> arm(with_symbols(*call.prepared.mdh, call.symbols));
  arm.set_configuration(call.q);
  if constexpr (requires { arm.bias(call.v, call.results); })
    if (call.quantity == Quantity::bias) return arm.bias(call.v, call.results);
  arm.mass(call.results);
}

constexpr std::string_view kFrames =
    "The robot is described by a modified Denavit-Hartenberg table, whatever frames its file has: from frame i-1 to frame i by alpha and a along x, then by "
    "theta "
    "and d along z. Frame i stands on the axis of joint i";

}  // namespace

std::span<const SymbolicFormulation> formulations_on_modified_frames() {
  static constexpr SymbolicFormulation all[] = {
      {"renaud", &composite<composite_body::Renaud>, kFrames},
      {"fijany-bejczy", &composite<composite_body::FijanyBejczy>, kFrames},
      {"lin", &composite<composite_body::Lin>, kFrames},
  };
  return all;
}

}  // namespace ulna
