#include <algorithm>
#include <array>
#include <cstring>

#include "jit/encode.hpp"
#include "jit/layout.hpp"
#include "jit/machine.hpp"
#include "jit/neon_words.hpp"

namespace ulna::internal::jit {

namespace neon {

namespace {

constexpr std::size_t kPage = 4096;

/// Words of a kernel for AArch64 one after the other: memory at any offset, and sines and cosines.
class Encoder {
 public:
  explicit Encoder(const Form& form) : form_(form) {}

  const std::vector<Word>& words() const { return words_; }

 protected:
  void emit(Word word) { words_.push_back(word); }

  /// Every lane of a register; one value, which takes a whole register or its lowest number.
  Kind packed() const { return form_.single ? Kind::ps : Kind::pd; }
  Kind value_kind() const { return form_.lanes ? packed() : form_.single ? Kind::ss : Kind::sd; }

  // ---- memory
  void load(Kind kind, int d, int base, std::size_t offset) {
    const Reached from = reach(base, offset, bytes_of(kind));
    emit(ldr(kind, d, from.base, from.offset));
  }
  void store(Kind kind, int a, int base, std::size_t offset) {
    const Reached to = reach(base, offset, bytes_of(kind));
    emit(str(kind, a, to.base, to.offset));
  }
  /// d = n + value, n - value, in one instruction or two.
  void add_to(int d, int n, std::size_t value) {
    if (value / kPage != 0) emit(add(d, n, value / kPage, true)), n = d;
    if (value % kPage != 0 || n != d) emit(add(d, n, value % kPage));
  }
  void subtract_from(int d, int n, std::size_t value) {
    if (value / kPage != 0) emit(sub(d, n, value / kPage, true)), n = d;
    if (value % kPage != 0 || n != d) emit(sub(d, n, value % kPage));
  }
  /// A jump target, or a moved base: the contents of kFar are unknown.
  void forget() { far_base_ = -1; }

  // General registers: the arguments of KernelFunction (AAPCS64), the program's constants, and an address out of an instruction's reach.
  enum : int { kInput = 0, kResults = 3, kTable = 4, kBlocks = 5, kConstants = 6, kFar = 16 };

  // ---- sines and cosines of every lane of a register; see sincos.hpp for the method

