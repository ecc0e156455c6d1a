// The format is PKWARE's APPNOTE 6.3, of which this is method 0 (stored): a header and the bytes of each file, then a directory of all of them.
#include "emit/fmi.hpp"

#include <array>
#include <cstdint>

namespace ulna::internal {

namespace {

/// CRC-32 of ISO 3309, bits reversed: polynomial 0xedb88320.
std::uint32_t checksum(std::string_view bytes) {
  static const std::array<std::uint32_t, 256> table = [] {
    std::array<std::uint32_t, 256> all{};
    for (std::uint32_t n = 0; n < 256; ++n) {
      all[n] = n;
      for (int bit = 0; bit < 8; ++bit) all[n] = (all[n] >> 1) ^ ((all[n] & 1) != 0 ? 0xedb88320u : 0);
    }
    return all;
  }();
  std::uint32_t sum = 0xffffffffu;
  for (const char c : bytes) sum = (sum >> 8) ^ table[(sum ^ static_cast<unsigned char>(c)) & 255];
  return ~sum;
}

void add(std::string& out, std::uint64_t number, int bytes) {
  for (int i = 0; i < bytes; ++i) out += static_cast<char>(static_cast<unsigned char>(number >> (8 * i)));
}

/// What a file's header and its row of the directory have in common.
void add_facts(std::string& out, const std::string& name, std::string_view bytes) {
  add(out, 20, 2);      // version 2.0 reads it
  add(out, 0x0800, 2);  // names are UTF-8
  add(out, 0, 2);       // stored
  add(out, 0, 2);       // midnight
  add(out, 0x21, 2);    // of 1 January 1980, the first day there is
  add(out, checksum(bytes), 4);
  add(out, bytes.size(), 4);
  add(out, bytes.size(), 4);
  add(out, name.size(), 2);
  add(out, 0, 2);
}

}  // namespace

std::string zipped(const std::vector<std::pair<std::string, std::string>>& files) {
  std::string out, directory;
  for (const auto& [name, bytes] : files) {
    const std::size_t at = out.size();
    add(out, 0x04034b50, 4);
    add_facts(out, name, bytes);
    out += name;
    out += bytes;
    add(directory, 0x02014b50, 4);
    add(directory, 0x0314, 2);  // written by Unix, version 2.0
    add_facts(directory, name, bytes);
    add(directory, 0, 2);               // no comment
    add(directory, 0, 2);               // first disk
    add(directory, 0, 2);               // bytes
    add(directory, 0100644u << 16, 4);  // a file that all may read
    add(directory, at, 4);
    directory += name;
  }
  const std::size_t at = out.size();
  out += directory;
  add(out, 0x06054b50, 4);
  add(out, 0, 4);
  add(out, files.size(), 2);
  add(out, files.size(), 2);
  add(out, directory.size(), 4);
  add(out, at, 4);
  add(out, 0, 2);
  return out;
}

}  // namespace ulna::internal
