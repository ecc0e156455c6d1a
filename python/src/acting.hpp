// What acts on a robot besides its drives, as Python gives it.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <string>
#include <tuple>
#include <vector>

#include <ulna/dynamics/quantity.hpp>
#include <ulna/model/model.hpp>

namespace ulna::python {

/// Name of the link, whether the axes are the world's, force and moment.
using WrenchRow = std::tuple<std::string, bool, std::vector<double>>;

/// Throws std::invalid_argument for a link that is not there and numbers that are not six.
std::vector<Wrench> wrenches_of(const Model& model, const std::vector<WrenchRow>& rows);
/// Velocity and acceleration of the root link, angular first: six numbers each, or none.
BaseMotion base_of(const std::vector<double>& velocity, const std::vector<double>& acceleration);

}  // namespace ulna::python
