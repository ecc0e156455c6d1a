// MATLAB and Octave from a program: one file a function, for one state or many at once.
#include "emit/written.hpp"

#include "emit/languages.hpp"
#include "emit/literal.hpp"
#include "text/cat.hpp"

namespace ulna::internal {

namespace {

/// Elements are rows: one number, or one of each state.
class MatlabSyntax : public Syntax {
 public:
  explicit MatlabSyntax(Real real) : real_(real) {}

  std::string number(double value) const override { return literal(value, real_); }
  std::string element(const std::string& signal, std::size_t index) const override { return cat(signal, "(", index + 1, ",:)"); }
  std::string call(const char* function, const std::string& x) const override { return cat(function, "(", x, ")"); }

 private:
  Real real_;
};

/// The operators of the language act on matrices; those with a point act element by element.
std::string pointed(const std::string& expression) {
  std::string out;
  for (std::size_t i = 0; i < expression.size(); ++i) {
    if ((expression[i] == '*' || expression[i] == '/') && i > 0 && expression[i - 1] == ' ') out += '.';
    out += expression[i];
  }
  return out;
}

class MatlabFiles {
 public:
  // Names longer than 63 characters are cut by the language, so that functions would have the same.
  explicit MatlabFiles(const GeneratedRobot& robot)
      : robot_(robot),
        syntax_(robot.real),
        name_(robot.name.substr(0, 48)),
        prefix_(robot.prefix_or(name_ + "_")),
        single_(robot.real == Real::single_precision),
        n_(robot.sizes.nv) {}

  std::vector<GeneratedFile> run() const {
    std::vector<GeneratedFile> files;
    for (const Generated& made : robot_.functions) files.push_back({cat(prefix_, made.what(), ".m"), function(made)});
    if (robot_.closed()) files.push_back({prefix_ + "close.m", close()});
    files.push_back({prefix_ + "selftest.m", selftest()});
    return files;
  }

 private:
  std::string function(const Generated& made) const {
    const TabledSyntax tabled(syntax_, "numbers");
    const Written written = write_out(made.program, robot_.static_const ? static_cast<const Syntax&>(tabled) : syntax_);
    const std::vector<Signal> arguments = made.arguments();
    const std::string name = cat(prefix_, made.what()), result = made.program.outputs.front().name;
    std::string inputs;
    for (const Signal& s : arguments) inputs += cat(inputs.empty() ? "" : ", ", s.name);

    std::string out = cat("function ", result, " = ", name, "(", inputs, ")\n");
    out += commented(explained(robot_, made), "%");
    out += commented(banner(robot_, name + ".m",
                            {cat("Arguments are ", rows_text(made), " for one state or ", rows_text(made, "N"),
                                 " for N states. Results have a row for each number; the inertia matrix is ", n_, " x ", n_, " or ", n_, " x ", n_, " x N."),
                             cat("Self-test: ", prefix_, "selftest is 0 when all is well."), ""},
                            1),
                     "%");
    out += commented(names_explained(), "%");

    out += cat("count = size(", made.program.inputs.front().name, ", 2);\nif ");
    for (std::size_t k = 0; k < arguments.size(); ++k)
      out += cat(k == 0 ? "" : " || ", "~isequal(size(", arguments[k].name, "), [", arguments[k].size, ", count])");
    out += cat("\n  error('", name, ":size', 'arguments must be ", rows_text(made), ", or all ", rows_text(made, "N"), "');\nend\n");
    if (!tabled.numbers().empty()) {
      out += cat("numbers = ", single_ ? "single(" : "", "[");
      for (std::size_t k = 0; k < tabled.numbers().size(); ++k) out += cat(k == 0 ? "" : "; ", syntax_.number(tabled.numbers()[k]));
      out += cat("]", single_ ? ")" : "", ";\n");
    }
    if (made.takes_sides() && uses_signal(written, Generated::kSides))
      out += made.speeds ? cat("side = sign(", prefix_, Generated::kSpeeds, "(q, v));\n") : "side = sign(v);\n";
    if (single_)
      for (const Signal& s : arguments) out += cat(s.name, " = single(", s.name, ");\n");
    for (const Assignment& line : written.before_angles) out += assignment(line.name, line.expression);
    if (!written.angles.empty()) {
      std::string angles;
      for (const std::string& angle : written.angles) angles += cat(angles.empty() ? "" : "; ", pointed(angle));
      out += cat("angles = [", angles, "];\nsine = ", syntax_.call("sin", "angles"), ";\ncosine = ", syntax_.call("cos", "angles"), ";\n");
    }
    for (const Assignment& line : written.lines) out += assignment(line.name, line.expression);
    // The result has a name that no input has: forward dynamics, for one, does not take the accelerations that it gives.
    out += cat(result, " = zeros(", written.results.size(), ", count", single_ ? ", 'single'" : "", ");\n");
    for (std::size_t i = 0; i < written.results.size(); ++i) out += assignment(syntax_.element(result, i), written.results[i]);
    if (const QuantityRow& row = row_of(made.quantity); row.rows == kCoordinates && row.is_matrix())
      out += cat(result, " = reshape(", result, ", ", row.rows.of(robot_.sizes), ", ", row.columns.of(robot_.sizes), ", count);\n");
    return out + "end\n";
  }
  std::string close() const {
    const std::size_t nq = robot_.sizes.nq, first = nq + robot_.conditions();
    const std::string pivots = cat("at(", first + 1, ":end,:)");
    std::string least;
    for (const double x : robot_.pivots) least += cat(least.empty() ? "" : "; ", literal(x, robot_.real));
    return cat("function [q, left] = ", prefix_, "close(q, steps)\n", commented(close_explained(), "%"),
               commented(banner(robot_, prefix_ + "close.m", {}, 1), "%"), "at = ", prefix_, "closure(q);\nbefore = prod(sign(", pivots,
               "), 1);\nfor k = 1:steps\n  q = at(1:", nq, ",:);\n  at = ", prefix_, "closure(q);\nend\nleft = max(abs(at(", nq + 1, ":", first,
               ",:)), [], 1);\nleast = [", least, "];\nsound = all(bsxfun(@gt, abs(", pivots, "), least), 1) & before .* prod(sign(", pivots,
               "), 1) > 0;\nleft(~sound & ~isnan(left)) = Inf;\nend\n");
  }
  /// "7 x 1", or of a free base "13 x 1 (q) and 12 x 1"; with a wrench "and 6 x 1 (wrench)".
  std::string rows_text(const Generated& made, const char* columns = "1") const {
    const std::string own = robot_.two_sizes() ? cat(robot_.sizes.nq, " x ", columns, " (q) and ", n_, " x ", columns) : cat(n_, " x ", columns);
    return made.arguments().back().name == "wrench" ? cat(own, " and 6 x ", columns, " (wrench)") : own;
  }
  /// "[7, 7, 7]"
  static std::string rows(const Generated& made) {
    std::string out;
    for (const Signal& s : made.arguments()) out += cat(out.empty() ? "" : ", ", s.size);
    return cat("[", out, "]");
  }
  static std::string assignment(const std::string& name, const std::string& expression) { return cat(name, " = ", pointed(expression), ";\n"); }

