// The kernels run on symbols.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include <ulna/emit/equations.hpp>
#include <ulna/expr/expr.hpp>
#include <ulna/plan/plan.hpp>

namespace ulna::internal {

/// What a run on symbols leaves behind.
struct SymbolicTrace {
  std::unique_ptr<Graph> graph = std::make_unique<Graph>();
  std::vector<EquationSymbol> symbols;
  std::vector<Expr> results;  // one for each of result_marks()
  // of a formulation
  std::vector<EquationLetter> letters;
  std::vector<EquationQuantity> quantities;
  std::map<std::string, EquationMark> marks;  // of names that are marks already, by their text
};

/// `link` of poses and Jacobians. The masses are those of the links, or lumped.
enum class Masses { of_links, lumped };
/// `coordinates` are their numbers.
SymbolicTrace run_kernel(const Plan& numbers, Quantity what, std::size_t link, bool rotor, Masses masses, const std::vector<std::size_t>& coordinates);

/// The entries of M on and above its diagonal, row by row.
std::vector<Expr> upper_half(const std::vector<Expr>& M, std::size_t n);

}  // namespace ulna::internal
