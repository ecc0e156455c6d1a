// Numbers in files: the least significant byte first, on any processor.
#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>

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

}  // namespace ulna::internal::campaign
