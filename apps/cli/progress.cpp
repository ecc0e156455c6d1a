#include "progress.hpp"

#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>

namespace ulna::cli {

Progress::Progress(std::string what) : what_(std::move(what)), visible_(isatty(STDERR_FILENO) != 0), begin_(std::chrono::steady_clock::now()), last_(begin_) {}

Progress::~Progress() {
  if (drawn_) std::fprintf(stderr, "\r\033[K");
}

void Progress::show(double share) {
  if (!visible_) return;
  if (first_ < 0) first_ = share;
  const auto now = std::chrono::steady_clock::now();
  if (now - last_ < std::chrono::milliseconds(100)) return;
  last_ = now;
  drawn_ = true;
  constexpr int kWidth = 40;
  const int full = static_cast<int>(std::clamp(share, 0.0, 1.0) * kWidth);
  std::fprintf(stderr, "\r%s [%s%s] %3.0f %%", what_.c_str(), std::string(static_cast<std::size_t>(full), '#').c_str(),
               std::string(static_cast<std::size_t>(kWidth - full), '.').c_str(), 100 * share);
  const double seconds = std::chrono::duration<double>(now - begin_).count(), left = share > first_ ? seconds * (1 - share) / (share - first_) : 0;
  constexpr double kSilence = 3;  // s
  if (seconds > kSilence && share > first_) std::fprintf(stderr, left < 100 ? ", %.0f s left\033[K" : ", %.0f min left\033[K", left < 100 ? left : left / 60);
  std::fflush(stderr);
}

Steps::Steps(std::string what) : what_(std::move(what)), terminal_(isatty(STDERR_FILENO) != 0), start_(std::chrono::steady_clock::now()) {}

Steps::~Steps() {
  if (terminal_) std::fprintf(stderr, "\r\033[K");
}

void Steps::begin(const std::string& step) {
  constexpr double kSilence = 2;  // s
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  if (terminal_)
    std::fprintf(stderr, "\r%s: %s\033[K", what_.c_str(), step.c_str());
  else if (seconds > kSilence)
    std::fprintf(stderr, "%s: %s (%.0f s so far)\n", what_.c_str(), step.c_str(), seconds);
  std::fflush(stderr);
}

namespace {

// A signal handler gets only a number, and can write only to a global.
volatile std::sig_atomic_t interrupted = 0;

void note(int) { interrupted = 1; }

}  // namespace

Interrupt::Interrupt() : before_(std::signal(SIGINT, note)) { interrupted = 0; }
Interrupt::~Interrupt() { std::signal(SIGINT, before_); }
bool Interrupt::seen() { return interrupted != 0; }

}  // namespace ulna::cli
