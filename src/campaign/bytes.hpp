// Numbers in files: the least significant byte first, on any processor. And checksums of such files.
#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>

#include <ulna/export.hpp>

namespace ulna::internal::campaign {

/// The `bytes` least bytes of x.
inline void put(std::string& to, std::uint64_t x, std::size_t bytes) {
  char all[8];
  for (std::size_t k = 0; k < 8; ++k) all[k] = static_cast<char>(x >> (8 * k) & 255);
  to.append(all, bytes);
}
inline void put(std::string& to, double x) { put(to, std::bit_cast<std::uint64_t>(x), 8); }

/// Zeros stand behind the end.
inline std::uint64_t get(std::string_view from, std::size_t at, std::size_t bytes) {
  std::uint64_t x = 0;
  for (std::size_t k = 0; k < bytes && at + k < from.size(); ++k) x |= std::uint64_t{static_cast<unsigned char>(from[at + k])} << (8 * k);
  return x;
}
inline double get_number(std::string_view from, std::size_t at) { return std::bit_cast<double>(get(from, at, 8)); }

/// A checksum against torn and mixed files, not against malice: FNV-1a of 64 bits (Fowler, Noll & Vo; RFC 9923).
inline constexpr std::uint64_t kChecksumStart = 0xcbf29ce484222325;
/// Continues the checksum `before` with a text.
constexpr std::uint64_t checksum(std::string_view text, std::uint64_t before = kChecksumStart) {
  for (const char c : text) before = (before ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return before;
}

inline std::string to_hex(std::uint64_t x) {
  std::string text(16, '0');
  for (std::size_t k = 16; k-- > 0; x >>= 4) text[k] = "0123456789abcdef"[x & 15];
  return text;
}

}  // namespace ulna::internal::campaign
