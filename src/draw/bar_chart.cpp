#include "draw/bar_chart.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "text/cat.hpp"
#include "text/xml.hpp"

namespace ulna::internal::draw {

namespace {

// All in pixels.
constexpr double kLeft = 190, kRight = 90, kBar = 10, kGap = 7, kTitle = 36, kAxis = 30, kLegend = 30, kNote = 17;

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

/// Where values lie along the bottom, and the numbers that are written there.
class Axis {
 public:
  Axis(const std::vector<BarPanel>& panels, BarScale scale, double width) : scale_(scale), width_(width) {
    double least = INFINITY, most = 1;
    for (const BarPanel& p : panels)
      for (const BarRow& row : p.rows) {
        std::vector<double> all = row.values;
        all.push_back(row.mark);
        for (const double value : all)
          if (drawn(value)) {
            least = std::min(least, value);
            most = std::max(most, value);
          }
      }
    if (scale == BarScale::linear) {
      // Three to eight steps of 1, 2 or 5 times a power of ten.
      const double ten = std::pow(10, std::floor(std::log10(most / 3)));
      step_ = most / (5 * ten) >= 3 ? 5 * ten : most / (2 * ten) >= 3 ? 2 * ten : ten;
      high_ = std::ceil(most / step_) * step_;
    } else {
      low_ = std::max(0.0, std::floor(std::log10(std::min(least, most))));
      high_ = std::max(low_ + 1, std::ceil(std::log10(most)));
    }
  }
  double length(double value) const {
    const double on_axis = scale_ == BarScale::linear ? value : std::log10(value);
    return std::max(1.0, width_ * (on_axis - low_) / (high_ - low_));
  }
  /// Of the k-th number that is written, as long as there is one.
  bool has(int k) const { return low_ + k * step_ <= high_ * (1 + 1e-9); }
  double place(int k) const { return width_ * k * step_ / (high_ - low_); }
  double value(int k) const { return scale_ == BarScale::linear ? k * step_ : std::pow(10, low_ + k); }

 private:
  BarScale scale_;
  double width_;
  double low_ = 0, high_ = 1, step_ = 1;
};

}  // namespace

std::string bar_chart(const std::string& title, const std::vector<std::string>& kinds, const std::vector<BarPanel>& panels, const Theme& theme,
                      const std::vector<std::string>& notes, BarScale scale, const std::string& mark, double width) {
  const Axis axis(panels, scale, width);
  const double row_height = kBar * static_cast<double>(kinds.size()) + kGap, legend = kinds.size() > 1 || !mark.empty() ? kLegend : 0;
  double height = legend;
  for (const BarPanel& p : panels) height += kTitle + row_height * static_cast<double>(p.rows.size()) + kAxis;
  height += kNote * static_cast<double>(notes.size());

  std::string out = svg_begin(kLeft + width + kRight, height, title, theme);
  double x = kLeft;
  for (std::size_t k = 0; k < kinds.size() && legend > 0; ++k) {
    out += cat("<rect x=\"", text_of(x), "\" y=\"8\" width=\"12\" height=\"12\" fill=\"", theme.colours[k % theme.colours.size()], "\"/>\n");
    out += words(x + 18, 18, cat("fill=\"", theme.muted, "\""), kinds[k]);
    x += 18 + 7 * static_cast<double>(kinds[k].size()) + 22;
  }
  const auto mark_at = [&](double at, double from, double to) { return line(at, from, at, to, cat("stroke=\"", theme.ink, "\" stroke-width=\"2\"")); };
  if (!mark.empty()) {
    out += mark_at(x + 6, 7, 21);
    out += words(x + 18, 18, cat("fill=\"", theme.muted, "\""), mark);
  }
  double top = legend;
  for (const BarPanel& p : panels) {
    const double first = top + kTitle, bottom = first + row_height * static_cast<double>(p.rows.size());
    out += words(kLeft, first - 12, "font-weight=\"bold\" font-size=\"13\"", p.title);
    for (int k = 0; axis.has(k); ++k) {
      const double at = kLeft + axis.place(k);
      out += line(at, first - 4, at, bottom, cat("stroke=\"", theme.rule, "\""));
      out += words(at, bottom + 15, cat("text-anchor=\"middle\" font-size=\"11\" fill=\"", theme.muted, "\""), value_text(axis.value(k)));
    }
    for (std::size_t r = 0; r < p.rows.size(); ++r) {
      const BarRow& row = p.rows[r];
      const double y = first + row_height * static_cast<double>(r);
      out += words(kLeft - 8, y + (row_height - kGap) / 2 + 4, cat("text-anchor=\"end\"", row.ours ? " font-weight=\"bold\"" : ""), row.label);
      for (std::size_t k = 0; k < row.values.size(); ++k) {
        if (!drawn(row.values[k])) continue;
        const double length = axis.length(row.values[k]), at = y + kBar * static_cast<double>(k);
        out += cat("<rect x=\"", text_of(kLeft), "\" y=\"", text_of(at), "\" width=\"", text_of(length), "\" height=\"", text_of(kBar - 1), "\" fill=\"",
                   theme.colours[k % theme.colours.size()], "\"", row.ours || kinds.size() > 1 ? "" : " fill-opacity=\"0.6\"", "/>\n");
        out += words(kLeft + length + 5, at + kBar - 1.5, cat("font-size=\"10.5\" fill=\"", theme.muted, "\""), value_text(row.values[k]));
      }
      if (drawn(row.mark)) {
        const double at = kLeft + axis.length(row.mark);
        out += cat("<g class=\"mark\"><title>", xml_text(cat(row.label, ", ", mark, ": ", value_text(row.mark))), "</title>\n",
                   mark_at(at, y - 2, y + row_height - kGap + 1), kGroupEnd);
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
