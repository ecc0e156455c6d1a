// What is counted and timed, as panels of charts.
#pragma once

#include "count/growth.hpp"
#include "count/memory.hpp"
#include "count/race.hpp"
#include "draw/bar_chart.hpp"
#include "draw/growth_chart.hpp"

namespace ulna::internal::draw {

/// A panel for each quantity.
std::vector<GrowthPanel> growth_panels(const std::vector<Growth>& all);

/// How far off tables are, and what is left to do, by their size.
std::vector<GrowthPanel> trade_panels(const std::vector<TableTrade>& trades, const Prepared& prepared);

/// A robot's rows as bars, a panel for each quantity: own code and machine code.
std::vector<BarPanel> race_bars(const Race& race);
const std::vector<std::string>& race_kinds();
/// Times of one quantity over the number of joints: a panel for own code, and one for machine code.
std::vector<GrowthPanel> race_growth(const std::vector<Race>& races, Quantity quantity);

}  // namespace ulna::internal::draw
