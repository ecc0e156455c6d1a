// Python from a program: one module that needs numpy, for one state or many at once.
#include <ranges>
#include <utility>

#include "emit/written.hpp"

#include "emit/languages.hpp"
#include "emit/literal.hpp"
#include "text/message.hpp"

namespace ulna::internal {

namespace {

class PythonFile : LanguageFiles<Syntax> {
 public:
  explicit PythonFile(const GeneratedRobot& robot) : LanguageFiles(robot, robot.prefix, "NUMBERS", Syntax(robot.real)), name_(robot.name) {}

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
    if (!tabled_.numbers().empty())
      out += cat("\n\n# The robot's numbers, in the order of their first use.\nNUMBERS = (\n", number_rows("    ", syntax_), ")\n");
    out += functions + close();
    return {{file, out + selftest()}};
  }

 private:
  /// "(7, 7, 7)"
  static std::string rows(const Generated& made) {
    return cat("(", list_of(made.arguments(), " ", [](const Signal& s) { return cat(s.size, ","); }), ")");
  }

  std::string function(const Generated& made) const {
    const Written written = write(made);
    const std::string inputs = argument_names(made);
    const auto assign = [](const Assignment& line) { return cat("    ", line.name, " = ", line.expression, "\n"); };
    std::string out = cat("\n\ndef ", named(made), "(", inputs, "):\n", documented(explained(robot_, made)));
    out += cat("    \"\"\"\n    (", inputs, made.arguments().size() == 1 ? "," : "", "), shape = _arrays(", rows(made), ", ", inputs, ")\n");
    if (needs_sides(made, written) && !only_signs(made)) {
      const auto row = [&](std::size_t k) { return cat("        ", side_text(made, k, made.speeds ? "rates" : "v", syntax_), ",\n"); };
      if (made.speeds) out += cat("    rates = ", prefix_, Generated::kSpeeds, "(q, v)\n");
      out += cat("    side = [\n", list_of(std::views::iota(std::size_t{0}, made.sides->list().size()), "", row), "    ]\n");
    } else if (needs_sides(made, written))
      out += cat("    side = [np.sign(x) for x in ", made.speeds ? cat(prefix_, Generated::kSpeeds, "(q, v)") : "v", "]\n");
    out += list_of(written.before_angles, "", assign);
    if (!written.angles.empty())
      out += cat("    angles = [", joined(written.angles), "]\n    sine = [np.sin(x) for x in angles]\n    cosine = [np.cos(x) for x in angles]\n");
    out += list_of(written.lines, "", assign);
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
    return cat("\n\ndef ", prefix_, "close(q, steps):\n", documented(close_explained()),
               "    Returns the positions, and that number for each state.\n    \"\"\"\n    at = ", prefix_, "closure(q)\n    before = np.prod(np.sign(at[",
               first,
               ":]), axis=0)\n    q = np.asarray(q, dtype=REAL)\n    for _ in range(steps):\n"
               "        q = at[:NQ]\n        at = ",
               prefix_, "closure(q)\n    least = np.array([", row(robot_.pivots), "], dtype=REAL).reshape((-1,) + (1,) * (at.ndim - 1))\n",
               "    sound = np.all(np.abs(at[", first, ":]) > least, axis=0) & (before * np.prod(np.sign(at[", first,
               ":]), axis=0) > 0)\n    left = np.max(np.abs(at[NQ:", first, "]), axis=0)\n    return q, np.where(sound | np.isnan(left), left, np.inf)\n");
  }

  /// The beginning of a function's own words.
  static std::string documented(const std::vector<std::string>& lines) {
    return cat("    \"\"\"", list_of(lines, "    ", [](const std::string& line) { return line + "\n"; }));
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
    std::vector<std::size_t> order(made.results());
    const bool transposed = is_by_coordinates(made) && !row_of(made.quantity).symmetric;
    const auto [rows, columns] = shape(made);
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = transposed ? i / columns + i % columns * rows : i;
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
      const auto list = [](const std::string& row) { return cat("            [", row, "],\n"); };
      const std::string inputs = list_of(test_rows(made, &TestState::inputs), "", list);
      std::string expected;
      for (const TestState& state : made.tests)
        expected += list(list_of(row_by_row(made), ", ", [&](std::size_t i) { return signed_literal(state.expected[i], robot_.real); }));
      calls += cat("    failed = _check(\n        ", named(made), ",\n        ", rows(made), ",\n        [\n", inputs, "        ],\n        [\n", expected,
                   "        ],\n        [", row(tolerances(made)), "],\n    )\n    if failed != 0:\n        return ", before, " + failed\n");
      before += made.tests.size();
    }
    out +=
        cat("\n\ndef selftest():\n    \"\"\"Compares results with values of an independent recursion in extended precision: 0 when all agree, else the number\n"
            "    of the first check that does not, from 1.\n    \"\"\"\n",
            calls, "    return 0\n");
    return out + cat("\n\nif __name__ == \"__main__\":\n    FAILED = selftest()\n    print(\"", name_, ": check %d of ", before,
                     " FAILED\" % FAILED if FAILED else \"", name_, ": all ", before, " checks passed\")\n    raise SystemExit(FAILED != 0)\n");
  }

  std::string name_;
};

}  // namespace

std::vector<GeneratedFile> files_in_python(const GeneratedRobot& robot) { return PythonFile(robot).run(); }

}  // namespace ulna::internal
