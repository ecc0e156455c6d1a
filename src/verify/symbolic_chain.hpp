// Every arm with given joints at once: a chain whose numbers are symbols, and its state.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include <ulna/expr/expr.hpp>

#include "formulation/frames.hpp"

namespace ulna::internal::proof {

/// Lengths, twists, masses, mass centres, inertias and gravity are parameters of the graph; of a robot only the joints' types are taken. A turning joint's
/// constant angle is counted to its coordinate, which is a symbol anyway.
struct SymbolicChain {
  explicit SymbolicChain(const std::vector<bool>& prismatic);

  std::unique_ptr<Graph> graph;
  DhChain<Expr> chain;
  std::vector<Expr> q, v, a;
  std::vector<std::pair<std::size_t, std::size_t>> circles;  // parameters that are cosine and sine of one angle
};

}  // namespace ulna::internal::proof
