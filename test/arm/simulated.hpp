// A program's kernel for AArch64, called like MachineCode, in the simulator; and what each of its operations must give, one number at a time.
#pragma once

#include <bit>
#include <cmath>
#include <cstring>

#include "arm/simulator.hpp"
#include "jit/encode.hpp"
#include "jit/machine_code.hpp"
#include "jit/sincos.hpp"
#include "support/imagined_processor.hpp"

namespace ulna::test {

template <class T>
class Simulated {
 public:
  Simulated(const Program& program, InstructionSet set, bool lanes, std::span<const double> parameters = {}, bool own = false)
      : program_(program), form_{set, sizeof(T) == 4, lanes, own}, encoded_(jit::encode_neon(program, form_)), table_(program, form_, parameters) {}

  /// To be spoilt, too.
  jit::Encoded& encoded() { return encoded_; }
  const jit::Encoded& encoded() const { return encoded_; }
  std::size_t width() const { return form_.lanes ? form_.width() : 1; }
  jit::ConstantTable& table() { return table_; }

  std::vector<std::vector<T>> operator()(const std::vector<std::vector<T>>& states) const {
    KernelStates<T> packed(program_, form_, states);
    const auto address = [](const void* p) { return reinterpret_cast<std::uint64_t>(p); };
    const std::uint64_t arguments[] = {address(packed.input(0).data()),  address(packed.input(1).data()), address(packed.input(2).data()),
                                       address(packed.results().data()), address(table_.bytes()),         packed.blocks()};
    simulate(encoded_.code, arguments);
    return packed.unpacked();
  }

 private:
  const Program& program_;
  jit::Form form_;
  jit::Encoded encoded_;
  jit::ConstantTable table_;
};

/// Sine and cosine by the operations of kernels with fused multiplication (jit/sincos.hpp), one number at a time.
template <class T>
SinCos<T> turned(T x) {
  using N = jit::SinCosNumbers<T>;
  using Bits = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
  const T shifted = std::fma(x, N::two_over_pi, N::magic), n = shifted - N::magic;
  T rest = std::fma(-n, N::P[0], x);
  const T r = std::fma(-n, N::P[1], rest);
  rest = std::fma(-n, N::P[2], std::fma(-n, N::P[1], rest - r));
  if (!(std::fabs(x) <= static_cast<T>(kLargestAngle))) rest = std::numeric_limits<T>::quiet_NaN();
  const T z = r * r;
  T p = N::S[N::terms - 1], c = N::C[N::terms - 1];
  for (int k = N::terms - 2; k >= 0; --k) p = std::fma(p, z, N::S[k]), c = std::fma(c, z, N::C[k]);
  T sine = std::fma(p * z, r, rest) + r;
  T cosine = std::fma(r * T(-0.5), r, std::fma(c * z, z, -(rest * r))) + T(1);
  const Bits bits = std::bit_cast<Bits>(shifted);
  if ((bits & 1) != 0) std::swap(sine, cosine);
  if ((bits & 2) != 0) sine = -sine;
  if (((bits + 1) & 2) != 0) cosine = -cosine;
  return {sine, cosine};
}

/// The program on one state, operation by operation.
template <class T>
std::vector<T> modelled(const Program& program, const std::vector<T>& state, const std::vector<double>& parameters = {}) {
  std::vector<T> values(state);
  for (const double x : fixed_values(program, parameters)) values.push_back(static_cast<T>(x));
  for (std::size_t i = program.precomputed; i < program.instructions.size(); ++i) {
    const Instruction& step = program.instructions[i];
    values.push_back(step.op == Op::sine ? turned(values[step.a]).sin : step.op == Op::cosine ? turned(values[step.a]).cos : done(step, values));
  }
  std::vector<T> results;
  for (const Output& out : program.results) results.push_back(out.negative ? -values[out.value] : values[out.value]);
  return results;
}

}  // namespace ulna::test
