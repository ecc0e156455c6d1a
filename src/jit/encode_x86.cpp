#include <algorithm>
#include <cstddef>

#include "jit/encode.hpp"
#include "jit/moving_base.hpp"
#include "jit/order.hpp"
#include "jit/x86_encoder.hpp"

namespace ulna::internal::jit {

namespace {

class X86KernelEncoder : public ColumnEncoder {
 public:
  X86KernelEncoder(const Program& program, const Tape& tape, const Allocation& allocation, const Form& form, void* buffer, std::size_t size,
                   const Rows* rows = nullptr)
      : ColumnEncoder(form, buffer, size),
        program_(program),
        allocation_(allocation),
        layout_(program, tape, allocation, form_, tape.has_pairs() ? kPairBytes : value_bytes(form), 64),
        rows_(rows),
        pairs_(tape.has_pairs()),
        pairs_from_constants_(pairs_begin(form, layout_.places.size()) - constants_begin(form)) {
    if (pairs_) frame_ += kPairBytes;  // a pair of floats is read with the bytes behind it
    buffers_begin_ = frame_;
    if (form_.columns) frame_ += 2 * (program.input_count() + program.results.size()) * form.vector_bytes();
  }

  std::size_t frame() const { return frame_; }

  void run() {
    using namespace Xbyak::util;
    push(rbp);
    push(rbx);
    const Xbyak::Reg64 more[] = {r12, r13, r14, r15};
    if (form_.columns)
      for (const Xbyak::Reg64& reg : more) push(reg);
    mov(r11, rsp);
    and_(rsp, static_cast<std::uint32_t>(-64));
    // A guard page lies below the stack: no page may be jumped over.
    constexpr std::size_t kPage = 4096;
    std::size_t left = frame_;
    for (; left > kPage; left -= kPage) {
      sub(rsp, static_cast<std::uint32_t>(kPage));
      or_(qword[rsp], 0);
    }
    if (left > 0) sub(rsp, static_cast<std::uint32_t>(left));
    lea(rbp, ptr[rsp + kReach]);
    lea(rbx, ptr[rsp + (layout_.sincos_begin + kReach)]);
    lea(rax, ptr[table + (constants_begin(form_) + kReach)]);
    frame_base_.at = sincos_.at = constants_.at = kReach;
    if (pairs_) {
      lea(r10, ptr[table + (constants_begin(form_) + pairs_from_constants_ + kReach)]);
      pair_base_.at = kReach;
      ++instructions_;
    }
    if (form_.columns) {
      columns();
    } else if (!form_.lanes) {
      encode_all(allocation_.early_steps);
      sincos_one();
      encode_all(allocation_.steps);
    } else {
      blocks();
    }
    mov(rsp, r11);
    if (form_.columns)
      for (std::size_t k = std::size(more); k-- > 0;) pop(more[k]);
    pop(rbx);
    pop(rbp);
    if (vex()) vzeroupper();
    ret();
    instructions_ += 12;
  }

 private:
  // ---- blocks of states

  /// One block after the other; r9 counts them.
  void blocks() {
    Xbyak::Label next;
    L(next);
    encode_all(allocation_.early_steps);
    sincos_lanes();
    encode_all(allocation_.steps);
    for (std::size_t k = 0; k < program_.inputs.size(); ++k) move(inputs_[k], program_.inputs[k].size * value_bytes(form_), 0);
    move(results_, program_.results.size() * value_bytes(form_), 0);
    move(constants_, kReach, kReach);
    move(sincos_, kReach, kReach);
    move(frame_base_, kReach, kReach);
    dec(Xbyak::util::r9);
    jnz(next, T_NEAR);
    instructions_ += 2;
  }

  // ---- columns: states one after the other

