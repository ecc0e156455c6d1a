#include <cmath>
#include <cstdio>

#include "command.hpp"
#include "json.hpp"
#include "model_options.hpp"
#include "table.hpp"
#include "text/cat.hpp"
#include "text/names.hpp"

namespace ulna::cli {

namespace {

void write_vector(Json& json, const Vec3<double>& v) {
  const double values[] = {v.x, v.y, v.z};
  json.numbers(values, 3);
}

void print_json(const Robot& robot) {
  const Model& model = robot.model;
  const auto link_name = [&](std::size_t link) -> const std::string& { return model.links()[link].name; };
  const auto write_joint = [&](Json& json, const Joint& joint) {
    json.key("name").value(joint.name);
    json.key("type").value(to_string(joint.type));
    json.key("parent").value(link_name(joint.parent));
    json.key("child").value(link_name(joint.child));
    json.key("lower").value(joint.lower);
    json.key("upper").value(joint.upper);
    json.key("effort").value(joint.effort);
    json.key("velocity").value(joint.velocity);
    json.key("rotor").value(joint.rotor);
    json.key("gear").value(joint.gear);
    const Friction friction{joint.friction.viscous, joint.friction.coulomb, joint.friction.level()};
    for (const FrictionField& field : kFrictionFields) json.key(field.name).value(friction.*field.number);
  };
  Output out;
  Json json(out);
  json.begin_object();
  json.line().key("name").value(model.name());
  json.line().key("gravity");
  write_vector(json, model.gravity());
  json.line().key("base").value(to_string(model.base()));
  json.line().key("mass").value(model.mass());
  json.line().key("nq").value(model.nq());
  json.line().key("nv").value(model.nv());
  json.line().key("nv_tree").value(model.nv_tree());
  json.line().key("mobility").value(model.nv());
  json.line().key("independent").strings(model.velocity_names());
  json.line().key("dependent").strings(dependent_names(model));
  json.line().key("redundant").value(redundant_conditions(model));
  if (model.closed()) {
    const std::vector<double> reference = model.reference();
    json.line().key("singularity").value(model.singularity());
    json.line().key("closure").value(how_closed(model));
    json.line().key("reference").numbers(reference.data(), reference.size());
    json.line().key("loops").begin_array();
    for (const Loop& loop : model.loops())
      json.line()
          .begin_object()
          .key("name")
          .value(loop.name)
          .key("type")
          .value(to_string(loop.type))
          .key("predecessor")
          .value(link_name(loop.predecessor))
          .key("successor")
          .value(link_name(loop.successor))
          .end_object();
    json.end_array();
  }
  json.line().key("joints").begin_array();
  for (const std::size_t j : model.independent()) {
    json.line().begin_object();
    write_joint(json, model.joints()[j]);
    json.end_object();
  }
  json.end_array();
  json.line().key("links").begin_array();
  for (const Link& link : model.links()) {
    json.line().begin_object();
    json.key("name").value(link.name).key("mass").value(link.mass).key("com");
    write_vector(json, link.com);
    json.key("inertia").begin_object();
    const Sym3<double>& I = link.inertia;
    json.key("ixx").value(I.xx).key("ixy").value(I.xy).key("ixz").value(I.xz).key("iyy").value(I.yy).key("iyz").value(I.yz).key("izz").value(I.zz);
    json.end_object().end_object();
  }
  json.end_array();
  json.line().key("mimic").begin_array();
  for (const Joint& joint : model.joints()) {
    if (!joint.mimic) continue;
    json.line().begin_object();
    write_joint(json, joint);
    json.key("leader").value(model.joints()[joint.mimic->leader].name);
    json.key("multiplier").value(joint.mimic->multiplier).key("offset").value(joint.mimic->offset);
    json.end_object();
  }
  json.end_array();
  json.line().key("fixed").begin_array();
  for (const Joint& joint : model.joints())
    if (joint.type == JointType::fixed) json.value(joint.name);
  json.end_array();
  json.end();
}

void print_text(const Robot& robot) {
  const Model& model = robot.model;
  const auto link_name = [&](std::size_t link) -> const std::string& { return model.links()[link].name; };
  const Vec3<double>& g = model.gravity();
  std::string text = cat("robot ", model.name(), ": ", model.base() == RootJoint::fixed ? "" : cat(to_string(model.base()), " base, "),
                         model.independent().size(), " joints that move, ", model.links().size(), " links, ", brief(model.mass()), " kg, gravity (", brief(g.x),
                         ", ", brief(g.y), ", ", brief(g.z), ") m/s²\n\n");
  Table joints("rlllllrrrr");
  joints.row({"", "joint", "type", "parent", "child", "", "lower", "upper", "effort", "velocity"});
  int number = 0;
  for (const std::size_t j : model.independent()) {
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

  Table links("lrrrr");
  links.row({"link", "mass [kg]", "com x", "y", "z [m]"});
  for (const Link& link : model.links()) links.row({link.name, brief(link.mass), brief(link.com.x), brief(link.com.y), brief(link.com.z)});
  text += "\n" + links.text();
  std::fputs(text.c_str(), stdout);
}

int info_main(const Arguments& arguments) {
  const Robot robot = load_robot(arguments, true);
  if (arguments.has("--json"))
    print_json(robot);
  else
    print_text(robot);
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
