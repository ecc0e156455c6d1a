// States that lie one after the other in memory into lanes, and back: eight rows of eight doubles are transposed in registers. The instructions for it need
// shuffles, loads and stores, and a kernel waits for its multipliers; so they are put between the kernel's own.
#pragma once

#include <array>
#include <functional>
#include <vector>

#include "jit/turn_encoder.hpp"

namespace ulna::internal::jit {

class ColumnEncoder : public TurnEncoder {
 public:
  using TurnEncoder::TurnEncoder;

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
  void next_inputs(std::size_t signals);
  void inputs_before(std::size_t signals);

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
