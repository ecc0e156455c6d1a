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
  Json& value(const std::vector<double>& values) { return numbers(values.data(), values.size()); }
  Json& value(const std::vector<std::string>& values) { return strings(values); }
  /// Keys and values in turn: entries of the object that was begun; the same with a line for each; an object of them.
  template <class Value, class... More>
  Json& entries(std::string_view name, const Value& one, const More&... more) {
    key(name).value(one);
    if constexpr (sizeof...(more) > 0) entries(more...);
    return *this;
  }
  template <class Value, class... More>
  Json& lines(std::string_view name, const Value& one, const More&... more) {
    line().key(name).value(one);
    if constexpr (sizeof...(more) > 0) lines(more...);
    return *this;
  }
  template <class... Pairs>
  Json& object(const Pairs&... pairs) {
    return begin_object().entries(pairs...).end_object();
  }
  /// A list, of which `write` writes the elements.
  template <class Range, class Write>
  Json& list(const Range& elements, const Write& write) {
    begin_array();
    for (const auto& element : elements) write(element);
    return end_array();
  }
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
