// Hollerbach's trade of storage for computation, for a small arm: three tables and a recursion.
#pragma once

#include <vector>

#include "formulation/table_trade.hpp"
#include "text/json.hpp"

namespace ulna::internal {

inline constexpr double kMostTableBytes = 4.0 * 1024 * 1024;  // of one table
/// Of a chain of up to three free joints, with 2 nodes on each axis and more; nothing of others.
std::vector<TableTrade> trade_of(const Prepared& prepared);
/// The keys of its errors, inside an object.
void write_measure(Json& json, const TableMeasure& m);
void write_trades(Json& json, const std::vector<TableTrade>& trades);

}  // namespace ulna::internal
