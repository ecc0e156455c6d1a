// A program run with one of its system calls spoilt: a write that the disk refuses, or takes a part of. By ptrace, so that it does not matter who calls.
#pragma once

#include <string>
#include <vector>

namespace ulna::test {

enum class Fault { none, no_space, input_output, part, no_sync };  // ENOSPC and EIO of a write, a write of half of the bytes, EIO of fsync

struct Traced {
  int status = -1;         // exit status; -1 when a signal ended it
  std::size_t calls = 0;   // writes to files, or fsyncs, that there were
  bool spoilt = false;     // the call was reached
  std::string messages{};  // standard error
};

/// Spoils the `which`-th (from 0) write of the program that goes to neither standard error nor a device; of Fault::no_sync, the which-th fsync. Standard output
/// is a file. On processors that this is not written for, `possible()` is false.
Traced run_traced(const std::vector<std::string>& words, const std::string& folder, Fault fault, std::size_t which);
bool possible();

}  // namespace ulna::test
