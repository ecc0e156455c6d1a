// The order of a program's instructions, for a processor with few registers.
#pragma once

#include <ulna/expr/program.hpp>

#include "jit/tape.hpp"

namespace ulna::internal::jit {

/// The same instructions in an order in which fewer values are live at the same time, so that there are fewer spills; results whose sign is
/// free to choose get the positive one. The numbers that come out are the same to the last bit. For thousands of instructions a few milliseconds.
Program ordered(const Program& program);
/// Likewise, but for signs.
Tape ordered(const Tape& tape);

}  // namespace ulna::internal::jit