  /// Registers of one of the groups of angles whose sines are computed together. Before: angles in `a`; afterwards: sines in `e`, cosines in `b`.
  struct Group {
    int a, b, c, d, e;
  };
  /// This number, interleaved, takes all registers but the callee-saved ones and a few for constants.
  static constexpr std::size_t kGroups = 4;
  /// For angles that are loaded next; and a scratch register.
  std::vector<Group> groups(std::size_t count) {
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
  int spare() {
    const int r = spares_.front();
    spares_.erase(spares_.begin());
    spares_.push_back(r);
    return r;
  }
  /// Computes their sines and cosines. Sines of the first group go to `offset` of the stack, its cosines behind them, and so on.
  void encode_sincos(std::span<Group> groups, std::size_t offset) {
    const Kind k = packed();
    const auto each = [&](const auto& f) {
      for (Group& r : groups) f(r);
    };
    const auto with = [&](int entry, const auto& f) {
      const int constant = sincos_constant(entry);
      for (Group& r : groups) f(r, constant);
    };
    const std::size_t bytes = form_.vector_bytes();
    const auto place = [&](const Group& r) { return offset + 2 * bytes * static_cast<std::size_t>(&r - groups.data()); };
    const int top = form_.single ? 31 : 63, last = terms() - 1;

    // e: zero for angles that are too large, infinite or NaN
    with(largest, [&](Group& r, int limit) { emit(facge(k, r.e, limit, r.a)); });
    // c = n, the nearest integer to x / (π/2), which also stands as an integer in the lowest bits of b: those are kept in memory until the end
    const int rounding = sincos_constant(magic);
    each([&](Group& r) { emit(mov(r.b, rounding)); });
    with(two_over_pi, [&](Group& r, int factor) { emit(fmla(k, r.b, r.a, factor)); });
    each([&](Group& r) { emit(fsub(k, r.c, r.b, rounding)); });
    each([&](Group& r) { store(k, r.b, kStack, place(r)); });
    // d + a = r + rest = x - n π/2; a rest that is NaN makes everything NaN
    with(P1, [&](Group& r, int part) { emit(fmls(k, r.a, r.c, part)); });
    const int second = sincos_constant(P2);
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

  Form form_;

 private:
  struct Reached {
    int base;
    std::size_t offset;
  };
  Reached reach(int base, std::size_t offset, std::size_t unit) {
    if (offset / unit < kReach) return {base, offset};
    const std::size_t page = offset / kPage;
    if (far_base_ != base || far_page_ != page) emit(add(kFar, base, page, true));
    far_base_ = base, far_page_ = page;
    return {kFar, offset % kPage};
  }
  int sincos_constant(int entry) {
    const int r = spare();
    load(packed(), r, kTable, static_cast<std::size_t>(entry) * sincos_stride(form_));
    return r;
  }
  /// p = p z + constant. The instruction adds to what is there, so the constant is copied, and the register of the old p becomes a spare one.
  void horner(std::span<Group> groups, int Group::*polynomial, int entry) {
    const int constant = sincos_constant(entry);
    for (Group& r : groups) {
      const int sum = spares_.front();
      spares_.front() = r.*polynomial;
      emit(mov(sum, constant));
      emit(fmla(packed(), sum, r.*polynomial, r.c));
      r.*polynomial = sum;
      spare();
    }
  }
  int terms() const { return form_.single ? SinCosNumbers<float>::terms : SinCosNumbers<double>::terms; }

  std::vector<Word> words_;
  int far_base_ = -1;
  std::size_t far_page_ = 0;
  std::vector<int> spares_;  // free registers; the one that has been free longest comes first
};

}  // namespace

}  // namespace neon

namespace {

using neon::Kind;
using neon::kStack;

/// Registers of values by the allocation's numbers: callee-saved ones come last, so that few kernels save them. Two more are for operands in
/// memory, which must be loaded, and for sums, which vector instructions add to one of their operands: such a sum may be made in a free register, which
/// then takes the place of the one it was to go to.
constexpr int kValues = 30;
constexpr int kCallers = 8;  // the last of them, registers 8 to 15
constexpr std::array<int, kValues> kRegisters = {0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 8, 9, 10, 11, 12, 13, 14, 15};

class NeonKernelEncoder : public neon::Encoder {
 public:
  NeonKernelEncoder(const Program& program, const Tape& tape, const Allocation& allocation, const Form& form)
      : Encoder(form), program_(program), allocation_(allocation), layout_(program, tape, allocation, form_, value_bytes(form), 16), register_(kRegisters) {}

  std::size_t frame() const { return layout_.frame; }

  void run() {
    using namespace neon;
    const int saved = callers_registers();
    constexpr std::size_t kSaved = kCallers * 8;
    if (saved > 0) emit(sub(kStack, kStack, kSaved));
    for (int r = 0; r < saved; r += 2) emit(stp(Kind::sd, 8 + r, 9 + r, kStack, static_cast<std::size_t>(r) * 8));
    // A guard page lies below the stack: no page may be jumped over.
    std::size_t left = layout_.frame;
    for (; left > kPage; left -= kPage) {
      emit(sub(kStack, kStack, 1, true));
      emit(store_zero(kStack));
    }
    if (left > 0) subtract_from(kStack, kStack, left);
    add_to(kConstants, kTable, constants_begin(form_));
    const std::size_t start = words().size();
    encode_all(allocation_.early_steps);
    sincos_all();
    encode_all(allocation_.steps);
    if (form_.lanes) next_block(start);
    if (layout_.frame > 0) add_to(kStack, kStack, layout_.frame);
    for (int r = 0; r < saved; r += 2) emit(ldp(Kind::sd, 8 + r, 9 + r, kStack, static_cast<std::size_t>(r) * 8));
    if (saved > 0) emit(add(kStack, kStack, kSaved));
    emit(kReturn);
  }

 private:
  /// How many of them the kernel uses; even.
  int callers_registers() const {
    int most = -1;
    for (const std::vector<Step>* steps : {&allocation_.early_steps, &allocation_.steps})
      for (const Step& step : *steps) most = std::max({most, int{step.a}, int{step.d}});
    const int used = std::max(0, most + 1 - (kValues - kCallers));
    return (used + 1) / 2 * 2;
  }

  void next_block(std::size_t start) {
    using namespace neon;
    for (std::size_t k = 0; k < program_.inputs.size(); ++k) {
      const int input = kInput + static_cast<int>(k);
      if (program_.inputs[k].size > 0) add_to(input, input, program_.inputs[k].size * value_bytes(form_));
    }
    if (!program_.results.empty()) add_to(kResults, kResults, program_.results.size() * value_bytes(form_));
    forget();
    // Kernels may be longer than a conditional branch reaches.
    emit(sub(kBlocks, kBlocks, 1));
    emit(cbz(kBlocks, 2));
    emit(branch(static_cast<std::int64_t>(start) - static_cast<std::int64_t>(words().size())));
  }

