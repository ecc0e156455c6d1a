#include <ulna/sim/scenario.hpp>
#include <ulna/sim/simulate.hpp>

#include "target.hpp"

namespace ulna::fuzz {

void overrides(Input input) {
  static const sim::Scenario scenario = sim::load_scenario("payload-drop");
  Diagnostics diagnostics("fuzz.csv");
  const std::optional<sim::Overrides> read = sim::parse_overrides(text_of(input), scenario, diagnostics);
  promise(read.has_value() != diagnostics.has_errors(), "overrides, or errors");
  if (!read) return;
  promise(!read->rows.empty() && read->rows.size() == read->lines.size(), "rows, each with its line");
  for (const std::vector<double>& row : read->rows) promise(row.size() == read->names.size(), "a number for every column");
  sim::with_overrides(scenario, read->names, read->rows.front());
}

}  // namespace ulna::fuzz
