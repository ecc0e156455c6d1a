// A quantity of every joint over time: the panels of a chart.
#pragma once

#include <limits>

#include <ulna/model/model.hpp>

#include "draw/time_chart.hpp"

namespace ulna::internal::draw {

/// What a row of numbers is: nq of q, nv of the others.
enum class Numbers { position, velocity, effort };

/// One panel for the turning joints and one for the sliding ones, where there are any, with their units. `values`: row by row, with those of a base that moves,
/// which are left out. Where a panel would get more curves than `most`, it shows those that change most, and says so; the others are hidden.
std::vector<TimePanel> joint_panels(const Model& model, const std::string& quantity, Numbers numbers, const std::vector<double>& values,
                                    std::size_t most = std::numeric_limits<std::size_t>::max());

/// Those of a base that moves: a panel for each unit. None for a base that is bolted down, and for numbers that are zero all the time.
std::vector<TimePanel> base_panels(const Model& model, const std::string& quantity, Numbers numbers, const std::vector<double>& values);

}  // namespace ulna::internal::draw
