// Results as text: rows of numbers in CSV or JSON, byte for byte the same on every machine.
#pragma once

#include <string>
#include <vector>

namespace ulna::cli {

/// Numbers with commas between them, and a line break.
void append_csv_row(std::string& out, const double* row, std::size_t size);

/// Nested JSON lists of the given shape: {} is a number, {n} a list, {n, m} a list of rows. Advances `at`.
void append_json(std::string& out, const double*& at, const std::vector<std::size_t>& shape, std::size_t depth = 0);

}  // namespace ulna::cli
