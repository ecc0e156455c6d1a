#include <ulna/jit/instruction_set.hpp>

#include <algorithm>
#include <cstdlib>
#include <string_view>

namespace ulna ULNA_API {

std::string_view to_string(InstructionSet set) {
  switch (set) {
    case InstructionSet::sse2: return "SSE2";
    case InstructionSet::avx2: return "AVX2";
    case InstructionSet::avx512: return "AVX-512";
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
#else
  return InstructionSet::none;
#endif
}

}  // namespace

InstructionSet best_instruction_set() {
  const InstructionSet best = of_processor();
  const char* text = std::getenv("ULNA_JIT");
  if (text == nullptr) return best;
  const std::string_view wish = text;
  if (wish == "off" || wish == "none" || wish == "0") return InstructionSet::none;
  if (wish == "sse2") return std::min(best, InstructionSet::sse2);
  if (wish == "avx2") return std::min(best, InstructionSet::avx2);
  return best;
}

}  // namespace ULNA_API
