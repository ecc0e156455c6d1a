// Encoded bytes as instructions, by Zydis: what the interpreter does one after the other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <ulna/jit/instruction_set.hpp>

namespace ulna::test {

class Processor;
struct MachineInstruction;
using Operation = std::function<void(Processor&, const MachineInstruction&)>;

struct MachineOperand {
  enum Kind : std::uint8_t { general, vector, mask, memory, number, target };
  Kind kind = number;
  int index = -1;          // of the register; memory: of the register that the address is counted from
  int bytes = 0;           // that are read or written
  int element = 0;         // bytes of one number
  bool broadcast = false;  // one number of memory in every lane
  std::int64_t value = 0;  // of a number; memory: the displacement; target: the offset in the code
};

struct MachineInstruction {
  enum Encoding : std::uint8_t { legacy, vex, evex };
  std::string name;  // Intel's, without the v of VEX and EVEX: "addpd"
  std::size_t at = 0, length = 0;
  std::size_t opcode_at = 0;  // in the code
  Encoding encoding = legacy;
  int vector_bytes = 16;
  int mask = 0;  // number of the mask register that selects elements; 0: all
  bool zeroing = false;
  std::vector<MachineOperand> operands;  // those that are written in assembly
  const Operation* operation = nullptr;

  bool reads_or_writes_vectors() const;
};

/// All of a function. Throws std::runtime_error, with the bytes and the text, for what is no instruction, what the interpreter does not know, and what
/// processors with this instruction set need not have.
std::vector<MachineInstruction> decode(std::span<const std::uint8_t> code, InstructionSet set);

/// "byte 17: c5 f8 77 vzeroupper".
std::string text_of(std::span<const std::uint8_t> code, std::size_t at);

/// What the instruction of this name does; null for those that the interpreter does not know.
const Operation* find_operation(const std::string& name);

}  // namespace ulna::test
