#include "jit/encoder.hpp"

namespace ulna::internal::jit {

void Encoder::load(Kind kind, const Xmm& d, const Address& from) {
  ++instructions_;
  switch (kind) {
    case Kind::pd: return vex() ? vmovupd(d, from) : movupd(d, from);
    case Kind::ps: return vex() ? vmovups(d, from) : movups(d, from);
    case Kind::sd: return vex() ? vmovsd(d, from) : movsd(d, from);
    case Kind::ss: return vex() ? vmovss(d, from) : movss(d, from);
  }
}

void Encoder::store(Kind kind, const Address& to, const Xmm& a) {
  ++instructions_;
  switch (kind) {
    case Kind::pd: return vex() ? vmovupd(to, a) : movupd(to, a);
    case Kind::ps: return vex() ? vmovups(to, a) : movups(to, a);
    case Kind::sd: return vex() ? vmovsd(to, a) : movsd(to, a);
    case Kind::ss: return vex() ? vmovss(to, a) : movss(to, a);
  }
}

void Encoder::copy(const Xmm& d, const Xmm& a) {
  ++instructions_;
  vex() ? vmovaps(d, a) : movaps(d, a);
}

// d = a op b on every kind of number; the two-operand form overwrites its first operand.
#define ULNA_THREE(name)                        \
  switch (kind) {                               \
    case Kind::pd: return v##name##pd(d, a, b); \
    case Kind::ps: return v##name##ps(d, a, b); \
    case Kind::sd: return v##name##sd(d, a, b); \
    case Kind::ss: return v##name##ss(d, a, b); \
  }                                             \
  return
#define ULNA_TWO(name)                        \
  switch (kind) {                             \
    case Kind::pd: return name##pd(to, from); \
    case Kind::ps: return name##ps(to, from); \
    case Kind::sd: return name##sd(to, from); \
    case Kind::ss: return name##ss(to, from); \
  }                                           \
  return

void Encoder::arithmetic(Op op, Kind kind, const Xmm& d, const Xmm& a, const Operand& b) {
  ++instructions_;
  // A register above 7 makes the instruction a byte longer when it stands last.
  const bool swap = vex() && (op == Op::add || op == Op::multiply) && (b.isXMM() || b.isYMM()) && b.getIdx() >= 8 && a.getIdx() < 8;
  if (swap) return --instructions_, arithmetic(op, kind, d, static_cast<const Xmm&>(b), a);
  if (vex()) {
    switch (op) {
      case Op::add: ULNA_THREE(add);
      case Op::subtract: ULNA_THREE(sub);
      case Op::multiply: ULNA_THREE(mul);
      default: ULNA_THREE(div);
    }
  }
  const auto two = [&](const Xmm& to, const Operand& from) {
    switch (op) {
      case Op::add: ULNA_TWO(add);
      case Op::subtract: ULNA_TWO(sub);
      case Op::multiply: ULNA_TWO(mul);
      default: ULNA_TWO(div);
    }
  };
  const bool commutes = op == Op::add || op == Op::multiply;
  const bool overwrites_b = b.isXMM() && b.getIdx() == d.getIdx();
  if (d.getIdx() == a.getIdx()) return two(d, b);
  if (!overwrites_b) return copy(d, a), two(d, b);
  if (commutes) return two(d, a);
  const Xmm other(scratch());
  copy(other, a);
  two(other, b);
  copy(d, other);
}

void Encoder::fuse(Step::Kind step, Op op, Kind kind, const Xmm& d, const Xmm& a, const Operand& b) {
  ++instructions_;
#define ULNA_FORMS(name)       \
  if (step == Step::fuse231) { \
    ULNA_THREE(name##231);     \
  }                            \
  if (step == Step::fuse213) { \
    ULNA_THREE(name##213);     \
  }                            \
  ULNA_THREE(name##132)
  switch (op) {
    case Op::multiply_add: ULNA_FORMS(fmadd);
    case Op::multiply_subtract: ULNA_FORMS(fmsub);
    default: ULNA_FORMS(fnmadd);
  }
#undef ULNA_FORMS
}

void Encoder::exclusive_or(Kind kind, const Xmm& d, const Xmm& a, const Operand& b) {
  ++instructions_;
  const bool single = kind == Kind::ps || kind == Kind::ss;
  if (vex()) return single ? vxorps(d, a, b) : vxorpd(d, a, b);
  if (d.getIdx() != a.getIdx()) copy(d, a);
  single ? xorps(d, b) : xorpd(d, b);
}

}  // namespace ulna::internal::jit
