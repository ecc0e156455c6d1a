// A processor of the test's own: registers, memory in pieces with bounds, and what a function must leave as it was. It knows the instructions that kernels are
// made of (operations.cpp), and no others.
#pragma once

#include <array>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "bytes/instruction.hpp"

namespace ulna::test {

/// A register of 64 bytes, the lowest first.
struct Vector512 {
  std::array<std::uint8_t, 64> bytes{};

  template <class T>
  T get(int k) const {
    T x;
    std::memcpy(&x, bytes.data() + static_cast<std::size_t>(k) * sizeof(T), sizeof(T));
    return x;
  }
  template <class T>
  void set(int k, T x) {
    std::memcpy(bytes.data() + static_cast<std::size_t>(k) * sizeof(T), &x, sizeof(T));
  }
};

class Processor {
 public:
  Processor();

  /// A piece of memory at any address whose remainder by 64 is `offset`. Nothing lies next to it.
  std::uint64_t add_memory(std::string name, std::vector<std::uint8_t> bytes, std::size_t offset, bool writable);
  const std::vector<std::uint8_t>& memory(const std::string& name) const;

  /// Calls the function with up to six arguments, as System V has it. Throws std::runtime_error, with the instruction, for whatever a function may not do:
  /// reading or writing outside of its memory, leaving registers changed that are the caller's, returning with the upper halves of registers in use.
  void call(std::span<const std::uint8_t> code, const std::vector<MachineInstruction>& instructions, std::span<const std::uint64_t> arguments);

  // For operations. Each throws std::runtime_error with the reason.
  Vector512 read(const MachineInstruction& instruction, const MachineOperand& operand);
  std::uint64_t read_general(const MachineOperand& operand);
  void write(const MachineInstruction& instruction, const Vector512& result);  // to the first operand, under the mask
  void write_general(const MachineOperand& operand, std::uint64_t value);
  void write_memory(const MachineOperand& operand, const Vector512& value, int bytes);
  std::uint64_t address(const MachineOperand& operand) const {
    return general[static_cast<std::size_t>(operand.index)] + static_cast<std::uint64_t>(operand.value);
  }
  std::uint8_t* reach(std::uint64_t address, std::size_t bytes, bool write);
  void push(std::uint64_t value);
  std::uint64_t pop();
  void zero_upper();

  std::array<std::uint64_t, 16> general{};
  std::array<Vector512, 32> vectors{};
  std::array<std::uint64_t, 8> masks{};
  bool zero = false;     // the flag of the last result
  std::size_t next = 0;  // instruction, as an offset in the code; kReturned after the last
  static constexpr std::size_t kReturned = static_cast<std::size_t>(-1);
  static constexpr std::uint64_t kCaller = 0x00005eed00000000;  // where the function was called from
  static constexpr int rsp = 4;

 private:
  struct Region {
    std::string name;
    std::uint64_t begin;
    std::vector<std::uint8_t> bytes;
    bool writable;
  };
  void step(const MachineInstruction& instruction);

  std::vector<Region> regions_;
  bool upper_in_use_ = false;
};

}  // namespace ulna::test
