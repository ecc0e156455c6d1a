#include <cmath>
#include <stdexcept>
#include <string>

#include <ulna/sim/scenario.hpp>
#include <ulna/sim/simulate.hpp>

#include "target.hpp"

namespace ulna::fuzz {

void scenario(Input input) {
  const std::string_view text = text_of(input);
  if (text.size() > (1 << 14)) return;
  const sim::ScenarioResult read = sim::try_parse_scenario(text, "fuzz-of-no-folder/fuzz.yaml");
  bool errors = false;
  for (const Diagnostic& d : read.diagnostics) {
    errors = errors || d.severity == Severity::error;
    promise(!d.problem.empty(), "a message says what");
  }
  promise(errors != read.scenario.has_value(), "a scenario, or errors");
  if (!read.scenario) return;
  // What was accepted can be begun. How far it goes is not asked: a step may be as short as a file likes.
  int steps = 0;
  const sim::Outcome outcome = sim::simulate(*read.scenario, {[&steps](double t) {
    promise(!std::isnan(t), "time goes on");
    return ++steps < 20;
  }});
  promise(outcome.ending == sim::Ending::done || !outcome.message.empty() || outcome.ending == sim::Ending::interrupted, "a run that ends early says why");
}

}  // namespace ulna::fuzz
