#include "result_text.hpp"

#include <cmath>

#include "text/number.hpp"

namespace ulna::cli {

namespace {

/// Room for a number is made beforehand, so that its digits are written in their place.
void append_number(std::string& out, double value) {
  const std::size_t size = out.size();
  out.resize(size + kNumberBytes);
  out.resize(static_cast<std::size_t>(write_number(out.data() + size, value) - out.data()));
}

}  // namespace

void append_csv_row(std::string& out, const double* row, std::size_t size) {
  const std::size_t before = out.size();
  out.resize(before + size * (kNumberBytes + 1) + 1);
  char* at = out.data() + before;
  for (std::size_t i = 0; i < size; ++i) {
    if (i > 0) *at++ = ',';
    at = write_number(at, row[i]);
  }
  *at++ = '\n';
  out.resize(static_cast<std::size_t>(at - out.data()));
}

void append_json(std::string& out, const double*& at, const std::vector<std::size_t>& shape, std::size_t depth) {
  if (depth == shape.size()) {
    const double value = *at++;
    if (std::isfinite(value))
      append_number(out, value);
    else
      out += "null";
    return;
  }
  out += '[';
  for (std::size_t i = 0; i < shape[depth]; ++i) {
    if (i > 0) out += ", ";
    append_json(out, at, shape, depth + 1);
  }
  out += ']';
}

}  // namespace ulna::cli
