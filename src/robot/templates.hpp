// The way without machine code: the templates compiled ahead, with scratch memory on the stack.
#pragma once

#include <memory_resource>

#include <ulna/dynamics/on_plan.hpp>
#include <ulna/robot/dynamics.hpp>

namespace ulna::jit {

/// f(workspace) with a workspace on the stack, or allocated for robots too large for that.
template <class T, class F>
void with_workspace(const PlanOf<T>& plan, F f) noexcept {
  alignas(64) std::byte buffer[kStackScratch];
  std::pmr::monotonic_buffer_resource memory(buffer, sizeof buffer);
  WorkspaceOf<T> ws(plan, &memory);
  f(ws);
}

/// A quantity for one state, with friction when `options` ask for it.
template <class T>
void by_templates(const PlanOf<T>& plan, const DynamicsOptions& options, Quantity quantity, const InputsOf<T>& in, T* out) noexcept;

}  // namespace ulna::jit
