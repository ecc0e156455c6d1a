#include "jit/x86_encoder.hpp"

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

void SinCosEncoder::load_constant(int d, int entry) {
  if (!evex()) return load(kind(), wide(d), constant(entry));
  broadcast(Xbyak::Zmm(d), entry);
}

void SinCosEncoder::broadcast(const Xbyak::Zmm& d, int entry) {
  ++instructions_;
  const auto at = table + static_cast<std::size_t>(entry) * sincos_stride(form_);
  form_.single ? vbroadcastss(d, ptr[at]) : vbroadcastsd(d, ptr[at]);
}

void SinCosEncoder::encode_sincos(std::size_t groups, const Xbyak::RegExp& to) {
  if (!vex()) {
    sincos_sse2();
    store(Kind::pd, ptr[to], wide(group(0).e));
    return store(Kind::pd, ptr[to + form_.vector_bytes()], wide(group(0).b));
  }
  for (int i = 0; i < sincos_steps(); ++i)
    for (std::size_t g = 0; g < groups; ++g) sincos_step(i, group(g), to + 2 * g * form_.vector_bytes()), in_between();
}

int SinCosEncoder::sincos_steps() const { return 36 + 2 * (terms() - 1); }

void SinCosEncoder::sincos_step(int i, const Group& r, const Xbyak::RegExp& to) {
  const bool single = form_.single;
  const Kind packed = kind();
  const auto V = [this](int k) { return wide(k); };
  // d += a * b, d -= a * b, d = d * a + b
  const auto add_product = [&](int d, int a, const Operand& b) { fuse(Step::fuse231, Op::multiply_add, packed, V(d), V(a), b); };
  const auto subtract_product = [&](int d, int a, const Operand& b) { fuse(Step::fuse231, Op::subtract_product, packed, V(d), V(a), b); };
  const auto horner = [&](int d, int a, const Operand& b) { fuse(Step::fuse213, Op::multiply_add, packed, V(d), V(a), b); };
  const auto times = [&](int d, int a, const Operand& b) { arithmetic(Op::multiply, packed, V(d), V(a), b); };
  const auto both = [&](int d, int a, const Operand& b) {
    ++instructions_;
    single ? vandps(V(d), V(a), b) : vandpd(V(d), V(a), b);
  };
  const auto shift = [&](int d, int a, int by) {
    ++instructions_;
    single ? vpslld(V(d), V(a), static_cast<std::uint8_t>(by)) : vpsllq(V(d), V(a), static_cast<std::uint8_t>(by));
  };
  // d = a, but b where the highest bit of r.a is set
  const auto choose = [&](int d, int a, int b) {
    ++instructions_;
    if (!evex()) return single ? vblendvps(V(d), V(a), V(b), V(r.a)) : vblendvpd(V(d), V(a), V(b), V(r.a));
    ++instructions_;
    single ? vpmovd2m(k1, V(r.a)) : vpmovq2m(k1, V(r.a));
    single ? vblendmps(V(d) | k1, V(a), V(b)) : vblendmpd(V(d) | k1, V(a), V(b));
  };
  const int top = single ? 31 : 63, last = terms() - 1;
  constexpr std::uint8_t kNotLessEqual = 0x16;

  constexpr int kFirstHorner = 15;
  if (i >= kFirstHorner && i < kFirstHorner + 2 * last) {
    const int term = last - 1 - (i - kFirstHorner) / 2;
    return (i - kFirstHorner) % 2 == 0 ? horner(r.e, r.c, constant(S1 + term)) : horner(r.b, r.c, constant(C1 + term));
  }
  switch (i < kFirstHorner ? i : i - 2 * last) {
    // e: all ones for angles that are too large, infinite or NaN
    case 0: return both(r.e, r.a, constant(abs_mask));
    case 1:
      if (evex()) return;
      ++instructions_;
      return single ? vcmpps(V(r.e), V(r.e), constant(largest), kNotLessEqual) : vcmppd(V(r.e), V(r.e), constant(largest), kNotLessEqual);
    // c = n, the nearest integer to x / (π/2), which also stands as an integer in the lowest bits of b: those are kept in memory until the end
    case 2: return load_constant(r.b, magic);
    case 3: return add_product(r.b, r.a, constant(two_over_pi));
    case 4: return arithmetic(Op::subtract, packed, V(r.c), V(r.b), constant(magic));
    case 5: return store(packed, ptr[to], V(r.b));
    // d + a = r + rest = x - n π/2; a rest that is NaN makes everything NaN
    case 6: return subtract_product(r.a, r.c, constant(P1));
    case 7: copy(V(r.d), V(r.a)); return subtract_product(r.d, r.c, constant(P2));
    case 8: return arithmetic(Op::subtract, packed, V(r.a), V(r.a), V(r.d));
    case 9: return subtract_product(r.a, r.c, constant(P2));
    case 10: return subtract_product(r.a, r.c, constant(P3));
    case 11:
      ++instructions_;
      if (!evex()) return single ? vorps(V(r.a), V(r.a), V(r.e)) : vorpd(V(r.a), V(r.a), V(r.e));
      single ? vcmpps(k1, V(r.e), constant(largest), kNotLessEqual) : vcmppd(k1, V(r.e), constant(largest), kNotLessEqual);
      return broadcast(Xbyak::Zmm(r.a) | k1, not_a_number);
    // c = z = r², e = p(z), b = c(z)
    case 12: return times(r.c, r.d, V(r.d));
    case 13: return load_constant(r.e, S1 + last);
    case 14: return load_constant(r.b, C1 + last);
    // e = sine = r + (r z p + rest), b = cosine = 1 + (-r/2 r + (z² c(z) - r rest)), where the product of -r/2 and r is not rounded
    case 15: return times(r.e, r.e, V(r.c));
    case 16: return times(r.b, r.b, V(r.c));
    case 17: return horner(r.e, r.d, V(r.a));
    case 18: return times(r.a, r.a, V(r.d));
    case 19: return arithmetic(Op::add, packed, V(r.e), V(r.e), V(r.d));
    case 20: return fuse(Step::fuse213, Op::multiply_subtract, packed, V(r.b), V(r.c), V(r.a));
    case 21: return times(r.c, r.d, constant(minus_half));
    case 22: return load(packed, V(r.a), ptr[to]);
    case 23: return add_product(r.b, r.c, V(r.d));
    case 24: return arithmetic(Op::add, packed, V(r.b), V(r.b), constant(one));
    // Odd n: sine and cosine change places. Bit 1 of n is the sign of the first, bit 1 of n + 1, that is bit 1 unlike bit 0, the sign of the second.
    case 25: return shift(r.c, r.a, top - 1);
    case 26: return shift(r.a, r.a, top);
    case 27: return choose(r.d, r.e, r.b);
    case 28: return choose(r.b, r.b, r.e);
    case 29: return exclusive_or(packed, V(r.a), V(r.a), V(r.c));
    case 30: return both(r.c, r.c, constant(sign_mask));
    case 31: return both(r.a, r.a, constant(sign_mask));
    case 32: return exclusive_or(packed, V(r.e), V(r.d), V(r.c));
    case 33: return exclusive_or(packed, V(r.b), V(r.b), V(r.a));
    case 34: return store(packed, ptr[to], V(r.e));
    case 35: return store(packed, ptr[to + form_.vector_bytes()], V(r.b));
  }
}

