#include <ulna/study/study.hpp>

#include <algorithm>
#include <future>

#include <ulna/check/check.hpp>
#include <ulna/emit/generate.hpp>
#include <ulna/source/load.hpp>

#include "emit/generated_c.hpp"
#include "model/require_fixed_base.hpp"
#include "study/data.hpp"
#include "study/steps.hpp"
#include "text/message.hpp"
#include "verify/certificate_json.hpp"

namespace ulna ULNA_API {

using namespace internal;

namespace {

// Beyond these numbers of joints a study does less, so that it takes seconds for any robot.
constexpr std::size_t kArm = 8;
constexpr std::size_t kMostMoved = 60, kMostReduced = 45;
constexpr std::size_t kMostDrawn = 2500;  // operations of a schedule
constexpr int kUnitsDrawn = 4, kMostGrown = 10;
constexpr double kTimingSeconds = 0.03;  // of each row
constexpr double kRaceSeconds = 0.001;   // of each row, and each of its two ways

std::string counted(std::size_t n, const char* what) { return cat(n, " ", what, n == 1 ? "" : "s"); }

std::string lint(StudyData& data) {
  if (data.diagnostics.empty()) {
    Diagnostics found(data.model.file());
    check(data.model, found);
    advise(data.model, found);
    data.diagnostics = found.all();
  }
  std::size_t of[3] = {0, 0, 0};
  for (const Diagnostic& d : data.diagnostics) ++of[d.severity == Severity::error ? 0 : d.severity == Severity::warning ? 1 : 2];
  return cat(of[0] > 0 ? counted(of[0], "error") + ", " : "", counted(of[1], "warning"), ", ", counted(of[2], "note"));
}

VerifyOptions verify_options(StudyData& data) {
  VerifyOptions options;
  options.seed = data.options.seed;
  options.snap = data.options.snap;
  options.samples = data.options.samples;
  if (options.samples == 0) {
    // The cost of a state grows with about the square of the joints.
    const double share = static_cast<double>(kArm) / static_cast<double>(std::max(data.n, kArm));
    options.samples = std::max<std::size_t>(10, static_cast<std::size_t>(200 * share * share));
    if (data.n > kArm) data.left_out.push_back(cat("The certificate is of ", options.samples, " states; 'ulna verify' takes 1000."));
  }
  return options;
}

std::string verify_it(StudyData& data, const VerifyOptions& options, bool& good) {
  std::future<std::vector<PeerCheck>> peers;  // programs that start slowly: they run meanwhile
  if (data.options.ask_peers) peers = std::async(std::launch::async, [&] { return data.options.ask_peers(data.model, options); });
  data.certificate = verify(Prepared(data.robot.model(), options.snap), options);
  if (peers.valid()) data.peers = peers.get();
  std::size_t ways = 0;
  for (const FormulationCheck& f : data.certificate.formulations) ways += f.applies ? 1 : 0;
  data.agree = data.certificate.agree();
  for (const PeerCheck& peer : data.peers) {
    ways += peer.why_not.empty() ? 1 : 0;
    data.agree = data.agree && (!peer.why_not.empty() || peer.agree);
  }
  good = data.agree;
  return cat(ways, " ways to compute on ", counted(options.samples, "state"), data.agree ? ": all agree" : ": THEY DO NOT AGREE");
}

std::string count_it(StudyData& data) {
  CountOptions options;
  options.snap = data.options.snap;
  options.reduce = data.n <= kMostReduced;
  if (!options.reduce) data.left_out.emplace_back("Formulations were counted as written and not reduced.");
  std::future<std::vector<Growth>> growth = std::async(std::launch::async, measure_growth, kMostGrown);  // of other robots
  data.counts = count_all(data.robot, options);
  data.tables = trade_of(Prepared(data.robot.model(), options.snap));
  data.growth = growth.get();
  const OperationCounts& best = data.counts.best.at(Quantity::inverse).counts;
  return cat("torques in ", best.mul, " multiplications and ", best.add, " additions");
}

std::string generate_it(StudyData& data, bool& good) {
  if (data.n == 0) return "no joint moves";
  GenerateOptions options;
  options.what = {"inverse", "mass", "bias", "gravity", "forward"};
  options.snap = data.options.snap;
  data.c = generate(data.robot, options);
  if (data.options.self_test)
    data.self_test = run_self_test(data.c, identifier(data.model.name()));
  else
    data.self_test.text = "it was not requested";
  good = !data.self_test.ran || data.self_test.passed;
  return data.self_test.ran ? data.self_test.text : cat("self-test not run: ", data.self_test.text);
}

std::string schedule_it(StudyData& data) {
  Program program = data.counts.best.at(Quantity::inverse).program;
  TaskGraph graph(program);
  ScheduleData s{Quantity::inverse, std::move(program), std::move(graph), {}, {}, 0};
  s.drawable = s.graph.tasks().size() <= kMostDrawn;
  if (!s.drawable)
    data.left_out.push_back(
        cat("The schedule has too many operations for a drawing on a page; 'ulna schedule --svg' makes one. All of them are in schedule.json."));
  for (const std::size_t units : {1u, 2u, 4u, 8u, 16u}) s.schedules.push_back(list_schedule(s.graph, units));
  s.drawn = s.schedules[2];
  s.enough = units_for_critical_path(s.graph);
  std::string result = cat(s.graph.work(), " operations in ", s.drawn.steps, " steps on ", kUnitsDrawn, " units");
  data.schedules.push_back(std::move(s));
  return result;
}

std::string time_it(StudyData& data) {
  if (data.options.time_peers) data.timing = data.options.time_peers(data.model);
  if (data.timing.rows.empty()) {
    StudyTimings own = own_timing(data.robot, kTimingSeconds);
    own.machine = data.timing.machine;
    for (std::string& note : data.timing.notes) own.notes.push_back(std::move(note));
    data.timing = std::move(own);
  }
  double least = INFINITY;
  for (const StudyTiming& t : data.timing.rows)
    if (t.library == "ulna" && t.task == "inverse" && t.mode == "one") least = std::min(least, t.ns);
  return std::isfinite(least) ? cat("torques of one state in ", rounded(std::round(least)), " ns") : "nothing could be timed";
}

std::string race_it(StudyData& data, const Steps& steps, bool& good) {
  if (data.n > kArm) {
    data.left_out.push_back(cat("Formulations are not timed for more than ", kArm, " joints; 'ulna bench --formulations' times them."));
    return "left out";
  }
  if (data.model.closed()) {
    data.left_out.emplace_back("The papers' formulations race on robots without loops.");
    return "left out: the robot has loops";
  }
  if (data.model.base() != RootJoint::fixed) {
    data.left_out.emplace_back("The papers' formulations race on robots with a fixed base; the certificate has those that take a base that moves.");
    return "left out: the base moves";
  }
  RaceOptions options;
  options.seconds = kRaceSeconds;
  options.go_on = [&steps] {
    steps.require_go_on();
    return true;
  };
  data.race = run_race(data.robot, options);
  if (!data.race->why_not.empty()) return data.race->why_not;
  good = data.race->agree();
  std::size_t timed = 0;
  for (const RaceRow& row : data.race->rows) timed += row.own.ns ? 1 : 0;
  return cat(counted(timed, "formulation"), good ? " timed, as own code and as machine code" : " timed: THEY DO NOT AGREE");
}

ulna::sim::RunOptions running(const Steps& steps) {
  ulna::sim::RunOptions run;
  run.go_on = [&steps](double) {
    steps.require_go_on();
    return true;
  };
  return run;
}

std::string torques_it(StudyData& data, const Steps& steps) {
  if (data.n == 0 || data.n > kMostMoved) return "left out";
  data.reference = reference_torques(data.robot, running(steps));
  return cat("along ", rounded(data.reference->run.trajectory.t.back()), " s from rest to rest");
}

std::string move_it(StudyData& data, const Steps& steps, bool& good) {
  if (data.n == 0) {
    data.left_out.emplace_back("No joint moves, so there is no motion to show.");
    return "no joint moves";
  }
  if (data.n > kMostMoved) {
    data.left_out.push_back(cat("Motions of more than ", kMostMoved, " joints are not simulated here; 'ulna simulate' takes any number."));
    return "left out";
  }
  data.motion = response(data.robot, running(steps));
  good = data.motion->run.ending == ulna::sim::Ending::done;
  if (!good) return cat("the run ended early: ", data.motion->run.message);
  return cat(rounded(data.motion->run.end), " s, energy balanced to ", rounded(data.motion->run.audit.energy_drift), " J");
}

std::string write_down(StudyData& data) {
  if (data.n == 0) return "no joint moves";
  if (data.model.base() != RootJoint::fixed) {
    data.left_out.emplace_back("Equations with symbols are written for robots with a fixed base; 'ulna equations --base fixed' writes this one's.");
    return "left out: the base moves";
  }
  EquationOptions options;
  options.snap = data.options.snap;
  for (const Quantity what : {Quantity::inverse, Quantity::mass}) data.equations.push_back(make_equations(data.robot, what, options));
  const Prepared prepared(data.robot.model(), data.options.snap);
  for (const Formulation& row : formulations()) {
    if (!row.written_out || !row.why_not(prepared).empty()) continue;
    options.formulation = row.id;
    data.paper.push_back(make_equations(data.robot, Quantity::inverse, options));
  }
  std::size_t lines = 0;
  for (const EquationSet& set : data.equations) lines += set.definitions.size() + set.results.size();
  return counted(lines, "line");
}

template <class Write>
std::string json_text(const Write& write) {
  StringSink sink;
  Json json(sink);
  write(json);
  json.finish();
  return sink.text();
}

}  // namespace

Study study(const Analysis& robot, const StudyOptions& options) {
  require_no_balls(robot.model(), "a study");
  const Model& model = robot.model();
  StudyData data{robot, model, options, options.source.empty() ? model.file() : options.source, model.nv(), options.diagnostics};
  if (data.source.empty()) data.source = "a program";
  Steps steps(options.go_on, options.done);
  steps.run("lint", [&](bool&) { return lint(data); });
  VerifyOptions verify_by = verify_options(data);
  verify_by.progress = [&](double) { steps.require_go_on(); };
  // Compiled as it is written, which takes a compiler a third of the time; `ulna verify` has it optimised.
  verify_by.implementations = [&] {
    const ShippedOptions shipped{.snap = options.snap, .generated = options.self_test, .waiting = [&] { steps.require_go_on(); }};
    return shipped_at(robot, shipped, "-O0");
  };
  // Most of the time that verify takes it waits for a compiler, or for other libraries; nothing else needs its result.
  StepsBeside beside([&](Steps& own) {
    own.run("count", [&](bool&) { return count_it(data); });
    own.run("generate", [&](bool& good) { return generate_it(data, good); });
    own.run("schedule", [&](bool&) { return schedule_it(data); });
    own.run("torques", [&](bool&) { return torques_it(data, own); });
    own.run("simulate", [&](bool& good) { return move_it(data, own, good); });
    own.run("equations", [&](bool&) { return write_down(data); });
  });
  steps.run("verify", [&](bool& good) { return verify_it(data, verify_by, good); });
  beside.join(steps);
  if (options.timing && data.n > 0) {
    steps.run("bench", [&](bool&) { return time_it(data); });  // with the machine for itself
    steps.run("race", [&](bool& good) { return race_it(data, steps, good); });
  }
  data.steps = steps.all();

  Study out;
  out.robot = model.name();
  const std::string report = json_text([&](Json& json) { write_report(json, data); });
  out.files.push_back({"index.html", study_page(data, report)});
  out.files.push_back({"report.json", report});
  out.files.push_back({"certificate.json", json_text([&](Json& json) { write_certificate(json, data.certificate, data.peers, data.agree); })});
  out.files.push_back({"counts.json", json_text([&](Json& json) { write_count_report(json, data.counts); })});
  out.files.push_back({"schedule.json", json_text([&](Json& json) { write_schedules(json, data, true); })});
  if (data.motion) out.files.push_back({"motion.csv", motion_csv(model, data.motion->run.trajectory)});
  if (data.reference) out.files.push_back({"torques.csv", torques_csv(model, *data.reference)});
  for (const GeneratedFile& file : data.c) out.files.push_back({"c/" + file.name, file.text});
  if (!data.equations.empty()) {
    out.files.push_back({"equations.tex", write_equations(model, data.equations, EquationFormat::latex, options.snap)});
    out.files.push_back({"equations.html", write_equations(model, data.equations, EquationFormat::html, options.snap)});
  }
  out.steps = data.steps;
  for (const StudyStep& step : out.steps) out.good = out.good && step.good;
  return out;
}

}  // namespace ULNA_API
