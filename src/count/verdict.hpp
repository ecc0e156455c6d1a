// How a verdict comes about, and the reasons that are on file for the counts that do not agree.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "count/tables.hpp"

namespace ulna::internal {

struct Reason {
  Verdict verdict = Verdict::differs;
  std::string_view text;
};
/// `operation` is "mul" or "add". Nothing when none is on file.
std::optional<Reason> reason_on_file(const PublishedTable& table, std::string_view entry, std::string_view operation);
/// How many there are; a table whose numbers are those of another has the reasons of that one.
std::size_t reasons_on_file();

/// Fills fit, difference, verdict and reason of a count whose `printed` and `ours` are there. `first` is the smallest n that the print is about; for a
/// table about a single n, `ours` has one number. Returns a fault of the file of reasons, or nothing.
std::string judge(ComparedCount& count, int first, bool single, const std::optional<Reason>& reason);

}  // namespace ulna::internal
