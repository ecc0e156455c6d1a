// JSON written as it is made: nothing is held back, so a million rows need no more memory than one.
#pragma once

#include <concepts>
#include <string>
#include <string_view>
#include <vector>

#include <ulna/export.hpp>

namespace ulna::internal {

/// Where it is written to.
class TextSink {
 public:
  virtual ~TextSink() = default;
  virtual void write(std::string_view text) = 0;
  virtual void flush() {}
  void write_number(double value);  // as above
};

class StringSink : public TextSink {
 public:
  void write(std::string_view text) override { text_ += text; }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

class Json {
 public:
  explicit Json(TextSink& out) : out_(out) {}

  Json& begin_object();
  Json& end_object();
  Json& begin_array();
  Json& end_array();
  Json& key(std::string_view name);
  Json& value(std::string_view text);
  Json& value(const char* text) { return value(std::string_view(text)); }
  Json& value(const std::string& text) { return value(std::string_view(text)); }
  Json& value(double number);  // null when it is not finite
  template <std::integral T>
  Json& value(T number) {
    return bare(std::to_string(number));
  }
  Json& value(bool truth);
  Json& numbers(const double* values, std::size_t count);
  Json& strings(const std::vector<std::string>& values);
  /// A line break and the indentation of the present depth before the next element, to keep long arrays readable.
  Json& line();
  void finish();
  void end();  // closes the outermost object on a line of its own, and finishes

 private:
  void separate();
  Json& bare(std::string_view text);

  TextSink& out_;
  std::vector<bool> has_elements_;
  bool after_key_ = false;
};

}  // namespace ulna::internal
