#include "draw/panels.hpp"

#include "formulation/rows.hpp"
#include "text/message.hpp"

namespace ulna::internal::draw {

namespace {

constexpr double kRowNumbers = 4 + 1 + 3 + 6;  // of a link: DH, mass, mass centre, inertia

double work(const OperationCounts& counts, double numbers) { return static_cast<double>(counts.mul + counts.add) + numbers; }

}  // namespace

std::vector<GrowthPanel> growth_panels(const std::vector<Growth>& all) {
  std::vector<GrowthPanel> panels;
  for (const Quantity quantity : formulated_quantities()) {
    panels.push_back({std::string(row_of(quantity).title), {}});
    for (const Growth& growth : all) {
      if (growth.quantity != quantity || growth.counts.empty()) continue;
      GrowthLine line{growth.id, {}, growth.ours};
      for (const CountAt& c : growth.counts)
        line.points.push_back({static_cast<double>(c.joints), static_cast<double>(c.counts.mul + c.counts.add + c.counts.div)});
      panels.back().lines.push_back(std::move(line));
    }
  }
  return panels;
}

std::vector<GrowthPanel> trade_panels(const std::vector<TableTrade>& trades, const Prepared& prepared) {
  GrowthPanel error{"error of a torque, % of the largest", {}, "bytes of table", true}, left{"operations, and numbers read", {}, "bytes", true};
  const std::size_t n = prepared.size();
  for (const TableTrade& trade : trades) {
    GrowthLine interpolated{std::string(trade.method->id), {}}, work_left = interpolated;
    for (const TableMeasure& m : trade.at) {
      interpolated.points.push_back({m.bytes, 100 * m.interpolated});
      work_left.points.push_back({m.bytes, work(trade.counts, static_cast<double>(trade.method->entries(n)))});
    }
    error.lines.push_back(interpolated);
    left.lines.push_back(work_left);
    if (trade.method->groups() < 3) continue;
    GrowthLine indexed{cat(trade.method->id, ", nearest node"), {}};
    for (const TableMeasure& m : trade.at) indexed.points.push_back({m.bytes, 100 * m.indexed});
    error.lines.push_back(indexed);
  }
  const Formulation& recursion = row_of(&newton_euler_row);
  const double numbers = kRowNumbers * static_cast<double>(n);
  const OperationCounts counts = count_as_written(recursion, Quantity::inverse, prepared).total;
  left.lines.push_back({std::string(recursion.id), {{sizeof(double) * numbers, work(counts, numbers)}}, true});
  return {error, left};
}

const std::vector<std::string>& race_kinds() {
  static const std::vector<std::string> kinds{"own code", "machine code by Ulna"};
  return kinds;
}

std::vector<BarPanel> race_bars(const Race& race) {
  std::vector<BarPanel> panels;
  for (const Quantity quantity : formulated_quantities()) {
    BarPanel panel{cat(row_of(quantity).title, ", ns per state"), {}};
    for (const RaceRow& row : race.rows)
      if (row.quantity == quantity && (row.own.ns || row.compiled.ns))
        panel.rows.push_back({row.id, {row.own.ns.value_or(0), row.compiled.ns.value_or(0)}, row.ours});
    if (!panel.rows.empty()) panels.push_back(std::move(panel));
  }
  return panels;
}

std::vector<GrowthPanel> race_growth(const std::vector<Race>& races, Quantity quantity) {
  const std::string title(row_of(quantity).title);
  std::vector<GrowthPanel> panels{{cat(title, ", own code: ns"), {}}, {cat(title, ", machine code by Ulna: ns"), {}}};
  for (const Race& race : races)
    for (const RaceRow& row : race.rows) {
      if (row.quantity != quantity) continue;
      for (std::size_t k = 0; k < 2; ++k) {
        const RaceTime& time = k == 0 ? row.own : row.compiled;
        if (!time.ns) continue;
        std::vector<GrowthLine>& lines = panels[k].lines;
        auto line = std::find_if(lines.begin(), lines.end(), [&](const GrowthLine& l) { return l.label == row.id; });
        if (line == lines.end()) line = lines.insert(lines.end(), {row.id, {}, row.ours});
        line->points.push_back({static_cast<double>(race.joints), *time.ns});
      }
    }
  return panels;
}

}  // namespace ulna::internal::draw
