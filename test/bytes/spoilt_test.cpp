// What is wrong in encoded bytes is seen: one sign, one constant, an instruction that is not known, memory that is not the function's, registers that are the
// caller's.
#include <gtest/gtest.h>

#include <ulna/source/load.hpp>

#include "bytes/expected.hpp"
#include "bytes/interpreted.hpp"
#include "jit/layout.hpp"
#include "text/message.hpp"

namespace ulna::test {
namespace {

/// What came of the errors.
struct Spoils {
  std::size_t seen = 0;
  std::size_t harmless = 0;         // the same bits in all states: what guards add to results is zero or NaN, with either sign
  std::vector<std::string> unseen;  // other results, and nobody noticed
};

/// The inverse dynamics of a robot, to be spoilt.
template <class T>
class Spoilt {
 public:
  Spoilt(const Model& model, InstructionSet set, bool lanes)
      : programs_(model, sizeof(T) == 4),
        expected_(model, programs_.options()),
        task_(programs_.all().front()),
        program_(RobotPrograms::for_set(task_, set)),
        form_{set, sizeof(T) == 4, lanes},
        code_(program_, set, lanes, programs_.parameters(task_)),
        states_(states_of<T>(model, program_, kSane, 16)),
        right_(run()) {}

  /// Each sum and difference in turn has its sign changed.
  Spoils signs() {
    Spoils spoils;
    const std::vector<MachineInstruction> instructions = code_.instructions();
    // Sines and cosines end with shifts. They have sums of their own, the last of which are corrections far below a result's last digits.
    std::size_t first = 0;
    for (std::size_t k = 0; k < instructions.size(); ++k)
      if (instructions[k].name.starts_with("psll")) first = k;
    for (std::size_t k = first; k < instructions.size(); ++k) {
      const std::string& name = instructions[k].name;
      const bool sum =
          name.starts_with("addp") || name.starts_with("adds") || name.starts_with("sub") || name.starts_with("fmadd") || name.starts_with("fnmadd");
      if (!sum || instructions[k].operands[0].kind != MachineOperand::vector) continue;
      std::uint8_t& opcode = code_.code()[instructions[k].opcode_at];
      constexpr std::uint8_t kOpposite = 4;  // add and sub, fmadd and fnmadd differ in this bit
      opcode ^= kOpposite;
      look(spoils, text_of(code_.code(), instructions[k].at));
      opcode ^= kOpposite;
    }
    return spoils;
  }

  /// Each constant of the program in turn is off by this share of itself.
  Spoils constants(double share) {
    Spoils spoils;
    const std::size_t stride = jit::constant_stride(form_);
    std::uint32_t count = 0;
    for (const std::uint32_t place : jit::constant_places(program_)) count = std::max(count, place + 1);  // kNoValue + 1 is 0
    for (std::size_t k = 0; k < count; ++k) {
      const std::vector<std::uint8_t> before = code_.constants();
      for (std::size_t at = jit::constants_begin(form_) + k * stride, end = at + stride; at < end; at += sizeof(T)) {
        T x;
        std::memcpy(&x, before.data() + at, sizeof x);
        x *= static_cast<T>(1 + share);
        std::memcpy(code_.constants().data() + at, &x, sizeof x);
      }
      look(spoils, cat("constant ", k));
      code_.constants() = before;
    }
    return spoils;
  }

  bool right() const { return !wrong(right_); }

 private:
  static constexpr std::size_t kSane = 16;

  void look(Spoils& spoils, const std::string& what) try {
    code_.decode_again();
    const std::vector<std::vector<T>> got = run();
    if (wrong(got))
      ++spoils.seen;
    else if (std::equal(got.begin(), got.end(), right_.begin(),
                        [](const auto& a, const auto& b) { return std::equal(a.begin(), a.end(), b.begin(), same_bits<T>); }))
      ++spoils.harmless;
    else
      spoils.unseen.push_back(what);
  } catch (const std::runtime_error&) {
    ++spoils.seen;  // the processor stopped
  }

