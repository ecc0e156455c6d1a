// The instructions of AArch64 that kernels are made of, as words. Few are needed, and each is one word of 32 bits, so no assembler is: the tests compare every
// one with what VIXL writes. Names are Arm's (Arm Architecture Reference Manual, DDI 0487, C6 and C7); d is the destination, n and m are operands.
#pragma once

#include <cstddef>
#include <cstdint>

#include <ulna/export.hpp>

namespace ulna::internal::jit::neon {

/// Type of an instruction: two doubles, four floats, one double, one float.
enum class Kind : std::uint8_t { pd, ps, sd, ss };

constexpr bool is_vector(Kind kind) { return kind == Kind::pd || kind == Kind::ps; }
constexpr bool is_single(Kind kind) { return kind == Kind::ps || kind == Kind::ss; }
constexpr std::size_t bytes_of(Kind kind) { return is_vector(kind) ? 16 : is_single(kind) ? 4 : 8; }

using Word = std::uint32_t;
inline constexpr int kStack = 31;  // sp, as a base; elsewhere the same number is the register of zeros

constexpr Word at(int r, int shift) { return static_cast<Word>(r) << shift; }
constexpr Word three(Word base, int d, int n, int m) { return base | at(m, 16) | at(n, 5) | at(d, 0); }
constexpr Word pick(Kind kind, Word pd, Word ps, Word sd, Word ss) { return kind == Kind::pd ? pd : kind == Kind::ps ? ps : kind == Kind::sd ? sd : ss; }

// ---- numbers
constexpr Word fadd(Kind k, int d, int n, int m) { return three(pick(k, 0x4E60D400, 0x4E20D400, 0x1E602800, 0x1E202800), d, n, m); }
constexpr Word fsub(Kind k, int d, int n, int m) { return three(pick(k, 0x4EE0D400, 0x4EA0D400, 0x1E603800, 0x1E203800), d, n, m); }
constexpr Word fmul(Kind k, int d, int n, int m) { return three(pick(k, 0x6E60DC00, 0x6E20DC00, 0x1E600800, 0x1E200800), d, n, m); }
constexpr Word fdiv(Kind k, int d, int n, int m) { return three(pick(k, 0x6E60FC00, 0x6E20FC00, 0x1E601800, 0x1E201800), d, n, m); }
constexpr Word fneg(Kind k, int d, int n) { return three(pick(k, 0x6EE0F800, 0x6EA0F800, 0x1E614000, 0x1E214000), d, n, 0); }
/// Vectors: d + n m and d - n m.
constexpr Word fmla(Kind k, int d, int n, int m) { return three(k == Kind::pd ? 0x4E60CC00 : 0x4E20CC00, d, n, m); }
constexpr Word fmls(Kind k, int d, int n, int m) { return three(k == Kind::pd ? 0x4EE0CC00 : 0x4EA0CC00, d, n, m); }
/// One number: a + n m, a - n m, n m - a.
constexpr Word fmadd(Kind k, int d, int n, int m, int a) { return three(k == Kind::sd ? 0x1F400000 : 0x1F000000, d, n, m) | at(a, 10); }
constexpr Word fmsub(Kind k, int d, int n, int m, int a) { return three(k == Kind::sd ? 0x1F408000 : 0x1F008000, d, n, m) | at(a, 10); }
constexpr Word fnmsub(Kind k, int d, int n, int m, int a) { return three(k == Kind::sd ? 0x1F608000 : 0x1F208000, d, n, m) | at(a, 10); }
/// Vectors: all ones where |n| >= |m|; zero where one of them is NaN.
constexpr Word facge(Kind k, int d, int n, int m) { return three(k == Kind::pd ? 0x6E60EC00 : 0x6E20EC00, d, n, m); }

// ---- bits of whole registers
constexpr Word mov(int d, int n) { return three(0x4EA01C00, d, n, n); }
constexpr Word and_(int d, int n, int m) { return three(0x4E201C00, d, n, m); }
constexpr Word eor(int d, int n, int m) { return three(0x6E201C00, d, n, m); }
constexpr Word orn(int d, int n, int m) { return three(0x4EE01C00, d, n, m); }  // n | ~m
constexpr Word bsl(int d, int n, int m) { return three(0x6E601C00, d, n, m); }  // d ? n : m
constexpr Word bit(int d, int n, int m) { return three(0x6EA01C00, d, n, m); }  // m ? n : d
/// All ones where n & m is not zero.
constexpr Word cmtst(Kind k, int d, int n, int m) { return three(k == Kind::pd ? 0x4EE08C00 : 0x4EA08C00, d, n, m); }
constexpr Word shl(Kind k, int d, int n, int by) { return three(0x4F005400, d, n, 0) | at((k == Kind::pd ? 64 : 32) + by, 16); }
/// Number `to` of d becomes the lowest of n; the lowest of n in all of d.
constexpr Word ins(Kind k, int d, int to, int n) { return three(0x6E000400, d, n, 0) | at(is_single(k) ? to << 3 | 4 : to << 4 | 8, 16); }
constexpr Word dup(Kind k, int d, int n) { return three(is_single(k) ? 0x4E040400 : 0x4E080400, d, n, 0); }

// ---- memory: `offset` from a general register
constexpr std::size_t kReach = 4096;  // in units of what is read or written
constexpr Word address(int base, std::size_t offset, std::size_t unit) { return static_cast<Word>(offset / unit) << 10 | at(base, 5); }
constexpr Word ldr(Kind k, int d, int base, std::size_t offset) {
  return pick(k, 0x3DC00000, 0x3DC00000, 0xFD400000, 0xBD400000) | address(base, offset, bytes_of(k)) | at(d, 0);
}
constexpr Word str(Kind k, int d, int base, std::size_t offset) {
  return pick(k, 0x3D800000, 0x3D800000, 0xFD000000, 0xBD000000) | address(base, offset, bytes_of(k)) | at(d, 0);
}
/// Two neighbours in memory. The offset is below 64 of them.
constexpr std::size_t kPairReach = 64;
constexpr Word pair_address(int base, std::size_t offset, std::size_t unit) { return static_cast<Word>(offset / unit) << 15 | at(base, 5); }
constexpr Word ldp(Kind k, int d, int e, int base, std::size_t offset) {
  return pick(k, 0xAD400000, 0xAD400000, 0x6D400000, 0x2D400000) | pair_address(base, offset, bytes_of(k)) | at(e, 10) | at(d, 0);
}
constexpr Word stp(Kind k, int d, int e, int base, std::size_t offset) {
  return pick(k, 0xAD000000, 0xAD000000, 0x6D000000, 0x2D000000) | pair_address(base, offset, bytes_of(k)) | at(e, 10) | at(d, 0);
}
constexpr Word store_zero(int base) { return 0xF900001F | at(base, 5); }  // eight bytes

// ---- addresses and the way on
/// d = n + value, n - value; `value` below 4096, or that many pages of 4096.
constexpr Word add(int d, int n, std::size_t value, bool pages = false) {
  return 0x91000000 | (pages ? Word{1} << 22 : 0) | static_cast<Word>(value) << 10 | at(n, 5) | at(d, 0);
}
constexpr Word sub(int d, int n, std::size_t value, bool pages = false) { return add(d, n, value, pages) | 0x40000000; }
constexpr Word kReturn = 0xD65F03C0;
/// Both are counted from the instruction itself, in instructions.
constexpr Word cbz(int r, int forward) { return 0xB4000000 | (static_cast<Word>(forward) & 0x7FFFF) << 5 | at(r, 0); }
constexpr Word branch(std::int64_t forward) { return 0x14000000 | (static_cast<Word>(forward) & 0x3FFFFFF); }

}  // namespace ulna::internal::jit::neon
