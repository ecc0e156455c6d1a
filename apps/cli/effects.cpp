#include "effects.hpp"

#include <algorithm>

#include "programs/interface.hpp"

namespace ulna::cli {

namespace {

Vec3<double> vec3(const std::vector<double>& numbers, std::size_t first) { return {numbers[first], numbers[first + 1], numbers[first + 2]}; }

/// LINK:fx,fy,fz,tx,ty,tz@link or @world
Wrench parse_wrench(const Model& model, const std::string& text) {
  const std::string form = "LINK:fx,fy,fz,tx,ty,tz@link (or @world)";
  const std::size_t at = text.rfind('@');
  const std::size_t colon = text.rfind(':', at);
  if (at == std::string::npos || colon == std::string::npos) throw UsageError(cat("option --wrench ", in_quotes(text), " is not of the form ", form));
  const std::string axes = text.substr(at + 1);
  if (axes != "link" && axes != "world")
    throw UsageError(cat("option --wrench: axes are @link or @world, not ", in_quotes("@" + axes), did_you_mean("@" + axes, {"@link", "@world"})));
  const std::vector<double> numbers = parse_numbers(std::string_view(text).substr(colon + 1, at - colon - 1), "option --wrench");
  if (numbers.size() != 6) throw UsageError(cat("option --wrench takes 6 numbers, force first, but ", numbers.size(), " are given: ", form));
  return {find_link(model, text.substr(0, colon), "--wrench"), axes == "world" ? Axes::world : Axes::link, vec3(numbers, 0), vec3(numbers, 3)};
}

}  // namespace

Option wrench_option() {
  return {"--wrench", "LINK:fx,fy,fz,tx,ty,tz@link|@world",
          "force and moment that the environment exerts on a link, at the link's origin, in the link's or the world's axes; may be repeated", true};
}

std::vector<Option> base_options() {
  return {{"--base-velocity", "wx,wy,wz,vx,vy,vz", "prescribed velocity of the root link, angular first, in its axes"},
          {"--base-acceleration", "…", "prescribed acceleration of the root link, angular first, in its axes"}};
}

std::size_t find_link(const Model& model, const std::string& name, const char* option) {
  if (const std::optional<std::size_t> link = model.find_link(name)) return *link;
  throw UsageError(cat("option ", option, ": ", no_such_link(model, name)));
}

Load load_of(const Model& model, const std::string& text, const char* option) {
  const std::size_t colon = text.rfind(':'), equals = text.rfind('=');
  if (colon == std::string::npos)
    throw UsageError(cat("option ", option, " ", in_quotes(text), " is not of the form ", kLoadForm,
                         equals == std::string::npos ? "" : cat("; write ", text.substr(0, equals), ":", text.substr(equals + 1))));
  const std::vector<double> x = parse_numbers(std::string_view(text).substr(colon + 1), cat("option ", option));
  if (x.size() != 4 && x.size() != 10)
    throw UsageError(cat("option ", option, " takes 4 or 10 numbers, mass first, but ", x.size(), x.size() == 1 ? " is" : " are", " given: ", kLoadForm));
  Load load{model.links()[find_link(model, text.substr(0, colon), option)].name, {x[0], vec3(x, 1), {}}};
  if (x.size() == 10) load.payload.inertia = {x[4], x[5], x[6], x[7], x[8], x[9]};
  return load;
}

std::vector<Wrench> wrenches_of(const Arguments& arguments, const Model& model) {
  std::vector<Wrench> wrenches;
  for (const std::string& text : arguments.values("--wrench")) wrenches.push_back(parse_wrench(model, text));
  return wrenches;
}

std::vector<JointControl> controls_of(const Arguments& arguments, const Model& model) {
  std::vector<JointControl> controls;
  for (const std::string& text : arguments.values("--control")) {
    const std::size_t colon = text.rfind(':');
    if (colon == std::string::npos) throw UsageError(cat("option --control ", in_quotes(text), " is not of the form JOINT:fx,fy,fz,nx,ny,nz"));
    const std::vector<std::string> names = names_of(model.joints(), &Joint::name);
    const auto joint = std::find(names.begin(), names.end(), text.substr(0, colon));
    if (joint == names.end()) throw UsageError(cat("option --control: ", there_is_no("joint", text.substr(0, colon), names)));
    const std::vector<double> numbers = parse_numbers(std::string_view(text).substr(colon + 1), "option --control");
    if (numbers.size() != 6) throw UsageError(cat("option --control takes 6 numbers, force first, but ", numbers.size(), " are given"));
    controls.push_back({static_cast<std::size_t>(joint - names.begin()), vec3(numbers, 0), vec3(numbers, 3)});
  }
  return controls;
}

BaseMotion base_of(const Arguments& arguments) {
  BaseMotion base;
  if (const auto velocity = arguments.numbers("--base-velocity", 6)) {
    base.angular_velocity = vec3(*velocity, 0);
    base.linear_velocity = vec3(*velocity, 3);
  }
  if (const auto acceleration = arguments.numbers("--base-acceleration", 6)) {
    base.angular_acceleration = vec3(*acceleration, 0);
    base.linear_acceleration = vec3(*acceleration, 3);
  }
  return base;
}

}  // namespace ulna::cli
