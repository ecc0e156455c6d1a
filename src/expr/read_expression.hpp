// Parses text such as "v.q1*sin(q.q2) + 2*v.q2" to expressions of a graph.
#pragma once

#include <cstddef>
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>

#include <ulna/expr/expr.hpp>

namespace ulna::internal {

/// What is wrong with an expression, and at which of its characters, counted from 0.
struct ExpressionProblem {
  std::size_t at = 0;
  std::string problem, cure;
};

/// What a name stands for: `scope` is "v" of v.NAME, else empty. Throws ExpressionProblem (its `at` is set by the reader) for a name that is not known.
using NameOf = std::function<Expr(std::string_view scope, std::string_view name)>;

/// Sums, products, quotients, whole powers, brackets, numbers, pi, sin, cos, tan. A name is a word, or anything in double quotes behind the point. Throws
/// ExpressionProblem.
Expr read_expression(std::string_view text, const NameOf& name_of);

}  // namespace ulna::internal
