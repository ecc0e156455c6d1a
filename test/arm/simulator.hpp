// Kernels for AArch64 on VIXL's simulator of that processor, on any computer.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace ulna::test {

/// Calls the code with up to eight arguments, as AAPCS64 has it; addresses are those of this process. Throws std::runtime_error when it leaves a register
/// changed that is the caller's: x19 to x29, sp, the lower halves of v8 to v15.
void simulate(std::span<const std::uint8_t> code, std::span<const std::uint64_t> arguments);

/// "fadd v0.2d, v1.2d, v2.2d"
std::string disassembled(std::uint32_t word);

}  // namespace ulna::test
