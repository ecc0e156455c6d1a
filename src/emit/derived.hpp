// Derivatives of a program as programs: for optimisers, which ask for Jacobians and for products with them.
#pragma once

#include <vector>

#include "emit/quantities.hpp"

namespace ulna::internal {

/// What optimisers ask of a function besides its value.
enum class Derivative {
  jacobian,  // all of it: a block for each argument, side by side, column by column
  forward,   // times a vector for each argument, "fwd_q", …
  reverse    // its transpose times a vector for the result, "adj_tau": all arguments' products, one after the other
};

struct Derived {
  Generated function;         // with the suffix "_jacobian", "_forward" or "_reverse"; it has no tests of its own
  std::vector<bool> present;  // of each number of its result: not zero by structure
};

/// Of the arguments of a function: signs of v stay what they are. `rates` are the turning_rates() of the first argument. A function whose quantity has
/// derivatives of its own (inverse and forward dynamics) and no wrench gets these for its Jacobian: give their program, else null.
Derived derived(const Generated& of, Derivative kind, std::span<const double> rates, bool single, const Program* known = nullptr);

/// Which numbers of a program's result are not zero by structure.
std::vector<bool> present(const Program& program);

}  // namespace ulna::internal
