// Derivatives of expressions, as expressions of the same graph: for quantities without a derivative kernel, and to check those kernels.
//
//   std::vector<Expr> J = differentiate(graph, tau, q);            // ∂tau_i/∂q_j at [i + j * tau.size()]
//   std::vector<Expr> Jx = along(graph, tau, q, x);                // J x without J: one forward sweep
//   std::vector<Expr> yJ = transposed(graph, tau, q, y);           // yᵀ J without J: one reverse sweep
//   std::vector<Expr> Hx = along(graph, gradient, q, x);           // of a gradient: a Hessian times a vector
#pragma once

#include <span>
#include <vector>

#include <ulna/expr/expr.hpp>

namespace ulna::internal {

/// d/dt of each output while input j moves at the rate directions[j], a number or an expression. At most three operations for each that the outputs are made
/// of.
std::vector<Expr> along(Graph& graph, std::span<const Expr> outputs, std::span<const Expr> inputs, std::span<const Expr> directions);

/// Σ_i weights[i] ∂output_i/∂input_j, for each input. Likewise.
std::vector<Expr> transposed(Graph& graph, std::span<const Expr> outputs, std::span<const Expr> inputs, std::span<const Expr> weights);

enum class Sweep {
  shorter,  // whichever gives fewer operations
  forward,  // a column for each input
  reverse   // a row for each output
};

/// All derivatives, column by column: outputs.size() rows, inputs.size() columns. Zeros of the structure are numbers and cost nothing, and what columns or rows
/// have in common is one node.
std::vector<Expr> differentiate(Graph& graph, std::span<const Expr> outputs, std::span<const Expr> inputs, Sweep sweep = Sweep::shorter);

}  // namespace ulna::internal
