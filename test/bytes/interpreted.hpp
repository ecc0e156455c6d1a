// A program's machine code on the test's own processor: called like MachineCode, for every instruction set, whatever this computer has.
#pragma once

#include "bytes/processor.hpp"
#include "bytes/same_bits.hpp"
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
      : program_(program), form_{set, sizeof(T) == 4, lanes, own} {
    jit::Encoded made = jit::encode(program, form_, alike);
    code_ = std::move(made.code);
    const jit::ConstantTable table(program, form_, parameters, made.pairs);
    const auto* bytes = static_cast<const std::uint8_t*>(table.bytes());
    constants_.assign(bytes, bytes + table.size());
    decode_again();
  }

  const std::vector<MachineInstruction>& instructions() const { return instructions_; }
  std::size_t width() const { return form_.lanes ? form_.width() : 1; }

  /// To be spoilt.
  std::vector<std::uint8_t>& code() { return code_; }
  std::vector<std::uint8_t>& constants() { return constants_; }
  void decode_again() { instructions_ = decode(code_, form_.set); }

  std::vector<std::vector<T>> operator()(const std::vector<std::vector<T>>& states) const {
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
  const Program& program_;
  jit::Form form_;
  std::vector<std::uint8_t> code_, constants_;
  std::vector<MachineInstruction> instructions_;
};

}  // namespace ulna::test
