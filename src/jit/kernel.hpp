// Programs as machine code: one function for one state, one for a block of states side by side.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <span>
#include <utility>
#include <vector>

#include <ulna/expr/program.hpp>
#include <ulna/jit/instruction_set.hpp>

#include "jit/distinct.hpp"

namespace ulna::internal::jit {

/// Which function is made of a program.
struct Form {
  InstructionSet set = InstructionSet::avx2;
  bool single = false;   // float; else double
  bool lanes = false;    // a block of states, one per lane of a register; else one state
  bool own = false;      // with lanes: each has numbers of its own, so that constants take a register each
  bool columns = false;  // with lanes of doubles and AVX-512: states come one after the other, and the kernel transposes them into lanes and back

  std::size_t vector_bytes() const { return set == InstructionSet::avx512 ? 64 : set == InstructionSet::avx2 ? 32 : 16; }
  std::size_t real_bytes() const { return single ? 4 : 8; }
  std::size_t width() const { return vector_bytes() / real_bytes(); }  // lanes of a register
  bool has_fma() const { return set != InstructionSet::sse2; }
};

/// Inputs are up to three signals, in the program's order; numbers stand one after the other (lanes: width() of each, side by side, at any address), in
/// lanes one block after the other, `blocks` of them, at least one; a function for one state ignores that. Results must not overlap inputs.
/// `constants` is the bytes() of a ConstantTable.
using KernelFunction = void (*)(const void* in0, const void* in1, const void* in2, void* out, const void* constants, std::size_t blocks) noexcept;

inline constexpr std::size_t kMostInputs = 3;

/// What a kernel for columns gets in place of its first input; it has no others and no output. It changes the pointers.
struct Columns {
  const void* in[kMostInputs] = {};
  std::size_t stride[kMostInputs] = {};  // from one state to the next, in bytes
  std::size_t step[kMostInputs] = {};    // from one block to the next
  void* out = nullptr;
  std::size_t out_stride = 0;
  std::size_t out_step = 0;

  /// `bytes`: from one state to the next; `width`: states of a block.
  void set_input(std::size_t k, const void* data, std::size_t bytes, std::size_t width) { in[k] = data, stride[k] = bytes, step[k] = bytes * width; }
  void set_output(void* data, std::size_t bytes, std::size_t width) { out = data, out_stride = bytes, out_step = bytes * width; }
};

/// A kernel that would need more than this of the stack is not made.
inline constexpr std::size_t kMostFrameBytes = 512 * 1024;

/// Scratch memory on the caller's stack, to be called at once with what alloca returned. A guard page lies below the stack: no page may be jumped over.
inline void* touched(void* scratch, std::size_t bytes) {
  constexpr std::size_t kPage = 4096;
  for (std::size_t from_above = kPage; from_above < bytes; from_above += kPage) static_cast<volatile std::byte*>(scratch)[bytes - from_above] = std::byte{};
  return scratch;
}
inline constexpr std::size_t kScratchBits = 512;  // where it begins

/// Two of a program's inputs that limbs which are alike have in the same place, such as the angles of both elbows: the first of one limb, the second of the
/// other.
using InputPair = std::pair<std::uint32_t, std::uint32_t>;

/// Two fixed values side by side in a kernel's table, as the program numbers them, less the inputs; the second with the opposite sign, if so said.
struct ConstantPair {
  std::uint32_t first = 0;
  std::uint32_t second = 0;
  bool negative = false;
};

struct Encoded {
  std::vector<std::uint8_t> code;  // position-independent; empty when the program cannot be made into a kernel
  std::size_t instructions = 0;
  std::size_t spills = 0;
  std::vector<ConstantPair> pairs;  // which its table must have
};

/// The program must be fused() exactly when the form has fused multiplication. Limbs that are alike are computed side by side in a kernel for one state.
/// O(instructions * registers).
Encoded encode(const Program& program, const Form& form, std::span<const InputPair> alike = {});

/// A kernel for columns; empty where there is none. Of a distinct() program and its rows. Transposing is done between the program's own instructions: those
/// wait for the multipliers, which it does not need.
Encoded encode_columns(const Program& program, const Form& form, const Rows& rows);

/// What a kernel reads besides its inputs: constants of sine and cosine, then the program's own, precomputed ones included, then pairs of them. At 64-byte
/// boundaries.
class ConstantTable {
 public:
  ConstantTable() = default;
  /// `pairs`: of what encode() made.
  ConstantTable(const Program& program, const Form& form, std::span<const double> parameters = {}, std::span<const ConstantPair> pairs = {});
  /// Other parameters for the same program: its fixed values, at the places of constant_places().
  void set(const Form& form, std::span<const double> fixed, std::span<const std::uint32_t> places, std::span<const ConstantPair> pairs);
  /// Of a form whose lanes have numbers of their own: those of one of them.
  void set_lane(const Program& program, const Form& form, std::size_t lane, std::span<const double> parameters);
  const void* bytes() const { return blocks_.data(); }
  std::size_t size() const { return blocks_.size() * sizeof(Block); }

 private:
  struct alignas(64) Block {
    std::byte bytes[64];
  };
  template <class T>
  void fill(std::size_t at, std::size_t size, T x);

  std::vector<Block> blocks_;
};

/// Machine code in memory of its own, first written, then made executable and never writable again.
class CodeMemory {
 public:
  CodeMemory() = default;
  /// All functions in one piece; once. Where no memory may be executed, ok() stays false.
  void fill(std::span<const Encoded* const> functions);
  ~CodeMemory();
  CodeMemory(const CodeMemory&) = delete;
  CodeMemory& operator=(const CodeMemory&) = delete;

  bool ok() const { return memory_ != nullptr; }
  KernelFunction function(std::size_t k) const;
  std::size_t size() const { return size_; }

 private:
  void* memory_ = nullptr;
  std::size_t size_ = 0;
  std::vector<std::size_t> offsets_;
};

}  // namespace ulna::internal::jit
