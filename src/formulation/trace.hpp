// A formulation of the registry as a program: run once on expressions, then reduced to what its results need.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <ulna/expr/program.hpp>
#include <ulna/formulation/formulation.hpp>

namespace ulna::internal {

/// What a run on Expr leaves behind.
struct Trace {
  std::unique_ptr<Graph> graph;  // its address is in the expressions
  std::string output;            // "tau", "M", "bias" or "a"
  std::vector<Expr> results;     // M row by row, full

  OperationCounts counts() const { return count(*graph, results); }
  Program program(Fuse fuse = Fuse::no) const;
};

/// Graphs of formulations whose cost grows with the fourth power of n are not made beyond this many joints: they are counted only.
inline constexpr int kLargestQuarticTrace = 10;

/// Derivatives of forward dynamics have some 2 n³ operations: beyond this many joints a search over frames takes tens of seconds, so commands that go through
/// all quantities leave them out. Who asks for them alone gets them.
inline constexpr std::size_t kLargestForwardDerivatives = 30;

/// Empty when trace() takes the model; else why not.
std::string why_not_traced(const Formulation& formulation, Quantity quantity, const Prepared& prepared);

/// Inputs are q, v, a (torque), q (mass), q, v (bias), q, v, tau (acceleration), one entry per moving joint. The robot's numbers are constants. Not reduced
/// beyond what the graph folds and shares by itself; see minimised(). Throws std::invalid_argument with why_not_traced().
/// In speeds of a choice (Prepared::speeds) the inputs are q, u and u̇, and M and bias the speeds'; `in_rates`: what leads from v and a there and back is part
/// of it, so that inputs and results are those of the joints.
Trace trace(const Formulation& formulation, Quantity quantity, const Prepared& prepared, bool in_rates = false);

/// The quantities of a formulation and, of each, the earlier ones and the inputs ("q2", "q2'") that it is computed from, by name: those of intermediates(), in
/// its order. Throws as trace().
struct TracedLine {
  std::string name;
  std::vector<std::string> inputs;
};
std::vector<TracedLine> trace_lines(const Formulation& formulation, Quantity quantity, const Prepared& prepared);

}  // namespace ulna::internal
