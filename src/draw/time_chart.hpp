// Quantities over time, as a drawing: one panel a quantity, one below the other, every line named where it ends.
#pragma once

#include <string>
#include <vector>

#include "draw/svg_pen.hpp"

namespace ulna::internal::draw {

struct TimeLine {
  std::string label;
  std::vector<double> values;    // one for each time
  std::size_t look = 0;          // which colour and dashes: the same joint looks the same in every chart. And its row in the data
  bool hidden = false;           // drawn, but not shown
  std::vector<double> limits{};  // levels that it should keep within; drawn where they are near its values
};

struct TimePanel {
  std::string title;  // quantity and unit
  std::vector<TimeLine> lines;
  std::string of{};  // what of the page's data it is: "q"
};

/// The whole SVG file. Long runs are thinned to the smallest and largest value under every pixel, so no peak is lost.
/// `width` [pixels] is that of the plots alone.
std::string time_chart(const std::string& title, const std::vector<double>& t, const std::vector<TimePanel>& panels, const Theme& theme = file_theme(),
                       double width = 620);

/// Round numbers that divide low..high into about five parts.
std::vector<double> ticks(double low, double high);

}  // namespace ulna::internal::draw
