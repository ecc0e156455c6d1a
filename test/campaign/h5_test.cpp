// Tables in HDF5, read back by our own reader, and by the HDF Group's library where it is installed.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <sstream>

#include "campaign/bytes.hpp"
#include "campaign/h5_table.hpp"

#ifdef ULNA_HAVE_HDF5
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>

#include <hdf5.h>
#endif

namespace ulna::internal::campaign {
namespace {

H5Table sample(std::size_t numbers, std::uint64_t rows) {
  H5Table table{
      "results", {{"run", H5Column::Kind::whole}, {"status", H5Column::Kind::text, 8}}, rows, {{"spec", std::string(70'000, 'x') + "µ\n"}, {"note", ""}}};
  for (std::size_t i = 0; i < numbers; ++i) table.columns.push_back({"v.joint" + std::to_string(i) + " [rad/s]"});
  return table;
}

double cell(std::uint64_t row, std::size_t i) {
  return i == 1 ? std::numeric_limits<double>::quiet_NaN() : static_cast<double>(row) + 0.1 * static_cast<double>(i);
}

std::string bytes_of(const H5Table& table) {
  std::string out = h5_head(table);
  for (std::uint64_t row = 0; row < table.rows; ++row) {
    put(out, row, 8);
    append_text(out, row == 1 ? "µµµµµµ" : "done", 8);
    for (std::size_t i = 2; i < table.columns.size(); ++i) put(out, cell(row, i - 2));
  }
  return out;
}

TEST(H5Table, ReadsItsOwnHead) {
  for (const std::size_t numbers : {0, 1, 30, 700}) {  // rows of one, two and three bytes' length
    const H5Table table = sample(numbers, 5);
    std::istringstream in(bytes_of(table));
    const std::optional<H5Table> read = read_h5_head(in);
    ASSERT_TRUE(read) << numbers;
    EXPECT_EQ(read->rows, 5u);
    ASSERT_EQ(read->columns.size(), table.columns.size());
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
      EXPECT_EQ(read->columns[i].name, table.columns[i].name);
      EXPECT_EQ(read->columns[i].kind, table.columns[i].kind);
      EXPECT_EQ(read->columns[i].bytes, table.columns[i].bytes);
    }
    EXPECT_EQ(static_cast<std::size_t>(in.tellg()), h5_head(table).size());
  }
  EXPECT_THROW(h5_head(sample(3000, 1)), std::length_error);
}

TEST(H5Table, WhatIsTornOrAnotherFileIsRefused) {
  const std::string whole = bytes_of(sample(3, 2));
  for (std::size_t size = 0; size < 400; size += 7) {
    std::istringstream in(whole.substr(0, size));
    EXPECT_FALSE(read_h5_head(in)) << size;
  }
  for (std::size_t at = 48; at < 300; ++at) {  // the headers have checksums
    std::string other = whole;
    other[at] = static_cast<char>(other[at] ^ 4);
    std::istringstream in(other);
    EXPECT_FALSE(read_h5_head(in)) << at;
  }
}

TEST(H5Table, TextIsCutBetweenCharacters) {
  std::string out;
  append_text(out, "aµµ", 4);
  EXPECT_EQ(out, std::string("aµ\0", 4));
}

#ifdef ULNA_HAVE_HDF5
TEST(H5Table, TheLibraryReadsIt) {
  const std::string path = (std::filesystem::temp_directory_path() / ("ulna-" + std::to_string(::getpid()) + ".h5")).string();
  for (const std::size_t numbers : {0, 1, 30, 700})
    for (const std::uint64_t rows : {0, 1, 9}) {
      const H5Table table = sample(numbers, rows);
      std::ofstream(path, std::ios::binary) << bytes_of(table);
      const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
      ASSERT_GE(file, 0);
      const hid_t set = H5Dopen2(file, "results", H5P_DEFAULT);
      ASSERT_GE(set, 0) << numbers << " " << rows;
      const hid_t space = H5Dget_space(set), type = H5Dget_type(set);
      EXPECT_EQ(static_cast<std::uint64_t>(H5Sget_simple_extent_npoints(space)), rows);
      ASSERT_EQ(static_cast<std::size_t>(H5Tget_nmembers(type)), table.columns.size());
      for (std::size_t i = 0; i < table.columns.size(); ++i) {
        char* name = H5Tget_member_name(type, static_cast<unsigned>(i));
        EXPECT_EQ(name, table.columns[i].name);
        H5free_memory(name);
      }
      std::vector<char> read_rows(rows * H5Tget_size(type));
      ASSERT_GE(H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, read_rows.data()), 0);
      for (std::uint64_t row = 0; row < rows; ++row)
        for (std::size_t i = 0; i < numbers; ++i) {
          double x = 0;
          std::memcpy(&x, &read_rows[row * H5Tget_size(type) + H5Tget_member_offset(type, static_cast<unsigned>(i + 2))], sizeof x);
          EXPECT_TRUE(x == cell(row, i) || (std::isnan(x) && i == 1)) << row << " " << i;
        }
      for (const auto& [name, text] : table.attributes) {
        const hid_t attribute = H5Aopen(file, name.c_str(), H5P_DEFAULT), of = H5Aget_type(attribute);
        char* read = nullptr;
        ASSERT_GE(H5Aread(attribute, of, static_cast<void*>(&read)), 0);
        EXPECT_EQ(std::string(read == nullptr ? "" : read), text);
        H5free_memory(read);
        H5Tclose(of);
        H5Aclose(attribute);
      }
      H5Tclose(type), H5Sclose(space), H5Dclose(set), H5Fclose(file);
    }
  std::filesystem::remove(path);
}
#endif

}  // namespace
}  // namespace ulna::internal::campaign
