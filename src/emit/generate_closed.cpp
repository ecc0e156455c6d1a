#include <ulna/emit/generate_closed.hpp>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include <ulna/plan/plan.hpp>
#include <ulna/version.hpp>

#include "emit/literal.hpp"
#include "emit/written.hpp"
#include "expr/ready.hpp"
#include "loop/mechanism_parts.hpp"
#include "robot/closed_programs.hpp"
#include "text/cat.hpp"
#include "text/names.hpp"
#include "text/number.hpp"
#include "text/quote.hpp"

namespace ulna ULNA_API {

namespace {

class PlainC : public Syntax {
 public:
  std::string number(double value) const override { return literal(value, Real::double_precision); }
  std::string element(const std::string& signal, std::size_t index) const override { return cat(signal, "[", index, "]"); }
  std::string call(const char* function, const std::string& x) const override { return cat(function, "(", x, ")"); }
};

std::string upper(std::string text) {
  for (char& c : text) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return text;
}

struct WrittenTask {
  const char* name;
  ClosedTask task;
  const char* result;  // as parameters of functions call it
};
constexpr WrittenTask kWritten[] = {
    {"inverse", ClosedTask::inverse, "tau"}, {"forward", ClosedTask::forward, "u_dot"},   {"mass", ClosedTask::mass, "M"},
    {"bias", ClosedTask::bias, "bias"},      {"gravity", ClosedTask::gravity, "gravity"}, {"energy", ClosedTask::energy, "energy"}};

const char* last_of(ClosedTask task) { return task == ClosedTask::forward ? "tau" : "u_dot"; }
const char* result_of(ClosedTask task) {
  return std::find_if(std::begin(kWritten), std::end(kWritten), [&](const WrittenTask& row) { return row.task == task; })->result;
}

class ClosedC {
 public:
  ClosedC(const Mechanism& robot, const GenerateClosedOptions& options)
      : robot_(robot), options_(options), name_(options.name.empty() ? identifier(robot.tree().name()) : options.name), order_(elimination_order(robot)) {
    const std::vector<double> at = run_closed(robot, order_, ClosedTask::step, true, robot.reference(), {}, {});
    for (std::size_t k = robot.dependent().size() + condition_count(robot.parts().plan); k < at.size(); ++k) sound_.push_back(0.02 * std::abs(at[k]));
  }

  std::vector<GeneratedFile> run() {
    std::vector<std::pair<ClosedTask, std::string>> tasks;
    for (const std::string& what : options_.what) {
      const auto found = std::find_if(std::begin(kWritten), std::end(kWritten), [&](const WrittenTask& row) { return what == row.name; });
      if (found == std::end(kWritten))
        throw std::invalid_argument(cat("of a robot with loops, C has ", listed(names_of(kWritten, &WrittenTask::name), "and"), ", not ", in_quotes(what),
                                        did_you_mean(what, names_of(kWritten, &WrittenTask::name))));
      tasks.emplace_back(found->task, what);
    }
    std::string header = head(), source = cat("/* ", name_, ".c: see ", name_, ".h. Written by Ulna " ULNA_VERSION "; do not edit. */\n#include \"", name_,
                                              ".h\"\n\n#include <math.h>\n\n", look(), body(ClosedTask::step, "step"));
    header +=
        cat("/* Takes steps of Newton's method on the dependent positions of q, from where they are: 2 in a control loop, 20 from a rough guess.\n"
            " * Infinity, too, where they end on the other side of a singular assembly than q was on. */\ndouble ",
            name_, "_close(double q[", robot_.nv(), "], int steps);\n\n");
    source += close();
    std::string tests;
    int number = 0;
    for (const auto& [task, what] : tasks) {
      header += cat(signature(task, what), ";\n\n");
      source += body(task, what) + function(task, what);
      tests += test(task, what, number);
    }
    header += cat("/* 0 when all results agree with multipliers in extended precision, else the number of the first check that does not, from 1. */\nint ",
                  name_, "_selftest(void);\n\n#ifdef __cplusplus\n}\n#endif\n\n#endif\n");
    source += cat("int ", name_, "_selftest(void) {\n", tests, "  return 0;\n}\n\n#ifdef ", upper(name_),
                  "_SELFTEST_MAIN\n#include <stdio.h>\nint main(void) {\n  const int wrong = ", name_,
                  "_selftest();\n  if (wrong != 0) printf(\"check %d fails\\n\", wrong);\n  else printf(\"all ", number,
                  " checks passed\\n\");\n  return wrong != 0;\n}\n#endif\n");
    return {{name_ + ".h", header}, {name_ + ".c", source}};
  }

