// One table as an HDF5 file: a head, then the rows one after the other, and nothing behind them. So a table is written as a stream, and tables are
// concatenated by their rows. The bytes depend on the table alone: no time stamps, no library whose versions lay files out in different ways, and
// nothing to install. It is the subset of the format ("HDF5 File Format Specification Version 3.0", The HDF Group, docs.hdfgroup.org) that a table needs:
// superblock 2, two object headers 2 (the group and the table), one heap for the attributes, data in one piece. The tests read it with the HDF Group's own
// library.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <ulna/export.hpp>

namespace ulna::internal::campaign {

struct H5Column {
  enum class Kind { number, whole, text };  // double, 64 bits without sign, UTF-8 of at most `bytes` bytes, filled up with zeros
  std::string name;
  Kind kind = Kind::number;
  std::size_t bytes = 8;  // of a cell
};

struct H5Table {
  std::string name;
  std::vector<H5Column> columns;
  std::uint64_t rows = 0;
  std::vector<std::pair<std::string, std::string>> attributes{};  // of the file: name, text
};

std::size_t row_bytes(const std::vector<H5Column>& columns);

/// The bytes before the rows. Throws std::length_error where the names of the columns are more than HDF5 takes: 64 KB in all.
std::string h5_head(const H5Table& table);

/// A head that h5_head() wrote, without its attributes; the stream stands at the first row then. Nothing for any other file.
std::optional<H5Table> read_h5_head(std::istream& in);

/// A cell of text; those of numbers are put(). Cut where it is longer, between two characters.
void append_text(std::string& to, std::string_view text, std::size_t bytes);

}  // namespace ulna::internal::campaign
