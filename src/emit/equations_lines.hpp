// A straight line of operations as lines a person would write.
#pragma once

#include <map>
#include <string>
#include <vector>

#include <ulna/emit/equations.hpp>
#include <ulna/expr/program.hpp>

namespace ulna::internal {

struct LineOptions {
  const char* others = "Z";                     // the letter of intermediate results without a name
  bool every_name = false;                      // what has a name is defined even when it is used once: the names are a paper's
  bool every_mark = false;                      // likewise what has one of `marks`: G of loops
  std::map<std::string, EquationMark> marks{};  // of names that are marks already, by their text
};

/// Symbols and inputs are the program's parameters and inputs, in their order. Definitions go to `definitions`, in the order in which they are needed; returned
/// are the results, an empty sum for zero.
std::vector<EquationFormula> write_lines(const Program& program, const std::vector<EquationSymbol>& symbols, const std::vector<EquationMark>& inputs,
                                         const LineOptions& options, std::vector<Equation>& definitions);

}  // namespace ulna::internal
