#include <algorithm>

#include "draw/panels.hpp"
#include "study/html.hpp"
#include "study/page_parts.hpp"

namespace ulna::internal {

using html::number, html::whole;

namespace {

/// How many times longer the slowest of the papers takes than the fastest.
double spread_of_times(const Race& race, RaceTime RaceRow::*way) {
  double least = 0, most = 0;
  for (const RaceRow& row : race.rows) {
    if (row.quantity != Quantity::inverse || row.ours || !(row.*way).ns) continue;
    least = least == 0 ? *(row.*way).ns : std::min(least, *(row.*way).ns);
    most = std::max(most, *(row.*way).ns);
  }
  return least > 0 ? most / least : 0;
}

void add_cells(const RaceTime& time, std::vector<std::string>& cells) {
  const bool counted = time.counts.mul + time.counts.add > 0;
  cells.push_back(counted ? whole(time.counts.mul + time.counts.div) : "–");
  cells.push_back(counted ? whole(time.counts.add) : "–");
  cells.push_back(time.ns ? number(*time.ns) : "–");
}

}  // namespace

std::string race_part(const StudyData& data) {
  if (!data.race || data.race->rows.empty()) return {};
  html::Rows rows;
  for (const RaceRow& row : data.race->rows) {
    if (!row.own.ns && !row.compiled.ns) continue;
    std::vector<std::string> cells{std::string(to_string(row.quantity)), row.id};
    add_cells(row.own, cells);
    add_cells(row.compiled, cells);
    rows.push_back(std::move(cells));
  }
  const std::string caption =
      cat("Every formulation of the papers that takes this robot, in two ways: as its own code on doubles (compiled for size, as the library is), and traced, "
          "minimised and made into machine code. <em>shipped</em> is the machine code that Ulna itself uses. For the torques, the slowest formulation takes ",
          number(spread_of_times(*data.race, &RaceRow::own)), " times as long as the fastest as own code, and ",
          number(spread_of_times(*data.race, &RaceRow::compiled)),
          " times as long as machine code. The axis is logarithmic. These are short measurements on a machine that may be busy; <code>ulna bench "
          "--formulations</code> measures with care.",
          data.timing.machine.empty() ? "" : cat(" Machine: ", html::text(data.timing.machine), "."));
  return html::section(
      "race", "How fast the papers' formulations are",
      html::figure("figure-race", bars("Time of one state", draw::race_kinds(), draw::race_bars(*data.race)), caption,
                   html::table("llrrrrrr", {"quantity", "formulation", "mul as written", "add", "ns", "mul of the machine code", "add", "ns"}, rows)));
}

}  // namespace ulna::internal
