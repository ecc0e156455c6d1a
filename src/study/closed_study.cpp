#include "study/closed_study.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

#include <ulna/emit/generate_closed.hpp>
#include <ulna/robot/closed_dynamics.hpp>
#include <ulna/study/study.hpp>
#include <ulna/version.hpp>

#include <ulna/verify/verify.hpp>
#include "draw/joint_panels.hpp"

#include "loop/mechanism_parts.hpp"
#include "study/certificate_json.hpp"
#include "study/counts.hpp"
#include "study/html.hpp"
#include "study/page_parts.hpp"
#include "text/cat.hpp"
#include "text/json.hpp"
#include "text/names.hpp"
#include "text/number.hpp"

namespace ulna ULNA_API {

namespace {

using namespace internal;
using Clock = std::chrono::steady_clock;

/// Motors to and fro about the reference assembly, as far as the loops go along.
sim::Scenario motion_of(const Mechanism& robot) {
  sim::Scenario s(robot);
  s.name = "to and fro";
  s.duration = 2;
  s.limits = sim::LimitPolicy::ignore;
  s.law.kind = sim::LawKind::prescribed;
  s.reference.kind = sim::ReferenceKind::waypoints;
  const std::size_t m = robot.mobility();
  for (double size = 0.6; size > 0.01; size /= 2) {
    bool good = true;
    s.reference.waypoints.clear();
    for (const double t : {0.0, 0.5, 1.0, 1.5, 2.0}) {
      std::vector<double> u;
      for (std::size_t k = 0; k < m; ++k)
        u.push_back(robot.reference()[robot.independent()[k]] + size * std::sin(std::acos(-1.0) * t + 0.8 * static_cast<double>(k)) * (t > 0 && t < 2));
      s.reference.waypoints.push_back({t, u});
      std::vector<double> q = robot.reference();
      for (std::size_t k = 0; k < m; ++k) q[robot.independent()[k]] = u[k];
      const Closure closure = robot.assemble(q);
      good = good && closure.closed && closure.singularity > 0.02;
    }
    if (!good) continue;
    if (sim::simulate(s).ending == sim::Ending::done) return s;
  }
  s.reference.waypoints = {{0, s.reference.waypoints.front().q}, {2, s.reference.waypoints.front().q}};
  return s;
}

/// Numbers of the independent joints alone.
std::vector<double> of_independent(const Mechanism& robot, const std::vector<double>& rows) {
  std::vector<double> out = rows;
  for (std::size_t k = 0; k < out.size(); ++k)
    if (std::find(robot.independent().begin(), robot.independent().end(), k % robot.nv()) == robot.independent().end()) out[k] = 0;
  return out;
}

std::string report_of(const Mechanism& robot, const ClosedDynamics& fast) {
  StringSink out;
  Json json(out);
  json.begin_object().line().key("ulna").value(ULNA_VERSION).line().key("robot").value(robot.tree().name());
  json.line().key("mobility").value(robot.mobility()).line().key("redundant").value(robot.redundant());
  json.line().key("independent").strings(robot.independent_names()).line().key("dependent").strings(robot.dependent_names());
  json.line().key("closure").value(robot.closed_form() ? "closed form" : "Newton's method").line().key("counts").begin_array();
  for (const ClosedReport& report : fast.reports()) {
    json.line().begin_object().key("program").value(report.name).key("optimised");
    write_counts(json, report.counts);
    json.end_object();
  }
  json.end_array().end_object();
  json.finish();
  return out.text();
}

std::string text_of(const Certificate& check) {
  StringSink out;
  Json json(out);
  write_certificate(json, check, {}, check.agree());
  json.finish();
  return out.text();
}

}  // namespace

Study study(const Mechanism& robot, const StudyOptions& options) {
  const Model& model = robot.tree();
  Study result;
  result.robot = model.name();
  auto last = Clock::now();
  const auto done = [&](const char* name, const std::string& what, bool good = true) {
    const auto now = Clock::now();
    result.steps.push_back({name, what, std::chrono::duration<double>(now - last).count(), good});
    result.good = result.good && good;
    last = now;
    if (options.done) options.done(result.steps.back());
    if (options.go_on && !options.go_on()) throw StudyInterrupted();
  };
  done("loops", cat(robot.loops().size(), robot.loops().size() == 1 ? " loop, " : " loops, ", robot.mobility(), " degrees of freedom, ", robot.redundant(),
                    " redundant equations"));
  VerifyOptions verified;
  verified.samples = options.samples > 0 ? options.samples : 200;
  verified.seed = options.seed;
  const Certificate check = verify(with_closed(model, {robot.loops(), elimination_order(robot), robot.reference(), robot.singularity()}), verified);
  done("verify", cat(check.samples, " states, ", check.agree() ? "all formulations and multipliers agree" : "THEY DIFFER"), check.agree());
  const ClosedDynamics fast(robot);
  done("compile", fast.compiled() ? cat(fast.reports().size(), " programs") : "no machine code here");
  const std::vector<GeneratedFile> code = generate_closed(robot, {.what = {"inverse", "forward", "mass"}});
  done("generate", cat(code.size(), " files of C"));
  const sim::Scenario scenario = motion_of(robot);
  const sim::Outcome run = sim::simulate(scenario);
  done("motion", cat(run.trajectory.rows(), " moments, loops closed to ", rounded(run.audit.loop_residual)),
       run.ending == sim::Ending::done && run.audit.closed);

  // The page.
  std::vector<std::vector<std::string>> rows;
  for (const Loop& loop : robot.loops())
    rows.push_back({html::name(loop.name), html::text(to_string(loop.type)), html::name(model.links()[loop.predecessor].name),
                    html::name(model.links()[loop.successor].name)});
  const std::string facts = cat(
      "<p>", robot.mobility(), robot.mobility() == 1 ? " degree" : " degrees", " of freedom; ", robot.equations(), " equations of loops, of which ",
      robot.redundant(), " are redundant. Independent: ", html::text(joined(robot.independent_names())),
      ". Dependent: ", html::text(joined(robot.dependent_names())), ". Dependent positions come by ", robot.closed_form() ? "a closed form" : "Newton's method",
      "; the distance of the reference assembly to the nearest singular one is ", html::number(robot.singularity()), " (of 1).</p>\n");
  std::vector<std::vector<std::string>> checks, counts;
  for (const FormulationCheck& row : check.formulations)
    if (row.applies)
      checks.push_back({html::text(result_name(row.quantity)), html::text(row.id), row.agree ? "agrees" : "DIFFERS", html::small(row.max_relative_difference),
                        html::small(row.tolerance)});
  for (const ClosedReport& report : fast.reports())
    counts.push_back({html::text(report.name), html::whole(report.counts.mul), html::whole(report.counts.add), html::whole(report.counts.div),
                      html::whole(report.counts.sincos), html::whole(report.instructions)});
  const auto chart = [&](const std::string& what, draw::Numbers numbers, const std::vector<double>& values) {
    return draw::time_chart(what, run.trajectory.t, draw::joint_panels(model, what, numbers, values), draw::page_theme());
  };
  std::string page =
      cat("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n<meta name=\"viewport\" content=\"width=device-width, "
          "initial-scale=1\"/>\n<meta name=\"generator\" content=\"ulna ",
          ULNA_VERSION, "\"/>\n<link rel=\"icon\" href=\"data:,\"/>\n<title>", html::text(model.name()), ": a study of its dynamics</title>\n<style>",
          page_style(), "</style>\n</head>\n<body>\n<header>\n<p class=\"kicker\">A study of its ", "dynamics, by Ulna ", ULNA_VERSION, "</p>\n<h1>",
          html::name(model.name()), "</h1>\n<p class=\"lead\">A robot with loops, from ", html::name(options.source.empty() ? model.file() : options.source),
          ": closed, verified, counted, compiled and moved.</p>\n</header>\n<main id=\"content\">\n");
  page += html::section("loops", "Loops", facts + html::table("llll", {"loop", "type", "predecessor", "successor"}, rows));
  page += html::section("motion", "Motion",
                        html::figure("robot-drawing", closed_drawing(robot, run.trajectory),
                                     "Links, motors (filled), passive joints, and the pins that close the loops (rings) with their paths.", "") +
                            html::figure("positions", chart("position", draw::Numbers::position, run.trajectory.q), "Positions of all joints.", "") +
                            html::figure("torques", chart("torque", draw::Numbers::effort, of_independent(robot, run.trajectory.tau)),
                                         "Torques of the motors; passive joints need none.", ""));
  page += html::section(
      "certificate", "Verified",
      cat("<p>Kane's method, by templates and by machine code, is compared with the tree's equations with Lagrange's multipliers in extended precision, at ",
          check.samples, " closed states.</p>\n", html::table("lllrr", {"quantity", "by", "", "difference", "allowed"}, checks)));
  page += html::section("counts", "Costs", html::table("lrrrrr", {"program", "mul", "add", "div", "sincos", "instructions"}, counts));
  page +=
      "</main>\n<footer><p>Made by <code>ulna study</code>. This page needs no network; keep it with the files beside "
      "it.</p></footer>\n</body>\n</html>\n";

  result.files.push_back({"index.html", page});
  result.files.push_back({"report.json", report_of(robot, fast)});
  result.files.push_back({"certificate.json", text_of(check)});
  for (const GeneratedFile& file : code) result.files.push_back({"c/" + file.name, file.text});
  return result;
}

}  // namespace ULNA_API
