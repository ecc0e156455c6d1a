// What all charts are drawn with: lines, words, colours, and labels that keep clear of each other.
#pragma once

#include <string>
#include <vector>

#include <ulna/export.hpp>

namespace ulna::internal::draw {

/// Colours of a drawing: of a file that stands alone, or of the page it is part of.
struct Theme {
  std::string ground;  // empty: none is painted
  std::string ink, muted, rule, faint;
  std::string idle, chain;  // of schedules: units without work, and the longest chain
  std::vector<std::string> colours;
};
/// Dark on white.
const Theme& file_theme();
/// CSS properties of the page, which has a light and a dark form and one for paper: --ink, --paper, --muted, --rule, --accent, --series-1 to --series-8.
const Theme& page_theme();

/// One decimal: a tenth of a pixel.
std::string text_of(double value);

/// "10", "1000", then "10⁵": short enough for a margin.
std::string power_of_ten(int power);

/// The first lines of a file: size, fonts, title, ground.
std::string svg_begin(double width, double height, const std::string& title, const Theme& theme = file_theme(), double letters = 12);
std::string line(double x1, double y1, double x2, double y2, const std::string& style);
std::string words(double x, double y, const std::string& style, const std::string& text);

/// Where a plot's axes lie, for whoever adds to the drawing: the page's script finds places and values by it.
struct Frame {
  std::string of;                   // what is drawn, in the words of the page's data
  double left, top, width, height;  // [pixels]
  double from, to, low, high;       // values at the left, right, lower and upper edge
  bool logarithmic = false;         // both axes
};
/// <g class="plot">; ends with kGroupEnd.
std::string plot_begin(const Frame& frame);
/// <g class="curve"> inside it; `row` says which of the data it is. A hidden one waits to be switched on.
std::string curve_begin(const std::string& row, bool hidden = false);
inline constexpr const char* kGroupEnd = "</g>\n";

struct Look {
  std::string colour, dashes;
};
/// Of the k-th line of a chart: the theme's colours, then the same with dashes.
Look look_of(std::size_t k, const Theme& theme = file_theme());

/// Where labels go that want to stand at `wanted` (any order): as near as they can, but at least `spacing` apart, within low..high if they fit there.
std::vector<double> spread(const std::vector<double>& wanted, double spacing, double low, double high);

}  // namespace ulna::internal::draw
