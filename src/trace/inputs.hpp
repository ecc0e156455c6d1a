// The inputs of a quantity as inputs of a graph: what its kernels, or a formulation, are run on to write them down.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include <ulna/dynamics/quantity.hpp>
#include <ulna/expr/expr.hpp>

namespace ulna::internal {

class GraphInputs {
 public:
  /// `in_speeds`: v and a are generalized speeds and their rates, and called so.
  GraphInputs(Graph& graph, Quantity quantity, const Sizes& robot, bool in_speeds = false) {
    const QuantityRow& row = row_of(quantity);
    const auto name = [&](std::string_view input) { return std::string(!in_speeds ? input : input == "v" ? "u" : input == "a" ? "u_dot" : input); };
    for (std::size_t k = 0; k < row.inputs.size(); ++k) numbers_[k] = graph.inputs(name(row.inputs[k]), row.input_size(k, robot));
  }
  const std::vector<Expr>& q() const { return numbers_[0]; }
  const std::vector<Expr>& v() const { return numbers_[1]; }     // empty where the quantity takes none
  const std::vector<Expr>& last() const { return numbers_[2]; }  // likewise

  InputsOf<Expr> of(std::size_t link = kNone, ForwardMethod method = ForwardMethod::automatic, const DerivativeForm& form = {}) const {
    const auto data = [](const std::vector<Expr>& x) { return x.empty() ? nullptr : x.data(); };
    return {q().data(), data(v()), data(last()), link, method, form};
  }

 private:
  std::array<std::vector<Expr>, 3> numbers_;
};

}  // namespace ulna::internal