  /// Block after block: while one is computed, the next one's inputs are transposed to lanes, and the results of the one before to columns. With the first
  /// block, undefined results are written where its own results will be.
  void columns() {
    using namespace Xbyak::util;
    const std::size_t in = program_.input_count() * kRowBytes, out = program_.results.size() * kRowBytes, signals = program_.inputs.size();
    mov(r15, rdi);
    lea(rdi, ptr[rsp + buffers_begin_]);                   // inputs of this block
    lea(rsi, ptr[rsp + (buffers_begin_ + in)]);            // and of the next
    lea(rcx, ptr[rsp + (buffers_begin_ + 2 * in)]);        // results of this block
    lea(rdx, ptr[rsp + (buffers_begin_ + 2 * in + out)]);  // and of the one before
    mov(r14, ptr[r15 + offsetof(Columns, out)]);
    xor_(r13d, r13d);  // by which r14 moves: not after the first block
    const std::vector<Emit> first = read_columns(program_.inputs, rdi), last = write_columns(*rows_);
    for (const Emit& emit : first) emit();
    move_inputs(signals, true);
    std::vector<Emit> meanwhile = read_columns(program_.inputs, rsi);
    meanwhile.insert(meanwhile.end(), last.begin(), last.end());
    Xbyak::Label next, more;
    L(next);
    cmp(r9, 1);
    jne(more, T_NEAR);
    move_inputs(signals, false);  // there is no next block: this one once more
    L(more);
    encode_all(allocation_.early_steps);
    const std::size_t angles = sincos_in_loop() ? 0 : allocation_.angles.size();
    interleave(meanwhile, allocation_.steps.size() + angles * static_cast<std::size_t>(sincos_steps()));
    pause(angles == 0);
    sincos_lanes();
    pause(false);
    encode_all(allocation_.steps);
    finish();
    move_inputs(signals, true);
    add(r14, r13);
    mov(r13, ptr[r15 + offsetof(Columns, out_step)]);
    move(inputs_[0], 0, 0);
    move(results_, 0, 0);
    move(constants_, kReach, kReach);
    move(sincos_, kReach, kReach);
    move(frame_base_, kReach, kReach);
    xchg(rdi, rsi);
    xchg(rcx, rdx);
    dec(r9);
    jnz(next, T_NEAR);
    for (const Emit& emit : last) emit();
    instructions_ += 15 + first.size() + last.size();
  }

  struct Base : MovingBase {
    explicit Base(const Xbyak::Reg64& r) : reg(r) {}
    Xbyak::Reg64 reg;
  };

  /// Address of `offset` in a stretch. May emit an instruction, so the address is for the next one.
  Xbyak::RegExp in(Base& base, std::size_t offset, std::size_t unit = 1) {
    const std::size_t to = base.ask(offset, unit);
    move(base, to, to);
    return base.reg + offset - base.at;
  }

  /// The register points to `to` of its stretch, and that is called `at` from now on.
  void move(Base& base, std::size_t to, std::size_t at) {
    if (to != base.at) {
      ++instructions_;
      const std::int64_t by = static_cast<std::int64_t>(to) - static_cast<std::int64_t>(base.at);
      // A byte holds -128, but not 128.
      by == 128 ? sub(base.reg, static_cast<std::uint32_t>(-128)) : add(base.reg, static_cast<std::uint32_t>(by));
    }
    base.at = at;
  }

  /// Lists the offsets that the steps will access, in order.
  void foresee(const std::vector<Step>& steps) {
    for (Base* base : {&frame_base_, &constants_, &pair_base_, &sincos_, &results_, &inputs_[0], &inputs_[1], &inputs_[2]}) base->foresee_nothing();
    for (const Step& step : steps) {
      if (step.kind == Step::result) results_.coming.push_back(result_at(step));
      if (step.kind != Step::result && step.kind != Step::copy && step.b.kind != Place::reg) base_of(step.b).coming.push_back(layout_.offset_of(step.b));
    }
  }
  void encode_all(const std::vector<Step>& steps) {
    foresee(steps);
    for (std::size_t i = 0; i < steps.size();) {
      const std::size_t block = same_results(steps, i);
      if (block < kFewest)
        encode(steps[i++]);
      else
        encode_results(steps, i, block), i += block;
      in_between();
    }
    foresee({});
  }

  // ---- results that are one value: the zeros of a tree's matrices, half of all their entries. In one state they are neighbours, and stored side by side.

  static constexpr std::size_t kFewest = 4;
  /// How many steps from `first` on write the same value as a result.
  std::size_t same_results(const std::vector<Step>& steps, std::size_t first) const {
    if (form_.lanes || !vex()) return 0;
    std::size_t end = first;
    const auto alike = [&](const Step& s) {
      return s.kind == Step::result && s.a == steps[first].a && s.negative == steps[first].negative && !s.upper && !steps[first].upper;
    };
    while (end < steps.size() && alike(steps[end])) ++end;
    return end - first;
  }

