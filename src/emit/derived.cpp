#include "emit/derived.hpp"

#include "expr/differentiate.hpp"
#include "expr/minimise.hpp"
#include "expr/ready.hpp"
#include "expr/run.hpp"
#include "text/cat.hpp"

namespace ulna::internal {

namespace {

/// A program on expressions. Guards fold away: they are 0 times something.
std::vector<Expr> written_again(const Program& program, const std::vector<Expr>& inputs) {
  std::vector<Expr> values(program.value_count());
  std::copy(inputs.begin(), inputs.end(), values.begin());
  for (std::size_t k = 0; k < program.constants.size(); ++k) values[program.first_constant() + k] = Expr(program.constants[k]);
  run<Expr>(program, values, 0, program.instructions.size());
  std::vector<Expr> results;
  for (const Output& result : program.results) results.push_back(result.negative ? -values[result.value] : values[result.value]);
  return results;
}

std::vector<bool> not_zero(const std::vector<Expr>& results) {
  std::vector<bool> is;
  for (const Expr& x : results) is.push_back(!x.is(0));
  return is;
}

const char* suffix_of(Derivative kind) { return kind == Derivative::jacobian ? "_jacobian" : kind == Derivative::forward ? "_forward" : "_reverse"; }

}  // namespace

std::vector<bool> present(const Program& program) {
  Graph graph;
  std::vector<Expr> inputs;
  for (const Signal& s : program.inputs)
    for (const Expr& x : graph.inputs(s.name, s.size)) inputs.push_back(x);
  return not_zero(written_again(program, inputs));
}

Derived derived(const Generated& of, Derivative kind, std::span<const double> rates, bool single, const Program* known) {
  Derived made;
  made.function.quantity = of.quantity;
  made.function.suffix = of.suffix + suffix_of(kind);
  made.function.speeds = of.speeds;
  if (!of.own_name.empty()) made.function.own_name = of.own_name + suffix_of(kind);
  made.function.method = known != nullptr ? "found by search" : "by differentiation of the program";
  made.function.meaning = kind == Derivative::jacobian  ? "derivatives by the arguments, side by side, column by column"
                          : kind == Derivative::forward ? "derivatives along directions of the arguments"
                                                        : "derivatives of a weighted sum of the results by the arguments";
  if (kind == Derivative::jacobian && known != nullptr) {
    made.function.program = *known;
    made.present = present(*known);
    return made;
  }
  Graph graph;
  const std::vector<Signal> arguments = of.arguments();
  const Signal& result = of.program.outputs.front();
  std::vector<Expr> inputs, seeds;
  const auto append = [](std::vector<Expr>& to, const std::vector<Expr>& more) { to.insert(to.end(), more.begin(), more.end()); };
  for (const Signal& s : arguments) append(inputs, graph.inputs(s.name, s.size));
  const std::size_t by = inputs.size();
  if (kind == Derivative::forward)
    for (const Signal& s : arguments) append(seeds, graph.inputs("fwd_" + s.name, s.size));
  if (kind == Derivative::reverse) append(seeds, graph.inputs("adj_" + result.name, result.size));
  if (of.takes_sides()) append(inputs, graph.inputs(Generated::kSides, of.program.inputs.back().size));
  const std::vector<Expr> results = written_again(of.program, inputs);
  const std::span<const Expr> variables(inputs.data(), by);
  const std::vector<Expr> derivatives = kind == Derivative::jacobian  ? differentiate(graph, results, variables)
                                        : kind == Derivative::forward ? along(graph, results, variables, seeds)
                                                                      : transposed(graph, results, variables, seeds);
  made.present = not_zero(derivatives);
  const Minimised minimal = minimised(graph, derivatives);
  const OutputOf output{"derivatives", minimal.results};
  made.function.program = make_program(*minimal.graph, {&output, 1});
  if (!of.folds()) made.function.program = ready(made.function.program, rates, Sine::exact, single);
  return made;
}

}  // namespace ulna::internal
