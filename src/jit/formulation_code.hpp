// A formulation of the registry as machine code: what Ulna makes of any paper's equations.
#pragma once

#include <string>

#include <ulna/dynamics/quantity.hpp>
#include <ulna/formulation/formulation.hpp>

#include "jit/kernel.hpp"

namespace ulna::internal::jit {

/// Traced with the robot's numbers as constants, minimised, given what every program gets before it runs (expr/ready.hpp), ordered and encoded for one state.
class FormulationCode {
 public:
  /// Milliseconds to seconds, with the number of operations. Never throws for a formulation that does not give the quantity; see why_not().
  FormulationCode(const Formulation& formulation, Quantity quantity, const Prepared& prepared, InstructionSet set);

  /// Why there is no code; empty when there is.
  const std::string& why_not() const { return why_not_; }
  /// Of the equations, minimised.
  const OperationCounts& counts() const { return counts_; }
  std::size_t instructions() const { return instructions_; }
  std::size_t bytes() const { return memory_.size(); }

  /// One number per moving joint each; those that the quantity does not have may be null. Only where why_not() is empty. Never throws and never allocates.
  void operator()(const InputsOf<double>& in, double* out) const noexcept { memory_.function(0)(in.q, in.v, in.last, out, constants_.bytes(), 1); }

 private:
  std::string why_not_;
  OperationCounts counts_;
  std::size_t instructions_ = 0;
  ConstantTable constants_;
  CodeMemory memory_;
};

}  // namespace ulna::internal::jit
