#include <ulna/jit/instruction_set.hpp>

#include <algorithm>
#include <cstdlib>

#include "jit/instruction_set_names.hpp"

namespace ulna ULNA_API {

using namespace internal;

std::string_view to_string(InstructionSet set) {
  switch (set) {
    case InstructionSet::sse2: return "SSE2";
    case InstructionSet::avx2: return "AVX2";
    case InstructionSet::avx512: return "AVX-512";
    case InstructionSet::neon: return "neon";
    default: return "none";
  }
}

namespace {

InstructionSet of_processor() {
#if defined(__x86_64__) && !defined(_WIN32)
  // The compiler's own question to the processor, which also asks whether the system saves the wide registers.
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl")) return InstructionSet::avx512;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return InstructionSet::avx2;
  return InstructionSet::sse2;
#elif defined(__aarch64__) && defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ && !defined(_WIN32)
  return InstructionSet::neon;  // a part of the architecture
#else
  return InstructionSet::none;
#endif
}

InstructionSet lowered(InstructionSet best, InstructionSet most) {
  if (best == InstructionSet::none || most == InstructionSet::none) return InstructionSet::none;
  if (best == InstructionSet::neon) return best;
  return std::min(best, most == InstructionSet::neon ? InstructionSet::sse2 : most);
}

}  // namespace

InstructionSet best_instruction_set() {
  const InstructionSet best = of_processor();
  const char* text = std::getenv("ULNA_JIT");
  if (text == nullptr) return best;
  const std::string_view wish = text;
  if (wish == "off" || wish == "0") return InstructionSet::none;
  for (const auto& [name, set] : kInstructionSets)
    if (wish == name) return lowered(best, set);
  return best;
}

InstructionSet best_instruction_set(InstructionSet most) { return lowered(best_instruction_set(), most); }

}  // namespace ULNA_API
