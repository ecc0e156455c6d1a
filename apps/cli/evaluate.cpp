#include "evaluate.hpp"

#include <algorithm>
#include <cstdio>

#include "model/csv_cell.hpp"
#include "model/text.hpp"
#include "table.hpp"

namespace ulna::cli {

namespace {

Vec3<double> vec3(const std::vector<double>& numbers, std::size_t first) { return {numbers[first], numbers[first + 1], numbers[first + 2]}; }

std::vector<std::string> link_names(const Model& model) {
  std::vector<std::string> names;
  for (const Link& link : model.links()) names.push_back(link.name);
  return names;
}

int find_link(const Model& model, const std::string& name, const char* option) {
  if (const std::optional<int> link = model.find_link(name)) return *link;
  throw UsageError(cat("option ", option, ": robot ", in_quotes(model.name()), " has no link ", in_quotes(name), did_you_mean(name, link_names(model))));
}

/// LINK:fx,fy,fz,tx,ty,tz@link or @world
Wrench parse_wrench(const Model& model, const std::string& text) {
  const std::string form = "LINK:fx,fy,fz,tx,ty,tz@link (or @world)";
  const std::size_t at = text.rfind('@');
  const std::size_t colon = text.rfind(':', at);
  if (at == std::string::npos || colon == std::string::npos) throw UsageError(cat("option --wrench ", in_quotes(text), " is not of the form ", form));
  const std::string axes = text.substr(at + 1);
  if (axes != "link" && axes != "world") throw UsageError(cat("option --wrench: axes are @link or @world, not ", in_quotes("@" + axes)));
  const std::vector<double> numbers = parse_numbers(std::string_view(text).substr(colon + 1, at - colon - 1), "option --wrench");
  if (numbers.size() != 6) throw UsageError(cat("option --wrench takes 6 numbers, force first, but ", numbers.size(), " are given: ", form));
  return {find_link(model, text.substr(0, colon), "--wrench"), axes == "world" ? Axes::world : Axes::link, vec3(numbers, 0), vec3(numbers, 3)};
}

Setup make_setup(const Arguments& arguments, const Computation& computation) {
  const bool rotor = arguments.on_off("--rotor", true);
  Robot robot = load_robot(arguments, rotor);
  PlanOptions options;
  options.snap = snap_of(arguments);
  Plan plan = make_plan(robot.model, options);
  Workspace workspace(plan);
  std::vector<std::string> names = robot.model.coordinate_names();
  Setup setup{std::move(robot), std::move(plan), std::move(workspace), {}, {}, std::move(names)};
  setup.effects.rotor = rotor;
  setup.effects.friction = arguments.on_off("--friction", false);
  if (computation.wrench)
    for (const std::string& text : arguments.values("--wrench")) setup.wrenches.push_back(parse_wrench(setup.robot.model, text));
  if (const auto velocity = arguments.numbers("--base-velocity", 6)) {
    setup.effects.base.angular_velocity = vec3(*velocity, 0);
    setup.effects.base.linear_velocity = vec3(*velocity, 3);
  }
  if (const auto acceleration = arguments.numbers("--base-acceleration", 6)) {
    setup.effects.base.angular_acceleration = vec3(*acceleration, 0);
    setup.effects.base.linear_acceleration = vec3(*acceleration, 3);
  }
  return setup;
}

void write_shaped(Json& json, const double*& at, const std::vector<std::size_t>& shape, std::size_t depth) {
  if (depth == shape.size()) {
    json.value(*at++);
    return;
  }
  json.begin_array();
  for (std::size_t i = 0; i < shape[depth]; ++i) write_shaped(json, at, shape, depth + 1);
  json.end_array();
}

void print_json(Output& out, const Arguments& arguments, const Setup& setup, States& states, const Result& result, const Features& features) {
  Json json(out);
  json.begin_object();
  json.line().key("robot").value(setup.robot.model.name());
  json.line().key("joints").strings(setup.names);
  if (arguments.has("--formulation")) json.line().key("formulation").value(*arguments.value("--formulation"));
  for (const auto& [key, word] : result.labels) json.line().key(key).value(word);
  for (const auto& [key, names] : result.lists) json.line().key(key).strings(names);
  json.line().key("features");
  write_features(json, features);
  std::vector<double> row(result.headers.size());
  State state;
  // One pass over the states for each field: nothing is kept but the row at hand.
  for (const Field& field : result.fields) {
    json.line().key(field.key).begin_array();
    states.rewind();
    while (states.next(state)) {
      result.compute(state, row.data());
      const double* at = row.data() + field.first;
      json.line();
      write_shaped(json, at, field.shape, 0);
    }
    json.end_array();
  }
  out.write("\n");
  json.end_object();
  json.finish();
}

void print_csv(Output& out, States& states, const Result& result, const Features& features) {
  for (std::size_t i = 0; i < result.headers.size(); ++i) out.write(cat(i == 0 ? "" : ",", csv_cell(result.headers[i])));
  out.write("\n");
  std::vector<double> row(result.headers.size());
  State state;
  while (states.next(state)) {
    result.compute(state, row.data());
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (i > 0) out.write(",");
      out.write_number(row[i]);
    }
    out.write("\n");
  }
  out.flush();
  std::fputs(features_text(features).c_str(), stderr);
}

void print_text(Output& out, States& states, const Result& result, const Features& features) {
  std::vector<double> row(result.headers.size());
  State state;
  std::size_t number = 0;
  while (states.next(state)) {
    result.compute(state, row.data());
    if (!states.single()) out.write(cat(number == 0 ? "" : "\n", "state ", number + 1, "\n"));
    out.write(result.text(row.data()));
    ++number;
  }
  out.write(cat("\n", features_text(features)));
  out.flush();
}

}  // namespace

