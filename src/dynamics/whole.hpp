// What control loops call, each compiled in one piece.
#pragma once

#include <ulna/dynamics/effects.hpp>
#include <ulna/dynamics/quantity.hpp>
#include <ulna/dynamics/workspace.hpp>

namespace ulna::internal {

/// kernel::compute() and its guard: of inverse (null v or last for zeros), mass and forward, without calls and so without a matrix that goes through memory.
/// For processors that have AVX2 and fused multiplication, which all have had for ten years, there is code of its own: results are the same but for rounding.
template <Quantity quantity, class T>
void whole(const PlanOf<T>& plan, WorkspaceOf<T>& ws, const InputsOf<T>& in, T* out, const EffectsOf<T>& effects, std::size_t stride) noexcept;

}  // namespace ulna::internal
