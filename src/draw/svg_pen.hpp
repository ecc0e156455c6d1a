// Shared by all charts: lines, words, colours, and labels that do not overlap.
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
std::string rect(double x, double y, double width, double height, const std::string& style);
std::string words(double x, double y, const std::string& style, const std::string& text);

/// Where a plot's axes lie: the page's script converts between places and values by it.
struct Frame {
  std::string of;                   // what is drawn, in the words of the page's data
  double left, top, width, height;  // [pixels]
  double from, to, low, high;       // values at the left, right, lower and upper edge
  bool logarithmic = false;         // both axes
};
/// <g class="plot">; ends with kGroupEnd.
std::string plot_begin(const Frame& frame);
inline constexpr const char* kGroupEnd = "</g>\n";

struct Look {
  std::string colour, dashes;
};
/// Of the k-th line of a chart: the theme's colours, then the same with dashes.
Look look_of(std::size_t k, const Theme& theme = file_theme());

/// A place on an axis [pixels], and what is written there.
struct Tick {
  double at;
  std::string label;
};
/// A title above the plot, rules across it with their numbers, and the name of the lower axis.
std::string axes(const Frame& frame, const std::string& title, const std::vector<Tick>& rows, const std::vector<Tick>& columns, const std::string& along,
                 const Theme& theme);

/// A line of a plot with its name next to the plot, where the line ends.
struct Curve {
  std::string row;     // which of the data it is
  std::string points;  // "x,y x,y …" [pixels]
  std::string label;
  Look look;
  double width, end_x, end_y;     // of the line; where it ends
  bool hidden = false;            // waits to be switched on
  bool bold = false;              // its name
  bool dotted = false;            // what joins it to its name
  std::string before{}, after{};  // drawn with it
};
/// Names keep clear of each other.
std::string curves(const Frame& frame, const std::vector<Curve>& all);

/// Positions of labels near `wanted` (any order): as near as possible, but at least `spacing` apart, within low..high if they fit there.
std::vector<double> spread(const std::vector<double>& wanted, double spacing, double low, double high);

}  // namespace ulna::internal::draw
