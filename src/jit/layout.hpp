// Layout of constants and other values in memory.
#pragma once

#include <algorithm>

#include "jit/kernel.hpp"
#include "jit/machine.hpp"
#include "jit/sincos.hpp"

namespace ulna::internal::jit {

/// AVX-512 instructions repeat one number from memory in all lanes; others need it there as often as a register has lanes, and so do all where each lane has
/// its own.
inline bool repeats(const Form& form) { return form.lanes && form.set == InstructionSet::avx512 && !form.own; }
inline std::size_t sincos_stride(const Form& form) { return form.set == InstructionSet::avx512 ? form.real_bytes() : form.vector_bytes(); }
inline std::size_t constant_stride(const Form& form) { return form.lanes && !repeats(form) ? form.vector_bytes() : form.real_bytes(); }
inline std::size_t constants_begin(const Form& form) { return (sincos_constants * sincos_stride(form) + 63) / 64 * 64; }

/// Pairs stand behind all constants, those of floats with two zeros.
inline constexpr std::size_t kPairBytes = 16;
inline std::size_t pairs_begin(const Form& form, std::size_t constants) { return (constants_begin(form) + constants * constant_stride(form) + 63) / 64 * 64; }

/// Places of the program's fixed values (parameters, constants, what is precomputed) in the table: in the order of their first use, so that a kernel walks
/// through it; kNoValue for those that only precomputed values use.
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

/// Of a value in memory.
inline std::size_t value_bytes(const Form& form) { return form.lanes ? form.vector_bytes() : form.real_bytes(); }

/// Where values stand: from the beginning of an input, of the table's constants or pairs, of the sines and cosines, or of the frame on the stack.
struct MemoryLayout {
  /// `slot`: bytes of a spill slot. Sines and cosines begin at a multiple of `boundary` in the frame.
  MemoryLayout(const Program& program, const Tape& steps, const Allocation& allocated, const Form& of, std::size_t slot, std::size_t boundary)
      : tape(steps), allocation(allocated), form(of), places(constant_places(program)), slot_bytes(slot) {
    for (const Signal& signal : program.inputs) signal_begin.push_back(signal_begin.back() + signal.size);
    const std::size_t angles = allocation.angles.size(), rounds = form.lanes ? angles : (angles + form.width() - 1) / form.width();
    early_begin = allocation.slots * slot_bytes;
    sincos_begin = (early_begin + allocation.early.size() * value_bytes(form) + boundary - 1) / boundary * boundary;
    frame = sincos_begin + 2 * rounds * form.vector_bytes();
  }

  std::size_t signal_of(const Place& input) const {
    return static_cast<std::size_t>(std::upper_bound(signal_begin.begin(), signal_begin.end(), input.index) - signal_begin.begin() - 1);
  }
  /// Lanes: sine and cosine of angle k, a register each. One state: as many sines as a register has lanes, then their cosines.
  std::size_t sincos_at(std::size_t k, std::size_t cosine) const {
    if (form.lanes) return (2 * k + cosine) * form.vector_bytes();
    const std::size_t width = form.width();
    return (2 * (k / width) + cosine) * form.vector_bytes() + k % width * form.real_bytes();
  }
  std::size_t offset_of(const Place& place) const {
    const std::size_t i = place.index;
    switch (place.kind) {
      case Place::input: return (i - (form.columns ? 0 : signal_begin[signal_of(place)])) * value_bytes(form);
      case Place::constant: return places[i] * constant_stride(form);
      case Place::pair: return i * kPairBytes;
      case Place::sincos: return sincos_at(i / 2, i % 2);
      case Place::early: return early_begin + i * value_bytes(form);
      default: return i * slot_bytes;
    }
  }
  /// Of an angle whose sine and cosine are needed.
  Place angle(std::size_t k) const {
    const std::uint32_t value = allocation.angles[k];
    if (value < tape.inputs) return {Place::input, value};
    if (value < tape.first_pair()) return {Place::constant, value - tape.inputs};
    const auto at = std::lower_bound(allocation.early.begin(), allocation.early.end(), value - tape.first_instruction()) - allocation.early.begin();
    return {Place::early, static_cast<std::uint32_t>(at)};
  }

  const Tape& tape;
  const Allocation& allocation;
  const Form& form;
  std::vector<std::uint32_t> places;  // of constants in the table
  std::size_t slot_bytes, early_begin = 0, sincos_begin = 0, frame = 0;
  std::vector<std::size_t> signal_begin{0};
};

}  // namespace ulna::internal::jit
