// Sine and cosine of every lane of a register, as instructions; see sincos.hpp for the method.
#pragma once

#include "jit/encoder.hpp"
#include "jit/layout.hpp"

namespace ulna::jit {

class TurnEncoder : public Encoder {
 public:
  using Encoder::Encoder;

 protected:
  /// Registers while angles are done; no values are in registers then.
  struct Turn {
    enum Register : int { x, k, n, t, r, rest, z, p, c, m, u, spare };
  };

  /// Register x holds angles; afterwards register p holds their sines and c their cosines. Doubles on SSE2, whatever the form's numbers are.
  void turn();

 private:
  Address constant(int entry) const {
    const auto at = table + static_cast<int>(static_cast<std::size_t>(entry) * turn_stride(form_));
    return evex() ? ptr_b[at] : ptr[at];
  }
  Kind kind() const { return form_.single && vex() ? Kind::ps : Kind::pd; }
  void load_constant(int d, int entry);
  void turn_fused();
  void turn_sse2();

 public:
  Xbyak::Reg64 table = Xbyak::util::r8;
};

}  // namespace ulna::jit