void SinCosEncoder::sincos_sse2() {
  // Angles in register a of the group, sines in e, cosines in b, as above; more registers than a group has.
  enum : int { x = 0, c, t, r, p, k, n, rest, z, m, u, spare };
  const auto V = [](int i) { return Xmm(i); };
  const auto move = [&](int d, int a) { copy(V(d), V(a)); };
  const auto add = [&](int d, const Operand& b) { arithmetic(Op::add, Kind::pd, V(d), V(d), b); };
  const auto subtract = [&](int d, const Operand& b) { arithmetic(Op::subtract, Kind::pd, V(d), V(d), b); };
  const auto multiply = [&](int d, const Operand& b) { arithmetic(Op::multiply, Kind::pd, V(d), V(d), b); };
  move(k, x);
  multiply(k, constant(two_over_pi));
  add(k, constant(magic));
  move(n, k);
  subtract(n, constant(magic));
  // r + rest = x - n π/2; products with the first two parts are exact
  move(u, n);
  multiply(u, constant(P1));
  move(t, x);
  subtract(t, V(u));
  move(u, n);
  multiply(u, constant(P2));
  move(r, t);
  subtract(r, V(u));
  move(rest, t);
  subtract(rest, V(r));
  subtract(rest, V(u));
  multiply(n, constant(P3));
  subtract(rest, V(n));
  // Too large, infinite or NaN
  instructions_ += 3;
  move(m, x);
  andpd(V(m), constant(abs_mask));
  constexpr std::uint8_t kNotLessEqual = 6;
  cmppd(V(m), constant(largest), kNotLessEqual);
  orpd(V(rest), V(m));
  // z = r² + 2 r rest
  move(z, rest);
  add(z, V(rest));
  multiply(z, V(r));
  move(spare, r);
  multiply(spare, V(r));
  add(z, V(spare));
  load(Kind::pd, V(p), constant(S6));
  load(Kind::pd, V(c), constant(C6));
  for (int i = SinCosNumbers<double>::terms - 2; i >= 0; --i) {
    multiply(p, V(z));
    add(p, constant(S1 + i));
    multiply(c, V(z));
    add(c, constant(C1 + i));
  }
  // cos = w + ((1 - w - z/2) + z² c), w = 1 - z/2: the product is rounded by itself here, so it is kept small
  multiply(c, V(z));
  multiply(c, V(z));
  move(t, z);
  multiply(t, constant(minus_half));
  load(Kind::pd, V(u), constant(one));
  move(spare, u);
  add(spare, V(t));
  subtract(u, V(spare));
  add(u, V(t));
  add(c, V(u));
  add(c, V(spare));
  // The rest of a large angle has up to 16 units in the last place of r: z p(z) takes both.
  move(t, r);
  add(t, V(rest));
  multiply(p, V(z));
  multiply(p, V(t));
  add(p, V(rest));
  add(p, V(r));
  // Lanes with odd n change places: m is all ones there.
  instructions_ += 12;
  move(m, k);
  pand(V(m), constant(one_bit));
  pcmpeqd(V(m), constant(one_bit));
  pshufd(V(m), V(m), 0xa0);
  move(t, p);
  xorpd(V(t), V(c));
  andpd(V(t), V(m));
  xorpd(V(p), V(t));
  xorpd(V(c), V(t));
  move(u, k);
  psllq(V(u), 62);
  psllq(V(k), 63);
  pxor(V(k), V(u));
  andpd(V(u), constant(sign_mask));
  andpd(V(k), constant(sign_mask));
  xorpd(V(p), V(u));
  xorpd(V(c), V(k));
}

