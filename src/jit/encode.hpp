// One encoder for each kind of processor; encode() chooses.
#pragma once

#include "jit/kernel.hpp"

namespace ulna::internal::jit {

/// x86-64, by Xbyak; only compiled there.
Encoded encode_x86(const Program& program, const Form& form, std::span<const InputPair> alike);
Encoded encode_columns_x86(const Program& program, const Form& form, const Rows& rows);
/// AArch64. Compiled everywhere, so that its kernels are tested everywhere; only called there.
Encoded encode_neon(const Program& program, const Form& form);

}  // namespace ulna::internal::jit
