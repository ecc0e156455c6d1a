// Counts, times and simulated quantities as panels of charts.
#pragma once

#include <limits>

#include <ulna/model/model.hpp>

#include "count/growth.hpp"
#include "count/memory.hpp"
#include "count/race.hpp"
#include "draw/charts.hpp"

namespace ulna::internal::draw {

// --- Counts and times, as panels of charts.

/// A panel for each quantity.
std::vector<GrowthPanel> growth_panels(const std::vector<Growth>& all);

/// Errors of tables, and the remaining operations, by their size.
std::vector<GrowthPanel> trade_panels(const std::vector<TableTrade>& trades, const Prepared& prepared);

/// A robot's rows as bars, a panel for each quantity: own code and machine code.
std::vector<BarPanel> race_bars(const Race& race);
const std::vector<std::string>& race_kinds();
/// Times of one quantity over the number of joints: a panel for own code, and one for machine code.
std::vector<GrowthPanel> race_growth(const std::vector<Race>& races, Quantity quantity);

// --- A quantity of every joint over time: the panels of a chart.

/// What a row of numbers is: nq of q, nv of the others.
enum class Numbers { position, velocity, effort };

/// One panel for the turning joints and one for the sliding ones, where there are any, with their units. `values`: row by row, with those of a base that moves,
/// which are left out. Where a panel would get more curves than `most`, it shows those that change most, and says so; the others are hidden.
std::vector<TimePanel> joint_panels(const Model& model, const std::string& quantity, Numbers numbers, const std::vector<double>& values,
                                    std::size_t most = std::numeric_limits<std::size_t>::max());

/// Those of a base that moves: a panel for each unit. None for a fixed base, and for numbers that are always zero.
std::vector<TimePanel> base_panels(const Model& model, const std::string& quantity, Numbers numbers, const std::vector<double>& values);

}  // namespace ulna::internal::draw
