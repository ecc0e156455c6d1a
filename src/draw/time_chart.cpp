#include "draw/charts.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "text/message.hpp"

namespace ulna::internal::draw {

namespace {

// All in pixels.
constexpr double kTimeHeight = 240;
constexpr double kLeftMargin = 84, kRightMargin = 150, kTopMargin = 34, kBottomMargin = 46;  // around a plot: numbers, labels, title, axis
constexpr double kTimePanelHeight = kTopMargin + kTimeHeight + kBottomMargin;
constexpr double kTitleHeight = 34;

std::string tick_text(double value, double spacing) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", std::abs(value) < 1e-9 * spacing ? 0.0 : value);
  return text;
}

class TimePlot {
 public:
  TimePlot(double top, double width, const std::vector<double>& t, const TimePanel& panel, const Theme& theme)
      : top_(top + kTopMargin), width_(width), t_(t), panel_(panel), theme_(theme) {
    for (const TimeLine& l : panel.lines)
      for (const double value : l.values) {
        if (!std::isfinite(value)) continue;
        low_ = std::min(low_, value);
        high_ = std::max(high_, value);
      }
    if (low_ > high_) low_ = high_ = 0;
    // A line that does not change still needs an axis; rounding is not to fill the height of the panel.
    const double least = std::max(1e-300, 1e-12 * std::max(std::abs(low_), std::abs(high_)));
    if (high_ - low_ < least) {
      const double half = std::max(std::abs(high_) / 2, least);
      low_ -= half;
      high_ += half;
    }
    // Limits near the values are drawn; farther ones would flatten the curves.
    const double reach = 0.6 * (high_ - low_), least_drawn = low_ - reach, most_drawn = high_ + reach;
    for (const TimeLine& l : panel.lines)
      for (const double limit : l.limits) {
        if (l.hidden) continue;
        if (limit < least_drawn || limit > most_drawn) {
          ++far_limits_;
          continue;
        }
        ++near_limits_;
        low_ = std::min(low_, limit);
        high_ = std::max(high_, limit);
      }
    const double margin = 0.04 * (high_ - low_);
    low_ -= margin;
    high_ += margin;
  }

  std::string svg() const {
    const Frame frame{panel_.of, kLeftMargin, top_, width_, kTimeHeight, t_.front(), t_.back(), low_, high_};
    std::string out = plot_begin(frame);
    const auto places = [&](double from, double to, const auto& at) {
      const std::vector<double> values = ticks(from, to);
      std::vector<Tick> all;
      for (const double value : values) all.push_back({at(value), tick_text(value, values.size() > 1 ? values[1] - values[0] : 1)});
      return all;
    };
    out += axes(frame, panel_.title, places(low_, high_, [&](double y) { return y_of(y); }), places(t_.front(), t_.back(), [&](double t) { return x_of(t); }),
                "t [s]", theme_);
    if (near_limits_ + far_limits_ > 0)
      out += words(kLeftMargin + width_, top_ - 12, cat("class=\"aside\" text-anchor=\"end\" fill=\"", theme_.muted, "\""),
                   near_limits_ == 0 ? "limits are off the axis" : cat("limits dashed", far_limits_ > 0 ? cat("; ", far_limits_, " off the axis") : ""));
    std::vector<Curve> all;
    for (const TimeLine& l : panel_.lines) {
      const Look look = look_of(l.look, theme_);
      Curve curve{std::to_string(l.look), points(l), l.label, look, 1.6, kLeftMargin + width_, end_of(l), l.hidden};
      std::string limits;
      for (const double limit : l.limits)
        if (limit >= low_ && limit <= high_) limits += cat("M", text_of(kLeftMargin), " ", text_of(y_of(limit)), "h", text_of(width_));
      if (!limits.empty())
        curve.before =
            cat("<path class=\"limit\" d=\"", limits, "\" fill=\"none\" stroke=\"", look.colour, "\" stroke-dasharray=\"7 4\" stroke-opacity=\"0.75\"/>\n");
      all.push_back(std::move(curve));
    }
    return out + curves(frame, all) + kGroupEnd;
  }

 private:
  double x_of(double t) const { return kLeftMargin + width_ * (t_.back() > t_.front() ? (t - t_.front()) / (t_.back() - t_.front()) : 0.5); }
  /// The height at which a line leaves the plot.
  double end_of(const TimeLine& l) const { return l.values.empty() || !std::isfinite(l.values.back()) ? top_ : y_of(l.values.back()); }
  double y_of(double value) const { return top_ + kTimeHeight * (high_ - value) / (high_ - low_); }

  std::string points(const TimeLine& l) const {
    std::string out;
    const auto add = [&](std::size_t k) {
      if (std::isfinite(l.values[k])) out += cat(out.empty() ? "" : " ", text_of(x_of(t_[k])), ",", text_of(y_of(l.values[k])));
    };
    const std::size_t rows = std::min(l.values.size(), t_.size());
    // Two for every pixel; fewer for curves that wait to be switched on, of which large robots have many.
    const std::size_t at_most = l.hidden ? 40 : panel_.lines.size() > 12 ? 100 : 1240;
    if (rows <= at_most) {
      for (std::size_t k = 0; k < rows; ++k) add(k);
      return out;
    }
    const std::size_t groups = at_most / 2;
    for (std::size_t g = 0; g < groups; ++g) {
      const std::size_t first = g * rows / groups, last = (g + 1) * rows / groups;
      std::size_t least = first, most = first;
      for (std::size_t k = first; k < last; ++k) {
        if (l.values[k] < l.values[least]) least = k;
        if (l.values[k] > l.values[most]) most = k;
      }
      add(std::min(least, most));
      if (least != most) add(std::max(least, most));
    }
    add(rows - 1);
    return out;
  }

  double top_, width_;
  const std::vector<double>& t_;
  const TimePanel& panel_;
  const Theme& theme_;
  double low_ = INFINITY, high_ = -INFINITY;
  int near_limits_ = 0, far_limits_ = 0;
};

}  // namespace

std::vector<double> ticks(double low, double high) {
  if (!(high > low)) return {low};
  const double raw = (high - low) / 5, power = std::pow(10, std::floor(std::log10(raw))), ratio = raw / power;
  const double spacing = power * (ratio < 1.5 ? 1 : ratio < 3.5 ? 2 : ratio < 7.5 ? 5 : 10);
  std::vector<double> values;
  for (double k = std::ceil(low / spacing); k * spacing <= high; ++k) values.push_back(k * spacing);
  return values;
}

std::string time_chart(const std::string& title, const std::vector<double>& t, const std::vector<TimePanel>& panels, const Theme& theme, double width) {
  // On a page the words around the drawing are its heading.
  const double header = theme.ground.empty() ? 0 : kTitleHeight;
  const double height = header + kTimePanelHeight * static_cast<double>(panels.size());
  std::string out = svg_begin(kLeftMargin + width + kRightMargin, height, title, theme);
  if (header > 0) out += words(kLeftMargin, 24, "font-size=\"15\" font-weight=\"bold\"", title);
  if (!t.empty())
    for (std::size_t k = 0; k < panels.size(); ++k) out += TimePlot(header + kTimePanelHeight * static_cast<double>(k), width, t, panels[k], theme).svg();
  return out + "</svg>\n";
}

}  // namespace ulna::internal::draw
