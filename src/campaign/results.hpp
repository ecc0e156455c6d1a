// The rows of a campaign as a file: results.csv or results.h5.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "campaign/folder.hpp"

namespace ulna::campaign::internal {

inline constexpr std::size_t kLeading = 3;  // columns before what varied: run, status, reason

std::string results_path(const std::string& folder, Format format);

/// Writes one, row by row, whole or not at all. Throws FolderError.
class ResultsWriter {
 public:
  ResultsWriter(const std::string& folder, const Identity& identity, const std::vector<std::string>& columns, const std::string& spec);
  /// Lines of CSV, as parts hold them.
  void add(std::string_view lines);
  /// All rows of a finished folder of the same campaign and format. Throws FolderError where they are not as they were written.
  void add_folder(const std::string& folder, const Identity& identity);
  /// Of what was written so far.
  std::string checksum() const;
  void keep() { file_.keep(); }

 private:
  void write(std::string_view bytes);
  Format format_;
  std::size_t columns_;
  SafeFile file_;
  std::uint64_t sum_;
};

/// Throws FolderError where a finished file of results is not as it was written.
void check_results(const std::string& folder, const Identity& identity);
/// Names of the columns.
std::vector<std::string> results_columns(const std::string& folder, Format format);
/// Calls row(number of the run, status, numbers behind the leading columns) for every row; NaN for an empty cell. Runs that are not "done" may have no numbers.
void each_row(const std::string& folder, Format format, const std::function<void(std::uint64_t, std::string_view, const std::vector<double>&)>& row);

}  // namespace ulna::campaign::internal
