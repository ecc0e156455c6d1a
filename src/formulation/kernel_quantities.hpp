// The quantities of the production path by their letters: those of the recursion that it follows, on lumped parameters.
#pragma once

#include <ulna/dynamics/quantity.hpp>
#include <ulna/dynamics/workspace.hpp>

#include "formulation/paper_quantity.hpp"

namespace ulna::internal {

/// show(symbol, index, x) for the quantities of a body, in its axes, as far as they are computed on masses that are lumped.
template <class T, class Show>
void show_kernel(const WorkspaceOf<T>& ws, Quantity what, const Show& show) {
  static constexpr PaperSymbol w{"w", "angular velocity", "", "Turney, Mudge & Lee, 3.15"},
      dw{"dw", "angular acceleration", "", "Turney, Mudge & Lee, 3.16, corrected"}, U{"U", "[dw x] + [w x][w x]", "", "Turney, Mudge & Lee, section 5"},
      a{"a", "acceleration of the joint's origin less gravity", "", "Turney, Mudge & Lee, 3.17"},
      f{"f", "force of the link before on this one, of the lumped masses", "", "Turney, Mudge & Lee, 5.1"},
      n{"n", "its moment about the joint's origin", "", "Turney, Mudge & Lee, 5.2"},
      m{"m", "lumped mass of the link and all beyond it", "", "Walker & Orin", 0, "c"},
      h{"h", "their first moment about the joint's origin", "", "Walker & Orin", 0, "c"}, S{"S", "their second moments about it", "", "Walker & Orin", 0, "c"};
  const bool moves = what != Quantity::mass, composite = what != Quantity::inverse && what != Quantity::bias && what != Quantity::gravity;
  for (std::size_t i = 0; moves && i < ws.bodies.size(); ++i) {
    const BodyState<T>& s = ws.bodies[i];
    show(w, {i + 1}, s.w_WB_B), show(dw, {i + 1}, s.alpha_WB_B), show(U, {i + 1}, s.U), show(a, {i + 1}, s.a_WBo_B);
  }
  for (std::size_t i = ws.bodies.size(); moves && i-- > 0;) show(f, {i + 1}, ws.bodies[i].f_B), show(n, {i + 1}, ws.bodies[i].n_B);
  for (std::size_t i = ws.bodies.size(); composite && i-- > 0;) {
    const PseudoInertia<T>& c = ws.bodies[i].composite;
    show(m, {i + 1}, c.m), show(h, {i + 1}, c.h), show(S, {i + 1}, c.S);
  }
}

}  // namespace ulna::internal
