// A checksum against torn and mixed files, not against malice: FNV-1a of 64 bits (Fowler, Noll & Vo; RFC 9923).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <ulna/export.hpp>

namespace ulna::internal::campaign {

inline constexpr std::uint64_t kChecksumStart = 0xcbf29ce484222325;

/// Of a text behind what `before` is the checksum of.
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
