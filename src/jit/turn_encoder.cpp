#include "jit/turn_encoder.hpp"

namespace ulna::internal::jit {

void TurnEncoder::load_constant(int d, int entry) {
  if (!evex()) return load(kind(), wide(d), constant(entry));
  broadcast(Xbyak::Zmm(d), entry);
}

void TurnEncoder::broadcast(const Xbyak::Zmm& d, int entry) {
  ++instructions_;
  const auto at = table + static_cast<std::size_t>(entry) * turn_stride(form_);
  form_.single ? vbroadcastss(d, ptr[at]) : vbroadcastsd(d, ptr[at]);
}

void TurnEncoder::turn(std::size_t groups, const Xbyak::RegExp& to) {
  if (!vex()) {
    turn_sse2();
    store(Kind::pd, ptr[to], wide(group(0).e));
    return store(Kind::pd, ptr[to + form_.vector_bytes()], wide(group(0).b));
  }
  for (int i = 0; i < turn_steps(); ++i)
    for (std::size_t g = 0; g < groups; ++g) turn_step(i, group(g), to + 2 * g * form_.vector_bytes()), in_between();
}

int TurnEncoder::turn_steps() const { return 36 + 2 * (terms() - 1); }

void TurnEncoder::turn_step(int i, const Group& r, const Xbyak::RegExp& to) {
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
    case 27:
      ++instructions_;
      if (!evex()) return single ? vblendvps(V(r.d), V(r.e), V(r.b), V(r.a)) : vblendvpd(V(r.d), V(r.e), V(r.b), V(r.a));
      ++instructions_;
      single ? vpmovd2m(k1, V(r.a)) : vpmovq2m(k1, V(r.a));
      return single ? vblendmps(V(r.d) | k1, V(r.e), V(r.b)) : vblendmpd(V(r.d) | k1, V(r.e), V(r.b));
    case 28:
      ++instructions_;
      if (!evex()) return single ? vblendvps(V(r.b), V(r.b), V(r.e), V(r.a)) : vblendvpd(V(r.b), V(r.b), V(r.e), V(r.a));
      ++instructions_;
      single ? vpmovd2m(k1, V(r.a)) : vpmovq2m(k1, V(r.a));
      return single ? vblendmps(V(r.b) | k1, V(r.b), V(r.e)) : vblendmpd(V(r.b) | k1, V(r.b), V(r.e));
    case 29: return exclusive_or(packed, V(r.a), V(r.a), V(r.c));
    case 30: return both(r.c, r.c, constant(sign_mask));
    case 31: return both(r.a, r.a, constant(sign_mask));
    case 32: return exclusive_or(packed, V(r.e), V(r.d), V(r.c));
    case 33: return exclusive_or(packed, V(r.b), V(r.b), V(r.a));
    case 34: return store(packed, ptr[to], V(r.e));
    case 35: return store(packed, ptr[to + form_.vector_bytes()], V(r.b));
  }
}

void TurnEncoder::turn_sse2() {
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
  for (int i = TurnNumbers<double>::terms - 2; i >= 0; --i) {
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

}  // namespace ulna::internal::jit
