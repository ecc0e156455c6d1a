// Formulations of the registry run on symbols.
#pragma once

#include <string_view>

#include <ulna/formulation/formulation.hpp>

#include "emit/equations_kernels.hpp"
#include "emit/equations_lines.hpp"

namespace ulna::internal {

/// The row of a paper whose equations a set shows; null for the kernels.
const Formulation* paper_of(std::string_view formulation);

/// In words, what the symbols of a paper's equations stand for.
std::string_view frames_in_words(Frames frames);

/// The formulation in the model's independent coordinates, couplings and rotors around it as in FormulationOnModel. Throws std::invalid_argument with the
/// reason when it does not give the quantity of the model.
SymbolicTrace run_formulation(const Formulation& row, Quantity quantity, const Analysis& robot, const EquationOptions& options);

/// Coordinates as the formulation's paper numbers them; else by the joints' names where these are q and the numbers 1, 2, … in any order; else 1, 2, ….
/// Null is no paper.
std::vector<std::size_t> coordinate_numbers(const Formulation* paper, const Model& model);
LineOptions line_options(const Formulation* paper);

}  // namespace ulna::internal
