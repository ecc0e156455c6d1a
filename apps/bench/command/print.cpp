#include "print.hpp"

#include <tuple>

#include "../simulated.hpp"
#include "cli/table.hpp"
#include "programs/interface.hpp"
#include "ulna/version.hpp"

namespace ulna::cli {

namespace {

constexpr const char* kTasks[] = {"inverse", "mass", "forward", "derivatives", "forward-derivatives", "simulate"};

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

/// Generated C beside machine code, and beside what CppADCodeGen makes of Pinocchio: how many times as long one takes as the other, in doubles on one thread.
struct GeneratedRatio {
  const char *id, *words;
  struct {
    const char *library, *path;
  } of, to;
  const char* mode;
};
constexpr GeneratedRatio kGeneratedRatios[] = {
    {"native_to_kernel", "machine code at -O2 -march=native", {"ulna", "generated-native"}, {"ulna", "kernel"}, "one"},
    {"O2_to_kernel", "machine code at -O2", {"ulna", "generated-O2"}, {"ulna", "kernel"}, "one"},
    {"batch_native_to_lanes", "lanes of many states at -O2 -march=native", {"ulna", "generated-native"}, {"ulna", "kernel-lanes"}, "batch"},
    {"batch_O2_to_lanes", "lanes of many states at -O2", {"ulna", "generated-O2"}, {"ulna", "kernel-lanes"}, "batch"},
    {"native_to_cppadcodegen", "the C of CppADCodeGen, both native", {"ulna", "generated-native"}, {"pinocchio-cppadcg", ""}, "one"},
};
std::optional<double> generated_ratio(const BenchReport& report, const std::string& robot, const std::string& task, const GeneratedRatio& ratio) {
  const auto time_of = [&](const auto& wanted) {
    return report.fastest([&](const BenchRow& r) {
      return r.robot == robot && r.task == task && r.library == wanted.library && (*wanted.path == 0 || r.path == wanted.path) && r.mode == ratio.mode &&
             r.real == "double" && r.threads == 1;
    });
  };
  const std::optional<double> of = time_of(ratio.of), to = time_of(ratio.to);
  if (!of || !to) return std::nullopt;
  return *of / *to;
}
std::string generated_text(const BenchReport& report, const std::string& robot, const std::string& task) {
  std::string text;
  for (const GeneratedRatio& ratio : kGeneratedRatios)
    if (const std::optional<double> times = generated_ratio(report, robot, task, ratio))
      text += cat(text.empty() ? "" : "; ", three(*times), " of ", ratio.words);
  return text.empty() ? "" : cat("  times of generated C: ", text, "\n");
}
void write_generated(Json& json, const BenchReport& report, const std::vector<std::string>& robots) {
  json.line().key("generated").begin_array();
  for (const std::string& robot : robots)
    for (const char* task : kTasks) {
      if (generated_text(report, robot, task).empty()) continue;
      json.line().begin_object().fields("robot", robot, "task", task);
      for (const GeneratedRatio& ratio : kGeneratedRatios)
        if (const std::optional<double> times = generated_ratio(report, robot, task, ratio)) json.fields(ratio.id, *times);
      json.end_object();
    }
  json.end_array();
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
  return cat(table.text(), generated_text(report, robot, task), "\n");
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

Json& write_way(Json& json, const BenchWay& w) {
  return json.fields("robot", w.robot, "library", w.library, "path", w.path, "task", w.task, "mode", w.mode, "real", w.real, "threads", w.threads);
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
    for (const char* task : kTasks) text += task_text(report, robot, task);
    text += kernels_text(report, robot);
  }
  return text;
}

void write_bench(Json& json, Output& out, const BenchReport& report, const BenchOptions& options) {
  json.begin_object().line().fields("ulna", ULNA_VERSION).line().key("machine");
  json.object("processor", report.machine.processor, "cores", report.machine.cores, "clock_ghz", report.machine.clock, "instruction_set",
              report.instruction_set, "multiply_pipes", report.pipes, "register_bits", report.register_bits);
  json.line().fields("seconds", options.seconds).line().fields("notes", report.notes);
  json.line().key("libraries").lines(report.libraries, [&](const BenchLibrary& l) {
    json.object("robot", l.robot, "library", l.library, "program", cat("ulna-bench-", l.program), "version", l.version, "compiler", l.compiler, "flags",
                l.flags, "notes", l.notes, "why_not", l.why_not);
  });
  json.line().key("comparisons").lines(report.comparisons, [&](const BenchComparison& c) {
    write_way(json.begin_object(), c).fields("difference", c.difference, "tolerance", c.tolerance, "agree", c.agree).end_object();
  });
  write_generated(json, report, robots_of(report));
  json.line().key("results").lines(report.rows, [&](const BenchRow& r) {
    write_way(json.begin_object(), r).fields("states", r.states, "ns", r.ns);
    if (const std::optional<double> yardstick = report.yardstick(r.robot, r.task))
      json.fields(r.task == "simulate" ? "times_mujoco" : "times_pinocchio", *yardstick / r.ns);
    if (r.task == "simulate") json.fields("simulated_seconds_per_second", seconds_per_second(r));
    if (r.bound) json.fields("of_bound", *r.bound / r.ns, "of_bound_with_sincos", *r.bound_with_sincos / r.ns);
    if (r.instructions) json.fields("instructions", *r.instructions);
    json.end_object();
  });
  json.line().key("kernels").lines(report.kernels, [&](const BenchKernel& k) {
    json.object("robot", k.robot, "task", k.task, "real", k.real, "lanes", k.lanes, "mul", k.mul, "add", k.add, "div", k.div, "sincos", k.sincos, "fused",
                k.fused, "instructions", k.instructions, "spills", k.spills, "bytes", k.bytes, "seconds", k.seconds);
  });
  json.line().key("latencies").lines(report.latencies, [&](const BenchLatency& l) {
    json.object("robot", l.robot, "seconds", l.least, "first_seconds", l.first, "memory", l.memory);
  });
  out.write("\n");
  json.end_object();
}

}  // namespace ulna::cli
