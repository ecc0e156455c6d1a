// One state or a million: arrays in, one array out.
#pragma once

#include <nanobind/nanobind.h>

#include <initializer_list>
#include <memory>

#include <ulna/formulation/formulation.hpp>
#include <ulna/robot/dynamics.hpp>

#include "arrays.hpp"
#include "dynamics.hpp"

namespace ulna::python {

struct Argument {
  const char* name;
  nb::handle object;
};

/// A wrench on a link: an array of force and moment, (6,) for all states or (N, 6).
struct WrenchArray {
  std::size_t link = 0;
  Axes axes = Axes::link;
  std::shared_ptr<Input> numbers{};
};

/// What acts besides the drives, and the formulation of the papers that computes: null for Dynamics.
struct Under {
  std::vector<Wrench> wrenches{};
  BaseMotion base{};
  bool loaded = false;  // either is given
  const Formulation* formulation = nullptr;
  bool accept_interpolation = false;         // of a formulation that looks its numbers up: see Prepared
  std::vector<WrenchArray> wrench_arrays{};  // in place of all of these
};

/// Shapes: states are (n,) or (N, n), all alike, but q, which may be the independent positions alone; results are (…, n), (…, n, n), (…, 4, 4) or (…, 6, n).
/// Inputs of float32 alone are computed in float32, all else, and what a formulation computes, in float64. `out` is None, or an array to write to, which is
/// then what is returned. Long batches run without the GIL and look for signals in between.
nb::object evaluate(RobotDynamics& dynamics, Quantity quantity, std::size_t link, const std::vector<Argument>& arguments, nb::handle out,
                    const Under& under = {});

/// Dynamics.bind(): a call that reads `arrays` and writes to the last of them whenever it is made. They are checked here, once, and kept: all of one dtype,
/// in rows, nothing converted. q is looked at in every call, as evaluate() does.
nb::object bind_call(nb::handle dynamics, Quantity quantity, std::size_t link, const std::vector<nb::handle>& arrays);

/// A state's numbers from the order of the kernels to that of the arrays: of a pose (R row by row, p) to the rows of a 4 x 4 matrix; of matrices column by
/// column to row by row, part after part.
template <class T>
void reorder(Quantity quantity, const RobotDynamics::Shapes& shapes, const T* from, T* to) {
  if (quantity == Quantity::pose) {
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t j = 0; j < 3; ++j) to[4 * i + j] = from[3 * i + j];
      to[4 * i + 3] = from[9 + i];
      to[12 + i] = T(0);
    }
    to[15] = T(1);
    return;
  }
  const std::size_t parts = shapes.axes == 3 ? shapes.out[0] : 1, rows = shapes.out[shapes.axes - 2], columns = shapes.out[shapes.axes - 1];
  for (std::size_t part = 0; part < parts; ++part, from += rows * columns, to += rows * columns)
    for (std::size_t j = 0; j < columns; ++j)
      for (std::size_t i = 0; i < rows; ++i) to[i * columns + j] = from[rows * j + i];
}

/// q of all joints, closed: (nq,) or (N, nq).
nb::object evaluate_closed(RobotDynamics& dynamics, const Argument& q);

/// The inertia matrix in a form: (k,) or (N, k).
nb::object evaluate_mass(RobotDynamics& dynamics, MassForm form, const Argument& q);

}  // namespace ulna::python
