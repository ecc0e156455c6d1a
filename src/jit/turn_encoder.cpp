#include "jit/turn_encoder.hpp"

namespace ulna::jit {

void TurnEncoder::turn(std::size_t groups) { vex() ? turn_fused(static_cast<int>(groups)) : turn_sse2(); }

void TurnEncoder::load_constant(int d, int entry) {
  if (!evex()) return load(kind(), wide(d), constant(entry));
  ++instructions_;
  const auto at = table + static_cast<int>(static_cast<std::size_t>(entry) * turn_stride(form_));
  form_.single ? vbroadcastss(Xbyak::Zmm(d), ptr[at]) : vbroadcastsd(Xbyak::Zmm(d), ptr[at]);
}

void TurnEncoder::turn_fused(int groups) {
  const bool single = form_.single;
  const Kind packed = kind();
  const auto V = [this](int i) { return wide(i); };
  // One instruction for every group, then the next one.
  const auto each = [&](auto instruction) {
    for (int g = 0; g < groups; ++g) instruction(group(g));
  };
  // d += a * b, d -= a * b, d = d * a + b
  const auto add_product = [&](int d, int a, const Operand& b) { fuse(Step::fuse231, Op::multiply_add, packed, V(d), V(a), b); };
  const auto subtract_product = [&](int d, int a, const Operand& b) { fuse(Step::fuse231, Op::subtract_product, packed, V(d), V(a), b); };
  const auto horner = [&](int d, int a, const Operand& b) { fuse(Step::fuse213, Op::multiply_add, packed, V(d), V(a), b); };
  const auto both = [&](int d, int a, const Operand& b) {
    ++instructions_;
    single ? vandps(V(d), V(a), b) : vandpd(V(d), V(a), b);
  };

  // j: all ones for angles that are too large, infinite or NaN
  constexpr std::uint8_t kNotLessEqual = 0x16;
  each([&](Group r) { both(r.j, r.a, constant(abs_mask)); });
  if (!evex())
    each([&](Group r) {
      ++instructions_;
      single ? vcmpps(V(r.j), V(r.j), constant(largest), kNotLessEqual) : vcmppd(V(r.j), V(r.j), constant(largest), kNotLessEqual);
    });
  // c = n, the nearest integer to x / (π/2), which also stands as an integer in the lowest bits of b
  each([&](Group r) { load_constant(r.b, magic); });
  each([&](Group r) { add_product(r.b, r.a, constant(two_over_pi)); });
  each([&](Group r) { arithmetic(Op::subtract, packed, V(r.c), V(r.b), constant(magic)); });
  // d + a = r + rest = x - n π/2; a rest that is NaN makes everything NaN
  each([&](Group r) { subtract_product(r.a, r.c, constant(P1)); });
  each([&](Group r) { copy(V(r.d), V(r.a)); });
  each([&](Group r) { subtract_product(r.d, r.c, constant(P2)); });
  each([&](Group r) { arithmetic(Op::subtract, packed, V(r.a), V(r.a), V(r.d)); });
  each([&](Group r) { subtract_product(r.a, r.c, constant(P2)); });
  each([&](Group r) { subtract_product(r.a, r.c, constant(P3)); });
  each([&](Group r) {
    ++instructions_;
    if (!evex()) {
      single ? vorps(V(r.a), V(r.a), V(r.j)) : vorpd(V(r.a), V(r.a), V(r.j));
      return;
    }
    ++instructions_;
    const Address nan = ptr[table + not_a_number * static_cast<int>(turn_stride(form_))];
    single ? vcmpps(k1, V(r.j), constant(largest), kNotLessEqual) : vcmppd(k1, V(r.j), constant(largest), kNotLessEqual);
    single ? vbroadcastss(Xbyak::Zmm(r.a) | k1, nan) : vbroadcastsd(Xbyak::Zmm(r.a) | k1, nan);
  });
  // c = z = r², l = w = 1 - z/2, j = what rounding took off r² and w, and what the rest adds: -(r² - z)/2 - r rest + (1 - w - z/2)
  each([&](Group r) { arithmetic(Op::multiply, packed, V(r.c), V(r.d), V(r.d)); });
  each([&](Group r) { load_constant(r.e, one); });
  each([&](Group r) { copy(V(r.l), V(r.e)); });
  each([&](Group r) { add_product(r.l, r.c, constant(minus_half)); });
  each([&](Group r) { copy(V(r.j), V(r.c)); });
  each([&](Group r) { fuse(Step::fuse231, Op::multiply_subtract, packed, V(r.j), V(r.d), V(r.d)); });
  each([&](Group r) { arithmetic(Op::multiply, packed, V(r.j), V(r.j), constant(minus_half)); });
  each([&](Group r) { subtract_product(r.j, r.d, V(r.a)); });
  each([&](Group r) { arithmetic(Op::subtract, packed, V(r.e), V(r.e), V(r.l)); });
  each([&](Group r) { add_product(r.e, r.c, constant(minus_half)); });
  each([&](Group r) { arithmetic(Op::add, packed, V(r.j), V(r.j), V(r.e)); });
  // e = p(z), f = c(z)
  const int terms = single ? TurnNumbers<float>::terms : TurnNumbers<double>::terms;
  each([&](Group r) { load_constant(r.e, S1 + terms - 1); });
  each([&](Group r) { load_constant(r.f, C1 + terms - 1); });
  for (int i = terms - 2; i >= 0; --i) {
    each([&](Group r) { horner(r.e, r.c, constant(S1 + i)); });
    each([&](Group r) { horner(r.f, r.c, constant(C1 + i)); });
  }
  // f = cosine = w + (z² c(z) + j), e = sine = r + (r z p + rest)
  each([&](Group r) { arithmetic(Op::multiply, packed, V(r.f), V(r.f), V(r.c)); });
  each([&](Group r) { arithmetic(Op::multiply, packed, V(r.e), V(r.e), V(r.c)); });
  each([&](Group r) { add_product(r.j, r.f, V(r.c)); });
  each([&](Group r) { add_product(r.a, r.e, V(r.d)); });
  each([&](Group r) { arithmetic(Op::add, packed, V(r.f), V(r.l), V(r.j)); });
  each([&](Group r) { arithmetic(Op::add, packed, V(r.e), V(r.d), V(r.a)); });
  // Odd n: sine and cosine change places. Bit 1 of n is the sign of the first, bit 1 of n + 1, that is bit 1 unlike bit 0, the sign of the second.
  const auto shift = [&](int d, int a, int by) {
    ++instructions_;
    single ? vpslld(V(d), V(a), static_cast<std::uint8_t>(by)) : vpsllq(V(d), V(a), static_cast<std::uint8_t>(by));
  };
  const int top = single ? 31 : 63;
  each([&](Group r) { shift(r.a, r.b, top); });
  each([&](Group r) { shift(r.c, r.b, top - 1); });
  each([&](Group r) {
    instructions_ += 2;
    if (evex()) {
      ++instructions_;
      single ? vpmovd2m(k1, V(r.a)) : vpmovq2m(k1, V(r.a));
      single ? vblendmps(V(r.d) | k1, V(r.e), V(r.f)) : vblendmpd(V(r.d) | k1, V(r.e), V(r.f));
      single ? vblendmps(V(r.f) | k1, V(r.f), V(r.e)) : vblendmpd(V(r.f) | k1, V(r.f), V(r.e));
    } else {
      single ? vblendvps(V(r.d), V(r.e), V(r.f), V(r.a)) : vblendvpd(V(r.d), V(r.e), V(r.f), V(r.a));
      single ? vblendvps(V(r.f), V(r.f), V(r.e), V(r.a)) : vblendvpd(V(r.f), V(r.f), V(r.e), V(r.a));
    }
  });
  each([&](Group r) { exclusive_or(packed, V(r.a), V(r.a), V(r.c)); });
  each([&](Group r) { both(r.c, r.c, constant(sign_mask)); });
  each([&](Group r) { both(r.a, r.a, constant(sign_mask)); });
  each([&](Group r) { exclusive_or(packed, V(r.e), V(r.d), V(r.c)); });
  each([&](Group r) { exclusive_or(packed, V(r.f), V(r.f), V(r.a)); });
}

void TurnEncoder::turn_sse2() {
  // Angles in register a of the group, sines in e, cosines in f, as above; more registers than a group has.
  enum : int { x = 0, k, t, r, p, c, n, rest, z, m, u, spare };
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
