#include "draw/charts.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "text/message.hpp"
#include "text/xml.hpp"

namespace ulna::internal::draw {

namespace {

// All in pixels.
constexpr double kGap = 7, kTitle = 36, kAxis = 30, kLegend = 30, kNote = 17;
struct Sizes {
  double left, right, bar;              // room for labels, room for values, height of a bar
  double letters, title, ticks, value;  // sizes of letters
};
constexpr Sizes kPageSizes = {190, 90, 10, 12, 13, 11, 10.5};

/// For a telephone: letters that stay readable when the drawing shrinks to its width, and no more room than they need.
Sizes on_phone(const std::vector<BarPanel>& panels) {
  std::size_t longest = 4;
  for (const BarPanel& p : panels)
    for (const BarRow& row : p.rows) longest = std::max(longest, row.label.size());
  return {std::min(180.0, 16 + 7.4 * static_cast<double>(longest)), 62, 14, 13.5, 14, 12.5, 12.5};
}

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
  std::string text(int k) const { return scale_ == BarScale::linear ? value_text(k * step_) : power_of_ten(static_cast<int>(low_) + k); }
  /// Every how many of them are written on a plot of this width.
  int every() const { return width_ > kPhone || (high_ - low_) / step_ <= 4 ? 1 : 2; }

 private:
  BarScale scale_;
  double width_;
  double low_ = 0, high_ = 1, step_ = 1;
};

}  // namespace

std::string bar_chart(const std::string& title, const std::vector<std::string>& kinds, const std::vector<BarPanel>& panels, const Theme& theme,
                      const std::vector<std::string>& notes, BarScale scale, const std::string& mark, double width) {
  const Axis axis(panels, scale, width);
  const Sizes size = width <= kPhone ? on_phone(panels) : kPageSizes;
  const double row_height = size.bar * static_cast<double>(kinds.size()) + kGap, legend = kinds.size() > 1 || !mark.empty() ? kLegend : 0;
  double height = legend;
  for (const BarPanel& p : panels) height += kTitle + row_height * static_cast<double>(p.rows.size()) + kAxis;
  height += kNote * static_cast<double>(notes.size());

  std::string out = svg_begin(size.left + width + size.right, height, title, theme, size.letters);
  double x = width <= kPhone ? kGap : size.left;
  for (std::size_t k = 0; k < kinds.size() && legend > 0; ++k) {
    out += rect(x, 8, 12, 12, cat("fill=\"", theme.colours[k % theme.colours.size()], "\""));
    out += words(x + 18, 18, cat("fill=\"", theme.muted, "\""), kinds[k]);
    x += 18 + 7 * static_cast<double>(kinds[k].size()) * size.letters / kPageSizes.letters + 22;
  }
  const auto mark_at = [&](double at, double from, double to) { return line(at, from, at, to, cat("stroke=\"", theme.ink, "\" stroke-width=\"2\"")); };
  if (!mark.empty()) {
    out += mark_at(x + 6, 7, 21);
    out += words(x + 18, 18, cat("fill=\"", theme.muted, "\""), mark);
  }
  double top = legend;
  for (const BarPanel& p : panels) {
    const double first = top + kTitle, bottom = first + row_height * static_cast<double>(p.rows.size());
    out += words(width <= kPhone ? kGap : size.left, first - 12, cat("font-weight=\"bold\" font-size=\"", text_of(size.title), "\""), p.title);
    for (int k = 0; axis.has(k); ++k) {
      const double at = size.left + axis.place(k);
      out += line(at, first - 4, at, bottom, cat("stroke=\"", theme.rule, "\""));
      if (k % axis.every() == 0)
        out += words(at, bottom + 15, cat("text-anchor=\"middle\" font-size=\"", text_of(size.ticks), "\" fill=\"", theme.muted, "\""), axis.text(k));
    }
    for (std::size_t r = 0; r < p.rows.size(); ++r) {
      const BarRow& row = p.rows[r];
      const double y = first + row_height * static_cast<double>(r);
      out += words(size.left - 8, y + (row_height - kGap) / 2 + 4, cat("text-anchor=\"end\"", row.ours ? " font-weight=\"bold\"" : ""), row.label);
      for (std::size_t k = 0; k < row.values.size(); ++k) {
        if (!drawn(row.values[k])) continue;
        const double length = axis.length(row.values[k]), at = y + size.bar * static_cast<double>(k);
        out += rect(size.left, at, length, size.bar - 1,
                    cat("fill=\"", theme.colours[k % theme.colours.size()], "\"", row.ours || kinds.size() > 1 ? "" : " fill-opacity=\"0.6\""));
        // A number makes room for a mark next to it.
        const double marked = k == 0 && drawn(row.mark) ? axis.length(row.mark) : 0, after = marked > length && marked < length + 50 ? marked : length;
        out += words(size.left + after + 5, at + size.bar - 1.5, cat("font-size=\"", text_of(size.value), "\" fill=\"", theme.muted, "\""),
                     value_text(row.values[k]));
      }
      if (drawn(row.mark)) {
        const double at = size.left + axis.length(row.mark);
        out += cat("<g class=\"mark\"><title>", xml_text(cat(row.label, ", ", mark, ": ", value_text(row.mark))), "</title>\n",
                   mark_at(at, y - 2, y + size.bar + 1), kGroupEnd);
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
