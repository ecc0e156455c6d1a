#include "formulation/trace.hpp"

#include <array>
#include <map>
#include <set>
#include <stdexcept>

#include "formulation/chosen_speeds.hpp"
#include "formulation/evaluator.hpp"
#include "text/message.hpp"
#include "trace/inputs.hpp"

namespace ulna::internal {

Program Trace::program(Fuse fuse) const {
  const std::array<OutputOf, 1> outputs{OutputOf{output, results}};
  return make_program(*graph, outputs, fuse);
}

std::string why_not_traced(const Formulation& formulation, Quantity quantity, const Prepared& prepared) {
  if (std::string reason = why_not(formulation, quantity, prepared); !reason.empty()) return reason;
  if (prepared.given.base() == RootJoint::free) return "it takes a free base as joints that start from zero in every state, which a program cannot do";
  if (formulation.make_expr == nullptr) return "it branches on values of the state, which expressions do not have";
  if (formulation.growth.joints >= 4 && prepared.size() > kLargestQuarticTrace)
    return cat("its cost grows as ", formulation.cost(), ", and its expressions are written down for up to ", kLargestQuarticTrace, " joints only, not for ",
               prepared.size());
  return {};
}

namespace {

/// The formulation is left in `evaluator`, for what else it has computed.
Trace trace(const Formulation& formulation, Quantity quantity, const Prepared& prepared, bool in_rates, std::unique_ptr<Evaluator<Expr>>& evaluator) {
  if (const std::string reason = why_not_traced(formulation, quantity, prepared); !reason.empty())
    throw std::invalid_argument(
        cat("formulation ", formulation.id, " cannot be traced for the ", result_name(quantity), " of robot ", in_quotes(prepared.model.name()), ": ", reason));
  Trace to;
  to.graph = std::make_unique<Graph>();
  to.output = row_of(quantity).symbol;
  const std::size_t speeds = prepared.model.closed() ? prepared.model.nv() : prepared.size();
  to.results.resize(row_of(quantity).size({prepared.size(), speeds, prepared.size()}));
  evaluator = formulation.make_expr(prepared);
  const GraphInputs in(*to.graph, quantity, {prepared.size(), speeds}, prepared.speeds != nullptr && !in_rates);
  if (prepared.speeds == nullptr || !in_rates) {
    evaluator->compute(quantity, in.of(), to.results.data());
    return to;
  }
  const std::size_t n = prepared.size();
  const GeneralizedSpeeds<Expr> chosen = speeds_on<Expr>(prepared.speeds->chosen());
  if (quantity != Quantity::mass) {  // a bias is the torques of a motion without accelerations
    std::vector<Expr> u(n), u_dot(n), a = in.last();
    a.resize(n);
    speeds_from_rates<Expr>(chosen, n, in.q().data(), in.v().data(), a.data(), Expr(0), u.data(), u_dot.data());
    evaluator->torque(in.q().data(), u.data(), u_dot.data(), to.results.data());
    return to;
  }
  std::vector<Expr> M(n * n), A(n * n), B(n);
  evaluator->mass(in.q().data(), M.data());
  chosen.values(in.q().data(), Expr(0), A.data(), B.data());
  for (std::size_t r = 0; r < n; ++r)
    for (std::size_t s = 0; s < n; ++s)
      for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < n; ++j) to.results[r * n + s] = to.results[r * n + s] + A[i * n + r] * M[i * n + j] * A[j * n + s];
  return to;
}

/// What each line of a graph is computed from: the lines that own the nodes below its own, and inputs.
class LineInputs {
 public:
  LineInputs(const Graph& graph, Quantity quantity, std::vector<std::size_t> numbers) : graph_(graph), numbers_(std::move(numbers)) {
    const bool forward = row_of(quantity).takes("tau");
    for (std::size_t k = 0; k < graph.input_signals().size(); ++k)
      for (std::size_t i = 0; i < graph.input_signals()[k].size; ++i) {
        const std::size_t number = i < numbers_.size() ? numbers_[i] : i + 1;
        inputs_.push_back(k == 2 && forward ? cat("tau", number) : cat("q", number, std::string(k, '\'')));
      }
  }
  /// Collects all lines, in their order, for access one by one.
  template <class Shown>
  void add(const std::string& symbol, const std::string& index, const Shown& entries) {
    for (const Expr& x : entries) {
      if (x.is_number()) continue;
      own(x.node());
      // A factor that is known beforehand goes into what it is multiplied with next: m a is met as a.
      if (const Node& node = graph_.nodes()[x.node()]; node.scaled) own(node.b);
    }
    lines_.push_back({name_of(symbol, index), {}});
    symbols_.push_back(symbol);
    entries_.emplace_back(entries.begin(), entries.end());
  }
  std::vector<TracedLine> take() {
    for (std::size_t line = 0; line < lines_.size(); ++line) {
      std::set<std::size_t> seen, owners, inputs;
      std::vector<std::size_t> open;
      for (const Expr& x : entries_[line])
        if (!x.is_number()) open.push_back(x.node());
      while (!open.empty()) {
        const std::size_t at = open.back();
        open.pop_back();
        if (!seen.insert(at).second) continue;
        const Node& node = graph_.nodes()[at];
        const std::size_t owner = owner_of(at, line);
        if (owner != line)
          owners.insert(owner);
        else if (node.operation == Operation::input)
          inputs.insert(node.a);
        else if (node.operation >= Operation::add)
          for (const std::uint32_t operand : {node.a, node.b})
            if (operand != kNoValue) open.push_back(operand);
      }
      for (const std::size_t k : owners) lines_[line].inputs.push_back(lines_[k].name);
      for (const std::size_t k : inputs) lines_[line].inputs.push_back(inputs_[k]);
    }
    return std::move(lines_);
  }

