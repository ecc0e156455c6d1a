#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "jit/encode.hpp"
#include "jit/machine.hpp"
#include "jit/neon_encoder.hpp"

namespace ulna::internal::jit {

namespace {

using neon::Kind;
using neon::kStack;

/// Registers of values by the allocation's numbers: those that belong to the caller come last, so that few kernels save them. Two more are for operands in
/// memory, which must be loaded, and for sums, which vector instructions add to one of their operands: such a sum may be made in a free register, which
/// then takes the place of the one it was to go to.
constexpr int kValues = 30;
constexpr int kCallers = 8;  // the last of them, registers 8 to 15
constexpr std::array<int, kValues> kRegisters = {0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 8, 9, 10, 11, 12, 13, 14, 15};

class NeonKernelEncoder : public neon::Encoder {
 public:
  NeonKernelEncoder(const Program& program, const Allocation& allocation, const Form& form)
      : Encoder(form), program_(program), allocation_(allocation), places_(constant_places(program)), register_(kRegisters) {
    for (const Signal& signal : program.inputs) signal_begin_.push_back(signal_begin_.back() + signal.size);
    const std::size_t angles = allocation.angles.size(), width = form.width();
    const std::size_t rounds = form.lanes ? angles : (angles + width - 1) / width;
    early_begin_ = allocation.slots * value_bytes();
    turns_begin_ = (early_begin_ + allocation.early.size() * value_bytes() + 15) / 16 * 16;
    frame_ = turns_begin_ + 2 * rounds * form.vector_bytes();
  }

  std::size_t frame() const { return frame_; }

  void run() {
    using namespace neon;
    const int saved = callers_registers();
    constexpr std::size_t kSaved = kCallers * 8;
    if (saved > 0) emit(sub(kStack, kStack, kSaved));
    for (int r = 0; r < saved; r += 2) emit(stp(Kind::sd, 8 + r, 9 + r, kStack, static_cast<std::size_t>(r) * 8));
    // A guard page lies below the stack: no page may be jumped over.
    constexpr std::size_t kPage = 4096;
    std::size_t left = frame_;
    for (; left > kPage; left -= kPage) {
      emit(sub(kStack, kStack, 1, true));
      emit(store_zero(kStack));
    }
    if (left > 0) subtract_from(kStack, kStack, left);
    add_to(kConstants, kTable, constants_begin(form_));
    const std::size_t start = words().size();
    encode_all(allocation_.early_steps);
    turn_all();
    encode_all(allocation_.steps);
    if (form_.lanes) next_block(start);
    if (frame_ > 0) add_to(kStack, kStack, frame_);
    for (int r = 0; r < saved; r += 2) emit(ldp(Kind::sd, 8 + r, 9 + r, kStack, static_cast<std::size_t>(r) * 8));
    if (saved > 0) emit(add(kStack, kStack, kSaved));
    emit(kReturn);
  }

 private:
  std::size_t value_bytes() const { return form_.lanes ? form_.vector_bytes() : form_.real_bytes(); }

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
      if (program_.inputs[k].size > 0) add_to(input, input, program_.inputs[k].size * value_bytes());
    }
    if (!program_.results.empty()) add_to(kResults, kResults, program_.results.size() * value_bytes());
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
    const std::size_t i = place.index;
    switch (place.kind) {
      case Place::input: {
        const std::size_t signal = signal_of(place);
        return {kInput + static_cast<int>(signal), (i - signal_begin_[signal]) * value_bytes()};
      }
      case Place::constant: return {kConstants, places_[i] * constant_stride(form_)};
      case Place::turn: return {kStack, turn_at(i / 2, i % 2)};
      case Place::early: return {kStack, early_begin_ + i * value_bytes()};
      default: return {kStack, i * value_bytes()};
    }
  }
  std::size_t signal_of(const Place& input) const {
    return static_cast<std::size_t>(std::upper_bound(signal_begin_.begin(), signal_begin_.end(), input.index) - signal_begin_.begin() - 1);
  }
  /// Lanes: sine and cosine of angle k, a register each. One state: as many sines as a register has lanes, then their cosines.
  std::size_t turn_at(std::size_t k, std::size_t cosine) const {
    if (form_.lanes) return turns_begin_ + (2 * k + cosine) * form_.vector_bytes();
    const std::size_t width = form_.width();
    return turns_begin_ + (2 * (k / width) + cosine) * form_.vector_bytes() + k % width * form_.real_bytes();
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
  /// Each of the two in turn, so that one may be loaded while the other is still read.
  int& next_free() { return free_[turn_ ^= 1]; }
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
        return store(kind, from, kResults, step.output * value_bytes());
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

  Place angle(std::size_t k) const {
    const std::uint32_t value = allocation_.angles[k];
    const std::size_t inputs = program_.input_count(), first = program_.first_instruction();
    if (value < inputs) return {Place::input, value};
    if (value < first + program_.precomputed) return {Place::constant, static_cast<std::uint32_t>(value - inputs)};
    const auto at = std::lower_bound(allocation_.early.begin(), allocation_.early.end(), value - first - program_.precomputed) - allocation_.early.begin();
    return {Place::early, static_cast<std::uint32_t>(at)};
  }

  void turn_all() {
    const std::size_t angles = allocation_.angles.size(), each = form_.lanes ? 1 : form_.width(), rounds = (angles + each - 1) / each;
    for (std::size_t first = 0; first < rounds; first += kGroups) {
      std::vector<Group> some = groups(std::min(kGroups, rounds - first));
      for (std::size_t g = 0; g < some.size(); ++g) {
        const std::size_t k = (first + g) * each;
        form_.lanes ? load_value(some[g].a, angle(k)) : gather(some[g].a, k, std::min(each, angles - k));
      }
      turn(some, turn_at(first * each, 0));
    }
  }

  /// Angles of one state side by side in a register. Where there are too few, the rest of it is zero.
  void gather(int d, std::size_t first, std::size_t count) {
    const Where begin = where(angle(first));
    const auto follows = [&](std::size_t i) {
      const Where at = where(angle(first + i));
      return at.base == begin.base && at.offset == begin.offset + i * form_.real_bytes();
    };
    bool neighbours = count == form_.width() && begin.offset % 16 == 0;
    for (std::size_t i = 1; i < count; ++i) neighbours = neighbours && follows(i);
    if (neighbours) return load(packed(), d, begin.base, begin.offset);
    load_value(d, angle(first));
    for (std::size_t i = 1; i < count; ++i) {
      const int other = spare();
      load_value(other, angle(first + i));
      emit(neon::ins(packed(), d, static_cast<int>(i), other));
    }
  }

  const Program& program_;
  const Allocation& allocation_;
  std::vector<std::size_t> signal_begin_{0};
  std::vector<std::uint32_t> places_;  // of constants in the table
  std::array<int, kValues> register_;  // of a number of the allocation
  int free_[2] = {30, 31};
  int turn_ = 0;
  std::size_t early_begin_ = 0;
  std::size_t turns_begin_ = 0;
  std::size_t frame_ = 0;
};

}  // namespace

Encoded encode_neon(const Program& program, const Form& form) {
  Encoded encoded;
  const Tape tape = tape_of(program);
  const Allocation allocation = allocate(tape, {.count = kValues});
  NeonKernelEncoder encoder(program, allocation, form);
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
