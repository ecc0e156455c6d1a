// Where a kernel finds its constants.
#pragma once

#include "jit/kernel.hpp"
#include "jit/sincos.hpp"

namespace ulna::jit {

/// AVX-512 instructions repeat one number from memory in all lanes; others need it there as often as a register has lanes.
inline std::size_t turn_stride(const Form& form) { return form.set == InstructionSet::avx512 ? form.real_bytes() : form.vector_bytes(); }
inline std::size_t constant_stride(const Form& form) { return form.lanes && form.set != InstructionSet::avx512 ? form.vector_bytes() : form.real_bytes(); }
inline std::size_t constants_begin(const Form& form) { return (turn_constants * turn_stride(form) + 63) / 64 * 64; }

}  // namespace ulna::jit
