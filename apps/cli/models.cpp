#include "command.hpp"
#include "json.hpp"
#include "table.hpp"

namespace ulna::cli {

namespace {

int print_file(const std::string& id) {
  std::vector<std::string> ids;
  for (const BuiltinRobot& robot : builtin_robots()) {
    ids.emplace_back(robot.id);
    if (robot.id != id) continue;
    std::fwrite(robot.text.data(), 1, robot.text.size(), stdout);
    return kDone;
  }
  if (const std::optional<std::string> text = general_robot(id)) {
    std::fputs(text->c_str(), stdout);
    return kDone;
  }
  throw UsageError(there_is_no("built-in robot", id, ids));
}

int models_main(const Arguments& arguments) {
  if (!arguments.positional().empty()) {
    arguments.refuse({"--json"}, "with the name of a robot: its file is printed unchanged");
    return print_file(arguments.only("the name of a built-in robot"));
  }
  if (arguments.has("--json")) {
    JsonOutput json;
    json.list("models", builtin_robots(),
              [&](const BuiltinRobot& robot) { json.object("id", robot.id, "joints", load(std::string(robot.id)).nv_tree(), "summary", robot.summary); });
    json.end();
    return kDone;
  }
  Table table("lrl");
  table.row({"name", "joints", "what it is"});
  for (const BuiltinRobot& robot : builtin_robots())
    table.row({std::string(robot.id), std::to_string(load(std::string(robot.id)).nv_tree()), std::string(robot.summary)});
  table.row({"general-<types>", "", "a made-up arm with no special parameter, for example general-RRRRRR or general-RRP"});
  std::fputs(table.text().c_str(), stdout);
  return kDone;
}

}  // namespace

Command models_command() {
  return {"models",
          "the robots that come with Ulna",
          "[NAME] [options]",
          "Lists the built-in robots. A built-in name can be used wherever a MODEL is expected. With a NAME, the command prints\n"
          "that robot's file, to read or to start your own from.",
          {{"--json", "", "print one JSON object and nothing else"}},
          "ulna models puma560 > my_arm.yaml",
          models_main};
}

}  // namespace ulna::cli
