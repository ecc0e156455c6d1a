// Sine and cosine of every lane of a register, as instructions; see sincos.hpp for the method.
#pragma once

#include "jit/encoder.hpp"
#include "jit/layout.hpp"

namespace ulna::jit {

class TurnEncoder : public Encoder {
 public:
  using Encoder::Encoder;

 protected:
  /// Registers of one of the groups of angles that are turned at the same time; no values are in registers then. Before: angles in `a`; afterwards: sines in
  /// `e`, cosines in `f`.
  struct Group {
    int a, b, c, d, e, f, g, h, i, j;
  };
  static Group group(int k) { return {10 * k, 10 * k + 1, 10 * k + 2, 10 * k + 3, 10 * k + 4, 10 * k + 5, 10 * k + 6, 10 * k + 7, 10 * k + 8, 10 * k + 9}; }
  /// How many groups are turned at a time, interleaved.
  std::size_t most_groups() const { return evex() ? 3 : 1; }

  /// Doubles on SSE2, whatever the form's numbers are.
  void turn(std::size_t groups);

 private:
  Address constant(int entry) const {
    const auto at = table + static_cast<int>(static_cast<std::size_t>(entry) * turn_stride(form_));
    return evex() ? ptr_b[at] : ptr[at];
  }
  Kind kind() const { return form_.single && vex() ? Kind::ps : Kind::pd; }
  void load_constant(int d, int entry);
  void turn_fused(int groups);
  void turn_sse2();

 public:
  Xbyak::Reg64 table = Xbyak::util::r8;
};

}  // namespace ulna::jit
