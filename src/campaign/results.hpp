// The rows of a campaign as a file: results.csv or results.h5.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "campaign/part.hpp"

namespace ulna::campaign::internal {

inline constexpr std::size_t kLeading = 3;  // columns before what varied: run, status, reason

std::string results_path(const std::string& folder, Format format);
/// What stands before the rows. Throws FolderError where the format cannot hold so many columns.
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

}  // namespace ulna::campaign::internal
