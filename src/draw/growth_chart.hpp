// Lines that grow by powers, as a drawing: one panel a quantity, both axes logarithmic, every line named where it ends.
#pragma once

#include <string>
#include <vector>

#include "draw/svg_pen.hpp"

namespace ulna::internal::draw {

struct GrowthPoint {
  double joints;  // or what else runs along the bottom
  double cost;
};

struct GrowthLine {
  std::string label;
  std::vector<GrowthPoint> points;  // in the order of joints
  bool ours = false;                // drawn heavier than the rest
};

struct GrowthPanel {
  std::string title;
  std::vector<GrowthLine> lines;
  std::string along = "joints";
  bool decades = false;  // along the bottom: powers of ten, and every point has a dot
};

/// The whole SVG file; each note is a line below the panels. A label keeps its colour and dashes through all panels. Points of cost 0 have no place on the axis
/// and are left out.
std::string growth_chart(const std::string& title, const std::vector<std::string>& notes, const std::vector<GrowthPanel>& panels,
                         const Theme& theme = file_theme());

/// The same, a drawing for each panel: for a page that places them.
std::vector<std::string> growth_charts(const std::string& title, const std::vector<GrowthPanel>& panels, const Theme& theme);

}  // namespace ulna::internal::draw
