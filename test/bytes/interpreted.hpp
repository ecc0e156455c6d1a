// A program's machine code on the test's own processor: called like MachineCode, for every instruction set, whatever this computer has.
#pragma once

#include "bytes/processor.hpp"
#include "bytes/same_bits.hpp"
#include "jit/distinct.hpp"
#include "jit/machine_code.hpp"

namespace ulna::test {

/// The bytes of numbers.
template <class T>
std::vector<std::uint8_t> bytes_of(std::span<T> numbers) {
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(numbers.data());
  return {bytes, bytes + numbers.size_bytes()};
}

template <class T>
class Interpreted {
 public:
  Interpreted(const Program& program, InstructionSet set, bool lanes, std::span<const double> parameters = {}, bool own = false,
              std::span<const jit::InputPair> alike = {})
      : Interpreted(program, {set, sizeof(T) == 4, lanes, own}, jit::encode(program, {set, sizeof(T) == 4, lanes, own}, alike), parameters) {}

  /// A kernel for columns of this program, which is called likewise.
  static Interpreted columns(const Program& program, std::span<const double> parameters = {}) {
    const jit::Form form{.set = InstructionSet::avx512, .lanes = true, .columns = true};
    jit::Distinct once = jit::distinct(program);
    return Interpreted(program, form, jit::encode_columns(once.program, form, once.rows), parameters);
  }

  const std::vector<MachineInstruction>& instructions() const { return instructions_; }
  std::size_t width() const { return form_.lanes ? form_.width() : 1; }

  /// To be spoilt.
  std::vector<std::uint8_t>& code() { return code_; }
  std::vector<std::uint8_t>& constants() { return constants_; }
  void decode_again() { instructions_ = decode(code_, form_.set); }

  std::vector<std::vector<T>> operator()(const std::vector<std::vector<T>>& states) const {
    if (form_.columns) return by_columns(states);
    KernelStates<T> packed(program_, form_, states);
    Processor processor;
    std::vector<std::uint64_t> arguments;
    const char* names[] = {"first input", "second input", "third input"};
    for (std::size_t k = 0; k < jit::kMostInputs; ++k) arguments.push_back(processor.add_memory(names[k], bytes_of(packed.input(k)), sizeof(T), false));
    arguments.push_back(processor.add_memory("results", bytes_of(packed.results()), sizeof(T), true));
    arguments.push_back(processor.add_memory("constants", constants_, 0, false));
    arguments.push_back(packed.blocks());
    processor.call(code_, instructions_, arguments);
    const std::vector<std::uint8_t>& results = processor.memory("results");
    std::memcpy(packed.results().data(), results.data(), results.size());
    return packed.unpacked();
  }

 private:
  Interpreted(const Program& program, const jit::Form& form, jit::Encoded made, std::span<const double> parameters)
      : program_(program), form_(form), code_(std::move(made.code)) {
    const jit::ConstantTable table(program, form_, parameters, made.pairs);
    const auto* bytes = static_cast<const std::uint8_t*>(table.bytes());
    constants_.assign(bytes, bytes + table.size());
    decode_again();
  }

  /// States lie some numbers apart, and nothing may be read or written there: each row of memory is as long as its numbers, but for what lies between rows.
  std::vector<std::vector<T>> by_columns(const std::vector<std::vector<T>>& states) const {
    Processor processor;
    jit::Columns call;
    const auto address = [](std::uint64_t at) { return reinterpret_cast<void*>(at); };
    constexpr std::size_t kApart = 3;
    std::size_t begin = 0;
    const char* names[] = {"first input", "second input", "third input"};
    for (std::size_t k = 0; k < program_.inputs.size(); begin += program_.inputs[k++].size) {
      const std::size_t size = program_.inputs[k].size, stride = size + kApart;
      std::vector<T> rows(stride * states.size() - kApart, T(NAN));
      for (std::size_t s = 0; s < states.size(); ++s)
        for (std::size_t i = 0; i < size; ++i) rows[s * stride + i] = states[s][begin + i];
      call.set_input(k, address(processor.add_memory(names[k], bytes_of(std::span(rows)), sizeof(T), false)), stride * sizeof(T), form_.width());
    }
    const std::size_t size = program_.results.size(), stride = size + kApart;
    std::vector<T> rows(stride * states.size() - kApart, T(-12345));
    call.set_output(address(processor.add_memory("results", bytes_of(std::span(rows)), sizeof(T), true)), stride * sizeof(T), form_.width());
    std::vector<std::uint8_t> call_bytes(sizeof call);
    std::memcpy(call_bytes.data(), &call, sizeof call);
    const std::uint64_t call_at = processor.add_memory("call", call_bytes, 8, true), table_at = processor.add_memory("constants", constants_, 0, false);
    const std::vector<std::uint64_t> arguments{call_at, 0, 0, 0, table_at, states.size() / form_.width()};
    processor.call(code_, instructions_, arguments);
    std::memcpy(rows.data(), processor.memory("results").data(), rows.size() * sizeof(T));
    std::vector<std::vector<T>> out;
    for (std::size_t s = 0; s < states.size(); ++s) {
      const auto first = rows.begin() + static_cast<std::ptrdiff_t>(s * stride);
      out.emplace_back(first, first + static_cast<std::ptrdiff_t>(size));
      for (std::size_t i = 0; i < kApart && s + 1 < states.size(); ++i)
        if (rows[s * stride + size + i] != T(-12345)) return {};
    }
    return out;
  }

  const Program& program_;
  jit::Form form_;
  std::vector<std::uint8_t> code_, constants_;
  std::vector<MachineInstruction> instructions_;
};

}  // namespace ulna::test