  void encode_results(const std::vector<Step>& steps, std::size_t first, std::size_t count) {
    const Step& one = steps[first];
    if (one.negative) exclusive_or(value_kind(), value(scratch()), value(one.a), evex() ? ptr_b[sign_mask_at()] : ptr[sign_mask_at()]);
    const int from = one.negative ? scratch() : one.a;
    ++instructions_;
    if (form_.single)
      vbroadcastss(wide(scratch()), Xmm(from));
    else
      evex() ? vbroadcastsd(Xbyak::Zmm(scratch()), Xmm(from)) : vbroadcastsd(Xbyak::Ymm(scratch()), Xmm(from));
    const std::size_t end = first + count;
    while (first < end) {
      std::size_t run = 1;
      while (first + run < end && steps[first + run].output == steps[first].output + run) ++run;
      store_run(steps[first].output, run);
      first += run;
    }
  }

  /// The scratch register holds the value in all its lanes. The last store may overlap the one before.
  void store_run(std::size_t output, std::size_t run) {
    const std::size_t real = form_.real_bytes(), before = results_.served;
    std::size_t bytes = form_.vector_bytes();
    while (bytes > real && bytes > run * real) bytes = bytes > 16 ? bytes / 2 : real;
    const std::size_t width = bytes / real;
    for (std::size_t at = 0; at < run; at += width) {
      const Address to = ptr[in(results_, std::min(at, run - width) * real + output * real, evex() && bytes > 16 ? bytes : 1)];
      if (bytes == real)
        store(value_kind(), to, Xmm(scratch()));
      else
        store(form_.single ? Kind::ps : Kind::pd, to,
              bytes == 64   ? static_cast<Xmm>(Xbyak::Zmm(scratch()))
              : bytes == 32 ? static_cast<Xmm>(Xbyak::Ymm(scratch()))
                            : Xmm(scratch()));
    }
    results_.served = std::min(before + run, results_.coming.size());
  }

  std::size_t vector_unit() const { return evex() && form_.lanes ? form_.vector_bytes() : 1; }

  Address sincos_address(std::size_t k, std::size_t cosine) { return ptr[in(sincos_, layout_.sincos_at(k, cosine), vector_unit())]; }

  // Where a place lies: from which register, how far from the beginning of its stretch, and in which units AVX-512 counts there.
  Base& base_of(const Place& place) {
    switch (place.kind) {
      case Place::input: return inputs_[form_.columns ? 0 : layout_.signal_of(place)];
      case Place::constant: return constants_;
      case Place::pair: return pair_base_;
      case Place::sincos: return sincos_;
      default: return frame_base_;
    }
  }
  Xbyak::RegExp where(const Place& place) {
    const bool broadcast = place.kind == Place::constant && repeats(form_);
    return in(base_of(place), layout_.offset_of(place), broadcast ? form_.real_bytes() : vector_unit());
  }
  Address address(const Place& place) {
    const Xbyak::RegExp at = where(place);
    return place.kind == Place::constant && repeats(form_) ? ptr_b[at] : ptr[at];
  }

  /// Of pairs, whole registers of 16 bytes: of floats, what is in the upper half does not matter.
  Kind pair_kind() const { return form_.single ? Kind::ps : Kind::pd; }
  Kind kind_of(const Step& step) const { return step.pair ? pair_kind() : value_kind(); }

  void load_value(int d, const Place& place, bool pair = false) {
    if (place.kind == Place::constant && repeats(form_)) {
      ++instructions_;
      const Address from = ptr[where(place)];
      return form_.single ? vbroadcastss(Xbyak::Zmm(d), from) : vbroadcastsd(Xbyak::Zmm(d), from);
    }
    load(pair ? pair_kind() : value_kind(), value(d), address(place));
  }

  void encode(const Step& step) {
    const Kind kind = kind_of(step);
    switch (step.kind) {
      case Step::load: return load_value(step.d, step.b, step.pair);
      case Step::store: return store(kind, address(step.b), value(step.a));
      case Step::copy: return copy(value(step.d), value(step.a));
      case Step::result: return encode_result(step);
      case Step::across: return encode_across(step);
      default: break;
    }
    const auto with = [&](const Operand& b) {
      if (step.kind == Step::binary)
        arithmetic(step.op, kind, value(step.d), value(step.a), b);
      else
        fuse(step.kind, step.op, kind, value(step.d), value(step.a), b);
    };
    step.b.kind == Place::reg ? with(value(static_cast<int>(step.b.index))) : with(address(step.b));
  }

