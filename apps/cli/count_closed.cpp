// `ulna count` of a robot with loops: one call of each program, and of one step of closure.
#include <algorithm>
#include <cstdio>

#include <ulna/formulation/formulation.hpp>
#include <ulna/plan/plan.hpp>

#include "command.hpp"
#include "count.hpp"
#include "expr/ready.hpp"
#include "loop/mechanism_parts.hpp"
#include "robot/closed_programs.hpp"
#include "table.hpp"
#include "text/cat.hpp"
#include "text/names.hpp"
#include "text/quote.hpp"

namespace ulna::cli {

namespace {

struct NamedTask {
  const char* id;
  internal::ClosedTask task;
};
constexpr NamedTask kClosedTasks[] = {{"close", internal::ClosedTask::step},      {"inverse", internal::ClosedTask::inverse},
                                      {"mass", internal::ClosedTask::mass},       {"bias", internal::ClosedTask::bias},
                                      {"gravity", internal::ClosedTask::gravity}, {"forward", internal::ClosedTask::forward},
                                      {"energy", internal::ClosedTask::energy},   {"motion", internal::ClosedTask::motion}};

}  // namespace

int count_closed(const Arguments& arguments, const Mechanism& robot, bool rotor) {
  const std::string name = in_quotes(robot.tree().name());
  for (const char* option : {"--program", "--samples", "--acceleration", "--drop", "--snap"})
    if (arguments.has(option)) throw UsageError(cat("option ", option, " does not go with robot ", name, ", which has loops (docs/loops.md)"));
  if (arguments.value("--real") == "float") throw UsageError(cat("option --real: robot ", name, " has loops, whose programs are in doubles (docs/loops.md)"));
  if (const std::optional<std::string> id = arguments.value("--formulation"); id && !formulation_named(*id).takes_loops)
    throw UsageError(cat("option --formulation: robot ", name, " has loops, which only ", in_quotes(formulation_of_loops().id), " takes (docs/loops.md)"));
  const std::optional<std::string> only = arguments.value("--quantity");
  const EliminationOrder order = internal::elimination_order(robot);
  std::vector<std::pair<std::string, OperationCounts>> counted;
  for (const NamedTask& task : kClosedTasks) {
    if (only && *only != task.id) continue;
    const std::vector<double> rates = turning_rates(robot.parts().plan);
    counted.emplace_back(task.id, ready(internal::closed_program(robot, order, task.task, rotor), rates, internal::Sine::limited, false).counts());
  }
  if (counted.empty()) {
    const std::vector<std::string> known = names_of(kClosedTasks, &NamedTask::id);
    throw UsageError(cat("option --quantity: of robot ", name, ", which has loops, there are ", listed(known, "and"), ", not ", in_quotes(*only),
                         did_you_mean(*only, known)));
  }
  if (arguments.has("--json")) {
    Output out;
    Json json(out);
    json.begin_object().line().key("robot").value(robot.tree().name()).line().key("mobility").value(robot.mobility());
    json.line().key("independent").strings(robot.independent_names()).line().key("counts").begin_array();
    for (const auto& [id, counts] : counted) {
      json.line().begin_object().key("formulation").value(formulation_of_loops().id).key("quantity").value(id).key("optimised");
      write_counts(json, counts);
      json.end_object();
    }
    json.end_array();
    json.end();
    return kDone;
  }
  Table table("lrrrr");
  table.row({"program", "mul", "add", "div", "sincos"});
  for (const auto& [id, counts] : counted)
    table.row({id, std::to_string(counts.mul), std::to_string(counts.add), std::to_string(counts.div), std::to_string(counts.sincos)});
  std::printf(
      "robot %s, %zu independent joints, Kane's method, elimination of fixed order\n\n%s\nclose: one step of Newton's method; motion: speeds and "
      "accelerations of the dependent joints.\n",
      robot.tree().name().c_str(), robot.mobility(), table.text().c_str());
  return kDone;
}

}  // namespace ulna::cli
