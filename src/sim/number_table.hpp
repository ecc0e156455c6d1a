// Numbers in CSV: a header of names, then rows of as many numbers.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <ulna/model/diagnostics.hpp>
#include <ulna/source/load.hpp>

namespace ulna::internal::sim {

struct NumberTable {
  std::vector<std::string> names;
  std::vector<std::vector<double>> rows;
  std::vector<int> lines;  // of each row in the text
};

/// Empty after an error. Lines that are blank or begin with # are skipped; numbers may be written with pi.
NumberTable read_number_table(std::string_view text, Diagnostics& diagnostics);
/// From a file; a file that cannot be read is an error.
NumberTable load_number_table(const std::string& path, Diagnostics& diagnostics, const ReadLimits& limits = {});

}  // namespace ulna::internal::sim
