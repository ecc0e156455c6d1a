// What control loops call, compiled in one piece.
#pragma once

#include <ulna/dynamics/quantity.hpp>
#include <ulna/dynamics/workspace.hpp>

namespace ulna::internal {

/// kernel::compute() and its guard: of inverse (null v or last for zeros), mass, forward and derivatives, without calls and so without a matrix that goes
/// through memory. On x86-64 for processors that have AVX2 and fused multiplication, which all have had for ten years; others call guarded_in_pieces(): results
/// are the same but for rounding.
template <Quantity quantity, class T>
void whole(const PlanOf<T>& plan, WorkspaceOf<T>& ws, const InputsOf<T>& in, T* out, const EffectsOf<T>& effects, std::size_t stride) noexcept;

/// The same without fused multiplication on x86-64, whatever the processor has: for what decides by the rounding it sees, and must decide alike everywhere.
template <Quantity quantity, class T>
void whole_everywhere(const PlanOf<T>& plan, WorkspaceOf<T>& ws, const InputsOf<T>& in, T* out, const EffectsOf<T>& effects) noexcept;

/// kernel::compute() and its guard, in functions that quantities share.
template <class T>
void guarded_in_pieces(Quantity quantity, const PlanOf<T>& plan, WorkspaceOf<T>& ws, const InputsOf<T>& in, T* out, const EffectsOf<T>& effects,
                       std::size_t stride) noexcept;

}  // namespace ulna::internal
