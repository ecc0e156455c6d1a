#include "draw/bar_chart.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "text/cat.hpp"

namespace ulna::internal::draw {

namespace {

// All in pixels.
constexpr double kLeft = 190, kPlot = 470, kRight = 90, kBar = 10, kGap = 7, kTitle = 36, kAxis = 30, kLegend = 30, kNote = 17;
constexpr double kWidth = kLeft + kPlot + kRight;

std::string value_text(double value) {
  char text[32];
  std::snprintf(text, sizeof text, value < 10 ? "%.2f" : value < 100 ? "%.1f" : "%.0f", value);
  std::string out = text;
  if (value == std::floor(value) && value < 1e15) {
    std::snprintf(text, sizeof text, "%.0f", value);
    out = text;
  }
  return out;
}

bool drawn(double value) { return std::isfinite(value) && value > 0; }

}  // namespace

std::string bar_chart(const std::string& title, const std::vector<std::string>& kinds, const std::vector<BarPanel>& panels, const Theme& theme,
                      const std::vector<std::string>& notes) {
  double least = INFINITY, most = 1;
  for (const BarPanel& p : panels)
    for (const BarRow& row : p.rows)
      for (const double value : row.values)
        if (drawn(value)) {
          least = std::min(least, value);
          most = std::max(most, value);
        }
  const double low = std::max(0.0, std::floor(std::log10(std::min(least, most)))), high = std::max(low + 1, std::ceil(std::log10(most)));
  const double row_height = kBar * static_cast<double>(kinds.size()) + kGap, legend = kinds.size() > 1 ? kLegend : 0;
  double height = legend;
  for (const BarPanel& p : panels) height += kTitle + row_height * static_cast<double>(p.rows.size()) + kAxis;
  height += kNote * static_cast<double>(notes.size());

  std::string out = svg_begin(kWidth, height, title, theme);
  double x = kLeft;
  for (std::size_t k = 0; k < kinds.size() && legend > 0; ++k) {
    out += cat("<rect x=\"", text_of(x), "\" y=\"8\" width=\"12\" height=\"12\" fill=\"", theme.colours[k % theme.colours.size()], "\"/>\n");
    out += words(x + 18, 18, cat("fill=\"", theme.muted, "\""), kinds[k]);
    x += 18 + 7 * static_cast<double>(kinds[k].size()) + 22;
  }
  double top = legend;
  for (const BarPanel& p : panels) {
    const double first = top + kTitle, bottom = first + row_height * static_cast<double>(p.rows.size());
    out += words(kLeft, first - 12, "font-weight=\"bold\" font-size=\"13\"", p.title);
    for (int power = static_cast<int>(low); power <= static_cast<int>(high); ++power) {
      const double at = kLeft + kPlot * (power - low) / (high - low);
      out += line(at, first - 4, at, bottom, cat("stroke=\"", theme.rule, "\""));
      out += words(at, bottom + 15, cat("text-anchor=\"middle\" font-size=\"11\" fill=\"", theme.muted, "\""), value_text(std::pow(10, power)));
    }
    for (std::size_t r = 0; r < p.rows.size(); ++r) {
      const BarRow& row = p.rows[r];
      const double y = first + row_height * static_cast<double>(r);
      out += words(kLeft - 8, y + (row_height - kGap) / 2 + 4, cat("text-anchor=\"end\"", row.ours ? " font-weight=\"bold\"" : ""), row.label);
      for (std::size_t k = 0; k < row.values.size(); ++k) {
        if (!drawn(row.values[k])) continue;
        const double length = std::max(1.0, kPlot * (std::log10(row.values[k]) - low) / (high - low)), at = y + kBar * static_cast<double>(k);
        out += cat("<rect x=\"", text_of(kLeft), "\" y=\"", text_of(at), "\" width=\"", text_of(length), "\" height=\"", text_of(kBar - 1), "\" fill=\"",
                   theme.colours[k % theme.colours.size()], "\"", row.ours || kinds.size() > 1 ? "" : " fill-opacity=\"0.6\"", "/>\n");
        out += words(kLeft + length + 5, at + kBar - 1.5, cat("font-size=\"10.5\" fill=\"", theme.muted, "\""), value_text(row.values[k]));
      }
    }
    top = bottom + kAxis;
  }
  for (const std::string& note : notes) {
    out += words(kGap, top + kNote - 6, cat("font-size=\"11\" fill=\"", theme.muted, "\""), note);
    top += kNote;
  }
  return out + "</svg>\n";
}

}  // namespace ulna::internal::draw
