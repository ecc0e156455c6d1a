// Cells of CSV (RFC 4180).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <ulna/export.hpp>

namespace ulna::internal {

/// A text as a cell: in quotes where it needs them. Names of columns begin with "q.", "tau." and the like, so that no spreadsheet takes one for a formula,
/// whatever a joint is called.
std::string csv_cell(std::string_view text);

/// The cells of one line, without blanks around them. False when a quotation mark is not closed.
bool read_csv_cells(std::string_view line, std::vector<std::string>& cells);

}  // namespace ulna::internal