  // ---- where a place lies: from which register, and how far from there

  struct Where {
    int base;
    std::size_t offset;
  };
  Where where(const Place& place) const {
    const std::size_t offset = layout_.offset_of(place);
    switch (place.kind) {
      case Place::input: return {kInput + static_cast<int>(layout_.signal_of(place)), offset};
      case Place::constant: return {kConstants, offset};
      case Place::sincos: return {kStack, layout_.sincos_begin + offset};
      default: return {kStack, offset};
    }
  }
  void load_value(int d, const Place& place) {
    const Where from = where(place);
    load(value_kind(), d, from.base, from.offset);
  }

  // ---- steps

  void encode_all(const std::vector<Step>& steps) {
    for (std::size_t i = 0; i < steps.size(); ++i) {
      const Step& step = steps[i];
      if (const std::size_t run = neighbours(steps, i); run >= kFewest) {
        store_run(step, run);
        i += run - 1;
        continue;
      }
      const bool copied = step.kind == Step::copy && i + 1 < steps.size() && steps[i + 1].kind == Step::fuse231 && steps[i + 1].d == step.d;
      copied ? fuse(steps[++i], &step) : encode(step);
    }
  }

  // ---- results that are one value: the zeros of a tree's matrices, half of all their entries. In one state they are neighbours, and stored side by side.

  static constexpr std::size_t kFewest = 6, kMost = 2000;  // which instructions reach
  /// How many steps from `first` on write the same value to places one after the other.
  std::size_t neighbours(const std::vector<Step>& steps, std::size_t first) const {
    if (form_.lanes) return 0;
    const Step& one = steps[first];
    std::size_t count = 0;
    for (; first + count < steps.size() && count < kMost; ++count) {
      const Step& s = steps[first + count];
      if (s.kind != Step::result || s.a != one.a || s.negative != one.negative || s.output != one.output + count) break;
    }
    return count;
  }

  void store_run(const Step& first, std::size_t count) {
    using namespace neon;
    const std::size_t real = form_.real_bytes();
    int from = reg(first.a);
    const int all = next_free();
    if (first.negative) emit(fneg(value_kind(), all, from)), from = all;
    emit(dup(packed(), all, from));
    add_to(kFar, kResults, first.output * real);
    forget();
    std::size_t at = 0, left = count * real;
    for (; left >= 32 && at / 16 + 1 < kPairReach; at += 32, left -= 32) emit(stp(packed(), all, all, kFar, at));
    for (; left >= 16; at += 16, left -= 16) emit(str(packed(), all, kFar, at));
    for (; left > 0; at += real, left -= real) emit(str(value_kind(), all, kFar, at));
  }

  int reg(int number) const { return register_[static_cast<std::size_t>(number)]; }
  void set_reg(int number, int r) { register_[static_cast<std::size_t>(number)] = r; }
  /// The two alternately, so that one may be loaded while the other is still read.
  int& next_free() { return free_[alternate_ ^= 1]; }
  /// A register that holds it.
  int operand(const Place& place) {
    if (place.kind == Place::reg) return reg(static_cast<int>(place.index));
    const int r = next_free();
    load_value(r, place);
    return r;
  }

  void encode(const Step& step) {
    using namespace neon;
    const Kind kind = value_kind();
    switch (step.kind) {
      case Step::load: return load_value(reg(step.d), step.b);
      case Step::store: {
        const Where to = where(step.b);
        return store(kind, reg(step.a), to.base, to.offset);
      }
      case Step::copy: return emit(mov(reg(step.d), reg(step.a)));
      case Step::result: {
        int from = reg(step.a);
        if (step.negative) {
          from = next_free();
          emit(fneg(kind, from, reg(step.a)));
        }
        return store(kind, from, kResults, step.output * value_bytes(form_));
      }
      case Step::binary: break;
      default: return fuse(step, nullptr);
    }
    const int b = operand(step.b), a = reg(step.a), d = reg(step.d);
    switch (step.op) {
      case Op::add: return emit(fadd(kind, d, a, b));
      case Op::subtract: return emit(fsub(kind, d, a, b));
      case Op::multiply: return emit(fmul(kind, d, a, b));
      default: return emit(fdiv(kind, d, a, b));
    }
  }

