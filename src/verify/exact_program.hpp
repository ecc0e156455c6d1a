// A program, interpreted on numbers modulo a prime.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include <ulna/expr/program.hpp>

#include "scalar/exact.hpp"

namespace ulna::internal {

class ExactProgram {
 public:
  /// `constant`: the exact value of one of its numbers.
  ExactProgram(const Program& program, std::span<const Exact> parameters, const std::function<Exact(double)>& constant);
  std::vector<Exact> operator()(std::span<const Exact> inputs);

 private:
  const Program& program_;
  std::vector<Exact> values_;
};

}  // namespace ulna::internal
