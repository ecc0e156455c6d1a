// Results multiplied out: sums of products of parameters, rates, and sines and cosines of sums of angles.
#pragma once

#include <optional>
#include <span>
#include <utility>

#include <ulna/emit/equations.hpp>
#include <ulna/expr/expr.hpp>

namespace ulna::internal {

/// What the parameters and inputs of a graph are called, in their order there. Inputs below `angles` may stand in sines and cosines.
struct GraphMarks {
  std::vector<EquationMark> parameters;
  std::vector<EquationMark> inputs;
  std::size_t angles = 0;
  std::vector<std::pair<std::size_t, std::size_t>> turns;  // parameters that are cosine and sine of one angle
};

struct ClosedForms {
  std::vector<Equation> definitions;      // of sines and cosines
  std::vector<EquationFormula> formulas;  // one per result
};

/// With products of sines and cosines either kept (and s² + c² = 1 used) or turned into those of sums of angles, whichever gives fewer terms. Nothing where a
/// result divides or stays longer than a person would write down.
std::optional<ClosedForms> closed_forms(const Graph& graph, std::span<const Expr> results, const GraphMarks& marks);

}  // namespace ulna::internal
