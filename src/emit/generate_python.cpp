// Python from a program: one module that needs numpy, for one state or many at once.
#include <string_view>
#include <utility>

#include "emit/written.hpp"

#include "emit/languages.hpp"
#include "emit/literal.hpp"
#include "text/cat.hpp"

namespace ulna::internal {

namespace {

class PythonSyntax : public Syntax {
 public:
  explicit PythonSyntax(Real real) : real_(real) {}

  std::string number(double value) const override { return literal(value, real_); }
  std::string element(const std::string& signal, std::size_t index) const override { return cat(signal, "[", index, "]"); }
  std::string call(const char* function, const std::string& x) const override { return cat("np.", function, "(", x, ")"); }

 private:
  Real real_;
};

class PythonFile {
 public:
  explicit PythonFile(const GeneratedRobot& robot) : robot_(robot), syntax_(robot.real), tabled_(syntax_, "NUMBERS"), name_(robot.name) {}

  std::vector<GeneratedFile> run() const {
    const std::string file = name_ + ".py", n = std::to_string(robot_.sizes.nv), q = robot_.two_sizes() ? cat("(", robot_.sizes.nq, ",) (q) and ") : "";
    const std::string many = robot_.two_sizes() ? cat("(", robot_.sizes.nq, ", N) (q) and ") : "";
    std::string out = commented(banner(robot_, file,
                                       {cat("Arguments have the shape ", q, "(", n, ",) for one state or ", many, "(", n,
                                            ", N) for N states. Results have a row for each number; the inertia"),
                                        cat("matrix has the shape (", n, ", ", n, ") or (", n, ", ", n, ", N). Functions keep no state."), "",
                                        cat("Use:       import ", name_), cat("Self-test: python3 ", file), ""}),
                                "#");
    out += commented(names_explained(), "#");
    out += cat("import numpy as np\n\nJOINTS = ", robot_.joints.size(), robot_.two_sizes() ? cat("\nNQ = ", robot_.sizes.nq, "\nNV = ", n) : "", "\nREAL = np.",
               robot_.real == Real::single_precision ? "float32" : "float64", "\n");
    out +=
        "\n\ndef _arrays(rows, *arguments):\n"
        "    \"\"\"The arguments, of so many rows each, as arrays, and the shape of one row of them.\"\"\"\n"
        "    arrays = [np.asarray(x, dtype=REAL) for x in arguments]\n"
        "    for k, x in enumerate(arrays):\n"
        "        if len(x.shape) not in (1, 2) or x.shape[0] != rows[k]:\n"
        "            raise ValueError(\"argument %d has the shape %s; it must be (%d,) or (%d, N)\" % (k + 1, x.shape, rows[k], rows[k]))\n"
        "        if x.shape[1:] != arrays[0].shape[1:]:\n"
        "            raise ValueError(\"arguments have the shapes %s and %s; they must have as many states\" % (arrays[0].shape, x.shape))\n"
        "    return arrays, arrays[0].shape[1:]\n";
    std::string functions;
    for (const Generated& made : robot_.functions) functions += function(made);
    if (!tabled_.numbers().empty()) {
      out += "\n\n# The robot's numbers, in the order of their first use.\nNUMBERS = (\n";
      for (const double x : tabled_.numbers()) out += cat("    ", syntax_.number(x), ",\n");
      out += ")\n";
    }
    out += functions + close();
    return {{file, out + selftest()}};
  }

 private:
  static std::string names(const Generated& made) {
    std::string out;
    for (const Signal& s : made.arguments()) out += cat(out.empty() ? "" : ", ", s.name);
    return out;
  }
  std::string named(const Generated& made) const { return robot_.prefix + made.what(); }
  /// "(7, 7, 7)"
  static std::string rows(const Generated& made) {
    std::string out;
    for (const Signal& s : made.arguments()) out += cat(out.empty() ? "" : " ", s.size, ",");
    return cat("(", out, ")");
  }

  std::string function(const Generated& made) const {
    const Written written = write_out(made.program, robot_.static_const ? static_cast<const Syntax&>(tabled_) : syntax_);
    const std::string inputs = names(made);
    std::string out = cat("\n\ndef ", named(made), "(", inputs, "):\n");
    const std::vector<std::string> lines = explained(robot_, made);
    for (std::size_t i = 0; i < lines.size(); ++i) out += cat("    ", i == 0 ? "\"\"\"" : "", lines[i], "\n");
    out += cat("    \"\"\"\n    (", inputs, made.arguments().size() == 1 ? "," : "", "), shape = _arrays(", rows(made), ", ", inputs, ")\n");
    if (made.takes_sides() && uses_signal(written, Generated::kSides))
      out += cat("    side = [np.sign(x) for x in ", made.speeds ? cat(robot_.prefix, Generated::kSpeeds, "(q, v)") : "v", "]\n");
    for (const Assignment& line : written.before_angles) out += cat("    ", line.name, " = ", line.expression, "\n");
    if (!written.angles.empty()) {
      std::string angles;
      for (const std::string& angle : written.angles) angles += cat(angles.empty() ? "" : ", ", angle);
      out += cat("    angles = [", angles, "]\n    sine = [", syntax_.call("sin", "x"), " for x in angles]\n    cosine = [", syntax_.call("cos", "x"),
                 " for x in angles]\n");
    }
    for (const Assignment& line : written.lines) out += cat("    ", line.name, " = ", line.expression, "\n");
    out += cat("    result = np.empty((", written.results.size(), ",) + shape, dtype=REAL)\n");
    const std::vector<std::size_t> order = row_by_row(made);
    for (std::size_t i = 0; i < order.size(); ++i) out += cat("    result[", i, "] = ", written.results[order[i]], "\n");
    if (!is_by_coordinates(made)) return out + "    return result\n";
    const auto [rows, columns] = shape(made);
    return out + cat("    return result.reshape((", length(rows), ", ", length(columns), ") + shape)\n");
  }

