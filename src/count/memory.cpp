#include "count/memory.hpp"

#include "formulation/rows.hpp"

namespace ulna::internal {

namespace {

constexpr std::size_t kFew = 3;  // joints
const std::vector<int> kNodes{2, 3, 4, 5, 6, 8, 12, 17, 25, 33, 65};

}  // namespace

std::vector<TableTrade> trade_of(const Prepared& prepared) {
  if (prepared.size() == 0 || prepared.size() > kFew || prepared.size() != prepared.model.nv() || !takes_chains(prepared).empty()) return {};
  return table_trades(prepared, kNodes, kMostTableBytes);
}

void write_measure(Json& json, const TableMeasure& m) {
  json.fields("error", m.interpolated, "error_indexed", m.indexed, "error_loaded", m.loaded, "fill_seconds", m.fill_seconds);
}

void write_trades(Json& json, const std::vector<TableTrade>& trades) {
  json.lines(trades, [&](const TableTrade& trade) {
    json.begin_object().fields("formulation", trade.method->id, "over", trade.method->over, "mul", trade.counts.mul, "add", trade.counts.add);
    json.key("at").lines(trade.at, [&](const TableMeasure& m) {
      json.begin_object().fields("nodes", m.nodes, "bytes", m.bytes);
      write_measure(json, m);
      json.end_object();
    });
    json.end_object();
  });
}

}  // namespace ulna::internal
