#include "formulation/trace.hpp"

#include <array>
#include <stdexcept>

#include "formulation/evaluator.hpp"
#include "text/cat.hpp"
#include "text/quote.hpp"
#include "trace/inputs.hpp"

namespace ulna::internal {

namespace {}  // namespace

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

Trace trace(const Formulation& formulation, Quantity quantity, const Prepared& prepared) {
  if (const std::string reason = why_not_traced(formulation, quantity, prepared); !reason.empty())
    throw std::invalid_argument(
        cat("formulation ", formulation.id, " cannot be traced for the ", result_name(quantity), " of robot ", in_quotes(prepared.model.name()), ": ", reason));
  Trace to;
  to.graph = std::make_unique<Graph>();
  to.output = row_of(quantity).symbol;
  const std::size_t speeds = prepared.model.closed() ? prepared.model.nv() : prepared.size();
  to.results.resize(row_of(quantity).size({prepared.size(), speeds, prepared.size()}));
  const std::unique_ptr<Evaluator<Expr>> evaluator = formulation.make_expr(prepared);
  const GraphInputs in(*to.graph, quantity, {prepared.size(), speeds});
  evaluator->compute(quantity, in.of(), to.results.data());
  return to;
}

}  // namespace ulna::internal
