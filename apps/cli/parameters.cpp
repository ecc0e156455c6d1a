#include "command.hpp"
#include "json.hpp"
#include "model_options.hpp"
#include "table.hpp"

namespace ulna::cli {

namespace {

std::vector<std::string> named(const BaseParameters& found, const std::vector<std::size_t>& which) {
  std::vector<std::string> names;
  for (const std::size_t k : which) names.push_back(found.parameters[k].name);
  return names;
}

void print_json(const Robot& robot, const BaseParameters& found, double snap) {
  JsonOutput json;
  json.line_fields("robot", robot.model.name(), "joints", robot.model.driven_names(), "count", found.base.size()).line().key("base").begin_array();
  for (const BaseParameter& one : found.base) {
    json.line().begin_object();
    json.fields("name", one.name, "expression", one.expression, "value", one.value, "unit", found.parameters[one.terms[0].parameter].unit).key("terms");
    json.begin_array();
    for (const BaseParameter::Term& term : one.terms) json.object("parameter", found.parameters[term.parameter].name, "factor", term.factor);
    json.end_array().end_object();
  }
  json.end_array().line_fields("no_effect", named(found, found.no_effect), "only_in_sums", named(found, found.only_in_sums));
  const auto write_parameter = [&](const Parameter& one) { json.object("name", one.name, "value", one.value, "unit", one.unit); };
  json.list("parameters", found.parameters, write_parameter).list("drives", drive_parameters(robot.model, snap), write_parameter).end();
}

void print_text(const Robot& robot, const BaseParameters& found, double snap) {
  std::string text = cat("robot ", robot.model.name(), ": of ", found.parameters.size(), " parameters of its moving bodies, joint torques determine ",
                         found.base.size(), " combinations\n\n");
  Table table("lrll");
  table.row({"base parameter", "value", "", "is"});
  for (const BaseParameter& one : found.base) table.row({one.name, brief(one.value), found.parameters[one.terms[0].parameter].unit, one.expression});
  text += table.text();
  const auto list = [&](const char* title, const std::vector<std::size_t>& which) {
    if (!which.empty()) text += cat("\n", title, ": ", joined(named(found, which)), "\n");
  };
  list("Not identifiable separately: each enters the torques only in the combinations above", found.only_in_sums);
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
  const BaseParameters found = base_parameters(robot.model, snap);
  arguments.has("--json") ? print_json(robot, found, snap) : print_text(robot, found, snap);
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
          "regressor'). Rotors, friction and offsets are listed separately and not counted.",
          model_options() + std::vector<Option>{snap_option(), {"--json", "", "print one JSON object and nothing else; numbers read back to the same bits"}},
          "ulna parameters puma560\n"
          "    the 36 base parameters of a PUMA 560",
          parameters_main};
}

}  // namespace ulna::cli
