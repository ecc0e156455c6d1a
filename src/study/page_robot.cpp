#include <algorithm>
#include <cctype>
#include <cmath>

#include <ulna/loop/mechanism.hpp>
#include <ulna/sim/simulate.hpp>

#include "study/html.hpp"
#include "study/page_parts.hpp"
#include "text/message.hpp"

namespace ulna::internal {

using html::name, html::number, html::text;

namespace {

std::string vector_text(const Vec3<double>& v) { return cat(number(v.x), ", ", number(v.y), ", ", number(v.z)); }

std::string tile(const std::string& value, const std::string& words) { return cat("<li><strong>", value, "</strong><span>", words, "</span></li>\n"); }

std::string time_text(double ns) { return ns < 1000 ? cat(number(std::round(ns)), " ns") : cat(number(ns / 1000), " µs"); }

/// What is alike in the messages of one kind: names in quotes, however many, numbers, and what stands in brackets are left out.
std::string kind_of(const Diagnostic& d) {
  std::string out = cat(static_cast<int>(d.severity), d.overridden);
  bool quoted = false;
  int brackets = 0;
  for (const char c : cat(d.problem, "\n", d.cure)) {
    if (c == '\'') quoted = !quoted;
    if (c == '(') ++brackets;
    if (c == ')') --brackets;
    if (!quoted && brackets == 0 && std::isalpha(static_cast<unsigned char>(c)) != 0 && c != 'e') out += c;
  }
  return out;
}

const char* level_of(Severity severity) { return severity == Severity::error ? "error" : severity == Severity::warning ? "warning" : "note"; }

/// Those of a severity, messages of one kind together; kinds in the order in which they come.
std::vector<std::vector<const Diagnostic*>> grouped(const std::vector<Diagnostic>& all, Severity severity) {
  std::vector<std::vector<const Diagnostic*>> out;
  for (const Diagnostic& d : all) {
    if (d.severity != severity) continue;
    auto group = std::find_if(out.begin(), out.end(), [&](const auto& g) { return kind_of(*g.front()) == kind_of(d); });
    if (group == out.end()) group = out.emplace(out.end());
    group->push_back(&d);
  }
  return out;
}

}  // namespace

std::string summary_part(const StudyData& data) {
  std::string out = "<ul class=\"tiles\">\n";
  const std::size_t joints = data.model.independent().size();
  out += tile(html::whole(joints), cat(joints == 1 ? "joint coordinate" : "joint coordinates",
                                       data.model.base() == RootJoint::fixed ? "" : cat(" on a base that is ", to_string(data.model.base())), ", ",
                                       data.model.links().size(), " links, ", number(data.model.mass()), " kg"));
  std::size_t compared = 0;
  for (const FormulationCheck& f : data.certificate.formulations) compared += f.applies ? 1 : 0;
  for (const PeerCheck& p : data.peers) compared += p.why_not.empty() ? 1 : 0;
  out += tile(data.agree ? html::good("✓ agree") : html::bad("✗ differ"),
              cat(compared, " ways to compute, ", data.certificate.laws.size(), " laws of mechanics, ", data.certificate.samples, " states"));
  if (const auto best = data.counts.best.find(Quantity::inverse); best != data.counts.best.end())
    out += tile(html::whole(cost(best->second.counts)), "operations for all torques, by the best program that the search found");
  double least = INFINITY;
  for (const StudyTiming& t : data.timing.rows)
    if (t.library == "ulna" && t.task == "inverse" && t.mode == "one" && t.real == "double") least = std::min(least, t.ns);
  if (std::isfinite(least)) out += tile(time_text(least), "for the torques of one state, on the machine that made this page");
  if (data.motion && has_limits(data.model)) {
    const std::size_t simulated = broken_limits(data.model, data.motion->run.trajectory).size();
    const std::size_t reference = data.reference ? broken_limits(data.model, data.reference->run.trajectory).size() : 0;
    if (simulated + reference == 0)
      out += tile(html::good("✓ within"), "both motions keep all limits of position, speed and effort");
    else
      out += tile(html::bad(html::whole(simulated + reference)),
                  cat("limits of position, speed and effort broken: ", simulated, " by the <a href=\"#motion\">simulated</a> motion, ", reference,
                      " by the <a href=\"#torques\">reference</a> motion"));
  }
  std::size_t warnings = 0;
  for (const Diagnostic& d : data.diagnostics) warnings += d.severity == Severity::note ? 0 : 1;
  out += tile(html::whole(warnings), cat(warnings == 1 ? "warning" : "warnings", " about the model, and ", data.diagnostics.size() - warnings,
                                         data.diagnostics.size() - warnings == 1 ? " note" : " notes"));
  out += "</ul>\n";
  return out;
}

namespace {

/// What closes, and what that leaves.
std::string loops_text(const Model& model) {
  if (!model.closed()) return {};
  const Mechanism robot = Mechanism::of(model);
  html::Rows rows;
  for (const Loop& loop : model.loops())
    rows.push_back({name(loop.name), text(to_string(loop.type)), name(model.links()[loop.predecessor].name), name(model.links()[loop.successor].name)});
  return cat("<p>", model.nv(), model.nv() == 1 ? " degree" : " degrees", " of freedom; ", robot.equations(), " equations of loops, of which ",
             robot.redundant(), " are redundant. Independent: ", text(joined(model.velocity_names())), ". Dependent: ", text(joined(robot.dependent_names())),
             ". Dependent positions come by ", robot.closed_form() ? "a closed form" : "Newton's method",
             "; the distance of the reference assembly to the nearest singular one is ", number(model.singularity()), " (of 1).</p>\n",
             html::table("llll", {"loop", "type", "predecessor", "successor"}, rows));
}

}  // namespace

std::string robot_part(const StudyData& data) {
  const Model& model = data.model;
  html::Rows joints, links;
  for (const Joint& joint : model.joints()) {
    std::string kind(to_string(joint.type));
    if (joint.mimic) kind += cat(", follows ", name(model.joints()[joint.mimic->leader].name), " × ", number(joint.mimic->multiplier));
    const bool moves = joint.type != JointType::fixed;
    joints.push_back({name(joint.name), kind, name(model.links()[joint.parent].name), name(model.links()[joint.child].name),
                      moves ? vector_text(joint.axis) : "–", moves ? number(joint.lower) : "–", moves ? number(joint.upper) : "–",
                      !moves                               ? "–"
                      : joint.type == JointType::prismatic ? "m"
                                                           : "rad"});
  }
  for (const Link& link : model.links()) {
    const std::optional<Ellipsoid> e = equal_inertia_ellipsoid(link);
    links.push_back({name(link.name), number(link.mass), vector_text(link.com), e ? vector_text(e->axes) : "–"});
  }
  const std::string numbers =
      html::table("llllrrrl", {"joint", "kind", "parent", "child", "axis", "from", "to", "unit"}, joints, "Joints, in the order of the tree") +
      html::table("lrrr", {"link", "mass [kg]", "mass centre [m]", "half axes of the ellipsoid [m]"}, links, "Links");
  const Vec3<double>& g = model.gravity();
  const std::string caption =
      cat("<span class=\"static-note\">The robot at the end of its motion; earlier moments in grey. Circles are revolute joints, squares prismatic ones",
          model.closed() ? "; rings are the joints that close loops, dashed lines their ways" : "",
          ".</span> "
          "Links are drawn from joint to joint; shapes and meshes of the file are not read. Each ellipsoid, of constant density, has the mass and the inertia "
          "of its link. Gravity is (",
          vector_text(g), ") m/s² in the axes of the ", model.base() == RootJoint::fixed ? "base." : "world.");
  return html::section("robot", "The robot", loops_text(model) + html::figure("figure-arm", robot_drawing(data), caption, numbers));
}

std::string warnings_part(const StudyData& data) {
  std::string out;
  if (data.diagnostics.empty()) {
    out = "<p>No problems: names, structure, masses, inertias and limits are sound.</p>\n";
  } else {
    out = "<ul class=\"warnings\">\n";
    for (const Severity severity : {Severity::error, Severity::warning, Severity::note})
      for (const std::vector<const Diagnostic*>& group : grouped(data.diagnostics, severity)) {
        const Diagnostic& d = *group.front();
        const bool several = group.size() > 1;
        const std::string what = cat(d.overridden ? "error" : level_of(severity), several ? "s" : "", d.overridden ? ", computed all the same" : "");
        const std::string where = d.line == 0 ? "" : several ? cat(", the first in line ", d.line) : cat(", line ", d.line);
        out += cat("<li class=\"", level_of(severity), "\"><span class=\"level\">", several ? cat(html::whole(group.size()), " ") : "", what, where,
                   "</span><br/><strong>", name(to_string(d.element)), "</strong>: ", text(d.problem),
                   d.cure.empty() ? "" : cat("<br/><span class=\"cure\">", text(d.cure), "</span>"));
        if (several) {
          // Where all say the same, the elements are enough.
          const bool same = std::all_of(group.begin(), group.end(), [&](const Diagnostic* o) { return o->problem == d.problem && o->cure == d.cure; });
          std::string others;
          for (const Diagnostic* o : group)
            if (o != &d)
              others += cat("<li>", o->line > 0 ? cat("line ", o->line, ": ") : "", name(to_string(o->element)), same ? "" : cat(": ", text(o->problem)),
                            same || o->cure == d.cure ? "" : cat("<br/><span class=\"cure\">", text(o->cure), "</span>"), "</li>\n");
          out += html::details(cat(html::whole(group.size() - 1), !same               ? " more of this kind"
                                                                  : group.size() == 2 ? " more says the same"
                                                                                      : " more say the same"),
                               cat("<ul>\n", others, "</ul>\n"));
        }
        out += "</li>\n";
      }
    out += "</ul>\n";
  }
  return html::section("model", "What the checks say about the model", out);
}

}  // namespace ulna::internal
