#include "jit/encode.hpp"

namespace ulna::internal::jit {

Encoded encode(const Program& program, const Form& form, std::span<const InputPair> alike) {
  if (form.set == InstructionSet::none || program.inputs.size() > kMostInputs) return {};
#if defined(__x86_64__) && !defined(_WIN32)  // written for System V's calling convention, where all vector registers belong to the function that is called
  if (form.set != InstructionSet::neon) return encode_x86(program, form, alike);
#elif defined(__aarch64__)
  if (form.set == InstructionSet::neon) return encode_neon(program, form);
#endif
  static_cast<void>(alike);
  return {};
}

Encoded encode_columns(const Program& program, const Form& form, const Rows& rows) {
#if defined(__x86_64__) && !defined(_WIN32)
  if (form.set == InstructionSet::avx512 && !form.single && program.inputs.size() <= kMostInputs) return encode_columns_x86(program, form, rows);
#else
  static_cast<void>(program), static_cast<void>(form), static_cast<void>(rows);
#endif
  return {};
}

}  // namespace ulna::internal::jit
