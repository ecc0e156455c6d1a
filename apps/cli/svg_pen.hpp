// What all charts are drawn with: lines, words, colours, and labels that keep clear of each other.
#pragma once

#include <string>
#include <vector>

namespace ulna::cli {

/// One decimal: a tenth of a pixel.
std::string text_of(double value);

/// The first lines of a file: size, fonts, title, white ground.
std::string svg_begin(double width, double height, const std::string& title);
std::string line(double x1, double y1, double x2, double y2, const std::string& style);
std::string words(double x, double y, const std::string& style, const std::string& text);

struct Look {
  std::string colour, dashes;
};
/// Of the k-th line of a chart: ten colours, then the same with dashes.
Look look_of(std::size_t k);

/// Where labels go that want to stand at `wanted` (any order): as near as they can, but at least `spacing` apart, within low..high if they fit there.
std::vector<double> spread(const std::vector<double>& wanted, double spacing, double low, double high);

}  // namespace ulna::cli
