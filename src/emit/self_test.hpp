// The generated C, compiled and run: it compares itself with the values that it carries.
#pragma once

#include <string>
#include <vector>

#include <ulna/emit/generate.hpp>

namespace ulna::internal {

struct SelfTest {
  bool ran = false;
  bool passed = false;
  std::string text;  // what it printed, or why it did not run
};

/// Compiled as it is written, which takes a third of the time.
SelfTest run_self_test(const std::vector<GeneratedFile>& files, const std::string& name);

}  // namespace ulna::internal
