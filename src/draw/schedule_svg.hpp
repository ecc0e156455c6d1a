// A schedule as a drawing: units are rows, steps are columns, every operation a box in the colour of its kind.
#pragma once

#include <string>
#include <vector>

#include <ulna/expr/schedule.hpp>

#include "draw/svg_pen.hpp"

namespace ulna::internal::draw {

/// Beyond this many operations a drawing shows nothing any more.
inline constexpr std::size_t kMostDrawn = 20000;

/// What the numbers in boxes are. A file says it itself; a page says it in words beside the drawing.
inline constexpr const char* kBoxNumbers = "The number in a box is the joint that the operation belongs to; in a recursion, that of its link.";

/// `phone`: few steps side by side.
enum class ScheduleWidth { page, phone };

/// The whole SVG file. `joints` go into the boxes, one per task, from 0; empty for none. Boxes on the longest chain are outlined. Where boxes lie stands in
/// data-cell (their side), -left, -top, -columns (steps of a panel) and -panel (its height).
std::string schedule_svg(const std::string& title, const std::string& note, const TaskGraph& graph, const Schedule& schedule,
                         const std::vector<std::size_t>& joints, const Theme& theme = file_theme(), ScheduleWidth width = ScheduleWidth::page);

}  // namespace ulna::internal::draw