 private:
  std::string head() const {
    const std::vector<std::string> all = robot_.tree().velocity_names(), free = robot_.independent_names();
    std::string out = cat("/* ", name_, ".h: equations of motion of the robot '", comment_text(robot_.tree().name()), "', whose links form loops.\n",
                          " * Written by Ulna " ULNA_VERSION "; do not edit.\n *\n * q has the positions of all joints:\n");
    for (std::size_t k = 0; k < all.size(); ++k) out += cat(" *   ", k, "  ", comment_text(all[k]), "\n");
    out += " * u, u_dot and tau are of the independent ones:\n";
    for (std::size_t k = 0; k < free.size(); ++k) out += cat(" *   ", k, "  ", comment_text(free[k]), "\n");
    out += cat(" *\n * SI units. Rotor inertias are ", options_.rotor ? "" : "not ", "in the equations, friction is not.\n",
               " * Functions return the largest condition of the loops that q does not meet [m, or rad], or infinity where a pivot of the\n"
               " * elimination is too small to be trusted: near singular assemblies, or far from the reference assembly. Results are to be used where\n"
               " * that number is small. NaN in an input makes all of it NaN. Nothing allocates or keeps state.\n *\n",
               " * Self-test: cc -std=c99 -O2 -D", upper(name_), "_SELFTEST_MAIN ", name_, ".c -lm -o ", name_, "_selftest && ./", name_,
               "_selftest\n */\n#ifndef ", upper(name_), "_H\n#define ", upper(name_), "_H\n\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n");
    return out;
  }

  std::size_t conditions() const { return condition_count(robot_.parts().plan); }
  std::size_t tail() const { return conditions() + sound_.size(); }

  std::string look() const {
    std::string out = cat("static double ", name_, "_look(const double *x) {\n  double most = 0.0;\n  int i;\n  for (i = 0; i < ", conditions(),
                          "; ++i) {\n    const double size = fabs(x[i]);\n    if (!(size <= most)) most = size;\n  }\n");
    for (std::size_t k = 0; k < sound_.size(); ++k)
      out += cat("  if (!(fabs(x[", conditions() + k, "]) > ", literal(sound_[k], Real::double_precision), ")) most = most != most ? most : HUGE_VAL;\n");
    return out + "  return most;\n}\n\n";
  }

  std::string body(ClosedTask task, const std::string& what) const {
    const PlainC syntax;
    const Program program = ready(closed_program(robot_, order_, task, options_.rotor), turning_rates(robot_.parts().plan), Sine::exact, false);
    const Written written = write_out(program, syntax);
    const OperationCounts counts = program.counts();
    std::string out = cat("/* ", counts.mul, " multiplications, ", counts.add, " additions, ", counts.div, " divisions, sines and cosines of ", counts.sincos,
                          " angles. Results, then conditions, then pivots. */\nstatic void ", name_, "_", what, "_all(const double *q");
    if (takes_speeds(task)) out += ", const double *u";
    if (takes_last(task)) out += cat(", const double *", last_of(task));
    out += ", double *out) {\n";
    // What the angles need stands in a block of its own: names begin anew behind it (emit/written.hpp).
    if (!written.angles.empty()) out += cat("  double sine[", written.angles.size(), "], cosine[", written.angles.size(), "];\n  {\n");
    for (const Assignment& line : written.before_angles) out += cat("    const double ", line.name, " = ", line.expression, ";\n");
    for (std::size_t i = 0; i < written.angles.size(); ++i)
      out += cat("    sine[", i, "] = sin(", written.angles[i], "), cosine[", i, "] = cos(", written.angles[i], ");\n");
    if (!written.angles.empty()) out += "  }\n";
    for (const Assignment& line : written.lines) out += cat("  const double ", line.name, " = ", line.expression, ";\n");
    for (std::size_t i = 0; i < written.results.size(); ++i) out += cat("  out[", i, "] = ", written.results[i], ";\n");
    return out + "}\n\n";
  }

