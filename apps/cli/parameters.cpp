#include <cstdio>
#include <stdexcept>

#include <ulna/identify/identify.hpp>

#include "command.hpp"
#include "json.hpp"
#include "model_options.hpp"
#include "table.hpp"
#include "text/cat.hpp"
#include "text/names.hpp"

namespace ulna::cli {

namespace {

std::vector<std::string> named(const BaseParameters& found, const std::vector<std::size_t>& which) {
  std::vector<std::string> names;
  for (const std::size_t k : which) names.push_back(found.parameters[k].name);
  return names;
}

void write_parameter(Json& json, const Parameter& one) {
  json.line().begin_object().key("name").value(one.name).key("value").value(one.value).key("unit").value(one.unit).end_object();
}

void print_json(const Robot& robot, const BaseParameters& found, double snap) {
  Output out;
  Json json(out);
  json.begin_object();
  json.line().key("robot").value(robot.model.name());
  json.line().key("joints").strings(robot.model.driven_names());
  json.line().key("count").value(found.base.size());
  json.line().key("base").begin_array();
  for (const BaseParameter& one : found.base) {
    json.line().begin_object().key("name").value(one.name).key("expression").value(one.expression).key("value").value(one.value);
    json.key("unit").value(found.parameters[one.terms[0].parameter].unit).key("terms").begin_array();
    for (const BaseParameter::Term& term : one.terms)
      json.begin_object().key("parameter").value(found.parameters[term.parameter].name).key("factor").value(term.factor).end_object();
    json.end_array().end_object();
  }
  json.end_array();
  json.line().key("no_effect").strings(named(found, found.no_effect));
  json.line().key("only_in_sums").strings(named(found, found.only_in_sums));
  json.line().key("parameters").begin_array();
  for (const Parameter& one : found.parameters) write_parameter(json, one);
  json.end_array();
  json.line().key("drives").begin_array();
  for (const Parameter& one : drive_parameters(robot.model, snap)) write_parameter(json, one);
  json.end_array();
  json.end();
}

void print_text(const Robot& robot, const BaseParameters& found, double snap) {
  std::string text = cat("robot ", robot.model.name(), ": of ", found.parameters.size(), " parameters of its moving bodies, joint torques tell ",
                         found.base.size(), " sums\n\n");
  Table table("lrll");
  table.row({"base parameter", "value", "", "is"});
  for (const BaseParameter& one : found.base) table.row({one.name, brief(one.value), found.parameters[one.terms[0].parameter].unit, one.expression});
  text += table.text();
  const auto list = [&](const char* title, const std::vector<std::size_t>& which) {
    if (!which.empty()) text += cat("\n", title, ": ", joined(named(found, which)), "\n");
  };
  list("No motion tells these apart: each enters the torques only in the sums above", found.only_in_sums);
  list("These change no torque", found.no_effect);
  Table drives("lrl");
  for (const Parameter& one : drive_parameters(robot.model, snap))
    if (one.kind != ParameterKind::offset) drives.row({one.name, brief(one.value), one.unit});
  text += cat("\nOf the drives, besides:\n", drives.text());
  std::fputs(text.c_str(), stdout);
}

int parameters_main(const Arguments& arguments) {
  arguments.only("MODEL");
  const Robot robot = load_robot(arguments, true);
  const double snap = snap_of(arguments);
  const BaseParameters found = [&] {
    try {
      return base_parameters(robot.model, snap);
    } catch (const std::invalid_argument& error) {
      throw UsageError(error.what());
    }
  }();
  if (arguments.has("--json"))
    print_json(robot, found, snap);
  else
    print_text(robot, found, snap);
  return kDone;
}

}  // namespace

Command parameters_command() {
  return {"parameters",
          "which parameters of a robot its joint torques determine",
          "MODEL [options]",
          "Lists the base parameters: the fewest sums of masses, first moments and inertias that determine the joint torques.\n"
          "No measurement of joint torques can determine more. The parameters of each moving body are m, h_x, h_y, h_z, J_xx,\n"
          "J_yy, J_zz, J_xy, J_xz, J_yz, about the origin and in the axes of the link that its joint carries (see 'ulna\n"
          "regressor'). Rotors, friction and offsets are listed apart and not counted.",
          model_options() + std::vector<Option>{snap_option(), {"--json", "", "print one JSON object and nothing else; numbers read back to the same bits"}},
          "ulna parameters puma560\n"
          "    the 36 base parameters of a PUMA 560",
          parameters_main};
}

}  // namespace ulna::cli
