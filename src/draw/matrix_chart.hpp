// A symmetric matrix as a picture: how much each row has to do with each column.
#pragma once

#include <string>
#include <vector>

#include "draw/svg_pen.hpp"

namespace ulna::internal::draw {

/// The whole SVG file. Cell (i, j) is coloured by M_ij / √(M_ii M_jj), which is between −1 and 1: the first colour for positive, the second for negative, none
/// for zero. Small matrices have their numbers in the cells. `values`: row by row.
std::string matrix_chart(const std::string& title, const std::vector<std::string>& names, const std::vector<double>& values, const Theme& theme = file_theme());

}  // namespace ulna::internal::draw
