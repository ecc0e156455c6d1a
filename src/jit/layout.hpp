// Where a kernel finds its constants.
#pragma once

#include "jit/kernel.hpp"
#include "jit/sincos.hpp"

namespace ulna::internal::jit {

/// AVX-512 instructions repeat one number from memory in all lanes; others need it there as often as a register has lanes, and so do all where each lane has
/// its own.
inline bool repeats(const Form& form) { return form.lanes && form.set == InstructionSet::avx512 && !form.own; }
inline std::size_t turn_stride(const Form& form) { return form.set == InstructionSet::avx512 ? form.real_bytes() : form.vector_bytes(); }
inline std::size_t constant_stride(const Form& form) { return form.lanes && !repeats(form) ? form.vector_bytes() : form.real_bytes(); }
inline std::size_t constants_begin(const Form& form) { return (turn_constants * turn_stride(form) + 63) / 64 * 64; }

/// Pairs stand behind all constants, those of floats with two zeros.
inline constexpr std::size_t kPairBytes = 16;
inline std::size_t pairs_begin(const Form& form, std::size_t constants) { return (constants_begin(form) + constants * constant_stride(form) + 63) / 64 * 64; }

/// Places of the program's fixed values (parameters, constants, what is precomputed) in the table: in the order of their first use, so that a kernel walks
/// through it; kNoValue for those that only others are computed from.
inline std::vector<std::uint32_t> constant_places(const Program& program) {
  const std::size_t inputs = program.input_count(), first = program.first_instruction() + program.precomputed;
  std::vector<std::uint32_t> places(first - inputs, kNoValue);
  std::uint32_t next = 0;
  const auto use = [&](std::uint32_t value) {
    if (value >= inputs && value < first && places[value - inputs] == kNoValue) places[value - inputs] = next++;
  };
  for (std::size_t i = program.precomputed; i < program.instructions.size(); ++i) {
    const Instruction& step = program.instructions[i];
    use(step.a), use(step.b), use(step.c);
  }
  for (const Output& result : program.results) use(result.value);
  return places;
}

}  // namespace ulna::internal::jit