using namespace Xbyak::util;
using Xbyak::Zmm;

ColumnEncoder::Registers8 ColumnEncoder::registers() {
  Registers8 x;
  for (int k = 0; k < static_cast<int>(kStates); ++k) x[static_cast<std::size_t>(k)] = kRegisters + k;
  return x;
}

/// Fewer than eight numbers are read and written under a mask.
Xbyak::Opmask ColumnEncoder::set_mask(std::vector<Emit>& all, std::size_t count) {
  if (count == 8) return k0;
  all.emplace_back([this, count] { mov(r12d, (1u << count) - 1); });
  all.emplace_back([this] { kmovb(k2, r12d); });
  return k2;
}

/// a and b become what stands in both at even places, and what stands at odd ones: single numbers, or quarters of a register.
void ColumnEncoder::cross(std::vector<Emit>& all, int& a, int& b, bool quarters) {
  const Zmm x(a), y(b), even(free_);
  all.emplace_back([=, this] { quarters ? vshuff64x2(even, x, y, 0x88) : vunpcklpd(even, x, y); });
  all.emplace_back([=, this] { quarters ? vshuff64x2(y, x, y, 0xdd) : vunpckhpd(y, x, y); });
  std::swap(a, free_);
}

/// Eight rows become eight columns: 24 instructions.
void ColumnEncoder::transpose(std::vector<Emit>& all, Registers8& x) {
  for (std::size_t k = 0; k < 8; k += 2) cross(all, x[k], x[k + 1], false);
  for (std::size_t odd = 0; odd < 2; ++odd) {
    cross(all, x[odd], x[odd + 2], true);
    cross(all, x[odd + 4], x[odd + 6], true);
    cross(all, x[odd], x[odd + 4], true);
    cross(all, x[odd + 2], x[odd + 6], true);
  }
}

