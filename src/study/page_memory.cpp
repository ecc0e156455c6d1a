#include "draw/panels.hpp"
#include "study/html.hpp"
#include "study/page_parts.hpp"

namespace ulna::internal {

std::string memory_part(const StudyData& data) {
  if (data.tables.empty()) return {};
  html::Rows rows;
  const auto percent = [](double part) { return cat(html::number(100 * part), "\xe2\x80\xaf%"); };
  for (const TableTrade& trade : data.tables)
    for (const TableMeasure& m : trade.at)
      rows.push_back({std::string(trade.method->id), html::text(trade.method->over), std::to_string(m.nodes), html::whole(static_cast<long>(m.bytes)),
                      html::whole(trade.counts.mul), html::whole(trade.counts.add), percent(m.interpolated), percent(m.indexed), percent(m.loaded),
                      html::number(1e3 * m.fill_seconds)});
  const std::string caption = cat(
      "Torques can be read from tables instead of being computed (Hollerbach 1980). The tables are over position, velocity and acceleration "
      "(<em>albus</em>), over position and velocity (<em>raibert</em>), or over position (<em>horn-raibert</em>), with 2 and more nodes on each axis, up to ",
      html::number(kMostTableBytes / 1024 / 1024),
      " MiB. Left: the largest error in 500 random states. Right: the operations and the numbers read from memory for one torque, without "
      "interpolation. <em>newton-euler</em> needs no table and has no such error. Axes are logarithmic. ",
      html::text(payload_note()),
      " The last columns give the error of a table when the hand holds a load of a tenth of the robot's mass, and the time to fill the table again.");
  return html::section(
      "memory", "Tables instead of computing",
      html::figure("figure-memory",
                   draw::growth_chart("Storage against computation", {}, draw::trade_panels(data.tables, Prepared(data.robot.model(), data.options.snap)),
                                      draw::page_theme()),
                   caption,
                   html::table("llrrrrrrrr", {"table", "over", "nodes", "bytes", "mul", "add", "error", "nearest node", "with a load", "filled in ms"}, rows)));
}

}  // namespace ulna::internal