 private:
  void own(std::size_t node) {
    std::vector<std::size_t>& owners = owners_[node];
    if (owners.empty() || owners.back() != lines_.size()) owners.push_back(lines_.size());
  }
  /// The first of those lines before this one that are this node, but of the line's own letter where there is one: recursions run in one letter, and f may
  /// equal F for once. The line itself where there is none: that a later one has the same node does not make it an input.
  std::size_t owner_of(std::size_t node, std::size_t line) const {
    const auto owners = owners_.find(node);
    if (owners == owners_.end() || owners->second.front() >= line) return line;
    for (const std::size_t k : owners->second)
      if (k < line && symbols_[k] == symbols_[line]) return k;
    return owners->second.front();
  }

  const Graph& graph_;
  std::vector<std::size_t> numbers_;
  std::vector<std::string> inputs_;
  std::map<std::size_t, std::vector<std::size_t>> owners_;  // of a node: the lines that have it
  std::vector<TracedLine> lines_;
  std::vector<std::string> symbols_;
  std::vector<std::vector<Expr>> entries_;
};

}  // namespace

Trace trace(const Formulation& formulation, Quantity quantity, const Prepared& prepared, bool in_rates) {
  std::unique_ptr<Evaluator<Expr>> evaluator;
  return trace(formulation, quantity, prepared, in_rates, evaluator);
}

std::vector<TracedLine> trace_lines(const Formulation& formulation, Quantity quantity, const Prepared& prepared) {
  std::unique_ptr<Evaluator<Expr>> evaluator;
  const Trace traced = trace(formulation, quantity, prepared, false, evaluator);
  LineInputs lines(*traced.graph, quantity, formulation.numbering);
  evaluator->visit([&](const PaperQuantity<Expr>& shown) { lines.add(symbol_of(shown.symbol), index_of(shown.index), shown.entries); });
  const QuantityRow& row = row_of(quantity);
  if (row.is_matrix() && row.symmetric) lines.add(result_symbol(row), "", traced.results);
  for (std::size_t i = 0; !row.is_matrix() && i < traced.results.size(); ++i) lines.add(result_symbol(row), cat(i + 1), std::vector<Expr>{traced.results[i]});
  return lines.take();
}

}  // namespace ulna::internal
