// Which nodes of a graph some outputs need, and how often each is used. One pass each, because operands come before their users.
#pragma once

#include <ulna/expr/expr.hpp>

#include <span>
#include <vector>

namespace ulna::internal {

std::vector<std::uint8_t> live_nodes(const Graph& graph, std::span<const Expr> outputs);
/// An output counts as a use.
std::vector<std::uint32_t> use_counts(const Graph& graph, std::span<const Expr> outputs, const std::vector<std::uint8_t>& live);

}  // namespace ulna::internal
