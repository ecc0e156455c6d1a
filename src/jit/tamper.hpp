// Deliberate errors, for tests of the comparisons: nothing else may set them.
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "jit/routine.hpp"

namespace ulna::internal::jit {

/// Changes to a program before it is encoded, and to the parameters before they go into a table of constants; `source`: to the program that machine code
/// is compared with, too, so that only the oracle can detect it. `name` is that of the Source.
struct Tamper {
  std::function<void(std::string_view name, Way way, Program& program)> program{};
  std::function<void(std::string_view name, Way way, std::vector<double>& parameters)> parameters{};
  std::function<void(std::string_view name, Program& program)> source{};
};

/// Of the calling thread; empty but in such tests.
Tamper& tamper();

}  // namespace ulna::internal::jit
