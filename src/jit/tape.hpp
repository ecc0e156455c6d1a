// A kernel's instructions before register allocation: a program, or one whose limbs that are alike stand side by side.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <ulna/expr/program.hpp>

#include "jit/kernel.hpp"

namespace ulna::internal::jit {

/// Between the two lanes of a pair. Programs have no such operations.
namespace lane {
inline constexpr Op spread{16};  // both are a
inline constexpr Op join{17};    // a, then b
inline constexpr Op upper{18};   // the second of a, by itself
}  // namespace lane

inline bool is_lane_op(Op op) { return op >= lane::spread; }

/// Values are numbered through: inputs, fixed values (parameters, constants and what is precomputed, as the program numbers them), pairs of fixed values, then
/// one for each instruction. Scalar users of a pair read lane 0.
struct Tape {
  struct Instruction {
    Op op;
    bool pair = false;      // on both lanes; what it takes are pairs then, but for spread and join
    bool negative = false;  // of join and upper: the second with the opposite sign
    std::uint32_t a = kNoValue;
    std::uint32_t b = kNoValue;
    std::uint32_t c = kNoValue;
  };
  struct Result {
    std::uint32_t value = kNoValue;
    bool negative = false;
    bool upper = false;  // the second of a pair
  };

  std::uint32_t inputs = 0;
  std::uint32_t fixed = 0;
  std::vector<ConstantPair> pairs;
  std::vector<Instruction> instructions;
  std::vector<Result> results;

  std::uint32_t first_pair() const { return inputs + fixed; }
  std::uint32_t first_instruction() const { return first_pair() + static_cast<std::uint32_t>(pairs.size()); }
  std::uint32_t value_count() const { return first_instruction() + static_cast<std::uint32_t>(instructions.size()); }
  /// Whether anything in it is a pair.
  bool has_pairs() const;
  bool is_pair(std::uint32_t value) const { return value >= first_pair() && (value < first_instruction() || instructions[value - first_instruction()].pair); }
};

/// The program as it is.
Tape tape_of(const Program& program);

/// With its twins (jit/twins.hpp) side by side, given pairs of inputs that limbs which are alike have in the same place. The same numbers, bit for bit, but for
/// the sign of a zero. As it is where more than this part of the instructions would be left: joining costs some, too.
inline constexpr double kMostOfBefore = 0.9;
Tape paired(const Program& program, std::span<const InputPair> alike, double most = kMostOfBefore);

}  // namespace ulna::internal::jit
