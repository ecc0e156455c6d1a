// The few instructions that kernels need, on every instruction set, by Xbyak. Only the encoder's own .cpp files include this: Xbyak is a large header.
#pragma once

#include <array>
#include <functional>
#include <vector>

// Xbyak supports use without exceptions and with its own allocator; neither is used here.
#include <xbyak/xbyak.h>

#include "jit/kernel.hpp"
#include "jit/layout.hpp"
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

namespace ulna::internal::jit {

/// Sine and cosine of every lane of a register, as instructions; see sincos.hpp for the method.
class SinCosEncoder : public Encoder {
 public:
  using Encoder::Encoder;

 protected:
  /// Registers of one of the groups of angles whose sines are computed together. Before: angles in `a`; afterwards: sines in `e`, cosines in `b`.
  struct Group {
    int a, b, c, d, e;
  };
  static Group group(std::size_t number) {
    const int first = 5 * static_cast<int>(number);
    return {first, first + 1, first + 2, first + 3, first + 4};
  }
  /// Number of groups that are interleaved: with fewer, independent instructions are too far ahead for the processor.
  std::size_t most_groups() const { return form_.columns ? 4 : evex() ? 6 : vex() ? 3 : 1; }

  /// Called after every instruction of encode_sincos(): others may be put there.
  virtual void in_between() {}

  /// Sines and cosines of the angles in registers `a` of the first `groups` groups. Sines go to `to`, cosines behind them, and so on.
  void encode_sincos(std::size_t groups, const Xbyak::RegExp& to);
  /// In doubles for all forms; results stay in registers.
  void sincos_sse2();

  /// Instructions of encode_sincos() for one group.
  int sincos_steps() const;

 private:
  /// One after the other; `to` also keeps something meanwhile.
  void sincos_step(int i, const Group& r, const Xbyak::RegExp& to);
  Address constant(int entry) const {
    const auto at = table + static_cast<std::size_t>(entry) * sincos_stride(form_);
    return evex() ? ptr_b[at] : ptr[at];
  }
  Kind kind() const { return form_.single && vex() ? Kind::ps : Kind::pd; }
  void load_constant(int d, int entry);
  void broadcast(const Xbyak::Zmm& d, int entry);
  int terms() const { return form_.single ? SinCosNumbers<float>::terms : SinCosNumbers<double>::terms; }

 public:
  Xbyak::Reg64 table = Xbyak::util::r8;
};

}  // namespace ulna::internal::jit

namespace ulna::internal::jit {

/// Transposes consecutive states to lanes, and back: eight rows of eight doubles are transposed in registers. The instructions for it need
/// shuffles, loads and stores, and a kernel waits for its multipliers; so they are put between the kernel's own.
class ColumnEncoder : public SinCosEncoder {
 public:
  using SinCosEncoder::SinCosEncoder;

  static constexpr int kRegisters = 22;  // that are left for values: the next nine are for transposing

 protected:
  using Emit = std::function<void()>;  // emits one instruction
  static constexpr std::size_t kStates = 8;
  static constexpr std::size_t kRowBytes = 64;  // of the same number of all states of a block

  // r15: the Columns of the call; r14: where the next results go; r12: a pointer that moves from state to state.

  /// The inputs of a block, one signal after the other, into lanes at `to`.
  std::vector<Emit> read_columns(const std::vector<Signal>& inputs, const Xbyak::Reg64& to);
  /// Results from lanes at rdx.
  std::vector<Emit> write_columns(const Rows& rows);
  /// Inputs are those of the next block from now on, or of the one before.
  void move_inputs(std::size_t signals, bool to_next);

  /// These are put between the instructions that follow, of which there will be `others`; finish() emits what is left.
  void interleave(const std::vector<Emit>& instructions, std::size_t others);
  void pause(bool paused) { paused_ = paused; }
  void finish();
  void in_between() override;

 private:
  using Registers8 = std::array<int, kStates>;
  static Registers8 registers();
  Xbyak::Opmask set_mask(std::vector<Emit>& all, std::size_t count);
  void cross(std::vector<Emit>& all, int& a, int& b, bool quarters);
  void transpose(std::vector<Emit>& all, Registers8& x);

  int free_ = 0;  // the ninth register, while instructions are listed
  const std::vector<Emit>* interleaved_ = nullptr;
  std::size_t done_ = 0;
  double pace_ = 0, due_ = 0;
  bool paused_ = false;
};

}  // namespace ulna::internal::jit
