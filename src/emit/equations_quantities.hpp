// Vectors and matrices that a formulation's paper has letters for.
#pragma once

#include "emit/equations_kernels.hpp"
#include "formulation/paper_quantity.hpp"

namespace ulna::internal {

/// Names the nodes of what a formulation has computed: sines and cosines by the numbers of their coordinates, then the paper's quantities in the order in which
/// they are shown. Leaves letters and quantities in `trace`, entries as one mark, one number or nothing.
void name_quantities(const std::function<void(const PaperVisitor<Expr>&)>& visit, const std::vector<EquationMark>& inputs,
                     const std::vector<std::size_t>& numbers, SymbolicTrace& trace);

/// Puts the definitions of a quantity's entries next to each other, where the order in which things are needed allows it, and writes out what the entries are.
/// A quantity of which nothing is needed, or that is all numbers, is dropped with its letter.
void arrange_quantities(EquationSet& set);

/// "xy" of a 3 x 3 matrix, "23" of a larger one, "x" or "2" of a vector; empty for a scalar.
std::string entry_name(std::size_t rows, std::size_t columns, std::size_t k);

}  // namespace ulna::internal
