#include "jit/turn_encoder.hpp"

namespace ulna::jit {

void TurnEncoder::turn() { vex() ? turn_fused() : turn_sse2(); }

void TurnEncoder::load_constant(int d, int entry) {
  if (!evex()) return load(kind(), wide(d), constant(entry));
  ++instructions_;
  const auto at = table + static_cast<int>(static_cast<std::size_t>(entry) * turn_stride(form_));
  form_.single ? vbroadcastss(Xbyak::Zmm(d), ptr[at]) : vbroadcastsd(Xbyak::Zmm(d), ptr[at]);
}

void TurnEncoder::turn_fused() {
  using enum Turn::Register;
  const bool single = form_.single;
  const Kind packed = kind();
  const auto V = [this](int i) { return wide(i); };
  // d += a * b, d -= a * b, d = d * a + b
  const auto add_product = [&](int d, int a, const Operand& b) { fuse(Step::fuse231, Op::multiply_add, packed, V(d), V(a), b); };
  const auto subtract_product = [&](int d, int a, const Operand& b) { fuse(Step::fuse231, Op::subtract_product, packed, V(d), V(a), b); };
  const auto horner = [&](int d, int a, const Operand& b) { fuse(Step::fuse213, Op::multiply_add, packed, V(d), V(a), b); };

  // n = the nearest integer to x / (π/2), and as an integer in the lowest bits of k
  load_constant(k, magic);
  add_product(k, x, constant(two_over_pi));
  arithmetic(Op::subtract, packed, V(n), V(k), constant(magic));
  // r + rest = x - n π/2
  copy(V(t), V(x));
  subtract_product(t, n, constant(P1));
  copy(V(r), V(t));
  subtract_product(r, n, constant(P2));
  arithmetic(Op::subtract, packed, V(rest), V(t), V(r));
  subtract_product(rest, n, constant(P2));
  if (single) subtract_product(rest, n, constant(P3));  // 48 bits of π/2 are not enough near its multiples; 106 are
  // Too large, infinite or NaN: the rest becomes NaN, and so does everything.
  constexpr std::uint8_t kNotLessEqual = 0x16;
  instructions_ += 3;
  if (single) {
    vandps(V(m), V(x), constant(abs_mask));
    evex() ? vcmpps(k1, V(m), constant(largest), kNotLessEqual) : vcmpps(V(m), V(m), constant(largest), kNotLessEqual);
    evex() ? vbroadcastss(Xbyak::Zmm(rest) | k1, ptr[table + not_a_number * static_cast<int>(turn_stride(form_))]) : vorps(V(rest), V(rest), V(m));
  } else {
    vandpd(V(m), V(x), constant(abs_mask));
    evex() ? vcmppd(k1, V(m), constant(largest), kNotLessEqual) : vcmppd(V(m), V(m), constant(largest), kNotLessEqual);
    evex() ? vbroadcastsd(Xbyak::Zmm(rest) | k1, ptr[table + not_a_number * static_cast<int>(turn_stride(form_))]) : vorpd(V(rest), V(rest), V(m));
  }
  // z = r² + 2 r rest
  arithmetic(Op::add, packed, V(z), V(rest), V(rest));
  arithmetic(Op::multiply, packed, V(z), V(z), V(r));
  add_product(z, r, V(r));
  const int terms = single ? TurnNumbers<float>::terms : TurnNumbers<double>::terms;
  load_constant(p, S1 + terms - 1);
  load_constant(c, C1 + terms - 1);
  for (int i = terms - 2; i >= 0; --i) {
    horner(p, z, constant(S1 + i));
    horner(c, z, constant(C1 + i));
  }
  horner(c, z, constant(minus_half));
  horner(c, z, constant(one));
  arithmetic(Op::multiply, packed, V(t), V(r), V(z));
  add_product(rest, t, V(p));
  arithmetic(Op::add, packed, V(p), V(r), V(rest));
  // Odd n: sine and cosine change places. Bit 1 of n is the sign of the first, bit 1 of n + 1, that is bit 1 unlike bit 0, the sign of the second.
  const std::uint8_t top = single ? 31 : 63;
  const auto shift = [&](int d, int by) { single ? vpslld(V(d), V(k), static_cast<std::uint8_t>(by)) : vpsllq(V(d), V(k), static_cast<std::uint8_t>(by)); };
  instructions_ += 6;
  shift(m, top);
  shift(u, top - 1);
  if (evex()) {
    single ? vpmovd2m(k1, V(m)) : vpmovq2m(k1, V(m));
    single ? vblendmps(V(t) | k1, V(p), V(c)) : vblendmpd(V(t) | k1, V(p), V(c));
    single ? vblendmps(V(c) | k1, V(c), V(p)) : vblendmpd(V(c) | k1, V(c), V(p));
    ++instructions_;
  } else {
    single ? vblendvps(V(t), V(p), V(c), V(m)) : vblendvpd(V(t), V(p), V(c), V(m));
    single ? vblendvps(V(c), V(c), V(p), V(m)) : vblendvpd(V(c), V(c), V(p), V(m));
  }
  exclusive_or(packed, V(m), V(m), V(u));
  single ? vandps(V(u), V(u), constant(sign_mask)) : vandpd(V(u), V(u), constant(sign_mask));
  single ? vandps(V(m), V(m), constant(sign_mask)) : vandpd(V(m), V(m), constant(sign_mask));
  exclusive_or(packed, V(p), V(t), V(u));
  exclusive_or(packed, V(c), V(c), V(m));
}

void TurnEncoder::turn_sse2() {
  using enum Turn::Register;
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
  for (int i = TurnNumbers<double>::terms - 2; i >= 0; --i) {
    multiply(p, V(z));
    add(p, constant(S1 + i));
    multiply(c, V(z));
    add(c, constant(C1 + i));
  }
  multiply(c, V(z));
  add(c, constant(minus_half));
  multiply(c, V(z));
  add(c, constant(one));
  multiply(p, V(z));
  multiply(p, V(r));
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

}  // namespace ulna::jit
