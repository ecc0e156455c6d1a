#include "json.hpp"

#include <charconv>
#include <cmath>
#include <cstring>
#include <stdexcept>

#include "model/text.hpp"

namespace ulna::cli {

void Output::write_number(double value) {
  if (std::isnan(value)) return write("nan");
  if (std::isinf(value)) return write(value > 0 ? "inf" : "-inf");
  char digits[32];
  const auto result = std::to_chars(digits, digits + sizeof digits, value);
  write({digits, static_cast<std::size_t>(result.ptr - digits)});
}

void Output::flush() {
  const std::size_t size = buffer_.size();
  if (size == 0) return;  // the file may be closed by now
  const std::size_t written = std::fwrite(buffer_.data(), 1, size, file_);
  buffer_.clear();
  if (written != size || std::fflush(file_) != 0) {
    std::fprintf(stderr, "ulna: cannot write the result: %s\n", std::strerror(errno));
    std::_Exit(2);
  }
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

namespace {

// Length of the well-formed UTF-8 sequence at the start of `text`; 0 when there is none.
std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
  const auto follows = [&](std::size_t i) { return (byte(i) & 0xc0u) == 0x80u; };
  const unsigned lead = byte(0);
  if (lead < 0x80) return 1;
  if (lead >= 0xc2 && lead <= 0xdf) return follows(1) ? 2 : 0;
  if (lead >= 0xe0 && lead <= 0xef) {
    if (!follows(1) || !follows(2)) return 0;
    if (lead == 0xe0 && byte(1) < 0xa0) return 0;
    if (lead == 0xed && byte(1) > 0x9f) return 0;
    return 3;
  }
  if (lead >= 0xf0 && lead <= 0xf4) {
    if (!follows(1) || !follows(2) || !follows(3)) return 0;
    if (lead == 0xf0 && byte(1) < 0x90) return 0;
    if (lead == 0xf4 && byte(1) > 0x8f) return 0;
    return 4;
  }
  return 0;
}

}  // namespace

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

Json& Json::value(int number) {
  separate();
  out_.write(std::to_string(number));
  return *this;
}

Json& Json::value(bool truth) {
  separate();
  out_.write(truth ? "true" : "false");
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

}  // namespace ulna::cli
