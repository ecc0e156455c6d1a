// The few instructions that kernels need, on every instruction set, by Xbyak. Only the encoder's own .cpp files include this: Xbyak is a large header.
#pragma once

// Xbyak prepares for being used without exceptions or with its own allocator; neither is wanted here.
#include <xbyak/xbyak.h>

#include "jit/kernel.hpp"
#include "jit/machine.hpp"

namespace ulna::internal::jit {

class Encoder : public Xbyak::CodeGenerator {
 public:
  Encoder(const Form& form, void* buffer, std::size_t size) : Xbyak::CodeGenerator(size, buffer), form_(form) {}

  const Form& form() const { return form_; }
  std::size_t instructions() const { return instructions_; }

 protected:
  using Xmm = Xbyak::Xmm;
  using Operand = Xbyak::Operand;
  using Address = Xbyak::Address;

  bool vex() const { return form_.set != InstructionSet::sse2; }
  bool evex() const { return form_.set == InstructionSet::avx512; }
  /// A whole register.
  Xmm wide(int r) const { return evex() ? static_cast<Xmm>(Xbyak::Zmm(r)) : vex() ? static_cast<Xmm>(Xbyak::Ymm(r)) : Xmm(r); }
  /// What one value takes: a whole register, or its lowest number.
  Xmm value(int r) const { return form_.lanes ? wide(r) : Xmm(r); }
  int scratch() const { return evex() ? 31 : 15; }

  /// Type of an instruction: which numbers, and how many of them.
  enum class Kind { pd, ps, sd, ss };
  Kind value_kind() const { return form_.lanes ? (form_.single ? Kind::ps : Kind::pd) : (form_.single ? Kind::ss : Kind::sd); }

  void load(Kind kind, const Xmm& d, const Address& from);
  void store(Kind kind, const Address& to, const Xmm& a);
  void copy(const Xmm& d, const Xmm& a);
  /// d = a op b. Without VEX it may go through the scratch register.
  void arithmetic(Op op, Kind kind, const Xmm& d, const Xmm& a, const Operand& b);
  /// With fused multiplication only: forms and signs as in Step.
  void fuse(Step::Kind step, Op op, Kind kind, const Xmm& d, const Xmm& a, const Operand& b);
  void exclusive_or(Kind kind, const Xmm& d, const Xmm& a, const Operand& b);

  Form form_;
  std::size_t instructions_ = 0;
};

}  // namespace ulna::internal::jit