std::vector<Option> evaluation_options(const Computation& computation) {
  std::vector<Option> options = state_options(computation.parts);
  if (computation.relevance.rotor) options.push_back({"--rotor", "on|off", "rotor inertia, gear² times that of the rotor, at each joint (default on)"});
  if (computation.relevance.friction) options.push_back({"--friction", "on|off", "viscous and Coulomb friction of the joints (default off)"});
  if (computation.wrench)
    options.push_back({"--wrench", "LINK:fx,fy,fz,tx,ty,tz@link|@world",
                       "what the environment exerts on a link, at its origin, in the link's or the world's axes; may be repeated", true});
  if (computation.base) {
    options.push_back({"--base-velocity", "wx,wy,wz,vx,vy,vz", "prescribed velocity of the root link, angular first, in its axes"});
    options.push_back({"--base-acceleration", "…", "prescribed acceleration of the root link, angular first, in its axes"});
  }
  if (computation.quantity) options.push_back({"--formulation", "ID", "compute by this formulation of the papers instead; 'ulna formulations' lists them"});
  return options + model_options() + std::vector<Option>{snap_option()} + format_options();
}

int evaluate(const Arguments& arguments, const Computation& computation) {
  if (arguments.has("--json") && arguments.has("--csv")) throw UsageError("options --json and --csv exclude each other");
  Setup setup = make_setup(arguments, computation);
  setup.effects.wrenches = setup.wrenches;
  const Result result = computation.prepare(setup, arguments);
  const Features features = collect_features(setup.robot, setup.plan, computation.relevance, setup.effects);
  States states(arguments, setup.robot.model, computation.parts);
  Output out;
  if (arguments.has("--json"))
    print_json(out, arguments, setup, states, result, features);
  else if (arguments.has("--csv"))
    print_csv(out, states, result, features);
  else
    print_text(out, states, result, features);
  return kDone;
}

namespace {

bool slides(const Setup& setup, std::size_t coordinate) {
  const int joint = setup.robot.model.independent()[coordinate];
  return setup.robot.model.joints()[static_cast<std::size_t>(joint)].type == JointType::prismatic;
}

}  // namespace

std::string effort_unit(const Setup& setup, std::size_t coordinate) { return slides(setup, coordinate) ? "N" : "N m"; }
std::string acceleration_unit(const Setup& setup, std::size_t coordinate) { return slides(setup, coordinate) ? "m/s²" : "rad/s²"; }

Result per_coordinate(const Setup& setup, const std::string& key, const std::string& prefix, std::string (*unit)(const Setup&, std::size_t),
                      std::function<void(const State&, double*)> compute) {
  Result result;
  for (const std::string& name : setup.names) result.headers.push_back(cat(prefix, ".", name));
  result.fields = {{key, 0, {setup.names.size()}}};
  result.compute = std::move(compute);
  result.text = [&setup, prefix, unit](const double* row) {
    Table table("lrl");
    table.row({"joint", prefix, ""});
    for (std::size_t i = 0; i < setup.names.size(); ++i) table.row({setup.names[i], brief(row[i]), unit(setup, i)});
    return table.text();
  };
  return result;
}

std::shared_ptr<FormulationOnModel> chosen_formulation(const Setup& setup, const Arguments& arguments, Quantity quantity) {
  const std::optional<std::string> id = arguments.value("--formulation");
  if (!id) return nullptr;
  const Formulation* formulation = &formulation_named(*id);
  for (const char* option : {"--wrench", "--base-velocity", "--base-acceleration"})
    if (arguments.has(option)) throw UsageError(cat("option ", option, " is for the production path; --formulation ", *id, " computes without it"));
  const double snap = arguments.number("--snap").value_or(PlanOptions{}.snap);
  try {
    return std::make_shared<FormulationOnModel>(*formulation, quantity, Prepared(setup.robot.model, snap));
  } catch (const std::invalid_argument& error) {
    throw UsageError(error.what());
  }
}

std::vector<int> chosen_links(const Setup& setup, const Arguments& arguments) {
  std::vector<int> links;
  for (const std::string& name : arguments.values("--link")) links.push_back(find_link(setup.robot.model, name, "--link"));
  if (links.empty())
    for (std::size_t i = 0; i < setup.robot.model.links().size(); ++i) links.push_back(static_cast<int>(i));
  return links;
}

}  // namespace ulna::cli
