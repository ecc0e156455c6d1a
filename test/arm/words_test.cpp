// Every instruction that kernels for AArch64 are made of, as a word: the same that VIXL's assembler writes.
#include <gtest/gtest.h>

#include <cstring>

#include <aarch64/assembler-aarch64.h>

#include "arm/simulator.hpp"
#include "jit/neon_words.hpp"

namespace ulna::test {
namespace {

namespace vixl64 = vixl::aarch64;
using jit::neon::Kind;
using jit::neon::Word;

/// The one instruction that `write` gives the assembler.
template <class Write>
Word written(const Write& write) {
  alignas(4) vixl::byte buffer[64];
  vixl64::Assembler assembler(buffer, sizeof buffer);
  write(assembler);
  Word word;
  std::memcpy(&word, buffer, sizeof word);
  return word;
}

#define EXPECT_WORD(ours, call)                                                                           \
  do {                                                                                                    \
    const Word made = ours, wanted = written([&](vixl64::Assembler&as) { as.call; });                     \
    EXPECT_EQ(made, wanted) << #ours << " is " << disassembled(made) << ", not " << disassembled(wanted); \
  } while (false)

vixl64::VRegister v(Kind kind, int r) {
  const auto code = static_cast<unsigned>(r);
  switch (kind) {
    case Kind::pd: return vixl64::VRegister(code, vixl64::kFormat2D);
    case Kind::ps: return vixl64::VRegister(code, vixl64::kFormat4S);
    case Kind::sd: return vixl64::DRegister(code);
    default: return vixl64::SRegister(code);
  }
}
vixl64::VRegister bytes(int r) { return vixl64::VRegister(static_cast<unsigned>(r), vixl64::kFormat16B); }
vixl64::VRegister whole(Kind kind, int r) { return is_vector(kind) ? static_cast<vixl64::VRegister>(vixl64::QRegister(static_cast<unsigned>(r))) : v(kind, r); }
vixl64::Register x(int r) { return r == jit::neon::kStack ? vixl64::sp : vixl64::XRegister(static_cast<unsigned>(r)); }

struct Three {
  int d, n, m;
};
constexpr Three kRegisters[] = {{0, 1, 2}, {31, 30, 29}, {5, 5, 17}, {16, 8, 31}};
constexpr Kind kKinds[] = {Kind::pd, Kind::ps, Kind::sd, Kind::ss};

TEST(ArmWords, ArithmeticIsWhatVixlWrites) {
  for (const auto& [d, n, m] : kRegisters)
    for (const Kind k : kKinds) {
      EXPECT_WORD(fadd(k, d, n, m), fadd(v(k, d), v(k, n), v(k, m)));
      EXPECT_WORD(fsub(k, d, n, m), fsub(v(k, d), v(k, n), v(k, m)));
      EXPECT_WORD(fmul(k, d, n, m), fmul(v(k, d), v(k, n), v(k, m)));
      EXPECT_WORD(fdiv(k, d, n, m), fdiv(v(k, d), v(k, n), v(k, m)));
      EXPECT_WORD(fneg(k, d, n), fneg(v(k, d), v(k, n)));
      if (is_vector(k)) {
        EXPECT_WORD(fmla(k, d, n, m), fmla(v(k, d), v(k, n), v(k, m)));
        EXPECT_WORD(fmls(k, d, n, m), fmls(v(k, d), v(k, n), v(k, m)));
        EXPECT_WORD(facge(k, d, n, m), facge(v(k, d), v(k, n), v(k, m)));
      } else {
        const int a = 11;
        EXPECT_WORD(fmadd(k, d, n, m, a), fmadd(v(k, d), v(k, n), v(k, m), v(k, a)));
        EXPECT_WORD(fmsub(k, d, n, m, a), fmsub(v(k, d), v(k, n), v(k, m), v(k, a)));
        EXPECT_WORD(fnmsub(k, d, n, m, a), fnmsub(v(k, d), v(k, n), v(k, m), v(k, a)));
      }
    }
}

TEST(ArmWords, BitsAreWhatVixlWrites) {
  using namespace jit::neon;
  for (const auto& [d, n, m] : kRegisters) {
    EXPECT_WORD(mov(d, n), mov(bytes(d), bytes(n)));
    EXPECT_WORD(and_(d, n, m), and_(bytes(d), bytes(n), bytes(m)));
    EXPECT_WORD(eor(d, n, m), eor(bytes(d), bytes(n), bytes(m)));
    EXPECT_WORD(orn(d, n, m), orn(bytes(d), bytes(n), bytes(m)));
    EXPECT_WORD(bsl(d, n, m), bsl(bytes(d), bytes(n), bytes(m)));
    EXPECT_WORD(bit(d, n, m), bit(bytes(d), bytes(n), bytes(m)));
    for (const Kind k : {Kind::pd, Kind::ps}) {
      const int lanes = k == Kind::pd ? 2 : 4;
      EXPECT_WORD(cmtst(k, d, n, m), cmtst(v(k, d), v(k, n), v(k, m)));
      for (const int by : {0, 1, 30, 31}) EXPECT_WORD(shl(k, d, n, by), shl(v(k, d), v(k, n), by));
      EXPECT_WORD(dup(k, d, n), dup(v(k, d), v(k, n), 0));
      for (int to = 0; to < lanes; ++to) EXPECT_WORD(ins(k, d, to, n), ins(v(k, d), to, v(k, n), 0));
    }
    EXPECT_WORD(shl(Kind::pd, d, n, 63), shl(v(Kind::pd, d), v(Kind::pd, n), 63));
  }
}

TEST(ArmWords, MemoryIsWhatVixlWrites) {
  using namespace jit::neon;
  for (const Kind k : kKinds)
    for (const int base : {0, 16, 30, kStack})
      for (const std::size_t number : {std::size_t{0}, std::size_t{1}, std::size_t{63}, kReach - 1}) {
        const std::size_t at = number * bytes_of(k);
        const vixl64::MemOperand place(x(base), static_cast<std::int64_t>(at));
        EXPECT_WORD(ldr(k, 31, base, at), ldr(whole(k, 31), place));
        EXPECT_WORD(str(k, 7, base, at), str(whole(k, 7), place));
        if (number >= kPairReach) continue;
        EXPECT_WORD(ldp(k, 8, 31, base, at), ldp(whole(k, 8), whole(k, 31), place));
        EXPECT_WORD(stp(k, 9, 8, base, at), stp(whole(k, 9), whole(k, 8), place));
      }
  EXPECT_WORD(store_zero(kStack), str(vixl64::xzr, vixl64::MemOperand(vixl64::sp)));
}

TEST(ArmWords, AddressesAndBranchesAreWhatVixlWrites) {
  using namespace jit::neon;
  for (const int d : {0, 16, kStack})
    for (const int n : {6, kStack})
      for (const std::size_t value : {1, 64, 4095}) {
        const auto number = static_cast<std::int64_t>(value);
        EXPECT_WORD(add(d, n, value), add(x(d), x(n), number));
        EXPECT_WORD(sub(d, n, value), sub(x(d), x(n), number));
        EXPECT_WORD(add(d, n, value, true), add(x(d), x(n), number * 4096));
        EXPECT_WORD(sub(d, n, value, true), sub(x(d), x(n), number * 4096));
      }
  EXPECT_WORD(kReturn, ret());
  EXPECT_WORD(cbz(5, 2), cbz(x(5), std::int64_t{2}));
  for (const std::int64_t forward : {1, -1, -1000, 33'000'000, -33'000'000}) EXPECT_WORD(branch(forward), b(forward));
}

}  // namespace
}  // namespace ulna::test