  std::string matrix(const std::string& name, const std::vector<std::string>& rows) const {
    std::string out = cat(name, " = ", single_ ? "single(" : "", "[\n");
    for (const std::string& row : rows) out += cat("  ", row, "\n");
    return out + cat("]", single_ ? ")" : "", ";\n");
  }

  std::string selftest() const {
    const std::string name = prefix_ + "selftest";
    std::string out = cat("function failed = ", name, "()\n");
    out += commented({"Compares results with values of an independent recursion in extended precision: 0 when all agree, else the number of the first",
                      "check that does not, from 1."},
                     "%");
    out += commented(banner(robot_, name + ".m", {}, 1), "%");
    std::size_t before = 0;
    for (const Generated& made : robot_.functions) {
      if (made.tests.empty()) continue;
      std::vector<std::string> inputs, expected, tolerances;
      for (const TestState& state : made.tests) {
        inputs.push_back(literals(state.inputs, robot_.real));
        expected.push_back(literals(state.expected, robot_.real));
        tolerances.push_back(literal(state.tolerance, robot_.real));
      }
      out += cat("\n", matrix("inputs", inputs), matrix("expected", expected), matrix("tolerance", tolerances));
      out += cat("failed = first_failure(@", prefix_, made.what(), ", ", rows(made), ", inputs, expected, tolerance);\nif failed ~= 0\n  failed = ", before,
                 " + failed;\n  return\nend\n");
      before += made.tests.size();
    }
    // all() of a comparison is false for not-a-number.
    return out + std::string(
                     "failed = 0;\nend\n"
                     "\n% States are rows of numbers. They are tried one by one and all at once.\n"
                     "function k = first_failure(f, rows, inputs, expected, tolerance)\n"
                     "states = size(inputs, 1);\n"
                     "together = cell(1, numel(rows));\nalone = together;\n"
                     "for i = 1:numel(rows)\n  together{i} = inputs(:, sum(rows(1:i - 1)) + (1:rows(i))).';\nend\n"
                     "results = reshape(f(together{:}), [], states);\n"
                     "for k = 1:states\n"
                     "  for i = 1:numel(together)\n    alone{i} = together{i}(:, k);\n  end\n"
                     "  result = reshape(f(alone{:}), [], 1);\n"
                     "  wanted = expected(k, :).';\n"
                     "  if ~(all(abs(result - wanted) <= tolerance(k)) && all(abs(results(:, k) - wanted) <= tolerance(k)))\n"
                     "    return\n  end\nend\nk = 0;\nend\n");
  }

  const GeneratedRobot& robot_;
  MatlabSyntax syntax_;
  std::string name_;
  std::string prefix_;
  bool single_;
  std::size_t n_;
};

}  // namespace

std::vector<GeneratedFile> files_in_matlab(const GeneratedRobot& robot) { return MatlabFiles(robot).run(); }

}  // namespace ulna::internal
