#include "draw/charts.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "text/message.hpp"

namespace ulna::internal::draw {

namespace {

// All in pixels.
constexpr double kPlotWidth = 380, kPlotHeight = 330;
constexpr double kLeft = 64, kRight = 176, kTop = 34, kBottom = 48;  // around a plot: numbers, labels, title, axis
constexpr double kPanelWidth = kLeft + kPlotWidth + kRight, kPanelHeight = kTop + kPlotHeight + kBottom;
constexpr double kHeader = 40, kFooter = 44, kNoteLine = 17;
constexpr int kColumns = 2;
constexpr int kFew = 8;  // joints of which every number has room on the axis

class GrowthPlot {
 public:
  GrowthPlot(double x, double y, const GrowthPanel& panel, const Theme& theme) : left_(x + kLeft), top_(y + kTop), panel_(panel), theme_(theme) {
    for (const GrowthLine& l : panel.lines)
      for (const GrowthPoint& p : l.points) {
        if (p.cost <= 0) continue;
        least_ = std::min(least_, std::log10(p.cost));
        most_ = std::max(most_, std::log10(p.cost));
        joints_ = std::max(joints_, p.joints);
        fewest_ = std::min(fewest_, p.joints);
      }
    low_ = std::floor(std::min(least_, most_));
    high_ = std::max(std::ceil(most_), low_ + 1);
    if (panel.decades && joints_ > 0) {
      fewest_ = std::pow(10, std::floor(std::log10(fewest_)));
      joints_ = std::pow(10, std::max(std::ceil(std::log10(joints_)), std::log10(fewest_) + 1));
    }
  }

  std::string svg(const std::vector<std::string>& names, const std::vector<Look>& looks) const {
    const Frame frame{panel_.title, left_, top_, kPlotWidth, kPlotHeight, fewest_, joints_, std::pow(10, low_), std::pow(10, high_), true};
    std::vector<Tick> rows, columns;
    for (int power = static_cast<int>(low_); power <= static_cast<int>(high_); ++power) rows.push_back({at(power), power_of_ten(power)});
    if (panel_.decades)
      for (int power = static_cast<int>(std::lround(std::log10(fewest_))); power <= std::lround(std::log10(joints_)); ++power)
        columns.push_back({x_of(std::pow(10, power)), power_of_ten(power)});
    else
      for (const int n : {1, 2, 3, 4, 5, 6, 7, 8, 10, 15, 20, 30, 50, 70, 100}) {
        if (n < fewest_ || (joints_ > kFew && (n == 4 || n == 6 || n == 8))) continue;
        if (n > joints_) break;
        columns.push_back({x_of(n), std::to_string(n)});
      }
    std::vector<Curve> all;
    for (const GrowthLine& l : panel_.lines) {
      if (l.points.empty() || l.points.back().cost <= 0) continue;
      const Look look = l.ours ? Look{theme_.ink, ""} : looks[static_cast<std::size_t>(std::find(names.begin(), names.end(), l.label) - names.begin())];
      const GrowthPoint& last = l.points.back();
      const bool whole = panel_.decades || last.joints == joints_;  // a line that ends before the edge is joined to its label by dots, which no line has
      Curve curve{.row = l.label,
                  .points = {},
                  .label = whole ? l.label : cat(l.label, " (to ", rounded(last.joints), ")"),
                  .look = look,
                  .width = l.ours ? 2.8 : 1.6,
                  .end_x = x_of(last.joints),
                  .end_y = at(std::log10(last.cost)),
                  .bold = l.ours,
                  .dotted = !whole};
      for (const GrowthPoint& p : l.points) {
        if (p.cost <= 0) continue;
        const std::string x = text_of(x_of(p.joints)), y = text_of(at(std::log10(p.cost)));
        curve.points += cat(curve.points.empty() ? "" : " ", x, ",", y);
        if (panel_.decades) curve.after += cat("<circle cx=\"", x, "\" cy=\"", y, "\" r=\"3\" fill=\"", look.colour, "\"/>\n");
      }
      all.push_back(std::move(curve));
    }
    return cat(plot_begin(frame), axes(frame, panel_.title, rows, columns, panel_.along, theme_), curves(frame, all), kGroupEnd);
  }

 private:
  double x_of(double joints) const {
    const auto way = [&](double n) { return std::log(n / fewest_); };
    return left_ + kPlotWidth * (joints_ > fewest_ ? way(joints) / way(joints_) : 0.5);
  }
  double at(double power) const { return top_ + kPlotHeight * (high_ - power) / (high_ - low_); }

  double left_, top_;
  const GrowthPanel& panel_;
  const Theme& theme_;
  double least_ = 1, most_ = 1, low_ = 0, high_ = 1;
  double joints_ = 1, fewest_ = std::numeric_limits<double>::max();
};

/// The lines' names, in the order in which they come, and how each looks.
struct Looks {
  std::vector<std::string> names;
  std::vector<Look> looks;
  Looks(const std::vector<GrowthPanel>& panels, const Theme& theme) {
    for (const GrowthPanel& p : panels)
      for (const GrowthLine& l : p.lines)
        if (!l.ours && std::find(names.begin(), names.end(), l.label) == names.end()) names.push_back(l.label);
    for (std::size_t k = 0; k < names.size(); ++k) looks.push_back(look_of(k, theme));
  }
};

}  // namespace

std::vector<std::string> growth_charts(const std::string& title, const std::vector<GrowthPanel>& panels, const Theme& theme) {
  const Looks all(panels, theme);
  std::vector<std::string> out;
  for (const GrowthPanel& panel : panels)
    out.push_back(svg_begin(kPanelWidth, kPanelHeight, cat(title, ": ", panel.title), theme) + GrowthPlot(0, 0, panel, theme).svg(all.names, all.looks) +
                  "</svg>\n");
  return out;
}

std::string growth_chart(const std::string& title, const std::vector<std::string>& notes, const std::vector<GrowthPanel>& panels, const Theme& theme) {
  const Looks all(panels, theme);
  const int count = static_cast<int>(panels.size()), rows = (count + kColumns - 1) / kColumns;
  const double width = kPanelWidth * std::min(kColumns, std::max(count, 1)), header = theme.ground.empty() ? 0 : kHeader,
               height = header + kPanelHeight * rows + (notes.empty() ? 0 : kFooter);
  std::string out = svg_begin(width, height, title, theme);
  if (header > 0) out += words(kLeft, 26, "font-size=\"16\" font-weight=\"bold\"", title);
  for (int k = 0; k < count; ++k) {
    const int row = k / kColumns;
    const double x = kPanelWidth * (k % kColumns), y = header + kPanelHeight * row;
    out += GrowthPlot(x, y, panels[static_cast<std::size_t>(k)], theme).svg(all.names, all.looks);
  }
  double y = height - kFooter + 12;
  for (const std::string& line : notes) {
    out += words(kLeft, y, cat("fill=\"", theme.muted, "\""), line);
    y += kNoteLine;
  }
  return out + "</svg>\n";
}

}  // namespace ulna::internal::draw
