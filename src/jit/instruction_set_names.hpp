// Names of instruction sets: in ULNA_JIT, --instruction-set and Python's `most`.
#pragma once

#include <string_view>
#include <utility>

#include <ulna/jit/instruction_set.hpp>

namespace ulna::internal {

inline constexpr std::pair<std::string_view, InstructionSet> kInstructionSets[] = {{"none", InstructionSet::none},
                                                                                   {"sse2", InstructionSet::sse2},
                                                                                   {"avx2", InstructionSet::avx2},
                                                                                   {"avx512", InstructionSet::avx512},
                                                                                   {"neon", InstructionSet::neon}};
inline constexpr std::string_view kInstructionSetNames = "none, sse2, avx2, avx512 and neon";

}  // namespace ulna::internal