  // ---- between the lanes of a pair

  void encode_across(const Step& step) {
    const bool in_register = step.b.kind == Place::reg;
    const Xmm d(step.d), b(in_register ? static_cast<int>(step.b.index) : scratch());
    ++instructions_;
    if (step.op == lane::spread) return in_register ? spread(d, b) : spread(d, address(step.b));
    if (step.op == lane::upper) {
      if (in_register)
        form_.single ? vmovshdup(d, b) : vunpckhpd(d, b, b);
      else
        --instructions_, load(value_kind(), d, ptr[where(step.b) + form_.real_bytes()]);
      if (step.negative) negate(d, d);
      return;
    }
    if (step.negative) {
      if (!in_register) load_value(scratch(), step.b);
      negate(Xmm(scratch()), b);
      return join(d, Xmm(step.a), Xmm(scratch()));
    }
    if (in_register) return join(d, Xmm(step.a), b);
    const Address second = address(step.b);
    form_.single ? vinsertps(d, Xmm(step.a), second, 0x10) : vmovhpd(d, Xmm(step.a), second);
  }

  void spread(const Xmm& d, const Operand& one) { form_.single ? vbroadcastss(d, one) : vmovddup(d, one); }
  void join(const Xmm& d, const Xmm& a, const Xmm& b) { form_.single ? vunpcklps(d, a, b) : vunpcklpd(d, a, b); }
  void negate(const Xmm& d, const Xmm& a) { exclusive_or(pair_kind(), d, a, evex() ? ptr_b[sign_mask_at()] : ptr[sign_mask_at()]); }

  std::size_t result_at(const Step& step) const { return step.output * value_bytes(form_); }

  Xbyak::RegExp sign_mask_at() const { return table + std::size_t{sign_mask} * sincos_stride(form_); }

  void encode_result(const Step& step) {
    const Address to = ptr[in(results_, result_at(step), vector_unit())];
    if (step.upper) {
      if (step.negative) negate(Xmm(scratch()), Xmm(step.a));
      ++instructions_;
      const Xmm from(step.negative ? scratch() : step.a);
      return form_.single ? vextractps(to, from, 1) : vmovhpd(to, from);
    }
    if (!step.negative) return store(value_kind(), to, value(step.a));
    // The mask of SSE2 is one of doubles; for floats it is made of the first half of two entries.
    const auto at = sign_mask_at();
    if (form_.single && !vex()) {
      load(Kind::pd, Xmm(scratch()), ptr[at]);
      ++instructions_;
      pshufd(Xmm(scratch()), Xmm(scratch()), 0xf5);
      exclusive_or(Kind::ps, Xmm(scratch()), Xmm(scratch()), value(step.a));
    } else {
      exclusive_or(value_kind(), value(scratch()), value(step.a), evex() ? ptr_b[at] : ptr[at]);
    }
    store(value_kind(), to, value(scratch()));
  }

  // ---- sines and cosines

  /// Computes sines and cosines of groups `first` to `first` + `groups` - 1 and writes them to their places; fetch(g, register) loads the angles.
  template <class Fetch>
  void sincos_groups(std::size_t first, std::size_t groups, const Fetch& fetch) {
    const std::size_t angles = form_.lanes ? 1 : form_.width();
    for (std::size_t g = 0; g < groups; ++g) fetch(first + g, group(g).a);
    const std::size_t at = layout_.sincos_at(first * angles, 0);
    if (at > sincos_.at) move(sincos_, at + kReach, at + kReach);
    encode_sincos(groups, sincos_.reg + at - sincos_.at);
  }

  bool sincos_in_loop() const {
    constexpr std::size_t kLong = 4;
    return allocation_.angles.size() / most_groups() >= kLong;
  }

