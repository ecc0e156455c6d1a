#include "command.hpp"
#include "json.hpp"
#include "model_options.hpp"
#include "progress.hpp"
#include "results.hpp"
#include "table.hpp"
#include "whole_file.hpp"

namespace ulna::cli {

namespace {

void write_csv(std::FILE* file, const ExcitationRows& rows, const std::vector<std::string>& names) {
  const std::pair<const char*, const std::vector<double>*> parts[] = {{"q", &rows.q}, {"v", &rows.v}, {"a", &rows.a}, {"tau", &rows.tau}};
  NumberRows table{{"t"}, rows.t.size(), {}};
  for (const auto& [part, numbers] : parts)
    for (const std::string& name : names) table.names.push_back(cat(part, ".", name));
  table.row = [&](std::size_t s, std::vector<double>& values) {
    values = {rows.t[s]};
    for (const auto& [part, numbers] : parts)
      for (std::size_t k = 0; k < names.size(); ++k) values.push_back((*numbers)[s * names.size() + k]);
  };
  write_rows(file, false, table);
}

/// The file as a controller will read it, before it is put in its place: by the reader of logs, against the limits.
void check_written(WholeFile& file, const Model& model, const ExciteOptions& options) {
  Diagnostics problems(file.path());
  const std::optional<Log> log = read_log(file.written(), model, problems);
  if (!log) throw UsageError(cat("option --out: what was written cannot be read again: ", to_string(problems.all().front())));
  const std::size_t n = log->nv(), width = 1 + 4 * n;
  std::vector<double> numbers(log->rows() * width);
  log->read(0, log->rows(), numbers.data());
  ExcitationRows rows;
  for (std::size_t r = 0; r < log->rows(); ++r) {
    const double* x = numbers.data() + r * width;
    rows.t.push_back(*x++);
    for (std::vector<double>* part : {&rows.q, &rows.v, &rows.a, &rows.tau}) part->insert(part->end(), x, x + n), x += n;
  }
  require_limits(model, rows, options);
}

void print_json(const Model& model, const Excitation& e, const ExciteOptions& options) {
  JsonOutput json;
  json.line_fields("robot", model.name(), "joints", model.driven_names(), "period", e.period);
  json.fields("waves", e.waves, "seed", options.seed, "evaluations", e.evaluations).line_fields("condition", e.condition).fields("log_det", e.log_det).line();
  json.key("random").object("condition", e.random_condition, "log_det", e.random_log_det).line_fields("offset", e.offset);
  for (const auto& [key, list] : {std::pair{"a", &e.a}, std::pair{"b", &e.b}}) {
    json.line().key(key).begin_array();
    for (std::size_t k = 0; k < e.offset.size(); ++k) json.numbers(list->data() + k * e.waves, e.waves);
    json.end_array();
  }
  json.line_fields("of_limits", e.limit).line().key("followers").begin_object();
  for (const Excitation::Follower& one : e.followers) json.fields(one.joint, one.limit);
  json.end_object().line_fields("still", e.still).end();
}

int excite_main(const Arguments& arguments) {
  arguments.only("MODEL");
  ExciteOptions options;
  options.snap = snap_of(arguments);
  const auto positive = [&](const char* option, double otherwise) {
    const double value = arguments.number(option).value_or(otherwise);
    if (arguments.has(option) && !(value > 0)) throw UsageError(cat("option ", option, " takes a number above 0, not ", value));
    return value;
  };
  options.period = positive("--period", options.period);
  options.acceleration = positive("--acceleration", 0);
  options.speed = positive("--speed", options.speed);
  options.part = positive("--part", options.part);
  if (options.part > 1) throw UsageError(cat("option --part takes a part of the limits, up to 1, not ", options.part));
  options.waves = arguments.whole_number("--waves", options.waves, 2);
  options.evaluations = arguments.whole_number("--evaluations", options.evaluations, 1);
  options.seed = arguments.whole_number("--seed", 1, 0);
  options.condition = arguments.choice("--by", {"det", "condition"}) == "condition";
  if (!arguments.has("--out") && !arguments.has("--svg"))
    arguments.refuse({"--rate"}, "without rows to write", "add --out FILE or --svg FILE, or leave it out");
  const double rate = positive("--rate", 100);
  const Robot robot = load_robot(arguments, true);
  const std::vector<std::string> names = robot.model.driven_names();
  std::optional<WholeFile> csv = file_of(arguments, "--out"), svg = file_of(arguments, "--svg");
  Excitation e;
  ExcitationRows rows;
  {
    Interrupt interrupt;
    Progress progress("ulna excite");
    options.progress = [&](double share) {
      progress.show(share);
      return !Interrupt::seen();
    };
    e = excite(robot.model, options);
    if (Interrupt::seen()) {
      std::fputs("ulna: interrupted; nothing was written\n", stderr);
      return kInterrupted;
    }
    if (csv || svg) rows = sampled(robot.model, e, rate, options);
    if (csv) {
      write_csv(csv->stream(), rows, names);
      check_written(*csv, robot.model, options);
      csv->keep();
    }
  }
  if (svg) {
    std::vector<draw::TimePanel> panels;
    using draw::Numbers;
    for (const auto& [title, numbers, values] : {std::tuple{"position", Numbers::position, &rows.q}, std::tuple{"speed", Numbers::velocity, &rows.v},
                                                 std::tuple{"torque by the model", Numbers::effort, &rows.tau}})
      for (draw::TimePanel& panel : draw::joint_panels(robot.model, title, numbers, *values, 7)) panels.push_back(std::move(panel));
    std::fputs(draw::time_chart(cat("excitation of ", robot.model.name()), rows.t, panels).c_str(), svg->stream());
    svg->keep();
  }
  if (arguments.has("--json")) {
    print_json(robot.model, e, options);
    return kDone;
  }
  std::string text =
      cat("robot ", robot.model.name(), ": ", e.waves, " waves in ", rounded(e.period), " s, ", e.evaluations, " motions tried, seed ", options.seed, "\n\n");
  Table table("lrr");
  table.row({"base regressor and friction", "this motion", "random ones"});
  table.row({"condition number", brief(e.condition), brief(e.random_condition)});
  table.row({"log det", brief(e.log_det), brief(e.random_log_det)});
  text += table.text() + "\n";
  Table used("lr");
  used.row({"joint", "of its limits"});
  for (std::size_t k = 0; k < names.size(); ++k) used.row({names[k], cat(rounded(100 * e.limit[k]), " %")});
  for (const Excitation::Follower& one : e.followers) used.row({one.joint, cat(rounded(100 * one.limit), " %")});
  for (const std::string& joint : e.still)
    std::fprintf(stderr, "ulna: note: joint %s stands still: its limits, or those of a joint that moves with it, leave no room\n", in_quotes(joint).c_str());
  std::fputs((text + used.text()).c_str(), stdout);
  return kDone;
}

}  // namespace

Command excite_command() {
  return {"excite",
          "a motion to run and log, from which the robot's parameters can be identified",
          "MODEL [--out FILE.csv] [--svg FILE] [options]",
          "Searches for a motion from which base parameters and friction can be identified as well as possible. The motion is a\n"
          "finite Fourier series that begins and ends at rest and stays within the limits of position, speed, acceleration and\n"
          "effort (torques by the model's masses), of every joint and of joints that follow others, at every time. Before the\n"
          "file of --out is put in its place it is read again and its rows, and what a controller interpolates between them,\n"
          "are compared with the limits; on a violation nothing is written. The search makes the determinant of the regressor largest, or its condition\n"
          "number smallest, and prints what random motions within the same limits reach. Collisions are not checked: look at\n"
          "the motion, and run it slowly first. Ctrl-C ends the search with status 130 and writes nothing.",
          std::vector<Option>{{"--out", "FILE", "write t, q, v, a and the expected tau at even steps, as CSV"},
                              {"--svg", "FILE", "draw it"},
                              {"--rate", "HZ", "rows per second in --out (default 100)"},
                              {"--period", "S", "length of the motion in seconds (default 20)"},
                              {"--waves", "N", "number of sines and cosines of each joint, at multiples of 1/period (default 5)"},
                              {"--speed", "N", "speed limit of joints that have none [rad/s, m/s] (default 1)"},
                              {"--acceleration", "N", "acceleration limit of all joints [rad/s², m/s²] (default: reaches the speed limit in half a second)"},
                              {"--part", "N", "share of the limits that is used (default 0.9)"},
                              {"--by", "det|condition", "make the determinant largest (det, default) or the condition number smallest"},
                              {"--evaluations", "N", "number of motions to try (default 2000)"},
                              {"--seed", "N", "seed of the search (default 1); the same seed gives the same motion"},
                              {"--json", "", "print one JSON object and nothing else; numbers read back to the same bits"}} +
              model_options() + std::vector<Option>{snap_option()},
          "ulna excite panda --period 15 --out motion.csv --svg motion.svg\n"
          "    a motion for a Panda, to be run by its controller",
          excite_main};
}

}  // namespace ulna::cli