std::vector<ColumnEncoder::Emit> ColumnEncoder::read_columns(const std::vector<Signal>& inputs, const Xbyak::Reg64& to) {
  std::vector<Emit> all;
  std::size_t begin = 0;
  for (std::size_t k = 0; k < inputs.size(); begin += inputs[k++].size)
    for (std::size_t first = 0; first < inputs[k].size; first += 8) {
      const std::size_t count = std::min<std::size_t>(8, inputs[k].size - first);
      const Xbyak::Opmask mask = set_mask(all, count);
      Registers8 x = registers();
      free_ = kRegisters + static_cast<int>(kStates);
      all.emplace_back([this, k] { mov(r12, ptr[r15 + (offsetof(Columns, in) + 8 * k)]); });
      for (std::size_t s = 0; s < kStates; ++s) {
        all.emplace_back([this, first, mask, d = Zmm(x[s])] { vmovupd(mask.getIdx() == 0 ? d : d | mask | T_z, ptr[r12 + 8 * first]); });
        if (s + 1 < kStates) all.emplace_back([this, k] { add(r12, ptr[r15 + (offsetof(Columns, stride) + 8 * k)]); });
      }
      transpose(all, x);
      for (std::size_t i = 0; i < count; ++i)
        all.emplace_back([this, to, at = (begin + first + i) * kRowBytes, row = Zmm(x[i])] { vmovupd(ptr[to + at], row); });
    }
  return all;
}

std::vector<ColumnEncoder::Emit> ColumnEncoder::write_columns(const Rows& rows) {
  std::vector<Emit> all;
  for (const Rows::Piece& piece : rows.pieces[0]) {
    const std::uint32_t* of = rows.of.data() + piece.at;
    const bool few = !piece.same && piece.count <= 2;  // go singly
    const Xbyak::Opmask mask = few ? k0 : set_mask(all, piece.count);
    Registers8 x = registers();
    free_ = kRegisters + static_cast<int>(kStates);
    if (!piece.same && !few) {
      for (std::size_t k = 0; k < kStates; ++k)
        all.emplace_back([this, at = of[k < piece.count ? k : 0] * kRowBytes, d = Zmm(x[k])] { vmovupd(d, ptr[rdx + at]); });
      transpose(all, x);
    }
    all.emplace_back([this, at = piece.at * std::size_t{8}] { lea(r12, ptr[r14 + at]); });
    for (std::size_t s = 0; s < kStates; ++s) {
      if (piece.same) all.emplace_back([this, at = of[0] * kRowBytes + 8 * s, d = Zmm(x[s])] { vbroadcastsd(d, ptr[rdx + at]); });
      if (!few) all.emplace_back([this, mask, column = Zmm(x[s])] { vmovupd(mask.getIdx() == 0 ? ptr[r12] : ptr[r12] | mask, column); });
      for (std::size_t i = 0; few && i < piece.count; ++i) {
        const Xmm one(x[(2 * s + i) % kStates]);
        all.emplace_back([this, one, at = of[i] * kRowBytes + 8 * s] { vmovsd(one, ptr[rdx + at]); });
        all.emplace_back([this, one, i] { vmovsd(ptr[r12 + 8 * i], one); });
      }
      if (s + 1 < kStates) all.emplace_back([this] { add(r12, ptr[r15 + offsetof(Columns, out_stride)]); });
    }
  }
  return all;
}

void ColumnEncoder::move_inputs(std::size_t signals, bool to_next) {
  for (std::size_t k = 0; k < signals; ++k) {
    const Address begin = ptr[r15 + (offsetof(Columns, in) + 8 * k)];
    mov(r12, ptr[r15 + (offsetof(Columns, step) + 8 * k)]);
    to_next ? add(begin, r12) : sub(begin, r12);
    instructions_ += 2;
  }
}

void ColumnEncoder::interleave(const std::vector<Emit>& instructions, std::size_t others) {
  interleaved_ = &instructions;
  done_ = 0;
  due_ = 0;
  pace_ = static_cast<double>(instructions.size()) / static_cast<double>(std::max<std::size_t>(others, 1));
  instructions_ += instructions.size();
}

void ColumnEncoder::in_between() {
  if (interleaved_ == nullptr || paused_) return;
  for (due_ += pace_; due_ >= 1 && done_ < interleaved_->size(); due_ -= 1) (*interleaved_)[done_++]();
}

void ColumnEncoder::finish() {
  while (done_ < interleaved_->size()) (*interleaved_)[done_++]();
  interleaved_ = nullptr;
}

}  // namespace ulna::internal::jit