  void sincos_lanes() {
    const std::size_t angles = allocation_.angles.size();
    if (form_.single && !vex()) {
      for (std::size_t k = 0; k < angles; ++k)
        sincos_floats_as_doubles(
            [&](std::size_t half) {
              load(Kind::ps, Xmm(0), address(layout_.angle(k)));
              if (half == 1) movhlps(Xmm(0), Xmm(0)), ++instructions_;
            },
            k);
      return;
    }
    const std::size_t groups = most_groups();
    // With many angles, short code is better: they are put where their cosines will be, and a loop computes these.
    const std::size_t rounds = angles / groups;
    if (!sincos_in_loop()) {
      for (std::size_t k = 0; k < angles; k += groups)
        sincos_groups(k, std::min(groups, angles - k), [&](std::size_t g, int to) { load_value(to, layout_.angle(g)); });
      return;
    }
    for (std::size_t k = 0; k < angles; ++k) {
      load_value(0, layout_.angle(k));
      store(value_kind(), sincos_address(k, 1), value(0));
    }
    move(sincos_, kReach, kReach);
    const auto sincos_some = [&](std::size_t count) {
      for (std::size_t g = 0; g < count; ++g) load(value_kind(), value(group(g).a), ptr[sincos_.reg + layout_.sincos_at(g, 1) - kReach]);
      encode_sincos(count, sincos_.reg - kReach);
    };
    const Xbyak::Reg64& left = Xbyak::util::r10;
    Xbyak::Label next;
    mov(left.cvt32(), static_cast<std::uint32_t>(rounds));
    L(next);
    sincos_some(groups);
    add(sincos_.reg, static_cast<std::uint32_t>(layout_.sincos_at(groups, 0)));
    dec(left);
    jnz(next, T_NEAR);
    instructions_ += 4;
    if (angles % groups != 0) sincos_some(angles % groups);
    sincos_.at = layout_.sincos_at(rounds * groups, 0) + kReach;
  }

  /// Angles of one state side by side in a register; the last ones are repeated to fill it.
  void sincos_one() {
    const std::size_t width = form_.width(), angles = allocation_.angles.size(), groups = (angles + width - 1) / width;
    const auto part = [&](std::size_t g) {
      return [this, first = g * width, angles](std::size_t i) { return address(layout_.angle(std::min(first + i, angles - 1))); };
    };
    if (form_.single && !vex()) {
      for (std::size_t g = 0; g < groups; ++g)
        sincos_floats_as_doubles([&](std::size_t half) { gather_floats(0, [&](std::size_t i) { return part(g)(i + 2 * half); }); }, g * width);
      return;
    }
    const std::size_t most = most_groups();
    for (std::size_t g = 0; g < groups; g += most) sincos_groups(g, std::min(most, groups - g), [&](std::size_t k, int to) { gather(to, part(k)); });
  }

  /// Two registers for gathering that no angles are in yet: above those of all groups, or the last of the last group.
  int spare(int k) const { return (evex() ? 30 : 14) + k; }

  /// d = {part(0), part(1), part(2), part(3)}.
  template <class Part>
  void gather_floats(int d, const Part& part) {
    const auto into = [&](int to, std::size_t i) { load(Kind::ss, Xmm(to), part(i)); };
    instructions_ += 3;
    into(d, 0), into(spare(0), 1);
    vex() ? vunpcklps(Xmm(d), Xmm(d), Xmm(spare(0))) : unpcklps(Xmm(d), Xmm(spare(0)));
    into(spare(1), 2), into(spare(0), 3);
    vex() ? vunpcklps(Xmm(spare(1)), Xmm(spare(1)), Xmm(spare(0))) : unpcklps(Xmm(spare(1)), Xmm(spare(0)));
    vex() ? vmovlhps(Xmm(d), Xmm(d), Xmm(spare(1))) : movlhps(Xmm(d), Xmm(spare(1)));
  }

  template <class Part>
  void gather_128(int d, const Part& part) {
    if (form_.single) return gather_floats(d, part);
    ++instructions_;
    load(Kind::sd, Xmm(d), part(0));
    vex() ? vmovhpd(Xmm(d), Xmm(d), part(1)) : movhpd(Xmm(d), part(1));
  }

  void insert_128(int d, int upper) {
    const Xbyak::Ymm to(d);
    evex() ? vinsertf64x2(to, to, Xmm(upper), 1) : vinsertf128(to, to, Xmm(upper), 1);
  }

