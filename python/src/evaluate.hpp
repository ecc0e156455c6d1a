// One state or a million: arrays in, one array out.
#pragma once

#include <nanobind/nanobind.h>

#include <initializer_list>

#include <ulna/formulation/formulation.hpp>
#include <ulna/robot/dynamics.hpp>

#include "arrays.hpp"
#include "dynamics.hpp"

namespace ulna::python {

struct Argument {
  const char* name;
  nb::handle object;
};

/// What acts besides the drives, and the formulation of the papers that computes: null for Dynamics.
struct Under {
  std::vector<Wrench> wrenches{};
  BaseMotion base{};
  bool loaded = false;  // either is given
  const Formulation* formulation = nullptr;
  bool accept_interpolation = false;  // of a formulation that looks its numbers up: see Prepared
};

/// Shapes: states are (n,) or (N, n), all alike, but q, which may be the independent positions alone; results are (…, n), (…, n, n), (…, 4, 4) or (…, 6, n).
/// Inputs of float32 alone are computed in float32, all else, and what a formulation computes, in float64. `out` is None, or an array to write to, which is
/// then what is returned. Long batches run without the GIL and look for signals in between.
nb::object evaluate(RobotDynamics& dynamics, Quantity quantity, std::size_t link, const std::vector<Argument>& arguments, nb::handle out,
                    const Under& under = {});

/// q of all joints, closed: (nq,) or (N, nq).
nb::object evaluate_closed(RobotDynamics& dynamics, const Argument& q);

/// The inertia matrix in a form: (k,) or (N, k).
nb::object evaluate_mass(RobotDynamics& dynamics, MassForm form, const Argument& q);

}  // namespace ulna::python
