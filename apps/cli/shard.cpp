#include "shard.hpp"

#include "programs/interface.hpp"

namespace ulna::cli {

std::optional<std::uint64_t> count_of(const Arguments& arguments, std::string_view option) {
  const std::optional<double> n = arguments.number(option);
  if (!n) return {};
  if (!(*n >= 1 && *n <= 1e12 && *n == std::floor(*n))) throw UsageError(cat("option ", option, " takes a whole number from 1 to 1e12, not ", *n));
  return static_cast<std::uint64_t>(*n);
}

campaign::Shard shard_of(const Arguments& arguments) {
  const std::optional<std::string> text = arguments.value("--shard");
  if (!text) return {};
  unsigned long long index = 0, count = 0;
  char behind = 0;
  if (std::sscanf(text->c_str(), "%llu/%llu%c", &index, &count, &behind) != 2 || index < 1 || index > count)
    throw UsageError(cat("option --shard takes i/n with i from 1 to n, such as 1/4, not ", in_quotes(*text)));
  return {index, count};
}

campaign::Format format_of(const Arguments& arguments, campaign::Format fallback, std::string_view function) {
  const std::optional<std::string> asked = arguments.value("--format");
  if (!asked) return fallback;
  if (*asked == "parquet") throw UsageError(cat("option --format: Parquet is written by ", function, "() in Python; here csv or h5"));
  return arguments.choice("--format", {"csv", "h5"}) == "h5" ? campaign::Format::h5 : campaign::Format::csv;
}

}  // namespace ulna::cli
