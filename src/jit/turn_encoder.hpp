// Sine and cosine of every lane of a register, as instructions; see sincos.hpp for the method.
#pragma once

#include "jit/encoder.hpp"
#include "jit/layout.hpp"

namespace ulna::internal::jit {

class TurnEncoder : public Encoder {
 public:
  using Encoder::Encoder;

 protected:
  /// Registers of one of the groups of angles that are turned at the same time. Before: angles in `a`; afterwards: sines in `e`, cosines in `b`.
  struct Group {
    int a, b, c, d, e;
  };
  static Group group(std::size_t number) {
    const int first = 5 * static_cast<int>(number);
    return {first, first + 1, first + 2, first + 3, first + 4};
  }
  /// How many groups are turned at a time, interleaved: a processor that has to look far ahead for something to do does less.
  std::size_t most_groups() const { return form_.columns ? 4 : evex() ? 6 : vex() ? 3 : 1; }

  /// Called after every instruction of turn(): others may be put there.
  virtual void in_between() {}

  /// Turns angles in registers `a` of the first `groups` groups. Sines go to `to`, cosines to the place after it, and so on.
  void turn(std::size_t groups, const Xbyak::RegExp& to);
  /// Doubles, whatever the form's numbers are; results stay in registers.
  void turn_sse2();

  /// Instructions of turn() for one group.
  int turn_steps() const;

 private:
  /// One after the other; `to` also keeps something meanwhile.
  void turn_step(int i, const Group& r, const Xbyak::RegExp& to);
  Address constant(int entry) const {
    const auto at = table + static_cast<std::size_t>(entry) * turn_stride(form_);
    return evex() ? ptr_b[at] : ptr[at];
  }
  Kind kind() const { return form_.single && vex() ? Kind::ps : Kind::pd; }
  void load_constant(int d, int entry);
  void broadcast(const Xbyak::Zmm& d, int entry);
  int terms() const { return form_.single ? TurnNumbers<float>::terms : TurnNumbers<double>::terms; }

 public:
  Xbyak::Reg64 table = Xbyak::util::r8;
};

}  // namespace ulna::internal::jit
