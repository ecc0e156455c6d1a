// A bar on a terminal, silence elsewhere; and a Ctrl-C that ends the work instead of the program.
#pragma once

#include <chrono>
#include <string>

namespace ulna::cli {

class Progress {
 public:
  explicit Progress(std::string what);
  ~Progress();  // wipes the bar
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  /// 0 to 1. Draws ten times a second at most, and shows the remaining time once it can be estimated.
  void show(double share);

 private:
  std::string what_;
  bool visible_;
  bool drawn_ = false;
  double first_ = -1;  // share that was there when this began
  std::chrono::steady_clock::time_point begin_, last_;
};

/// Steps of some work by name, as they begin: on a terminal one line that gives way to the next; elsewhere a line each, as soon as the work takes seconds.
class Steps {
 public:
  explicit Steps(std::string what);
  ~Steps();  // wipes the line
  Steps(const Steps&) = delete;
  Steps& operator=(const Steps&) = delete;
  void begin(const std::string& step);

 private:
  std::string what_;
  bool terminal_;
  std::chrono::steady_clock::time_point start_;
};

/// While one lives, SIGINT is noted and does nothing else.
class Interrupt {
 public:
  Interrupt();
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;
  static bool seen();

 private:
  void (*before_)(int);
};

}  // namespace ulna::cli
