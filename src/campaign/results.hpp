// The rows of a campaign as files: parts, and results.csv or results.h5 when all runs of a folder are done.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
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

// Parts: rows of finished runs as binary columns with a checksum, until all runs of a folder are there. The format: docs/campaign.md.

/// Bytes of a run in a part, of the many that have no reason.
constexpr double row_bytes_of_part(std::size_t columns) { return 8 * static_cast<double>(columns) + 12; }

struct Part {
  std::uint64_t first = 0, count = 0;
  std::string path;
};

/// What a folder holds of a campaign.
struct Parts {
  std::vector<Part> intact;          // in order
  std::vector<std::string> damaged;  // paths: torn, or changed since they were written
};

/// Throws FolderError where the disk is full.
Part write_part(const std::string& folder, const Identity& whole, const Rows& rows);
/// Throws FolderError where one belongs to another campaign, version or instruction set, or has another format.
Parts find_parts(const std::string& folder, const Identity& whole);
/// Throws FolderError where it has changed since it was written or found.
Rows read_part(const Part& part);

inline constexpr std::size_t kLeading = 3;  // columns before what varied: run, status, reason

std::string results_path(const std::string& folder, Format format);
/// The bytes before the rows. Throws FolderError where the format cannot hold so many columns.
std::string results_head(const Identity& identity, const std::vector<std::string>& columns, const std::string& spec);

/// Writes one, row by row, whole or not at all. Throws FolderError.
class ResultsWriter {
 public:
  ResultsWriter(const std::string& folder, const Identity& identity, const std::vector<std::string>& columns, const std::string& spec);
  /// Rows from `from` on, and before `to`.
  void add(const Rows& rows, std::size_t from, std::size_t to);
  /// All rows of a finished folder of the same campaign and format. Throws FolderError where they are not as they were written.
  void add_folder(const std::string& folder, const Identity& identity);
  /// Of what was written so far.
  std::string checksum() const;
  void keep() { file_.keep(); }

 private:
  void write(std::string_view bytes);
  Format format_;
  std::size_t columns_;
  CampaignFile file_;
  std::uint64_t sum_;
};

/// As it stands in the file of results. A row of CSV is a line: a reason has blanks where it had line breaks.
void append_row(std::string& text, const Rows& rows, std::size_t r, Format format);

std::string file_checksum(const std::string& path);
/// Throws FolderError where a finished file of results is not as it was written.
void check_results(const std::string& folder, const Identity& identity);
/// Names of the columns.
std::vector<std::string> results_columns(const std::string& folder, Format format);
/// Number of the run, status, numbers behind the leading columns; NaN for an empty cell. Runs that are not "done" may have no numbers.
using RowFunction = std::function<void(std::uint64_t, std::string_view, const std::vector<double>&)>;
void each_row(const std::string& folder, Format format, const RowFunction& row);

/// A report without what the rows say.
Report begin_report(const Identity& identity);
/// Of rows that `each` passes on in the order of their runs, whenever it is called: exact statistics take two passes.
Report summarise_rows(const Identity& identity, const std::vector<std::string>& columns, const std::function<void(const RowFunction&)>& each);

}  // namespace ulna::internal::campaign
