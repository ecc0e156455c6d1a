#include <algorithm>

#include "command.hpp"
#include "json.hpp"
#include "model_options.hpp"
#include "table.hpp"

namespace ulna::cli {

namespace {

std::vector<double> xyz(const Vec3<double>& v) { return {v.x, v.y, v.z}; }

/// Each joint once, a ball joint too.
std::vector<std::size_t> once(std::vector<std::size_t> joints) {
  joints.erase(std::unique(joints.begin(), joints.end()), joints.end());
  return joints;
}

void print_json(const Robot& robot) {
  const Model& model = robot.model;
  const auto link_name = [&](std::size_t link) -> const std::string& { return model.links()[link].name; };
  const auto write_joint = [&](Json& json, const Joint& joint) {
    json.fields("name", joint.name, "type", to_string(joint.type), "parent", link_name(joint.parent), "child", link_name(joint.child), "lower", joint.lower,
                "upper", joint.upper, "effort", joint.effort, "velocity", joint.velocity, "rotor", joint.rotor, "gear", joint.gear);
    json.fields("viscous", joint.friction.viscous, "coulomb", joint.friction.coulomb, "static", joint.friction.level());
    for (const FrictionField& field : further_friction())
      if (field.given(joint.friction)) json.fields(field.name, joint.friction.*field.number);
    for (const RateLimit& field : kRateLimits) json.fields(field.name, joint.*field.number);
  };
  JsonOutput json;
  json.line_fields("name", model.name(), "gravity", xyz(model.gravity()), "base", to_string(model.base()), "mass", model.mass(), "nq", model.nq(), "nv",
                   model.nv(), "nv_tree", model.nv_tree(), "mobility", model.nv(), "independent", model.velocity_names(), "dependent", dependent_names(model),
                   "redundant", redundant_conditions(model));
  if (model.closed()) {
    const std::vector<double> reference = model.reference();
    json.line_fields("singularity", model.singularity(), "closure", how_closed(model), "reference", reference);
    json.list("loops", model.loops(), [&](const Loop& loop) {
      json.object("name", loop.name, "type", to_string(loop.type), "predecessor", link_name(loop.predecessor), "successor", link_name(loop.successor));
    });
  }
  json.line().key("joints").begin_array();
  for (const std::size_t j : once(model.independent())) {
    json.line().begin_object();
    write_joint(json, model.joints()[j]);
    json.end_object();
  }
  json.end_array().line().key("links").begin_array();
  for (const Link& link : model.links()) {
    json.line().begin_object().fields("name", link.name, "mass", link.mass, "com", xyz(link.com));
    json.key("inertia").begin_object();
    const Sym3<double>& I = link.inertia;
    json.fields("ixx", I.xx, "ixy", I.xy, "ixz", I.xz, "iyy", I.yy, "iyz", I.yz, "izz", I.zz).end_object().end_object();
  }
  json.end_array().line().key("mimic").begin_array();
  for (const Joint& joint : model.joints()) {
    if (!joint.mimic) continue;
    json.line().begin_object();
    write_joint(json, joint);
    json.fields("leader", model.joints()[joint.mimic->leader].name, "multiplier", joint.mimic->multiplier, "offset", joint.mimic->offset).end_object();
  }
  json.end_array().line().key("fixed").begin_array();
  for (const Joint& joint : model.joints())
    if (joint.type == JointType::fixed) json.value(joint.name);
  json.end_array().end();
}

void print_text(const Robot& robot) {
  const Model& model = robot.model;
  const auto link_name = [&](std::size_t link) -> const std::string& { return model.links()[link].name; };
  const Vec3<double>& g = model.gravity();
  std::string text = cat("robot ", model.name(), ": ", model.base() == RootJoint::fixed ? "" : cat(to_string(model.base()), " base, "),
                         once(model.independent()).size(), " joints that move, ", model.links().size(), " links, ", brief(model.mass()), " kg, gravity (",
                         brief(g.x), ", ", brief(g.y), ", ", brief(g.z), ") m/s²\n\n");
  Table joints("rlllllrrrr");
  joints.row({"", "joint", "type", "parent", "child", "", "lower", "upper", "effort", "velocity"});
  int number = 0;
  for (const std::size_t j : once(model.independent())) {
    const Joint& joint = model.joints()[j];
    const std::string unit = joint.type == JointType::prismatic ? "m, N" : "rad, N m";
    joints.row({cat(++number), joint.name, std::string(to_string(joint.type)), link_name(joint.parent), link_name(joint.child), unit, limit(joint.lower),
                limit(joint.upper), limit(joint.effort), limit(joint.velocity)});
  }
  text += joints.text();

  if (model.closed()) {
    text += cat("\n", loops_in_words(model), "\n");
    Table loops("lllll");
    loops.row({"loop", "type", "between", "", ""});
    for (const Loop& loop : model.loops())
      loops.row({loop.name, std::string(to_string(loop.type)), link_name(loop.predecessor), "and", link_name(loop.successor)});
    text += cat(loops.text(), "independent: ", joined(model.velocity_names()), "\ndependent: ", joined(dependent_names(model)), "\n");
  }

  for (const Joint& joint : model.joints())
    if (joint.mimic)
      text += cat("\n  mimic joint ", joint.name, " = ", brief(joint.mimic->multiplier), " * ", model.joints()[joint.mimic->leader].name, " + ",
                  brief(joint.mimic->offset));
  Table rates("lrrr");
  rates.row({"joint", "acceleration", "deceleration", "jerk"});
  bool limited = false;
  for (const std::size_t j : once(model.independent())) {
    const Joint& joint = model.joints()[j];
    if (std::isinf(acceleration_limit(joint)) && std::isinf(joint.jerk)) continue;
    limited = true;
    rates.row({joint.name, limit(joint.acceleration), limit(joint.deceleration), limit(joint.jerk)});
  }
  if (limited) text += "\n" + rates.text();
  Table drives("lrrrrr");
  drives.row({"joint", "rotor [kg m²]", "gear", "viscous", "coulomb", "static"});
  bool any = false;
  for (const Joint& joint : model.joints()) {
    if (joint.rotor == 0 && !joint.friction.rubs()) continue;
    any = true;
    drives.row(
        {joint.name, brief(joint.rotor), brief(joint.gear), brief(joint.friction.viscous), brief(joint.friction.coulomb), brief(joint.friction.level())});
  }
  if (any) text += "\n" + drives.text();
  Table further("llr");
  further.row({"joint", "friction", ""});
  any = false;
  for (const Joint& joint : model.joints())
    for (const FrictionField& field : further_friction()) {
      if (!field.given(joint.friction)) continue;
      any = true;
      const std::string unit = joint.type == JointType::prismatic ? field.sliding : field.turning;
      further.row({joint.name, cat(field.name, unit == "1" ? "" : cat(" [", unit, "]")), brief(joint.friction.*field.number)});
    }
  if (any) text += "\n" + further.text();

  Table links("lrrrr");
  links.row({"link", "mass [kg]", "com x", "y", "z [m]"});
  for (const Link& link : model.links()) links.row({link.name, brief(link.mass), brief(link.com.x), brief(link.com.y), brief(link.com.z)});
  text += "\n" + links.text();
  std::fputs(text.c_str(), stdout);
}

int info_main(const Arguments& arguments) {
  const Robot robot = load_robot(arguments, true);
  arguments.has("--json") ? print_json(robot) : print_text(robot);
  return kDone;
}

}  // namespace

Command info_command() {
  return {"info",
          "joints, links, masses and limits of a model",
          "MODEL [options]",
          "Prints the joints, links, masses and limits of the model. Every vector of Ulna follows the order of the joints\n"
          "printed here: depth first, in the order of the file, without fixed and mimic joints.",
          model_options() + std::vector<Option>{{"--json", "", "print one JSON object and nothing else"}},
          "ulna info panda",
          info_main};
}

}  // namespace ulna::cli
