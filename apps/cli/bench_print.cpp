#include "bench_print.hpp"

#include <algorithm>
#include <cstdio>
#include <tuple>

#include "../bench/simulated.hpp"
#include "table.hpp"
#include "text/cat.hpp"
#include "ulna/version.hpp"

namespace ulna::cli {

namespace {

std::string with_digits(double value, const char* form) {
  char text[40];
  std::snprintf(text, sizeof text, form, value);
  return text;
}
std::string three(double value) { return with_digits(value, value < 10 ? "%.2f" : value < 100 ? "%.1f" : "%.0f"); }

std::string ratio(const BenchReport& report, const BenchRow& row) {
  const std::optional<double> yardstick = report.yardstick(row.robot, row.task);
  return yardstick ? three(*yardstick / row.ns) : "";
}

/// Of all arms together.
double seconds_per_second(const BenchRow& row) { return bench::kSimulatedStep / (1e-9 * row.ns); }

/// One line a library, not a table: reasons and flags are long.
std::string libraries_text(const BenchReport& report, const std::string& robot) {
  std::string text;
  for (const BenchLibrary& l : report.libraries) {
    if (l.robot != robot) continue;
    text += cat("  ", l.library, l.program == "generated" ? " (generated C)" : "");
    for (const std::string* piece : {&l.version, &l.compiler, &l.flags})
      if (!piece->empty()) text += cat(piece == &l.version ? " " : ", ", *piece);
    if (!l.why_not.empty()) text += cat(": not timed: ", l.why_not);
    for (const std::string& note : l.notes) text += cat("; ", note);
    text += "\n";
  }
  return text;
}

std::string task_text(const BenchReport& report, const std::string& robot, const std::string& task) {
  std::vector<const BenchRow*> rows;
  for (const BenchRow& r : report.rows)
    if (r.robot == robot && r.task == task) rows.push_back(&r);
  if (rows.empty()) return "";
  std::stable_sort(rows.begin(), rows.end(), [](const BenchRow* a, const BenchRow* b) {
    const auto key = [](const BenchRow& r) { return std::tuple(r.mode == "batch", r.real == "float", r.threads, r.ns); };
    return key(*a) < key(*b);
  });
  const bool counted = std::any_of(rows.begin(), rows.end(), [](const BenchRow* r) { return r->instructions.has_value(); });
  const bool simulation = task == "simulate";
  Table table("llllrrrrrr");
  table.row({task, "path", "mode", "real", "threads", simulation ? "arms" : "states", simulation ? "ns a step" : "ns", "times",
             simulation ? "seconds per second" : "of bound", counted ? "instructions" : ""});
  for (const BenchRow* r : rows)
    table.row({r->library, r->path, r->mode, r->real, std::to_string(r->threads), std::to_string(r->states), three(r->ns), ratio(report, *r),
               simulation ? with_digits(seconds_per_second(*r), "%.0f")
               : r->bound ? cat(with_digits(100 * *r->bound / r->ns, "%.0f"), ", ", with_digits(100 * *r->bound_with_sincos / r->ns, "%.0f"), " %")
                          : "",
               r->instructions ? with_digits(*r->instructions, "%.0f") : ""});
  return table.text() + "\n";
}

std::string kernels_text(const BenchReport& report, const std::string& robot) {
  Table table("llrrrrrrrrr");
  bool any = false;
  for (const BenchKernel& k : report.kernels) {
    if (k.robot != robot || k.lanes == 1) continue;
    if (!any) table.row({"kernel", "real", "lanes", "mul", "fused", "add", "div", "sincos", "spills", "bytes", "compiled in"});
    any = true;
    const auto whole = [](double x) { return with_digits(x, "%.0f"); };
    table.row({k.task, k.real, std::to_string(k.lanes), whole(k.mul), whole(k.fused), whole(k.add), whole(k.div), whole(k.sincos), whole(k.spills),
               whole(k.bytes), cat(with_digits(1e3 * k.seconds, "%.3f"), " ms")});
  }
  std::string text = any ? table.text() : "";
  for (const BenchLatency& l : report.latencies)
    if (l.robot == robot)
      text += cat("  from URDF text to the first torque: ", with_digits(1e3 * l.least, "%.2f"),
                  " ms (the first time in a process: ", with_digits(1e3 * l.first, "%.2f"), " ms); code and constants: ", with_digits(l.memory / 1024, "%.0f"),
                  " KB\n");
  return text;
}

std::string differences_text(const BenchReport& report, const std::string& robot) {
  double worst[2] = {0, 0}, ends = 0;
  bool simulation = false;
  std::string text;
  for (const BenchComparison& c : report.comparisons) {
    if (c.robot != robot) continue;
    simulation = simulation || c.task == "simulate";
    if (c.agree && c.task == "simulate")
      ends = std::max(ends, c.difference);
    else if (c.agree)
      worst[c.real == "float"] = std::max(worst[c.real == "float"], c.difference);
    else
      text += cat("  ", c.library, " ", c.path, " DIFFERS in ", c.task, " (", c.mode, ", ", c.real, ", ", c.threads, " threads) by ",
                  with_digits(c.difference, "%.1e"), " and was not timed\n");
  }
  return cat("  results compared before timing, against a recursion in extended precision: ", with_digits(worst[0], "%.1e"),
             " of the largest terms in doubles, ", with_digits(worst[1], "%.1e"), " in floats\n",
             simulation ? cat("  simulations, against plain steps on the templates: they end within ", with_digits(ends, "%.1e"), "\n") : "", text);
}

std::vector<std::string> robots_of(const BenchReport& report) {
  std::vector<std::string> robots;
  for (const BenchLibrary& l : report.libraries)
    if (std::find(robots.begin(), robots.end(), l.robot) == robots.end()) robots.push_back(l.robot);
  return robots;
}

void write_row(Json& json, const std::string& robot, const std::string& library, const std::string& path, const std::string& task, const std::string& mode,
               const std::string& real, std::size_t threads) {
  json.key("robot").value(robot).key("library").value(library).key("path").value(path).key("task").value(task);
  json.key("mode").value(mode).key("real").value(real).key("threads").value(threads);
}

void write_libraries(Json& json, const BenchReport& report) {
  json.line().key("libraries").begin_array();
  for (const BenchLibrary& l : report.libraries) {
    json.line().begin_object();
    json.key("robot").value(l.robot).key("library").value(l.library).key("program").value(cat("ulna-bench-", l.program)).key("version").value(l.version);
    json.key("compiler").value(l.compiler).key("flags").value(l.flags).key("notes").strings(l.notes).key("why_not").value(l.why_not);
    json.end_object();
  }
  json.end_array();
}

void write_kernels(Json& json, const BenchReport& report) {
  json.line().key("kernels").begin_array();
  for (const BenchKernel& k : report.kernels) {
    json.line().begin_object();
    json.key("robot").value(k.robot).key("task").value(k.task).key("real").value(k.real).key("lanes").value(k.lanes).key("mul").value(k.mul);
    json.key("add").value(k.add).key("div").value(k.div).key("sincos").value(k.sincos).key("fused").value(k.fused).key("instructions").value(k.instructions);
    json.key("spills").value(k.spills).key("bytes").value(k.bytes).key("seconds").value(k.seconds);
    json.end_object();
  }
  json.end_array();
  json.line().key("latencies").begin_array();
  for (const BenchLatency& l : report.latencies) {
    json.line().begin_object();
    json.key("robot").value(l.robot).key("seconds").value(l.least).key("first_seconds").value(l.first).key("memory").value(l.memory);
    json.end_object();
  }
  json.end_array();
}

}  // namespace

std::string bench_text(const BenchReport& report) {
  std::string text = cat(machine_text(report.machine, report.instruction_set), "\nTimes per state in nanoseconds, the shortest of many repetitions.\n");
  text +=
      "'times': how often it fits into one call of Pinocchio in doubles, built by clang -O3 -march=native, the better of its two conventions;\n"
      "of simulations, into a step of MuJoCo with one arm. 'seconds per second': simulated ones, of all arms.\n";
  if (report.machine.clock > 0 && !report.kernels.empty())
    text += cat("'of bound': the least time for the program's multiplications at ", report.pipes,
                " registers a cycle, without those of sine and cosine and with them, in parts of the time.\n");
  for (const std::string& note : report.notes) text += note + "\n";
  for (const std::string& robot : robots_of(report)) {
    text += cat("\n", robot, "\n", libraries_text(report, robot), differences_text(report, robot), "\n");
    for (const char* task : {"inverse", "mass", "forward", "derivatives", "forward-derivatives", "simulate"}) text += task_text(report, robot, task);
    text += kernels_text(report, robot);
  }
  return text;
}

void write_bench(Json& json, Output& out, const BenchReport& report, const BenchOptions& options) {
  json.begin_object();
  json.line().key("ulna").value(ULNA_VERSION);
  json.line().key("machine").begin_object();
  json.key("processor").value(report.machine.processor).key("cores").value(report.machine.cores).key("clock_ghz").value(report.machine.clock);
  json.key("instruction_set").value(report.instruction_set).key("multiply_pipes").value(report.pipes).key("register_bits").value(report.register_bits);
  json.end_object();
  json.line().key("seconds").value(options.seconds);
  json.line().key("notes").strings(report.notes);
  write_libraries(json, report);
  json.line().key("comparisons").begin_array();
  for (const BenchComparison& c : report.comparisons) {
    json.line().begin_object();
    write_row(json, c.robot, c.library, c.path, c.task, c.mode, c.real, c.threads);
    json.key("difference").value(c.difference).key("tolerance").value(c.tolerance).key("agree").value(c.agree);
    json.end_object();
  }
  json.end_array();
  json.line().key("results").begin_array();
  for (const BenchRow& r : report.rows) {
    json.line().begin_object();
    write_row(json, r.robot, r.library, r.path, r.task, r.mode, r.real, r.threads);
    json.key("states").value(r.states).key("ns").value(r.ns);
    if (const std::optional<double> yardstick = report.yardstick(r.robot, r.task))
      json.key(r.task == "simulate" ? "times_mujoco" : "times_pinocchio").value(*yardstick / r.ns);
    if (r.task == "simulate") json.key("simulated_seconds_per_second").value(seconds_per_second(r));
    if (r.bound) json.key("of_bound").value(*r.bound / r.ns).key("of_bound_with_sincos").value(*r.bound_with_sincos / r.ns);
    if (r.instructions) json.key("instructions").value(*r.instructions);
    json.end_object();
  }
  json.end_array();
  write_kernels(json, report);
  out.write("\n");
  json.end_object();
}

}  // namespace ulna::cli
