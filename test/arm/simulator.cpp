#include "arm/simulator.hpp"

#include <stdexcept>
#include <vector>

#include <aarch64/disasm-aarch64.h>
#include <aarch64/simulator-aarch64.h>

#include "text/message.hpp"

namespace ulna::test {

namespace {

using namespace vixl::aarch64;

constexpr unsigned kFirstGeneral = 19, kLastGeneral = 29, kFirstVector = 8, kLastVector = 15;
constexpr std::uint64_t kMark = 0x7ff4'5eed'0000'0000;

/// Making one takes longer than most kernels.
struct Machine {
  Machine() : simulator(&decoder, stderr, stack()) { simulator.SetColouredTrace(false); }
  static SimStack::Allocated stack() {
    SimStack wanted;
    wanted.SetUsableSize(1 << 20);
    return wanted.Allocate();
  }
  Decoder decoder;
  Simulator simulator;
};

}  // namespace

void simulate(std::span<const std::uint8_t> code, std::span<const std::uint64_t> arguments) {
  static Machine machine;
  Simulator& s = machine.simulator;
  s.ResetState();
  for (unsigned r = kFirstGeneral; r <= kLastGeneral; ++r) s.WriteXRegister(r, static_cast<std::int64_t>(kMark + r));
  // Whatever a kernel reads without having written it is NaN.
  for (unsigned r = 0; r < kNumberOfVRegisters; ++r) s.WriteDRegisterBits(r, kMark + 0x100 + r);
  for (unsigned k = 0; k < arguments.size(); ++k) s.WriteXRegister(k, static_cast<std::int64_t>(arguments[k]));
  const std::int64_t stack = s.ReadXRegister(31, Reg31IsStackPointer);
  const std::vector<std::uint32_t> aligned(reinterpret_cast<const std::uint32_t*>(code.data()),
                                           reinterpret_cast<const std::uint32_t*>(code.data()) + code.size() / sizeof(std::uint32_t));
  s.RunFrom(reinterpret_cast<const vixl::aarch64::Instruction*>(aligned.data()));
  for (unsigned r = kFirstGeneral; r <= kLastGeneral; ++r)
    if (s.ReadXRegister(r) != static_cast<std::int64_t>(kMark + r)) throw std::runtime_error(cat("x", r, " is changed"));
  for (unsigned r = kFirstVector; r <= kLastVector; ++r)
    if (s.ReadDRegisterBits(r) != kMark + 0x100 + r) throw std::runtime_error(cat("the lower half of v", r, " is changed"));
  if (s.ReadXRegister(31, Reg31IsStackPointer) != stack) throw std::runtime_error("sp is changed");
}

std::string disassembled(std::uint32_t word) {
  Decoder decoder;
  Disassembler text;
  decoder.AppendVisitor(&text);
  decoder.Decode(reinterpret_cast<const vixl::aarch64::Instruction*>(&word));
  return text.GetOutput();
}

}  // namespace ulna::test
