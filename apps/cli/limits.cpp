#include "limits.hpp"

#include <charconv>

#include "text/cat.hpp"
#include "text/names.hpp"
#include "text/quote.hpp"

namespace ulna::cli {

Option limit_option() { return {"--limit", "NAME=N", "raise a limit on what a file may hold, such as joints=100000 (docs/limits.md); may be repeated", true}; }

ReadLimits limits_of(const Arguments& arguments) {
  ReadLimits limits;
  for (const std::string& text : arguments.values("--limit")) {
    const std::size_t equals = text.find('=');
    const std::string name = text.substr(0, equals), value = equals == std::string::npos ? std::string() : text.substr(equals + 1);
    std::vector<std::string> names;
    const NamedLimit* found = nullptr;
    for (const NamedLimit& row : named_limits()) {
      names.emplace_back(row.name);
      if (row.name == name) found = &row;
    }
    if (found == nullptr) throw UsageError(cat("option --limit: ", there_is_no("limit", name, names, cat("; there are ", joined(names)))));
    std::size_t number = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
    if (value.empty() || error != std::errc{} || end != value.data() + value.size() || number == 0)
      throw UsageError(cat("option --limit ", name, " takes a whole number above 0, not ", in_quotes(value), ": --limit ", name, "=N"));
    limits.*found->value = number;
  }
  return limits;
}

}  // namespace ulna::cli
