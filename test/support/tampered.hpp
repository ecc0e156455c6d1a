// Deliberate errors in machine code, and what they change.
#pragma once

#include <algorithm>
#include <cmath>

#include "jit/tamper.hpp"
#include "support/random.hpp"

namespace ulna::test {

/// Errors that are there as long as the object is.
class Tampered {
 public:
  explicit Tampered(jit::Tamper errors) { jit::tamper() = std::move(errors); }
  ~Tampered() { jit::tamper() = {}; }
  Tampered(const Tampered&) = delete;
  Tampered& operator=(const Tampered&) = delete;
};

/// A sum for a difference: one bit of one instruction. The same where there is none in it.
inline Op other_sign(Op op) {
  switch (op) {
    case Op::add: return Op::subtract;
    case Op::subtract: return Op::add;
    case Op::multiply_add: return Op::multiply_subtract;
    case Op::multiply_subtract: return Op::multiply_add;
    case Op::subtract_product: return Op::multiply_add;
    default: return op;
  }
}
inline std::size_t sums_of(const Program& program) {
  return static_cast<std::size_t>(std::count_if(program.instructions.begin() + static_cast<std::ptrdiff_t>(program.precomputed), program.instructions.end(),
                                                [](const Instruction& i) { return other_sign(i.op) != i.op; }));
}
/// The k-th sum or difference becomes the other.
inline void change_sign(Program& program, std::size_t k) {
  for (std::size_t i = program.precomputed; i < program.instructions.size(); ++i) {
    Op& op = program.instructions[i].op;
    if (other_sign(op) == op || k-- > 0) continue;
    op = other_sign(op);
    return;
  }
}

/// Whether two programs, or one with other parameters, differ in states that can occur: what guards results against bad states does nothing in good ones.
/// `near`: the reference assembly of a robot with loops, which the first inputs stay near.
inline bool differ(const Program& a, const Program& b, std::span<const double> of_a = {}, std::span<const double> of_b = {}, double part = 1e-8,
                   std::span<const double> near = {}) {
  Random random(11);
  Evaluation run_a(a, of_a), run_b(b, of_b);
  for (int k = 0; k < 20; ++k) {
    std::vector<double> in = random.numbers(a.input_count(), -1, 1);
    for (std::size_t i = 0; i < near.size(); ++i) in[i] = near[i] + 0.05 * in[i];
    std::vector<double> x(a.results.size()), y(x.size());
    run_a(in, x), run_b(in, y);
    double largest = 0;
    for (const double number : x) largest = std::fmax(largest, std::fabs(number));
    for (std::size_t i = 0; i < x.size(); ++i)
      if (!(std::fabs(x[i] - y[i]) <= part * largest)) return true;
  }
  return false;
}

}  // namespace ulna::test
