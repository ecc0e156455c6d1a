// Sines and cosines of kernels by themselves.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include <ulna/expr/program.hpp>

#include "jit/machine_code.hpp"

namespace ulna::test {

inline Program turn_program(int angles) {
  Graph graph;
  const std::vector<Expr> q = graph.inputs("q", angles);
  std::vector<Expr> results;
  for (const Expr& x : q) {
    const SinCos<Expr> turn = sincos(x);
    results.push_back(turn.sin);
    results.push_back(turn.cos);
  }
  const OutputOf output{"y", results};
  return make_program(graph, {&output, 1});
}

/// Distance in units of the last place of the exact result.
template <class T>
double ulps(T got, long double exact) {
  int exponent;
  std::frexp(static_cast<T>(exact), &exponent);
  const long double unit = std::ldexp(1.0L, std::max(exponent, std::numeric_limits<T>::min_exponent) - std::numeric_limits<T>::digits);
  return static_cast<double>(std::fabs(static_cast<long double>(got) - exact) / unit);
}

/// The program whose only work is turning, on a list of angles; as machine code, or interpreted.
template <class T, class Code = MachineCode<T>>
class Turns {
 public:
  explicit Turns(InstructionSet set) : program_(turn_program(1)), code_(program_, set, true) {}
  template <class F>
  void each(const std::vector<T>& angles, F f) const {
    const std::size_t width = code_.width();
    for (std::size_t k = 0; k < angles.size(); k += width) {
      std::vector<std::vector<T>> states;
      for (std::size_t l = 0; l < width; ++l) states.push_back({angles[std::min(k + l, angles.size() - 1)]});
      const std::vector<std::vector<T>> got = code_(states);
      for (std::size_t l = 0; l < width; ++l) f(states[l][0], got[l][0], got[l][1]);
    }
  }

 private:
  Program program_;
  Code code_;
};

}  // namespace ulna::test
