// Files in one file, as FMI wants its units.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ulna::internal {

/// A ZIP archive of these files, name and bytes each, as they are and not compressed; of no date, so that the same files give the same bytes.
std::string zipped(const std::vector<std::pair<std::string, std::string>>& files);

}  // namespace ulna::internal
