// Fewer operations for the same results: passes over a graph with known uses.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include <ulna/expr/expr.hpp>

namespace ulna::internal {

struct Minimised {
  std::unique_ptr<Graph> graph;
  std::vector<Expr> results;
};

/// The same values with fewer operations, in the same order: a common factor of terms of one sum is taken out, a x + a y = a (x + y), and two terms that
/// several sums have in common are added once. Repeated until nothing is gained; never more operations than before.
Minimised minimised(const Graph& graph, std::span<const Expr> results);

/// The same values with plane rotations written with three multiplications: c x + s y and c y - s x become t + (s - c) y and t - (s + c) x with
/// t = c (x + y). Saves a multiplication and costs an addition each, and two more additions a joint: it pays where a multiplication costs more than an
/// addition.
Minimised with_short_rotations(const Graph& graph, std::span<const Expr> results);

}  // namespace ulna::internal
