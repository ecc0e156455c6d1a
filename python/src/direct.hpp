// Calls of one state that cost little more than the kernel: methods without a Python frame, and calls whose arrays are bound once.
#pragma once

#include <nanobind/nanobind.h>

#include "dynamics.hpp"

namespace ulna::python {

/// `direct(function)`, a decorator of methods of ulna.Dynamics that are named after a quantity: calls with arrays of one state alone, and perhaps `out`, are
/// computed here; all others are handed to the function, which has the options, the conversions and the messages. And the type of bound calls.
void bind_direct(nanobind::module_& m);

/// The object that Dynamics.bind() returns: `step()` computes from the arrays that it was made with into `out`, and returns that. `general` does the same for
/// any arrays; one state goes without it where nothing but the kernel is to be called. Arrays are dense, checked, and kept by `general`.
nanobind::object make_bound(const RobotDynamics& robot, Quantity quantity, std::size_t link, bool single, bool one_state, const std::array<const void*, 3>& in,
                            void* to, nanobind::handle out, nanobind::object general);

}  // namespace ulna::python
