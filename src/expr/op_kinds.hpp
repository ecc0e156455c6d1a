// Kinds of instructions.
#pragma once

#include <ulna/expr/program.hpp>

namespace ulna::internal {

inline bool is_sincos(Op op) { return op == Op::sine || op == Op::cosine; }
inline bool is_fused(Op op) { return op >= Op::multiply_add && op <= Op::subtract_product; }

}  // namespace ulna::internal
