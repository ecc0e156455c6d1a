#include "jit/formulation_code.hpp"

#include <array>

#include <ulna/model/model.hpp>
#include <ulna/plan/plan.hpp>

#include "expr/minimise.hpp"
#include "expr/ready.hpp"
#include "jit/order.hpp"
#include "trace/trace.hpp"

namespace ulna::internal::jit {

FormulationCode::FormulationCode(const Formulation& formulation, Quantity quantity, const Prepared& prepared, InstructionSet set) {
  why_not_ = set == InstructionSet::none ? "machine code may not be made here" : why_not_traced(formulation, quantity, prepared);
  if (!why_not_.empty()) return;
  const Trace traced = trace(formulation, quantity, prepared);
  const Minimised fewest = minimised(*traced.graph, traced.results);
  const std::array<OutputOf, 1> outputs{OutputOf{traced.output, fewest.results}};
  const std::vector<double> rates = turning_rates(make_plan(with_free_mimics(prepared.model)));
  Program program = ready(make_program(*fewest.graph, outputs), rates, Sine::limited, false);
  counts_ = program.counts();
  const Form form{.set = set};
  program = ordered(form.has_fma() ? fused(program) : program);
  const Encoded made = encode(program, form);
  instructions_ = made.instructions;
  if (made.code.empty()) {
    why_not_ = "its program needs more memory for values than a kernel may take of the stack";
    return;
  }
  constants_ = ConstantTable(program, form);
  const std::array<const Encoded*, 1> functions{&made};
  memory_.fill(functions);
  if (!memory_.ok()) why_not_ = "no memory may be made executable here";
}

}  // namespace ulna::internal::jit
