// A fourth-order Butterworth low-pass, run forwards and backwards: no phase, and half of the amplitude at the cut-off.
#pragma once

#include <cstddef>
#include <vector>

#include <ulna/export.hpp>

namespace ulna::internal {

class LowPass {
 public:
  /// `cutoff` below half of `rate` [Hz].
  LowPass(double cutoff, double rate);
  /// `count` numbers, `stride` apart, in place. What lies beyond the ends is their odd reflection.
  void operator()(double* x, std::size_t count, std::size_t stride = 1);
  /// Samples after which nothing is felt of a sample: 1e-10 of it.
  std::size_t reach() const { return reach_; }

 private:
  struct Section {
    double b0, b1, b2, a1, a2;
  };
  static void run(const Section& s, std::vector<double>& x);
  Section sections_[2];
  std::size_t reach_;
  std::vector<double> padded_;
};

}  // namespace ulna::internal