  std::string close() const {
    if (!robot_.closed()) return {};
    const std::size_t first = robot_.sizes.nq + robot_.conditions();
    std::string out = cat("\n\ndef ", robot_.prefix, "close(q, steps):\n");
    const std::vector<std::string> lines = close_explained();
    for (std::size_t i = 0; i < lines.size(); ++i) out += cat("    ", i == 0 ? "\"\"\"" : "", lines[i], "\n");
    return out + cat("    Returns the positions, and that number for each state.\n    \"\"\"\n    at = ", robot_.prefix,
                     "closure(q)\n    before = np.prod(np.sign(at[", first,
                     ":]), axis=0)\n    q = np.asarray(q, dtype=REAL)\n    for _ in range(steps):\n"
                     "        q = at[:NQ]\n        at = ",
                     robot_.prefix, "closure(q)\n    least = np.array([", literals(robot_.pivots, robot_.real),
                     "], dtype=REAL).reshape((-1,) + (1,) * (at.ndim - 1))\n", "    sound = np.all(np.abs(at[", first,
                     ":]) > least, axis=0) & (before * np.prod(np.sign(at[", first, ":]), axis=0) > 0)\n    left = np.max(np.abs(at[NQ:", first,
                     "]), axis=0)\n    return q, np.where(sound | np.isnan(left), left, np.inf)\n");
  }

  /// Matrices with a row for each coordinate are returned as matrices; a Jacobian's numbers are returned as they come.
  static bool is_by_coordinates(const Generated& made) { return row_of(made.quantity).is_matrix() && row_of(made.quantity).rows == kCoordinates; }

  /// Rows and columns.
  std::pair<std::size_t, std::size_t> shape(const Generated& made) const {
    return {row_of(made.quantity).rows.of(robot_.sizes), row_of(made.quantity).columns.of(robot_.sizes)};
  }
  std::string length(std::size_t number) const { return number == robot_.sizes.nv ? robot_.two_sizes() ? "NV" : "JOINTS" : std::to_string(number); }

  /// Where the numbers of a result stand in the program: NumPy's matrices lie row by row.
  std::vector<std::size_t> row_by_row(const Generated& made) const {
    std::vector<std::size_t> order(made.program.results.size());
    const bool turned = is_by_coordinates(made) && !row_of(made.quantity).symmetric;
    const auto [rows, columns] = shape(made);
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = turned ? i / columns + i % columns * rows : i;
    return order;
  }

  std::string selftest() const {
    std::string out = "\n\n# --- self-test " + std::string(100, '-') +
                      "\ndef _check(function, rows, inputs, expected, tolerance):\n"
                      "    \"\"\"The number, from 1, of the first state whose result is off, one by one and then all at once; 0 when there is none.\"\"\"\n"
                      "    starts = [sum(rows[:k]) for k in range(len(rows))]\n"
                      "    together = function(*[np.array([[state[i + j] for state in inputs] for j in range(n)], dtype=REAL) for i, n in zip(starts, rows)])\n"
                      "    together = together.reshape((len(expected[0]), len(inputs)))\n"
                      "    for k, state in enumerate(inputs):\n"
                      "        alone = function(*[np.array(state[i:i + n], dtype=REAL) for i, n in zip(starts, rows)]).reshape((len(expected[0]),))\n"
                      "        for i, wanted in enumerate(expected[k]):\n"
                      "            if not (abs(alone[i] - wanted) <= tolerance[k] and abs(together[i][k] - wanted) <= tolerance[k]):\n"
                      "                return k + 1\n"
                      "    return 0\n";
    std::string calls;
    std::size_t before = 0;
    for (const Generated& made : robot_.functions) {
      if (made.tests.empty()) continue;
      std::vector<double> tolerances;
      std::string inputs, expected;
      for (const TestState& state : made.tests) {
        inputs += cat("            [", literals(state.inputs, robot_.real), "],\n");
        std::vector<long double> results;
        for (const std::size_t i : row_by_row(made)) results.push_back(state.expected[i]);
        expected += cat("            [", literals(results, robot_.real), "],\n");
        tolerances.push_back(state.tolerance);
      }
      calls += cat("    failed = _check(\n        ", named(made), ",\n        ", rows(made), ",\n        [\n", inputs, "        ],\n        [\n", expected,
                   "        ],\n        [", literals(tolerances, robot_.real), "],\n    )\n    if failed != 0:\n        return ", before, " + failed\n");
      before += made.tests.size();
    }
    out +=
        cat("\n\ndef selftest():\n    \"\"\"Compares results with values of an independent recursion in extended precision: 0 when all agree, else the number\n"
            "    of the first check that does not, from 1.\n    \"\"\"\n",
            calls, "    return 0\n");
    return out + cat("\n\nif __name__ == \"__main__\":\n    FAILED = selftest()\n    print(\"", name_, ": check %d of ", before,
                     " FAILED\" % FAILED if FAILED else \"", name_, ": all ", before, " checks passed\")\n    raise SystemExit(FAILED != 0)\n");
  }

  const GeneratedRobot& robot_;
  PythonSyntax syntax_;
  TabledSyntax tabled_;
  std::string name_;
};

}  // namespace

std::vector<GeneratedFile> files_in_python(const GeneratedRobot& robot) { return PythonFile(robot).run(); }

}  // namespace ulna::internal
