// Sections of the page.
#pragma once

#include <string>
#include <vector>

#include <ulna/check/check.hpp>
#include <ulna/sim/simulate.hpp>

#include "draw/charts.hpp"
#include "study/data.hpp"

namespace ulna::internal {

// --- The page, section by section: each returns HTML, or nothing where the study has no data.

const char* page_style();
/// The script of the page; empty where the program was built without Node.
std::string_view page_script();

std::string summary_part(const StudyData& data);
std::string robot_part(const StudyData& data);
std::string warnings_part(const StudyData& data);
std::string motion_part(const StudyData& data);
std::string torques_part(const StudyData& data);
std::string inertia_part(const StudyData& data);
std::string certificate_part(const StudyData& data);
std::string parameters_part(const StudyData& data);
std::string counts_part(const StudyData& data);
std::string schedule_part(const StudyData& data);
std::string timing_part(const StudyData& data);
std::string race_part(const StudyData& data);
std::string memory_part(const StudyData& data);
/// In as many bytes as there are left; what does not fit is in a file of its own.
std::string equations_part(const StudyData& data, std::size_t most);
std::string code_part(const StudyData& data);
std::string citations_part(const StudyData& data);
std::string files_part(const StudyData& data);

/// Bars, as wide as a page has room for and again as wide as a telephone has.
std::string bars(const std::string& title, const std::vector<std::string>& kinds, const std::vector<draw::BarPanel>& panels,
                 draw::BarScale scale = draw::BarScale::logarithmic, const std::string& mark = {}, double width = draw::kOnPage);

inline long cost(const OperationCounts& c) { return c.mul + c.add + c.div; }

/// Escaped line by line: line breaks stay.
std::string text_lines(const std::string& lines);

// --- Where a motion breaks the limits that the model states.

/// At the rows of the trajectory. At most two for each joint and kind: below and above.
std::vector<LimitUse> broken_limits(const Model& model, const sim::Trajectory& trajectory);
/// Whether a joint has a limit of position, speed or effort.
bool has_limits(const Model& model);

}  // namespace ulna::internal
