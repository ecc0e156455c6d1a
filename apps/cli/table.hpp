// Columns of text that line up.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ulna::cli {

class Table {
 public:
  /// One letter per column: 'l' or 'r'.
  explicit Table(std::string alignment) : alignment_(std::move(alignment)) {}
  void row(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  /// Every line indented by two spaces and ended.
  std::string text() const;

 private:
  std::string alignment_;
  std::vector<std::vector<std::string>> rows_;
};

/// Words of `text` in lines of at most `width` bytes, which begin with `first` and then with `next`.
std::string wrapped(std::string_view text, const std::string& first, const std::string& next, std::size_t width);

/// Seven significant digits, for reading; JSON and CSV carry all of them.
std::string brief(double value);

/// Two digits and a power of ten: how far something is off.
std::string scientific(double value);

/// brief(), with plain words for limits that do not exist.
std::string limit(double value);

}  // namespace ulna::cli
