// Charts as drawings, whole SVG files.
#pragma once

#include <string>
#include <vector>

#include <ulna/expr/schedule.hpp>

#include "draw/svg_pen.hpp"

namespace ulna::internal::draw {

// --- Bars, as a drawing: one panel below the other, one row a name, one bar a kind.

struct BarRow {
  std::string label;
  std::vector<double> values;  // one for each kind; 0 or NaN: none
  bool ours = false;           // its label is bold
  double mark = 0;             // a mark on the row's first bar; 0 or NaN: none
};

enum class BarScale { logarithmic, linear };
constexpr double kOnPage = 470;  // width of a plot [pixels]
constexpr double kPhone = 200;   // a plot this narrow has larger letters, and room for no more than its labels need: it is drawn for a telephone [pixels]

struct BarPanel {
  std::string title;
  std::vector<BarRow> rows;
};

/// The whole SVG file. `kinds` name what the bars of a row are, for the legend; with one kind there is none; `mark` names the
/// marks. Values have no place on a logarithmic axis below 1. Each note is a line below the panels. `width`
/// [pixels] is that of the plots alone.
std::string bar_chart(const std::string& title, const std::vector<std::string>& kinds, const std::vector<BarPanel>& panels, const Theme& theme = file_theme(),
                      const std::vector<std::string>& notes = {}, BarScale scale = BarScale::logarithmic, const std::string& mark = {}, double width = kOnPage);

// --- Lines that grow by powers, as a drawing: one panel a quantity, both axes logarithmic, every line named where it ends.

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

// --- Quantities over time, as a drawing: one panel a quantity, one below the other, every line named where it ends.

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

// --- A symmetric matrix as a picture: how much each row has to do with each column.

/// The whole SVG file. Cell (i, j) is coloured by M_ij / √(M_ii M_jj), which is between −1 and 1: the first colour for positive, the second for negative, none
/// for zero. Small matrices have their numbers in the cells. `values`: row by row.
std::string matrix_chart(const std::string& title, const std::vector<std::string>& names, const std::vector<double>& values, const Theme& theme = file_theme());

// --- A schedule as a drawing: units are rows, steps are columns, every operation a box in the colour of its kind.

/// Beyond this many operations a drawing shows nothing any more.
inline constexpr std::size_t kMostDrawn = 20000;

/// The legend for the numbers in boxes. A file has it in itself; a page has it in words next to the drawing.
inline constexpr const char* kBoxNumbers = "The number in a box is the joint that the operation belongs to; in a recursion, that of its link.";

/// `phone`: few steps side by side.
enum class ScheduleWidth { page, phone };

/// The whole SVG file. `joints` go into the boxes, one per task, from 0; empty for none. Boxes on the longest chain are outlined. Where boxes lie stands in
/// data-cell (their side), -left, -top, -columns (steps of a panel) and -panel (its height).
std::string schedule_svg(const std::string& title, const std::string& note, const TaskGraph& graph, const Schedule& schedule,
                         const std::vector<std::size_t>& joints, const Theme& theme = file_theme(), ScheduleWidth width = ScheduleWidth::page);

}  // namespace ulna::internal::draw
