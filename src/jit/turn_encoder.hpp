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
    int a, b, c, d, e, f, j, l;
  };
  static Group group(int number) {
    const int first = 8 * number;
    return {first, first + 1, first + 2, first + 3, first + 4, first + 5, first + 6, first + 7};
  }
  /// How many groups are turned at a time, interleaved: a processor that has to look far ahead for something to do does less.
  std::size_t most_groups() const { return evex() ? 3 : vex() ? 2 : 1; }

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
