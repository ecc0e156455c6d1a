#include "study/memory.hpp"

#include <ulna/formulation/formulation.hpp>

#include "formulation/evaluator.hpp"
#include "formulation/rows.hpp"
#include "study/html.hpp"
#include "study/page_parts.hpp"
#include "text/number.hpp"

namespace ulna::internal {

namespace {

constexpr std::size_t kFew = 3;                   // joints
constexpr double kMostBytes = 4.0 * 1024 * 1024;  // of one table
constexpr double kRowNumbers = 4 + 1 + 3 + 6;     // of a link: DH, mass, mass centre, inertia
const std::vector<int> kNodes{2, 3, 4, 5, 6, 8, 12, 17, 25, 33, 65};

std::string named(const TableTrade& trade) { return std::string(trade.method->id); }

double work(const OperationCounts& counts, double numbers) { return static_cast<double>(counts.mul + counts.add) + numbers; }

}  // namespace

std::vector<TableTrade> trade_of(const Prepared& prepared) {
  if (prepared.size() == 0 || prepared.size() > kFew || prepared.size() != prepared.model.nv() || !takes_chains(prepared).empty()) return {};
  return table_trades(prepared, kNodes, kMostBytes);
}

std::vector<draw::GrowthPanel> trade_panels(const std::vector<TableTrade>& trades, const Prepared& prepared) {
  draw::GrowthPanel error{"error of a torque, % of the largest", {}, "bytes of table", true}, left{"operations, and numbers read", {}, "bytes", true};
  const std::size_t n = prepared.size();
  for (const TableTrade& trade : trades) {
    draw::GrowthLine interpolated{named(trade), {}}, work_left = interpolated;
    for (const TableMeasure& m : trade.at) {
      interpolated.points.push_back({m.bytes, 100 * m.interpolated});
      work_left.points.push_back({m.bytes, work(trade.counts, static_cast<double>(trade.method->entries(n)))});
    }
    error.lines.push_back(interpolated);
    left.lines.push_back(work_left);
    if (trade.method->groups() < 3) continue;
    draw::GrowthLine indexed{cat(named(trade), ", nearest node"), {}};
    for (const TableMeasure& m : trade.at) indexed.points.push_back({m.bytes, 100 * m.indexed});
    error.lines.push_back(indexed);
  }
  const Formulation& recursion = row_of(&newton_euler_row);
  const double numbers = kRowNumbers * static_cast<double>(n);
  const OperationCounts counts = count_as_written(recursion, Quantity::inverse, prepared).total;
  left.lines.push_back({std::string(recursion.id), {{sizeof(double) * numbers, work(counts, numbers)}}, true});
  return {error, left};
}

void write_measure(Json& json, const TableMeasure& m) {
  json.key("error").value(m.interpolated).key("error_indexed").value(m.indexed);
  json.key("error_loaded").value(m.loaded).key("fill_seconds").value(m.fill_seconds);
}

void write_trades(Json& json, const std::vector<TableTrade>& trades) {
  json.begin_array();
  for (const TableTrade& trade : trades) {
    json.line().begin_object().key("formulation").value(trade.method->id).key("over").value(trade.method->over);
    json.key("mul").value(trade.counts.mul).key("add").value(trade.counts.add).key("at").begin_array();
    for (const TableMeasure& m : trade.at) {
      json.line().begin_object().key("nodes").value(m.nodes).key("bytes").value(m.bytes);
      write_measure(json, m);
      json.end_object();
    }
    json.end_array().end_object();
  }
  json.end_array();
}

std::string memory_part(const StudyData& data) {
  if (data.tables.empty()) return {};
  std::vector<std::vector<std::string>> rows;
  const auto percent = [](double part) { return cat(html::number(100 * part), "\xe2\x80\xaf%"); };
  for (const TableTrade& trade : data.tables)
    for (const TableMeasure& m : trade.at)
      rows.push_back({named(trade), html::text(trade.method->over), std::to_string(m.nodes), html::whole(static_cast<long>(m.bytes)),
                      html::whole(trade.counts.mul), html::whole(trade.counts.add), percent(m.interpolated), percent(m.indexed), percent(m.loaded),
                      html::number(1e3 * m.fill_seconds)});
  const std::string caption = cat(
      "Torques can be read from tables instead of being computed (Hollerbach 1980). The tables are over position, velocity and acceleration "
      "(<em>albus</em>), over position and velocity (<em>raibert</em>), or over position (<em>horn-raibert</em>), with 2 and more nodes on each axis, up to ",
      html::number(kMostBytes / 1024 / 1024),
      " MiB. Left: the largest error in 500 random states. Right: the operations and the numbers read from memory for one torque, without "
      "interpolation. <em>newton-euler</em> needs no table and has no such error. Axes are logarithmic. ",
      html::text(payload_note()),
      " The last columns give the error of a table when the hand holds a load of a tenth of the robot's mass, and the time to fill the table again.");
  return html::section(
      "memory", "Tables instead of computing",
      html::figure("figure-memory",
                   draw::growth_chart("Storage against computation", {}, trade_panels(data.tables, Prepared(data.robot.model(), data.options.snap)), draw::page_theme()),
                   caption,
                   html::table("llrrrrrrrr", {"table", "over", "nodes", "bytes", "mul", "add", "error", "nearest node", "with a load", "filled in ms"}, rows)));
}

}  // namespace ulna::internal