  /// ±(n m) ± s. With a copy before it, s is what is copied.
  void fuse(const Step& step, const Step* copy) {
    const int b = operand(step.b), a = reg(step.a), d = reg(step.d);
    const bool in_memory = step.b.kind != Place::reg;
    switch (step.kind) {
      case Step::fuse231: return sum_of_product(step, a, b, copy == nullptr ? d : reg(copy->a), copy == nullptr);
      case Step::fuse213: return sum_of_product(step, a, d, b, in_memory);
      default: return sum_of_product(step, d, b, a, false);
    }
  }

  /// `last`: s is not needed any more.
  void sum_of_product(const Step& step, int n, int m, int s, bool last) {
    using namespace neon;
    const Kind kind = value_kind();
    int d = reg(step.d);
    if (!form_.lanes) {
      switch (step.op) {
        case Op::multiply_add: return emit(fmadd(kind, d, n, m, s));
        case Op::multiply_subtract: return emit(fnmsub(kind, d, n, m, s));
        default: return emit(fmsub(kind, d, n, m, s));
      }
    }
    // The instruction adds to s, or subtracts from it; a product less s needs -s first.
    const bool negate = step.op == Op::multiply_subtract;
    int sum = s;
    if (!last || (negate && (s == n || s == m))) {
      const auto reads = [&](int r) { return r == n || r == m || r == s; };
      sum = !reads(d) ? d : reads(free_[0]) ? free_[1] : free_[0];
      emit(negate ? fneg(kind, sum, s) : mov(sum, s));
    } else if (negate) {
      emit(fneg(kind, sum, sum));
    }
    emit(step.op == Op::subtract_product ? fmls(kind, sum, n, m) : fmla(kind, sum, n, m));
    if (sum == d) return;
    // It stands in a register that was free: the other one is free now.
    (sum == free_[0] ? free_[0] : free_[1]) = d;
    set_reg(step.d, sum);
  }

  // ---- sines and cosines

  void sincos_all() {
    const std::size_t angles = allocation_.angles.size(), each = form_.lanes ? 1 : form_.width(), rounds = (angles + each - 1) / each;
    for (std::size_t first = 0; first < rounds; first += kGroups) {
      std::vector<Group> some = groups(std::min(kGroups, rounds - first));
      for (std::size_t g = 0; g < some.size(); ++g) {
        const std::size_t k = (first + g) * each;
        form_.lanes ? load_value(some[g].a, layout_.angle(k)) : gather(some[g].a, k, std::min(each, angles - k));
      }
      encode_sincos(some, layout_.sincos_begin + layout_.sincos_at(first * each, 0));
    }
  }

  /// Angles of one state side by side in a register. Where there are too few, the rest of it is zero.
  void gather(int d, std::size_t first, std::size_t count) {
    const Where begin = where(layout_.angle(first));
    const auto follows = [&](std::size_t i) {
      const Where at = where(layout_.angle(first + i));
      return at.base == begin.base && at.offset == begin.offset + i * form_.real_bytes();
    };
    bool neighbours = count == form_.width() && begin.offset % 16 == 0;
    for (std::size_t i = 1; i < count; ++i) neighbours = neighbours && follows(i);
    if (neighbours) return load(packed(), d, begin.base, begin.offset);
    load_value(d, layout_.angle(first));
    for (std::size_t i = 1; i < count; ++i) {
      const int other = spare();
      load_value(other, layout_.angle(first + i));
      emit(neon::ins(packed(), d, static_cast<int>(i), other));
    }
  }

  const Program& program_;
  const Allocation& allocation_;
  MemoryLayout layout_;
  std::array<int, kValues> register_;  // of a number of the allocation
  int free_[2] = {30, 31};
  int alternate_ = 0;
};

}  // namespace

Encoded encode_neon(const Program& program, const Form& form) {
  Encoded encoded;
  const Tape tape = tape_of(program);
  const Allocation allocation = allocate(tape, {.count = kValues});
  NeonKernelEncoder encoder(program, tape, allocation, form);
  if (encoder.frame() > kMostFrameBytes) return encoded;
  encoder.run();
  const std::vector<neon::Word>& words = encoder.words();
  encoded.code.resize(words.size() * sizeof(neon::Word));
  std::memcpy(encoded.code.data(), words.data(), encoded.code.size());
  encoded.instructions = words.size();
  encoded.spills = allocation.spills;
  return encoded;
}

}  // namespace ulna::internal::jit
