// Formulations of the registry run on symbols. Their class templates are compiled for (Expr, Expr) in one file for each form in which papers describe a robot.
#pragma once

#include <span>
#include <string_view>

#include <ulna/formulation/formulation.hpp>

#include "emit/equations_kernels.hpp"
#include "emit/equations_lines.hpp"
#include "emit/symbol_table.hpp"

namespace ulna {

/// One call of a formulation: vectors have one entry per moving joint.
struct FormulationCall {
  const Prepared& prepared;
  Quantity quantity;
  SymbolTable& symbols;
  const Expr* q;
  const Expr* v;                 // null where the quantity has none
  const Expr* third;             // accelerations or joint forces, likewise
  std::span<const Expr> rotors;  // of acceleration, which takes them in itself; else left alone
  Expr* results;                 // M row by row, full
};

struct SymbolicFormulation {
  std::string_view id;
  void (*run)(const FormulationCall& call);
  std::string_view frames;  // in words, what the symbols stand for
};

std::span<const SymbolicFormulation> formulations_on_standard_frames();
std::span<const SymbolicFormulation> formulations_on_modified_frames();
std::span<const SymbolicFormulation> formulations_on_trees();
std::span<const SymbolicFormulation> formulations_of_the_stanford_arm();

/// Null when it has no equations to write down.
const SymbolicFormulation* symbolic_formulation(std::string_view id);

/// The formulation in the model's independent coordinates, couplings and rotors around it as in FormulationOnModel. Throws std::invalid_argument with the
/// reason when it does not give the quantity of the model.
SymbolicTrace run_formulation(const Formulation& row, Quantity quantity, const Model& model, const EquationOptions& options);

/// Coordinates as the formulation's paper numbers them; else 1, 2, ….
std::vector<std::size_t> coordinate_numbers(std::string_view formulation, std::size_t n);
LineOptions line_options(std::string_view formulation);

}  // namespace ulna
