#include "jit/neon_encoder.hpp"

namespace ulna::internal::jit::neon {

namespace {
constexpr std::size_t kPage = 4096;
}

Encoder::Reached Encoder::reach(int base, std::size_t offset, std::size_t unit) {
  if (offset / unit < kReach) return {base, offset};
  const std::size_t page = offset / kPage;
  if (far_base_ != base || far_page_ != page) emit(add(kFar, base, page, true));
  far_base_ = base, far_page_ = page;
  return {kFar, offset % kPage};
}

void Encoder::load(Kind kind, int d, int base, std::size_t offset) {
  const Reached from = reach(base, offset, bytes_of(kind));
  emit(ldr(kind, d, from.base, from.offset));
}

void Encoder::store(Kind kind, int a, int base, std::size_t offset) {
  const Reached to = reach(base, offset, bytes_of(kind));
  emit(str(kind, a, to.base, to.offset));
}

void Encoder::add_to(int d, int n, std::size_t value) {
  if (value / kPage != 0) emit(add(d, n, value / kPage, true)), n = d;
  if (value % kPage != 0 || n != d) emit(add(d, n, value % kPage));
}

void Encoder::subtract_from(int d, int n, std::size_t value) {
  if (value / kPage != 0) emit(sub(d, n, value / kPage, true)), n = d;
  if (value % kPage != 0 || n != d) emit(sub(d, n, value % kPage));
}

std::vector<Encoder::Group> Encoder::groups(std::size_t count) {
  // All but 8 to 15, whose lower halves are the caller's.
  spares_.clear();
  for (int r = 0; r < 8; ++r) spares_.push_back(r);
  for (int r = 16; r < 32; ++r) spares_.push_back(r);
  std::vector<Group> all;
  for (std::size_t g = 0; g < count; ++g) {
    const auto r = spares_.begin();
    all.push_back({r[0], r[1], r[2], r[3], r[4]});
    spares_.erase(r, r + 5);
  }
  return all;
}

int Encoder::spare() {
  const int r = spares_.front();
  spares_.erase(spares_.begin());
  spares_.push_back(r);
  return r;
}

int Encoder::turn_constant(int entry) {
  const int r = spare();
  load(packed(), r, kTable, static_cast<std::size_t>(entry) * turn_stride(form_));
  return r;
}

/// p = p z + constant. The instruction adds to what is there, so the constant is copied, and the register of the old p becomes a spare one.
void Encoder::horner(std::span<Group> groups, int Group::*polynomial, int entry) {
  const int constant = turn_constant(entry);
  for (Group& r : groups) {
    const int sum = spares_.front();
    spares_.front() = r.*polynomial;
    emit(mov(sum, constant));
    emit(fmla(packed(), sum, r.*polynomial, r.c));
    r.*polynomial = sum;
    spare();
  }
}

void Encoder::turn(std::span<Group> groups, std::size_t offset) {
  const Kind k = packed();
  const auto each = [&](const auto& f) {
    for (Group& r : groups) f(r);
  };
  const auto with = [&](int entry, const auto& f) {
    const int constant = turn_constant(entry);
    for (Group& r : groups) f(r, constant);
  };
  const std::size_t bytes = form_.vector_bytes();
  const auto place = [&](const Group& r) { return offset + 2 * bytes * static_cast<std::size_t>(&r - groups.data()); };
  const int top = form_.single ? 31 : 63, last = terms() - 1;

  // e: zero for angles that are too large, infinite or NaN
  with(largest, [&](Group& r, int limit) { emit(facge(k, r.e, limit, r.a)); });
  // c = n, the nearest integer to x / (π/2), which also stands as an integer in the lowest bits of b: those are kept in memory until the end
  const int rounding = turn_constant(magic);
  each([&](Group& r) { emit(mov(r.b, rounding)); });
  with(two_over_pi, [&](Group& r, int factor) { emit(fmla(k, r.b, r.a, factor)); });
  each([&](Group& r) { emit(fsub(k, r.c, r.b, rounding)); });
  each([&](Group& r) { store(k, r.b, kStack, place(r)); });
  // d + a = r + rest = x - n π/2; a rest that is NaN makes everything NaN
  with(P1, [&](Group& r, int part) { emit(fmls(k, r.a, r.c, part)); });
  const int second = turn_constant(P2);
  each([&](Group& r) { emit(mov(r.d, r.a)); });
  each([&](Group& r) { emit(fmls(k, r.d, r.c, second)); });
  each([&](Group& r) { emit(fsub(k, r.a, r.a, r.d)); });
  each([&](Group& r) { emit(fmls(k, r.a, r.c, second)); });
  with(P3, [&](Group& r, int part) { emit(fmls(k, r.a, r.c, part)); });
  each([&](Group& r) { emit(orn(r.a, r.a, r.e)); });
  // c = z = r², e = p(z), b = c(z)
  each([&](Group& r) { emit(fmul(k, r.c, r.d, r.d)); });
  with(S1 + last, [&](Group& r, int leading) { emit(mov(r.e, leading)); });
  with(C1 + last, [&](Group& r, int leading) { emit(mov(r.b, leading)); });
  for (int term = last - 1; term >= 0; --term) {
    horner(groups, &Group::e, S1 + term);
    horner(groups, &Group::b, C1 + term);
  }
  // e = sine = r + (r z p + rest), b = cosine = 1 + (-r/2 r + (z² c(z) - r rest)), where the product of -r/2 and r is not rounded
  each([&](Group& r) { emit(fmul(k, r.e, r.e, r.c)); });
  each([&](Group& r) { emit(fmul(k, r.b, r.b, r.c)); });
  for (Group& r : groups) {
    const int sum = spares_.front();
    spares_.front() = r.e;
    emit(mov(sum, r.a));
    emit(fmla(k, sum, r.e, r.d));
    r.e = sum;
    spare();
  }
  each([&](Group& r) { emit(fmul(k, r.a, r.a, r.d)); });
  each([&](Group& r) { emit(fadd(k, r.e, r.e, r.d)); });
  each([&](Group& r) { emit(fneg(k, r.a, r.a)); });
  each([&](Group& r) { emit(fmla(k, r.a, r.b, r.c)), std::swap(r.a, r.b); });
  with(minus_half, [&](Group& r, int factor) { emit(fmul(k, r.c, r.d, factor)); });
  each([&](Group& r) { emit(fmla(k, r.b, r.c, r.d)); });
  with(one, [&](Group& r, int unit) { emit(fadd(k, r.b, r.b, unit)); });
  // Odd n: sine and cosine change places. Bit 1 of n is the sign of the first, bit 1 of n + 1, that is bit 1 unlike bit 0, the sign of the second.
  each([&](Group& r) { load(k, r.a, kStack, place(r)); });
  with(one_bit, [&](Group& r, int unit) {
    emit(cmtst(k, r.d, r.a, unit));
    emit(mov(r.c, r.d));
    emit(bsl(r.d, r.b, r.e));
    emit(bit(r.b, r.e, r.c));
  });
  each([&](Group& r) { emit(shl(k, r.c, r.a, top - 1)); });
  each([&](Group& r) { emit(shl(k, r.a, r.a, top)); });
  each([&](Group& r) { emit(eor(r.a, r.a, r.c)); });
  with(sign_mask, [&](Group& r, int sign) {
    emit(and_(r.c, r.c, sign));
    emit(and_(r.a, r.a, sign));
    emit(eor(r.e, r.d, r.c));
    emit(eor(r.b, r.b, r.a));
  });
  each([&](Group& r) {
    store(k, r.e, kStack, place(r));
    store(k, r.b, kStack, place(r) + bytes);
  });
}

}  // namespace ulna::internal::jit::neon
