// Bars, as a drawing: one panel below the other, one row a name, one bar a kind.
#pragma once

#include <string>
#include <vector>

#include "draw/svg_pen.hpp"

namespace ulna::internal::draw {

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

}  // namespace ulna::internal::draw
