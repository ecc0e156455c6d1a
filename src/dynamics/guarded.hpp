// A kernel, and what a bad state does to its results.
#pragma once

#include "dynamics/compute-inl.hpp"

#include "dynamics/guard.hpp"

namespace ulna::internal {

/// What a bad state does to the results of kernel::compute().
template <class T>
void guard(Quantity quantity, const PlanOf<T>& plan, const InputsOf<T>& in, T* out, const EffectsOf<T>& effects, std::size_t stride) noexcept {
  const QuantityRow& row = row_of(quantity);
  Guard<T> bad(plan, in.q, row.inputs.size() > 1 ? in.v : nullptr, row.inputs.size() > 2 ? in.last : nullptr);
  if (row.influences.base) bad.take(effects.base);
  if (row.influences.wrenches) bad.take(effects.wrenches);
  const std::size_t rows = row.rows.of(plan.sizes()), columns = row.columns.of(plan.sizes());
  bad.over(out, rows, columns, stride == 0 ? rows : stride);
}

/// As kernel::compute().
template <class T>
void guarded(Quantity quantity, const PlanOf<T>& plan, WorkspaceOf<T>& ws, const InputsOf<T>& in, T* out, const EffectsOf<T>& effects,
             std::size_t stride) noexcept {
  kernel::compute(quantity, plan, ws, in, out, effects, stride);
  guard(quantity, plan, in, out, effects, stride);
}

}  // namespace ulna::internal
