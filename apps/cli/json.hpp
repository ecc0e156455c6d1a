// JSON written as it is made: nothing is held back, so a million rows need no more memory than one.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

namespace ulna::cli {

/// A buffer before standard output or a file that notices a full disk.
class Output {
 public:
  explicit Output(std::FILE* file = stdout) : file_(file) {}
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;
  ~Output() { flush(); }
  void write(std::string_view text) {
    buffer_ += text;
    if (buffer_.size() > kFull) flush();
  }
  void write_number(double value);  // shortest text that reads back to the same bits
  void flush();

 private:
  static constexpr std::size_t kFull = std::size_t{1} << 16;
  std::FILE* file_;
  std::string buffer_;
};

class Json {
 public:
  explicit Json(Output& out) : out_(out) {}

  Json& begin_object();
  Json& end_object();
  Json& begin_array();
  Json& end_array();
  Json& key(std::string_view name);
  Json& value(std::string_view text);
  Json& value(const char* text) { return value(std::string_view(text)); }
  Json& value(const std::string& text) { return value(std::string_view(text)); }
  Json& value(double number);  // null when it is not finite
  Json& value(int number);
  Json& value(bool truth);
  Json& numbers(const double* values, std::size_t count);
  Json& strings(const std::vector<std::string>& values);
  /// A line break and the indentation of the present depth before the next element, to keep long arrays readable.
  Json& line();
  void finish();

 private:
  void separate();

  Output& out_;
  std::vector<bool> has_elements_;
  bool after_key_ = false;
};

}  // namespace ulna::cli
