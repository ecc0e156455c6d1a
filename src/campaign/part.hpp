// Parts: rows of finished runs as binary columns with a checksum, until all runs of a folder are there. The format: docs/campaign.md.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "campaign/folder.hpp"

namespace ulna::internal::campaign {

struct RunRow;

/// Rows of runs that follow each other, column by column.
struct Rows {
  Rows(std::uint64_t first_run, std::size_t runs, std::size_t numbers_of_row);

  std::uint64_t first;
  std::size_t count, columns;               // columns: of numbers, what varied and then metrics
  std::vector<double> numbers;              // row r of column c at [c * count + r]; NaN where there is none
  std::vector<std::string> status, reason;  // of each row

  void set(const RunRow& row);
};

/// Bytes of a run in a part, of the many that have no reason.
constexpr double row_bytes_of_part(std::size_t columns) { return 8 * static_cast<double>(columns) + 12; }

struct Part {
  std::uint64_t first = 0, count = 0;
  std::string path;
};

/// What a folder holds of a campaign.
struct Parts {
  std::vector<Part> sound;           // in order
  std::vector<std::string> damaged;  // paths: torn, or changed since they were written
};

/// Throws FolderError where the disk is full.
Part write_part(const std::string& folder, const Identity& whole, const Rows& rows);
/// Throws FolderError where one belongs to another campaign, version or instruction set, or has another format.
Parts find_parts(const std::string& folder, const Identity& whole);
/// Throws FolderError where it has changed since it was written or found.
Rows read_part(const Part& part);

}  // namespace ulna::internal::campaign