  std::vector<std::vector<T>> run() const {
    std::vector<std::vector<T>> results;
    for (std::size_t s = 0; s < states_.size(); s += code_.width()) {
      const auto begin = states_.begin() + static_cast<std::ptrdiff_t>(s);
      for (std::vector<T>& result : code_({begin, begin + static_cast<std::ptrdiff_t>(code_.width())})) results.push_back(std::move(result));
    }
    return results;
  }

  /// Whether some result of a sane state is not what it must be.
  bool wrong(const std::vector<std::vector<T>>& results) const {
    for (std::size_t s = 0; s < kSane; ++s)
      if (!(expected_.off(task_, states_[s], results[s]) <= allowed<T>(task_.quantity))) return true;
    return false;
  }

  RobotPrograms programs_;
  Expected expected_;
  robot::TaskProgram task_;
  Program program_;
  jit::Form form_;
  Interpreted<T> code_;
  std::vector<std::vector<T>> states_, right_;
};

template <class T>
class SpoiltBytes : public ::testing::Test {};
using Reals = ::testing::Types<double, float>;
TYPED_TEST_SUITE(SpoiltBytes, Reals);

TYPED_TEST(SpoiltBytes, AreSeenInSignsAndConstants) {
  const Model model = load("ur5");
  for (const InstructionSet set : kAllSets)
    for (const bool lanes : {false, true}) {
      SCOPED_TRACE(cat(to_string(set), lanes ? ", lanes" : ", one state"));
      Spoilt<TypeParam> spoilt(model, set, lanes);
      ASSERT_TRUE(spoilt.right());
      const Spoils signs = spoilt.signs(), constants = spoilt.constants(sizeof(TypeParam) == 8 ? 1e-6 : 0.5);
      for (const Spoils* spoils : {&signs, &constants})
        EXPECT_TRUE(spoils->unseen.empty()) << spoils->unseen.size() << ", the first: " << spoils->unseen.front();
      EXPECT_GT(signs.seen, 80u);
      EXPECT_GT(constants.seen, 20u);
      EXPECT_LE(signs.harmless, 6u);  // one a result
      EXPECT_LE(constants.harmless, 2u);
    }
}

// ---- what a function may not do. The bytes are those of the GNU assembler.

/// What the processor says of a function that is called with two pieces of memory of 64 bytes: the first may be read, the second written, too.
std::string said_of(std::vector<std::uint8_t> code, InstructionSet set) try {
  Processor processor;
  const std::uint64_t arguments[] = {processor.add_memory("first", std::vector<std::uint8_t>(64), 8, false),
                                     processor.add_memory("second", std::vector<std::uint8_t>(64), 8, true)};
  processor.call(code, decode(code, set), arguments);
  return "nothing";
} catch (const std::runtime_error& fault) {
  return fault.what();
}

TEST(Interpreter, SaysWhatAFunctionMayNotDo) {
  const struct {
    std::vector<std::uint8_t> code;
    InstructionSet set;
    const char* where;  // with bytes and name
    const char* why;
  } cases[] = {
      {{0xc3}, InstructionSet::sse2, "", "nothing"},
      // What is not known, with its bytes and text.
      {{0x0f, 0xa2, 0xc3}, InstructionSet::sse2, "byte 0: 0f a2 cpuid", "it is in I486REAL, which processors with SSE2 need not have"},
      {{0x66, 0x0f, 0x51, 0xc1, 0xc3}, InstructionSet::sse2, "byte 0: 66 0f 51 c1 sqrtpd", "an instruction that the interpreter does not know"},
      {{0x62, 0xf1, 0xed, 0x18, 0x58, 0xcb, 0xc3}, InstructionSet::avx512, "byte 0: 62 f1 ed 18 58 cb vaddpd", "a rounding that the interpreter does not know"},
      {{0x66, 0x0f, 0x10, 0x04, 0xf7, 0xc3}, InstructionSet::sse2, "byte 0: 66 0f 10 04 f7 movupd", "an address that the interpreter does not know"},
      {{0x06}, InstructionSet::sse2, "byte 0: 06 no instruction", "bytes that Zydis cannot decode"},
      // What the processor need not have.
      {{0xc5, 0xf5, 0x58, 0xc2, 0xc3}, InstructionSet::sse2, "byte 0: c5 f5 58 c2 vaddpd", "it is in AVX, which processors with SSE2 need not have"},
      {{0x62, 0xf1, 0xf5, 0x48, 0x58, 0xc2, 0xc3},
       InstructionSet::avx2,
       "byte 0: 62 f1 f5 48 58 c2 vaddpd",
       "it is in AVX512F_512, which processors with AVX2 need not have"},
      {{0x66, 0x0f, 0x58, 0xc1, 0xc3}, InstructionSet::avx2, "byte 0: 66 0f 58 c1 addpd", "it is in SSE2, which processors with AVX2 need not have"},
      // Memory.
      {{0xf2, 0x0f, 0x10, 0x47, 0x38, 0xc3}, InstructionSet::sse2, "", "nothing"},
      {{0xf2, 0x0f, 0x10, 0x47, 0x39, 0xc3}, InstructionSet::sse2, "byte 0: f2 0f 10 47 39 movsd", "reaches beyond the end of first by 1 byte(s)"},
      {{0xf2, 0x0f, 0x11, 0x07, 0xc3}, InstructionSet::sse2, "byte 0: f2 0f 11 07 movsd", "writes to first"},
      {{0x66, 0x0f, 0x58, 0x07, 0xc3}, InstructionSet::sse2, "byte 0: 66 0f 58 07 addpd", "reads 16 bytes across a boundary of as many"},
      {{0xf2, 0x0f, 0x10, 0x44, 0x24, 0xf8, 0xc3}, InstructionSet::sse2, "byte 0: f2 0f 10 44 24 f8 movsd", "reaches below the stack pointer"},
      // A displacement of AVX-512 counts numbers: 7 doubles, not 7 bytes.
      {{0x62, 0xf1, 0xf5, 0x58, 0x58, 0x47, 0x07, 0xc5, 0xf8, 0x77, 0xc3}, InstructionSet::avx512, "", "nothing"},
      {{0x62, 0xf1, 0xf5, 0x58, 0x58, 0x47, 0x08, 0xc5, 0xf8, 0x77, 0xc3},
       InstructionSet::avx512,
       "byte 0: 62 f1 f5 58 58 47 08 vaddpd",
       "reaches address 8589934664, where nothing is"},
      // The caller's registers, the stack, the upper halves.
      {{0x48, 0x89, 0xfb, 0xc3}, InstructionSet::sse2, "", "returns with register 3 changed"},
      {{0x53, 0xc3}, InstructionSet::sse2, "byte 1: c3 ret", "returns to where it was not called from"},
      {{0x48, 0x81, 0xec, 0x00, 0x20, 0x00, 0x00, 0xc3}, InstructionSet::sse2, "byte 0: 48 81 ec 00 20 00 00 sub", "moves the stack by more than a page"},
      {{0xc5, 0xf5, 0x58, 0xc2, 0xc5, 0xf8, 0x77, 0xc3}, InstructionSet::avx2, "", "nothing"},
      {{0xc5, 0xf5, 0x58, 0xc2, 0xc3}, InstructionSet::avx2, "byte 4: c3 ret", "returns with the upper halves of registers in use"},
      // Jumps: into an instruction, and without end.
      {{0x48, 0xff, 0xcf, 0x75, 0xfc, 0xc3}, InstructionSet::sse2, "", "goes to byte 1, where no instruction begins"},
      {{0x48, 0xff, 0xcf, 0x75, 0xfb, 0xc3}, InstructionSet::sse2, "byte 0: 48 ff cf dec", "does not come to an end"},
  };
  for (const auto& c : cases) {
    const std::string said = said_of(c.code, c.set);
    EXPECT_TRUE(said.starts_with(c.where) && said.ends_with(c.why)) << said << "\n  for " << c.where << " … " << c.why;
  }
}

}  // namespace
}  // namespace ulna::test
