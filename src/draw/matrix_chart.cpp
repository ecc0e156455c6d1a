#include "draw/charts.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "text/message.hpp"

namespace ulna::internal::draw {

namespace {

// All in pixels.
constexpr double kAbove = 28, kMargin = 8, kLetter = 6.6, kMostLabel = 190, kNumber = 22;
constexpr std::size_t kNumbers = 9;  // rows of which each cell has room for its number
constexpr double kStrongest = 0.62;  // opacity of a coupling of 1: words stay readable on it

std::string number_text(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", value);
  return text;
}

}  // namespace

std::string matrix_chart(const std::string& title, const std::vector<std::string>& names, const std::vector<double>& values, const Theme& theme) {
  const std::size_t n = names.size();
  const bool numbers = n <= kNumbers;
  const double cell = numbers ? 58 : std::clamp(560.0 / static_cast<double>(n), 7.0, 26.0), height = numbers ? 34 : cell;
  std::size_t longest = 2;
  for (const std::string& name : names) longest = std::max(longest, name.size());
  const double left = std::min(kMostLabel, kMargin + kLetter * static_cast<double>(longest + 4)) + 10, side = static_cast<double>(n);
  std::string out = svg_begin(left + cell * side + kMargin, kAbove + height * side + kMargin, title, theme);
  const bool labels = height >= 11;
  // One group for each colour: a large robot has a thousand cells.
  const std::string side_by_side = cat("h", text_of(cell), "v", text_of(height), "h-", text_of(cell), "z");
  std::string coloured[2], written;
  for (std::size_t i = 0; i < n; ++i) {
    const double y = kAbove + height * static_cast<double>(i), x = left + cell * static_cast<double>(i);
    if (labels) {
      out += words(left - kNumber - 8, y + height / 2 + 4, cat("text-anchor=\"end\" font-size=\"11.5\" fill=\"", theme.ink, "\""), names[i]);
      const std::string number = cat("font-size=\"11.5\" fill=\"", theme.muted, "\"");
      out += words(left - 8, y + height / 2 + 4, cat("text-anchor=\"end\" ", number), std::to_string(i + 1));
      // Above narrow cells there is room for every fifth number.
      if (cell >= 20 || i == 0 || (i + 1) % 5 == 0) out += words(x + cell / 2, kAbove - 8, cat("text-anchor=\"middle\" ", number), std::to_string(i + 1));
    }
    for (std::size_t j = 0; j < n; ++j) {
      const double value = values[i * n + j], size = std::sqrt(values[i * n + i] * values[j * n + j]), share = size > 0 ? value / size : 0;
      const double at = left + cell * static_cast<double>(j);
      if (std::abs(share) > 0.004) {
        char opacity[16];
        std::snprintf(opacity, sizeof opacity, "%.2f", kStrongest * std::min(1.0, std::abs(share)));
        coloured[share < 0 ? 1 : 0] += cat("<path d=\"M", text_of(at), " ", text_of(y), side_by_side, "\" fill-opacity=\"", opacity, "\"/>\n");
      }
      if (numbers)
        written += words(at + cell / 2, y + height / 2 + 4, cat("text-anchor=\"middle\" font-size=\"11\" fill=\"", theme.ink, "\""), number_text(value));
    }
  }
  for (const std::size_t k : {0, 1})
    if (!coloured[k].empty()) out += cat("<g fill=\"", theme.colours[k], "\">\n", coloured[k], kGroupEnd);
  out += written;
  for (std::size_t i = 0; i <= n; ++i) {
    const double x = left + cell * static_cast<double>(i), y = kAbove + height * static_cast<double>(i), right = left + cell * side,
                 bottom = kAbove + height * side;
    out += line(x, kAbove, x, bottom, cat("stroke=\"", theme.rule, "\"")) + line(left, y, right, y, cat("stroke=\"", theme.rule, "\""));
  }
  return out + "</svg>\n";
}

}  // namespace ulna::internal::draw
