#include "trace/trace.hpp"

#include <array>
#include <stdexcept>

#include "formulation/evaluator.hpp"
#include "text/cat.hpp"
#include "text/quote.hpp"

namespace ulna {

namespace {

std::string_view name_of(Quantity quantity) {
  switch (quantity) {
    case Quantity::torque: return "tau";
    case Quantity::mass: return "M";
    case Quantity::bias: return "bias";
    case Quantity::acceleration: break;
  }
  return "a";
}

}  // namespace

Program Trace::program(Fuse fuse) const {
  const std::array<OutputOf, 1> outputs{OutputOf{output, results}};
  return make_program(*graph, outputs, fuse);
}

std::string why_not_traced(const Formulation& formulation, Quantity quantity, const Prepared& prepared) {
  if (std::string reason = why_not(formulation, quantity, prepared); !reason.empty()) return reason;
  if (formulation.make_expr == nullptr) return "it decides by numbers of the state, which expressions do not have";
  if (formulation.growth.joints >= 4 && prepared.size() > kLargestQuarticTrace)
    return cat("its cost grows as ", formulation.cost(), ", and its expressions are written down for up to ", kLargestQuarticTrace, " joints only, not for ",
               prepared.size());
  return {};
}

Trace trace(const Formulation& formulation, Quantity quantity, const Prepared& prepared) {
  if (const std::string reason = why_not_traced(formulation, quantity, prepared); !reason.empty())
    throw std::invalid_argument(
        cat("formulation ", formulation.id, " cannot be traced for the ", to_string(quantity), " of robot ", in_quotes(prepared.model.name()), ": ", reason));
  const std::size_t n = prepared.size();
  Trace to;
  to.graph = std::make_unique<Graph>();
  to.output = name_of(quantity);
  to.results.resize(quantity == Quantity::mass ? n * n : n);
  const auto input = [&](const char* name) { return to.graph->inputs(name, n); };
  const std::unique_ptr<Evaluator<Expr>> evaluator = formulation.make_expr(prepared);
  const std::vector<Expr> q = input("q");
  switch (quantity) {
    case Quantity::torque: {
      const std::vector<Expr> v = input("v"), a = input("a");
      evaluator->torque(q.data(), v.data(), a.data(), to.results.data());
      break;
    }
    case Quantity::mass: evaluator->mass(q.data(), to.results.data()); break;
    case Quantity::bias: {
      const std::vector<Expr> v = input("v");
      evaluator->bias(q.data(), v.data(), to.results.data());
      break;
    }
    case Quantity::acceleration: {
      const std::vector<Expr> v = input("v"), tau = input("tau");
      evaluator->acceleration(q.data(), v.data(), tau.data(), to.results.data());
      break;
    }
  }
  return to;
}

}  // namespace ulna