  /// As many angles as a register holds; `d` is the first register of a group, whose others are free.
  template <class Part>
  void gather(int d, const Part& part) {
    const std::size_t step = form_.single ? 4 : 2;
    const auto from = [&](std::size_t quarter) { return [&part, begin = quarter * step](std::size_t i) { return part(begin + i); }; };
    gather_128(d, from(0));
    if (!vex()) return;
    ++instructions_;
    gather_128(d + 1, from(1));
    insert_128(d, d + 1);
    if (!evex()) return;
    instructions_ += 2;
    gather_128(d + 1, from(2));
    gather_128(d + 2, from(3));
    insert_128(d + 1, d + 2);
    vinsertf64x4(Xbyak::Zmm(d), Xbyak::Zmm(d), Xbyak::Ymm(d + 1), 1);
  }

  /// SSE2: four floats as two pairs of doubles. `fetch(half)` puts the pair into the lower half of register 0.
  template <class Fetch>
  void sincos_floats_as_doubles(const Fetch& fetch, std::size_t k) {
    const Xmm sine(group(0).e), cosine(group(0).b);
    for (std::size_t half = 0; half < 2; ++half) {
      fetch(half);
      cvtps2pd(Xmm(0), Xmm(0));
      sincos_sse2();
      cvtpd2ps(sine, sine);
      cvtpd2ps(cosine, cosine);
      movlps(ptr[in(sincos_, layout_.sincos_at(k, 0) + 8 * half)], sine);
      movlps(ptr[in(sincos_, layout_.sincos_at(k, 1) + 8 * half)], cosine);
      instructions_ += 5;
    }
  }

  const Program& program_;
  const Allocation& allocation_;
  MemoryLayout layout_;
  static constexpr std::size_t kReach = MovingBase::kReach;
  const Rows* rows_;                  // of columns
  std::size_t buffers_begin_ = 0;     // of columns
  bool pairs_;                        // some steps are for pairs
  std::size_t pairs_from_constants_;  // in the table
  Base pair_base_{Xbyak::util::r10};
  Base frame_base_{Xbyak::util::rbp}, constants_{Xbyak::util::rax}, sincos_{Xbyak::util::rbx}, results_{Xbyak::util::rcx};
  Base inputs_[kMostInputs] = {Base(Xbyak::util::rdi), Base(Xbyak::util::rsi), Base(Xbyak::util::rdx)};
  std::size_t frame_ = layout_.frame;
};

Encoded encoded_with(const Program& program, const Tape& tape, const Registers& registers, const Form& form, const Rows* rows) {
  Encoded encoded;
  const Allocation allocation = allocate(tape, registers);
  constexpr std::size_t kLongestInstruction = 16, kLongestSinCos = 1024, kTransposing = 64 * kLongestInstruction;
  const std::size_t columns = rows == nullptr ? 0 : 2 * (rows->pieces[0].size() + program.input_count() / 8 + 3) * kTransposing;
  std::vector<std::uint8_t> buffer(4096 + (allocation.steps.size() + allocation.early_steps.size()) * 3 * kLongestInstruction +
                                   allocation.angles.size() * 2 * kLongestSinCos + kMostFrameBytes / 4096 * 16 + columns);
  X86KernelEncoder encoder(program, tape, allocation, form, buffer.data(), buffer.size(), rows);
  if (encoder.frame() > kMostFrameBytes) return encoded;
  encoder.run();
  buffer.resize(encoder.getSize());
  encoded.code = std::move(buffer);
  encoded.instructions = encoder.instructions();
  encoded.spills = allocation.spills;
  return encoded;
}

}  // namespace

Encoded encode_columns_x86(const Program& program, const Form& form, const Rows& rows) {
  return encoded_with(program, tape_of(program), {.count = ColumnEncoder::kRegisters}, form, &rows);
}

Encoded encode_x86(const Program& program, const Form& form, std::span<const InputPair> alike) {
  const bool may_pair = !form.lanes && form.set != InstructionSet::sse2;
  Tape tape = paired(program, may_pair ? alike : std::span<const InputPair>());
  if (tape.has_pairs()) tape = ordered(tape);
  Registers registers;
  registers.count = form.set == InstructionSet::avx512 ? 31 : 15;              // one is kept for signs and for instructions that overwrite an operand
  registers.input_operands = form.set != InstructionSet::sse2 || !form.lanes;  // which must lie on 16-byte boundaries there
  Encoded encoded = encoded_with(program, tape, registers, form, nullptr);
  if (encoded.code.empty() && tape.has_pairs()) return encode_x86(program, form, {});  // slots of pairs are twice as large, and the stack has a limit
  encoded.pairs = std::move(tape.pairs);
  return encoded;
}

}  // namespace ulna::internal::jit
