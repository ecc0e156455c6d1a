#include <algorithm>

#include "model/why_no_body.hpp"
#include "sim/scenario_fields.hpp"
#include "text/message.hpp"

namespace ulna::internal::sim {

namespace {

/// `from` and `to`, the second after the first and to the end of the run, whatever that is, unless it is given.
void read_span(YamlFields& entry, double& from, double& to) {
  from = entry.not_negative("from", 0);
  to = entry.number("to", to);
  if (!(to > from)) entry.error("to", cat(to, " s is not after the beginning at ", from, " s"), "write a later time");
}

}  // namespace

void read_disturbances(YamlFields& top, const ReadContext& context, Scenario& scenario) {
  each_mapping(top, "disturbances", "disturbance", {"link", "from", "to", "force", "moment", "axes"}, context, [&](YamlFields& entry) {
    Disturbance d;
    d.wrench.link = link_named(entry, "link", context);
    d.wrench.axes = choice(entry, "axes", {"link", "world"}, 0) == 0 ? Axes::link : Axes::world;
    d.wrench.force = entry.vector("force", {});
    d.wrench.moment = entry.vector("moment", {});
    read_span(entry, d.from, d.to);
    if (!entry.has("to") && d.from >= scenario.duration)
      entry.error("from", cat("it begins at ", d.from, " s, but the run ends at ", scenario.duration, " s"), "write an earlier time");
    if (!entry.has("force") && !entry.has("moment"))
      entry.error("link", "neither force nor moment is given", "write 'force: [x, y, z]' in N or 'moment: [x, y, z]' in N m");
    scenario.disturbances.push_back(d);
  });
}

ulna::Payload read_body(YamlFields& entry, const ReadContext& context, bool may_be_nothing) {
  ulna::Payload body;
  entry.require("mass");
  body.mass = may_be_nothing ? entry.not_negative("mass", 1) : positive(entry, "mass", 1);
  body.com = entry.vector("com", {});
  const YamlNode* node = entry.find("inertia");
  std::vector<double> I = number_list(entry, "inertia", std::vector<double>(node != nullptr && node->items.size() == 6 ? 6 : 3, 0.0), context);
  I.resize(6, 0.0);
  body.inertia = {I[0], I[1], I[2], I[3], I[4], I[5]};
  const Vec3<double> principal = principal_moments(body.inertia);
  if (body.mass > 0 && !why_no_body({body.mass, body.com, body.inertia}).empty())
    entry.error("inertia", cat("principal moments ", rounded(principal.x), ", ", rounded(principal.y), ", ", rounded(principal.z), " belong to no body"),
                "each must be positive and not above the sum of the other two; leave the key out for a point");
  return body;
}

void read_payloads(YamlFields& top, const ReadContext& context, Scenario& scenario) {
  each_mapping(top, "payloads", "payload", {"link", "mass", "com", "inertia", "from", "to", "velocity", "angular_velocity"}, context, [&](YamlFields& entry) {
    Payload p;
    p.link = link_named(entry, "link", context);
    const ulna::Payload body = read_body(entry, context, false);
    p.mass = body.mass, p.com = body.com, p.inertia = body.inertia;
    read_span(entry, p.from, p.to);
    if (entry.has("velocity") || entry.has("angular_velocity")) {
      p.flight = Flight{entry.vector("velocity", {}), entry.vector("angular_velocity", {})};
      if (!(p.from > 0)) entry.error("from", "a caught payload needs `from` > 0", "write a later time, or remove its velocity");
    }
    scenario.payloads.push_back(p);
  });
}

void read_brakes(YamlFields& top, const ReadContext& context, Scenario& scenario) {
  each_mapping(top, "brakes", "brake", {"joints", "from", "to"}, context, [&](YamlFields& entry) {
    Brake b;
    const std::vector<std::string> names = context.drives();
    const YamlNode* node = entry.require("joints");
    const auto add = [&](const YamlNode& item) {
      const auto found = std::find(names.begin(), names.end(), item.text);
      if (item.kind == YamlNode::Kind::scalar && found != names.end())
        b.joints.push_back(static_cast<std::size_t>(found - names.begin()));
      else
        entry.error("joints",
                    cat("robot ", in_quotes(context.model.name()), context.model.closed() ? " has no independent joint " : " has no free joint ",
                        item.kind == YamlNode::Kind::scalar ? in_quotes(item.text) : describe(item)),
                    cat("write 'all', or a list of joints", did_you_mean(item.text, names)));
    };
    if (node != nullptr && node->kind == YamlNode::Kind::sequence)
      for (const YamlNode& item : node->items) add(item);
    else if (node != nullptr && node->text == "all")
      for (std::size_t i = 0; i < names.size(); ++i) b.joints.push_back(i);
    else if (node != nullptr)
      add(*node);
    read_span(entry, b.from, b.to);
    scenario.brakes.push_back(b);
  });
}

void read_base(YamlFields& top, const ReadContext& context, Scenario& scenario) {
  if (const YamlNode* word = top.find("base"); word != nullptr && word->kind == YamlNode::Kind::scalar) return;  // read with the robot
  const YamlNode* node = mapping(top, "base", "{angular_velocity: [0, 0, 0.1]}");
  if (node == nullptr) return;
  if (context.model.base() != RootJoint::fixed) {
    top.error("base",
              cat("the base of robot ", in_quotes(context.model.name()), " is ", to_string(context.model.base()), ", so that its motion cannot be prescribed"),
              "remove the key, or take a robot with a fixed base");
    return;
  }
  YamlFields base(*node, "base", {"angular_velocity", "linear_acceleration", "shake", "rock", "frequency"}, context.diagnostics);
  BaseSettings& b = scenario.base;
  b.moves = true;
  b.angular_velocity = base.vector("angular_velocity", {});
  b.linear_acceleration = base.vector("linear_acceleration", {});
  b.shake = base.vector("shake", {});
  b.rock = base.angle_vector("rock", {});
  b.frequency = base.has("frequency") ? positive(base, "frequency", 1) : 0;
  if ((base.has("shake") || base.has("rock")) && !base.has("frequency"))
    base.error(base.has("shake") ? "shake" : "rock", "its frequency is missing", "add 'frequency: ...' in Hz");
  if (base.has("rock") && base.has("angular_velocity")) base.error("rock", "it cannot be joined with a constant angular velocity", "keep one of them");
}

}  // namespace ulna::internal::sim
