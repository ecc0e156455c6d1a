// Instructions that do the same to other numbers, two and two: what arms and legs that are alike have in common. Two such instructions are one of the
// processor's, on both lanes of a register.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <ulna/expr/program.hpp>

#include "jit/kernel.hpp"

namespace ulna::internal::jit {

struct Twins {
  /// Of a value: its partner in the register. Of a first one, the second; of all others, kNoValue.
  std::vector<std::uint32_t> second;
  /// Of a value that is a second one, its first; of all others, kNoValue.
  std::vector<std::uint32_t> first;
  /// Of a second one: it stands there with the opposite sign. Mirrored limbs differ in signs of their numbers, and so of their sums.
  std::vector<std::uint8_t> negative;
  /// Of a first one: both are computed separately, and then joined.
  std::vector<std::uint8_t> joined;
  std::size_t count = 0;  // of pairs of instructions, sines and cosines not among them
};

/// `alike`: pairs of inputs, which are the first twins. Two instructions of the same kind are twins if their operands are: each of those is a twin, a constant,
/// or common to both. Where several would do, those that are used alike are taken. So twins never depend on each other, and pairs can be done one after the
/// other. Values that only the guard against bad inputs uses are left alone. O(instructions), but for values with very many users.
Twins twins_of(const Program& program, std::span<const InputPair> alike);

/// Whether a sum's first summand, or its product, and the other summand are negated.
std::array<bool, 2> signs_of(Op op);

}  // namespace ulna::internal::jit
