// Which machine code this computer runs.
#pragma once

#include <string_view>

#include <ulna/export.hpp>

namespace ulna ULNA_API {

enum class InstructionSet {  // Instructions that machine code uses.
  none,                      // no machine code: the templates, compiled ahead, on any processor
  sse2,                      // every x86-64
  avx2,                      // with FMA
  avx512,                    // F and DQ
  neon                       // every AArch64
};

std::string_view to_string(InstructionSet set);  // Its name.

/// The widest that processor and operating system offer; `none` where machine code may not be made. The environment variable ULNA_JIT (off, sse2, avx2,
/// avx512, neon) lowers it. Asks the system: not for hot paths.
InstructionSet best_instruction_set();

/// The widest that this computer has of those whose registers are no wider than those of `most`. SSE2 and NEON have 128 bits each, so that each of them
/// stands for the other one on processors of the other kind.
InstructionSet best_instruction_set(InstructionSet most);

}  // namespace ULNA_API
