// A kernel, and what a bad state does to its results.
#pragma once

#include "dynamics/compute-inl.hpp"

#include "dynamics/guard.hpp"

namespace ulna::internal {

/// As kernel::compute().
template <class T>
void guarded(Quantity quantity, const PlanOf<T>& plan, WorkspaceOf<T>& ws, const InputsOf<T>& in, T* out, const EffectsOf<T>& effects,
             std::size_t stride) noexcept {
  kernel::compute(quantity, plan, ws, in, out, effects, stride);
  const QuantityRow& row = row_of(quantity);
  Guard<T> guard(plan, in.q, row.inputs.size() > 1 ? in.v : nullptr, row.inputs.size() > 2 ? in.last : nullptr);
  if (row.influences.base) guard.take(effects.base);
  if (row.influences.wrenches) guard.take(effects.wrenches);
  const std::size_t rows = row.rows.of(plan.sizes()), columns = row.columns.of(plan.sizes());
  guard.over(out, rows, columns, stride == 0 ? rows : stride);
}

}  // namespace ulna::internal