  /// The determinant that vanishes in singular assemblies keeps its sign, or the steps led to another branch, perhaps of another circuit.
  std::string close() const {
    const std::size_t r = order_.columns.size();
    std::string sign = "1.0";
    for (std::size_t k = 0; k < sound_.size(); ++k) sign += cat(" * (out[", r + conditions() + k, "] < 0.0 ? -1.0 : 1.0)");
    std::string out = cat("double ", name_, "_close(double q[", robot_.nv(), "], int steps) {\n  double out[", r + tail(), "], before, left;\n  ", name_,
                          "_step_all(q, out);\n  before = ", sign, ";\n  for (; steps > 0; --steps) {\n");
    for (std::size_t k = 0; k < r; ++k) out += cat("    q[", order_.columns[k], "] = out[", k, "];\n");
    return out + cat("    ", name_, "_step_all(q, out);\n  }\n  left = ", name_, "_look(out + ", r, ");\n  return left == left && before * ", sign,
                     " < 0.0 ? HUGE_VAL : left;\n}\n\n");
  }

  std::string signature(ClosedTask task, const std::string& what) const {
    const std::size_t m = robot_.mobility();
    std::string out = cat("double ", name_, "_", what, "(const double q[", robot_.nv(), "]");
    if (takes_speeds(task)) out += cat(", const double u[", m, "]");
    if (takes_last(task)) out += cat(", const double ", last_of(task), "[", m, "]");
    return out + cat(", double ", result_of(task), "[", closed_results(robot_, task), "])");
  }

  std::string function(ClosedTask task, const std::string& what) const {
    const std::size_t count = closed_results(robot_, task);
    const std::string result = result_of(task);
    const std::string rates = cat(takes_speeds(task) ? "u, " : "", takes_last(task) ? cat(last_of(task), ", ") : std::string());
    return cat(signature(task, what), " {\n  double out[", count + tail(), "];\n  int i;\n  ", name_, "_", what, "_all(q, ", rates, "out);\n  for (i = 0; i < ",
               count, "; ++i) ", result, "[i] = out[i];\n  return ", name_, "_look(out + ", count, ");\n}\n\n");
  }

  std::string test(ClosedTask task, const std::string& what, int& number) const {
    std::string out;
    const std::size_t count = closed_results(robot_, task);
    for (std::size_t k = 0; k < options_.test_states; ++k) {
      const ClosedSample s = closed_sample(robot_, task, options_.rotor, static_cast<unsigned>(17 + k));
      const bool speeds = takes_speeds(task), last = takes_last(task);
      const std::vector<double> made =
          run_closed(robot_, order_, task, options_.rotor, s.q, speeds ? s.u : std::vector<double>{}, last ? s.last : std::vector<double>{});
      for (std::size_t i = 0; i < count; ++i)
        if (!(std::abs(made[i] - static_cast<double>(s.expected[i])) <= kClosedAllowed * s.scale))
          throw std::invalid_argument(cat("the code of ", what, " would fail its self-test in a state near the reference assembly; nothing was written"));
      const Real real = Real::double_precision;
      out += cat("  {\n    double q[] = {", literals(s.q, real), "};\n    static const double expected[] = {", literals(s.expected, real), "};\n");
      if (speeds) out += cat("    static const double u[] = {", literals(s.u, real), "};\n");
      if (last) out += cat("    static const double last[] = {", literals(s.last, real), "};\n");
      out += cat("    double got[", count, "];\n    int i;\n    if (!(", name_, "_close(q, 1) < 1e-12) || !(", name_, "_", what, "(q, ", speeds ? "u, " : "",
                 last ? "last, " : "", "got) < 1e-12)) return ", ++number, ";\n    for (i = 0; i < ", count,
                 "; ++i)\n      if (!(fabs(got[i] - expected[i]) <= ", literal(kClosedAllowed * s.scale, real), ")) return ", number, ";\n  }\n");
    }
    return out;
  }

  const Mechanism& robot_;
  const GenerateClosedOptions& options_;
  std::string name_;
  EliminationOrder order_;
  std::vector<double> sound_;
};

}  // namespace

std::vector<GeneratedFile> generate_closed(const Mechanism& robot, const GenerateClosedOptions& options) {
  if (!options.name.empty() && options.name != identifier(options.name))
    throw std::invalid_argument(cat("the name ", in_quotes(options.name), " is no identifier; ", in_quotes(identifier(options.name)), " is one"));
  return ClosedC(robot, options).run();
}

}  // namespace ULNA_API
