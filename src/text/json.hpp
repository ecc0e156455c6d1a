// JSON written as a stream: a million rows need no more memory than one.
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
  /// Members as of fields(), each on a line of its own; an array as of lines(), as such a member.
  template <class Value, class... More>
  Json& line_fields(std::string_view name, const Value& value, const More&... more) {
    line().fields(name, value);
    if constexpr (sizeof...(more) > 0) line_fields(more...);
    return *this;
  }
  template <class Range, class Write>
  Json& list(std::string_view name, const Range& range, const Write& write) {
    return line().key(name).lines(range, write);
  }
  Json& value(bool truth);
  Json& numbers(const double* values, std::size_t count);
  Json& strings(const std::vector<std::string>& values);
  Json& null() { return bare("null"); }

  /// Members of the present object: a name, its value, and so on. An optional value may be null; a function writes its value itself.
  template <class Value, class... More>
  Json& fields(std::string_view name, const Value& value, const More&... more) {
    key(name);
    any(value);
    if constexpr (sizeof...(more) > 0) fields(more...);
    return *this;
  }
  /// An object of such members.
  template <class... Members>
  Json& object(const Members&... members) {
    begin_object();
    fields(members...);
    return end_object();
  }
  /// An array of what `write` writes for each element, each on a line of its own.
  template <class Range, class Write>
  Json& lines(const Range& range, const Write& write) {
    begin_array();
    for (const auto& element : range) {
      line();
      write(element);
    }
    return end_array();
  }

  /// A line break and the indentation of the present depth before the next element, to keep long arrays readable.
  Json& line();
  void finish();
  void end();  // closes the outermost object on a line of its own, and finishes

 private:
  template <class Value>
  void any(const Value& of) {
    if constexpr (std::invocable<const Value&>)
      of();
    else if constexpr (requires { of.has_value(); })
      of ? any(*of) : static_cast<void>(null());
    else if constexpr (std::same_as<Value, std::vector<std::string>>)
      strings(of);
    else if constexpr (std::same_as<Value, std::vector<double>>)
      numbers(of.data(), of.size());
    else
      value(of);
  }
  void separate();
  Json& bare(std::string_view text);

  TextSink& out_;
  std::vector<bool> has_elements_;
  bool after_key_ = false;
};

}  // namespace ulna::internal
