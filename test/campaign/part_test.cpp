// Parts of campaigns: every bit comes back, the bytes are as docs/campaign.md says, and no damage goes unseen.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>

#include "campaign/results.hpp"
#include "support/folder.hpp"
#include "text/csv.hpp"

namespace ulna::internal::campaign {
namespace {

using support::Folder;
namespace fs = std::filesystem;

const Identity kWhole{.version = "1.2.3", .hash = "0123456789abcdef", .instruction_set = "AVX2", .path = "lanes", .sampling = "random", .runs = 9, .count = 9};

/// What can stand in a row, and what should never.
Rows odd_rows() {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const std::vector<double> odd{0.1,
                                -0.0,
                                kInfinity,
                                -kInfinity,
                                std::numeric_limits<double>::quiet_NaN(),
                                std::numeric_limits<double>::denorm_min(),
                                1e308,
                                std::nextafter(1.0, 2.0),
                                -123456789.123456789};
  Rows rows(40, 3, 3);
  rows.numbers = odd;
  rows.status = {"done", "diverged", "refused"};
  rows.reason = {"", "joint 'a,b' said \"no\",\nand left\r\n", "µ ≤ 0: größer, 角度"};
  return rows;
}

std::string bytes_at(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}
void write_bytes(const std::string& path, const std::string& bytes) {
  fs::remove(path);  // a file that is cut and written again may wait for the disk
  std::ofstream(path, std::ios::binary) << bytes;
}

template <class T>
T value_at(const std::string& bytes, std::size_t at) {
  T x;
  std::memcpy(&x, bytes.data() + at, sizeof x);  // as little-endian as the file, on what the tests run on
  return x;
}
/// FNV-1a of 64 bits, as RFC 9923 writes it.
std::uint64_t fnv(const std::string& bytes) {
  std::uint64_t hash = 14695981039346656037u;
  for (const char c : bytes) hash ^= static_cast<unsigned char>(c), hash *= 1099511628211u;
  return hash;
}
std::string with_checksum(std::string bytes) {
  const std::uint64_t sum = fnv(bytes);
  return bytes.append(reinterpret_cast<const char*>(&sum), 8);
}

std::string told(const std::function<void()>& work) {
  try {
    work();
  } catch (const FolderError& problem) {
    return problem.what();
  }
  return "";
}

struct OfAFolder : ::testing::Test {
  void SetUp() override { fs::create_directories(folder.at("parts")); }
  const Folder folder;
  std::string root = folder.at(".");
};
using PartTest = OfAFolder;

TEST_F(PartTest, EveryBitComesBack) {
  const Rows rows = odd_rows();
  const Part part = write_part(root, kWhole, rows);
  const Parts found = find_parts(root, kWhole);
  ASSERT_EQ(found.intact.size(), 1u);
  EXPECT_TRUE(found.damaged.empty());
  EXPECT_EQ(found.intact[0].first, 40u);
  EXPECT_EQ(found.intact[0].count, 3u);
  const Rows read = read_part(found.intact[0]);
  EXPECT_EQ(read.first, 40u);
  ASSERT_EQ(read.numbers.size(), rows.numbers.size());
  for (std::size_t i = 0; i < rows.numbers.size(); ++i) EXPECT_EQ(std::bit_cast<std::uint64_t>(read.numbers[i]), std::bit_cast<std::uint64_t>(rows.numbers[i]));
  EXPECT_EQ(read.status, rows.status);
  EXPECT_EQ(read.reason, rows.reason);
  write_part(root, kWhole, Rows(0, 0, 3));  // no runs
  EXPECT_EQ(find_parts(root, kWhole).intact.size(), 2u);
}

TEST_F(PartTest, BytesAreThoseOfTheDocumentation) {
  const Rows rows = odd_rows();
  const std::string bytes = bytes_at(write_part(root, kWhole, rows).path), label = "0123456789abcdef AVX2 1.2.3";
  EXPECT_EQ(bytes.substr(0, 8), "ULNAPART");
  EXPECT_EQ(value_at<std::uint32_t>(bytes, 8), 2u);
  ASSERT_EQ(value_at<std::uint32_t>(bytes, 12), label.size());
  EXPECT_EQ(value_at<std::uint64_t>(bytes, 16), 40u);
  EXPECT_EQ(value_at<std::uint64_t>(bytes, 24), 3u);
  EXPECT_EQ(value_at<std::uint64_t>(bytes, 32), 3u);
  EXPECT_EQ(bytes.substr(40, label.size()), label);
  std::size_t at = 40 + label.size();
  for (; at % 8 != 0; ++at) EXPECT_EQ(bytes[at], '\0');
  for (const double x : rows.numbers) {
    EXPECT_EQ(value_at<std::uint64_t>(bytes, at), std::bit_cast<std::uint64_t>(x));
    at += 8;
  }
  for (const auto& texts : {rows.status, rows.reason}) {
    std::string all;
    for (const std::string& text : texts) {
      EXPECT_EQ(value_at<std::uint32_t>(bytes, at), text.size());
      at += 4, all += text;
    }
    EXPECT_EQ(bytes.substr(at, all.size()), all);
    at += all.size();
  }
  EXPECT_EQ(value_at<std::uint64_t>(bytes, at), fnv(bytes.substr(0, at)));
  EXPECT_EQ(bytes.size(), at + 8);
}

TEST_F(PartTest, NoDamageGoesUnseen) {
  const Part part = write_part(root, kWhole, odd_rows());
  const std::string sound = bytes_at(part.path);
  const auto expect_damaged = [&](const std::string& bytes, const std::string& what) {
    write_bytes(part.path, bytes);
    const Parts found = find_parts(root, kWhole);
    EXPECT_TRUE(found.intact.empty()) << what;
    EXPECT_EQ(found.damaged, std::vector<std::string>{part.path}) << what;
    EXPECT_NE(told([&] { read_part(part); }).find("has changed"), std::string::npos) << what;
  };
  for (std::size_t length = 0; length < sound.size(); ++length) expect_damaged(sound.substr(0, length), "cut at " + std::to_string(length));
  for (std::size_t i = 0; i < sound.size(); ++i)
    for (const int bit : {0, 7}) {
      std::string flipped = sound;
      flipped[i] = static_cast<char>(flipped[i] ^ (1 << bit));
      expect_damaged(flipped, "byte " + std::to_string(i));
    }
  expect_damaged(sound + "x", "longer");
  expect_damaged(sound + sound, "twice");
  expect_damaged(std::string(sound.size(), '\0'), "zeros, as a file system leaves them after a crash");
  // A checksum over a head that promises more than there is.
  const std::string body = sound.substr(0, sound.size() - 8);
  for (const std::size_t field : {12, 24, 32})
    for (const char* more : {"\x04\x01\0\0", "\xff\xff\xff\xff"}) {
      std::string lying = body;
      lying.replace(field, 4, more, 4);
      expect_damaged(with_checksum(lying), "field at " + std::to_string(field));
    }
  // Bytes at random under a checksum that is right: whatever is said of them, nothing is read that is not there.
  std::uint64_t state = 1;
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>((state = state * 6364136223846793005u + 1442695040888963407u) >> 33) % n; };
  for (int times = 0; times < 2000; ++times) {
    std::string mixed = body;
    for (std::size_t k = 0; k < 1 + below(4); ++k) mixed[12 + below(mixed.size() - 12)] = static_cast<char>(below(256));
    if (below(2) == 0) mixed.resize(12 + below(mixed.size() - 12));
    write_bytes(part.path, with_checksum(mixed));
    const std::string problem = told([&] {
      for (const Part& found : find_parts(root, kWhole).intact) {
        const Rows rows = read_part(found);
        EXPECT_EQ(rows.numbers.size(), rows.count * rows.columns);
        EXPECT_LE(rows.numbers.size() * 8, mixed.size());
      }
    });
    EXPECT_TRUE(problem.empty() || problem.find("parts of another") != std::string::npos || problem.find("made by Ulna") != std::string::npos) << problem;
  }
  write_bytes(part.path, sound);
  EXPECT_EQ(find_parts(root, kWhole).intact.size(), 1u);
}

TEST_F(PartTest, WhatBelongsElsewhereIsTold) {
  Identity other = kWhole;
  const Part part = write_part(root, kWhole, odd_rows());
  other.hash = "fedcba9876543210";
  EXPECT_NE(told([&] { find_parts(root, other); }).find("parts of another campaign (0123456789abcdef, not fedcba9876543210)"), std::string::npos);
  other = kWhole, other.version = "1.2.4";
  EXPECT_NE(told([&] { find_parts(root, other); }).find("made by Ulna 1.2.3 for AVX2, not 1.2.4 for AVX2"), std::string::npos);
  other = kWhole, other.instruction_set = "AVX-512";
  EXPECT_NE(told([&] { find_parts(root, other); }).find("made by Ulna 1.2.3 for AVX2, not 1.2.3 for AVX-512"), std::string::npos);
  std::string newer = bytes_at(part.path);
  newer.resize(newer.size() - 8);
  newer[8] = 3;
  write_bytes(part.path, with_checksum(newer));
  EXPECT_NE(told([&] { find_parts(root, kWhole); }).find("has version 3 of the format, but this Ulna reads version 2"), std::string::npos);
  fs::remove(part.path);
  write_bytes(folder.at("parts/0000000000000.csv"), "ulna-part-1 0123456789abcdef AVX2 1.2.3 0 1 cbf29ce484222325\n");
  EXPECT_NE(told([&] { find_parts(root, kWhole); }).find("is text, as earlier versions of Ulna wrote"), std::string::npos);
}

TEST_F(PartTest, RowsOfResultsHoldWhatTheyCan) {
  const Rows rows = odd_rows();
  const std::vector<std::string> columns{"run", "status", "reason", "a", "b", "c"};
  for (const Format format : {Format::csv, Format::h5}) {
    Identity identity = kWhole;
    identity.format = format, identity.count = 3;
    ResultsWriter writer(root, identity, columns, "runs: 3\n");
    writer.add(rows, 0, 1);
    writer.add(rows, 1, 3);
    writer.keep();
    identity.checksum = writer.checksum();
    EXPECT_EQ(told([&] { check_results(root, identity); }), "");
    std::size_t r = 0;
    each_row(root, format, [&](std::uint64_t run, std::string_view status, const std::vector<double>& x) {
      EXPECT_EQ(run, 40 + r);
      EXPECT_EQ(status, rows.status[r]);
      for (std::size_t c = 0; c < x.size(); ++c) {
        const double wanted = rows.numbers[c * 3 + r];
        EXPECT_TRUE(std::isnan(wanted) ? std::isnan(x[c]) : std::bit_cast<std::uint64_t>(x[c]) == std::bit_cast<std::uint64_t>(wanted)) << r << " " << c;
      }
      EXPECT_EQ(x.size(), format == Format::h5 || status == "done" ? 3u : 0u);
      ++r;
    });
    EXPECT_EQ(r, 3u);
  }
  std::ifstream in(folder.at("results.csv"));
  std::string line;
  std::vector<std::string> cells;
  const std::vector<std::vector<std::string>> wanted{{"40", "done", "", "0.1", "-inf", "1e+308"},
                                                     {"41", "diverged", "joint 'a,b' said \"no\", and left", "-0", "", "1.0000000000000002"},
                                                     {"42", "refused", "µ ≤ 0: größer, 角度", "inf", "5e-324", "-123456789.12345679"}};
  std::getline(in, line);
  for (const std::vector<std::string>& row : wanted) {
    ASSERT_TRUE(std::getline(in, line));
    ASSERT_TRUE(ulna::internal::read_csv_cells(line, cells));
    EXPECT_EQ(cells, row);
  }
  EXPECT_FALSE(std::getline(in, line));
}

}  // namespace
}  // namespace ulna::internal::campaign
