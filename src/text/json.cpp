#include "text/json.hpp"

#include <cmath>
#include <cstdio>

#include "text/message.hpp"
#include "text/utf8.hpp"

namespace ulna::internal {

void TextSink::write_number(double value) {
  char digits[kNumberBytes];
  write({digits, static_cast<std::size_t>(internal::write_number(digits, value) - digits)});
}

void Json::separate() {
  if (after_key_) {
    after_key_ = false;
    return;
  }
  if (has_elements_.empty()) return;
  if (has_elements_.back()) out_.write(", ");
  has_elements_.back() = true;
}

Json& Json::begin_object() {
  separate();
  out_.write("{");
  has_elements_.push_back(false);
  return *this;
}

Json& Json::end_object() {
  has_elements_.pop_back();
  out_.write("}");
  return *this;
}

Json& Json::begin_array() {
  separate();
  out_.write("[");
  has_elements_.push_back(false);
  return *this;
}

Json& Json::end_array() {
  has_elements_.pop_back();
  out_.write("]");
  return *this;
}

Json& Json::key(std::string_view name) {
  value(name);
  out_.write(": ");
  after_key_ = true;
  return *this;
}

Json& Json::value(std::string_view text) {
  separate();
  std::string escaped = "\"";
  while (!text.empty()) {
    const auto c = static_cast<unsigned char>(text.front());
    std::size_t length = 1;
    if (c == '"' || c == '\\') {
      escaped += '\\';
      escaped += static_cast<char>(c);
    } else if (c < 0x20) {
      char code[8];
      std::snprintf(code, sizeof code, "\\u%04x", static_cast<unsigned>(c));
      escaped += code;
    } else if ((length = utf8_length(text)) > 0) {
      escaped += text.substr(0, length);
    } else {
      escaped += "\xef\xbf\xbd";  // U+FFFD: JSON must be UTF-8 whatever a file's names are
      length = 1;
    }
    text.remove_prefix(length);
  }
  escaped += '"';
  out_.write(escaped);
  return *this;
}

Json& Json::value(double number) {
  separate();
  if (std::isfinite(number))
    out_.write_number(number);
  else
    out_.write("null");
  return *this;
}

Json& Json::value(bool truth) { return bare(truth ? "true" : "false"); }

Json& Json::bare(std::string_view text) {
  separate();
  out_.write(text);
  return *this;
}

Json& Json::numbers(const double* values, std::size_t count) {
  begin_array();
  for (std::size_t i = 0; i < count; ++i) value(values[i]);
  return end_array();
}

Json& Json::strings(const std::vector<std::string>& values) {
  begin_array();
  for (const std::string& text : values) value(text);
  return end_array();
}

Json& Json::line() {
  if (!has_elements_.empty() && has_elements_.back()) {
    out_.write(",");
    has_elements_.back() = false;
  }
  out_.write("\n");
  out_.write(std::string(2 * has_elements_.size(), ' '));
  return *this;
}

void Json::finish() {
  out_.write("\n");
  out_.flush();
}

void Json::end() {
  out_.write("\n");
  end_object();
  finish();
}

}  // namespace ulna::internal
