// A quantity of every joint over time: the panels of a chart.
#pragma once

#include <limits>

#include <ulna/model/model.hpp>

#include "draw/time_chart.hpp"

namespace ulna::internal::draw {

/// One panel for the turning joints and one for the sliding ones, where there are any, with their units. `values`: model.nv() numbers a row. Where a panel
/// would get more curves than `most`, it shows those that change most, and says so; the others are hidden.
std::vector<TimePanel> joint_panels(const Model& model, const std::string& quantity, const std::string& turning, const std::string& sliding,
                                    const std::vector<double>& values, std::size_t most = std::numeric_limits<std::size_t>::max());

}  // namespace ulna::internal::draw
