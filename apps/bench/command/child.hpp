// A timing program beside ulna, and the talk with it. What it is asked and answers is told in apps/bench/subject.hpp.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <stdexcept>
#include <string>
#include <vector>

namespace ulna::cli {

/// It ended, or took too long: what() says how.
class ChildFailed : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class BenchChild {
 public:
  /// `words` is the program and its arguments; what it says on standard error goes to the file `errors`.
  BenchChild(const std::vector<std::string>& words, std::string errors);
  BenchChild(const BenchChild&) = delete;
  BenchChild& operator=(const BenchChild&) = delete;
  ~BenchChild();  // ends it

  void say(const std::string& line);
  std::string hear(std::chrono::seconds limit);

 private:
  [[noreturn]] void fail(const std::string& otherwise);
  void wait();

  std::string errors_, buffer_;
  pid_t process_ = -1;
  int to_ = -1, from_ = -1;
};

}  // namespace ulna::cli
