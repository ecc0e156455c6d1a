// MATLAB and Octave from a program: one file a function, for one state or many at once.
#include <ranges>

#include "emit/written.hpp"

#include "emit/languages.hpp"
#include "emit/literal.hpp"
#include "text/message.hpp"

namespace ulna::internal {

namespace {

/// Elements are rows: one number, or one of each state.
class MatlabSyntax : public Syntax {
 public:
  using Syntax::Syntax;
  std::string element(const std::string& signal, std::size_t index) const override { return cat(signal, "(", index + 1, ",:)"); }
  std::string called(const std::string& function, const std::string& x) const override { return cat(function == "fabs" ? "abs" : function, "(", x, ")"); }
  std::string power(const std::string& x, const std::string& exponent) const override { return cat(x, " .^ ", exponent); }
  std::string sign(const std::string& v) const override { return cat("sign(", v, ")"); }
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

class MatlabFiles : LanguageFiles<MatlabSyntax> {
 public:
  // Names longer than 63 characters are cut by the language, so that functions would have the same.
  explicit MatlabFiles(const GeneratedRobot& robot)
      : LanguageFiles(robot, robot.prefix_or(robot.name.substr(0, 48) + "_"), "numbers", MatlabSyntax(robot.real)), n_(robot.sizes.nv) {}

  std::vector<GeneratedFile> run() const {
    std::vector<GeneratedFile> files;
    for (const Generated& made : robot_.functions) files.push_back({cat(prefix_, made.what(), ".m"), function(made)});
    if (robot_.closed()) files.push_back({prefix_ + "close.m", close()});
    files.push_back({prefix_ + "selftest.m", selftest()});
    return files;
  }

 private:
  std::string function(const Generated& made) const {
    const TabledSyntax tabled(robot_.real, syntax_, "numbers");
    const Written written = LanguageFiles::write(made, robot_.static_const ? static_cast<const Syntax&>(tabled) : syntax_);
    const std::vector<Signal> arguments = made.arguments();
    const std::string name = cat(prefix_, made.what()), result = made.program.outputs.front().name;
    std::string out = cat("function ", result, " = ", name, "(", argument_names(made), ")\n");
    out += commented(explained(robot_, made), "%");
    out += commented(banner(robot_, name + ".m",
                            {cat("Arguments are ", rows_text(made), " for one state or ", rows_text(made, "N"),
                                 " for N states. Results have a row for each number; the inertia matrix is ", n_, " x ", n_, " or ", n_, " x ", n_, " x N."),
                             cat("Self-test: ", prefix_, "selftest is 0 when all is well."), ""},
                            1),
                     "%");
    out += commented(names_explained(), "%");

    const auto misfits = [](const Signal& s) { return cat("~isequal(size(", s.name, "), [", s.size, ", count])"); };
    out += cat("count = size(", made.program.inputs.front().name, ", 2);\nif ", list_of(arguments, " || ", misfits), "\n  error('", name,
               ":size', 'arguments must be ", rows_text(made), ", or all ", rows_text(made, "N"), "');\nend\n");
    if (!tabled.numbers().empty()) out += cat("numbers = ", single_ ? "single(" : "", "[", column(tabled.numbers()), "]", single_ ? ")" : "", ";\n");
    if (needs_sides(made, written) && !only_signs(made)) {
      const auto row = [&](std::size_t k) { return pointed(side_text(made, k, made.speeds ? "rates" : "v", syntax_)); };
      if (made.speeds) out += cat("rates = ", prefix_, Generated::kSpeeds, "(q, v);\n");
      out += cat("side = [", list_of(std::views::iota(std::size_t{0}, made.sides->list().size()), "; ", row), "];\n");
    } else if (needs_sides(made, written))
      out += made.speeds ? cat("side = sign(", prefix_, Generated::kSpeeds, "(q, v));\n") : "side = sign(v);\n";
    if (single_)
      for (const Signal& s : arguments) out += cat(s.name, " = single(", s.name, ");\n");
    for (const Assignment& line : written.before_angles) out += assignment(line.name, line.expression);
    if (!written.angles.empty()) out += cat("angles = [", list_of(written.angles, "; ", pointed), "];\nsine = sin(angles);\ncosine = cos(angles);\n");
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
    return cat("function [q, left] = ", prefix_, "close(q, steps)\n", commented(close_explained(), "%"),
               commented(banner(robot_, prefix_ + "close.m", {}, 1), "%"), "at = ", prefix_, "closure(q);\nbefore = prod(sign(", pivots,
               "), 1);\nfor k = 1:steps\n  q = at(1:", nq, ",:);\n  at = ", prefix_, "closure(q);\nend\nleft = max(abs(at(", nq + 1, ":", first,
               ",:)), [], 1);\nleast = [", column(robot_.pivots), "];\nsound = all(bsxfun(@gt, abs(", pivots, "), least), 1) & before .* prod(sign(", pivots,
               "), 1) > 0;\nleft(~sound & ~isnan(left)) = Inf;\nend\n");
  }
  /// "7 x 1", or of a free base "13 x 1 (q) and 12 x 1"; with a wrench "and 6 x 1 (wrench)".
  std::string rows_text(const Generated& made, const char* columns = "1") const {
    const std::string own = robot_.two_sizes() ? cat(robot_.sizes.nq, " x ", columns, " (q) and ", n_, " x ", columns) : cat(n_, " x ", columns);
    return made.arguments().back().name == "wrench" ? cat(own, " and 6 x ", columns, " (wrench)") : own;
  }
  /// "[7, 7, 7]"
  static std::string rows(const Generated& made) {
    return cat("[", list_of(made.arguments(), ", ", [](const Signal& s) { return cat(s.size); }), "]");
  }
  std::string column(const std::vector<double>& numbers) const {
    return list_of(numbers, "; ", [&](double x) { return syntax_.number(x); });
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
      std::vector<std::string> allowed;
      for (const double tolerance : tolerances(made)) allowed.push_back(syntax_.number(tolerance));
      out += cat("\n", matrix("inputs", test_rows(made, &TestState::inputs)), matrix("expected", test_rows(made, &TestState::expected)),
                 matrix("tolerance", allowed));
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

  std::size_t n_;
};

}  // namespace

std::vector<GeneratedFile> files_in_matlab(const GeneratedRobot& robot) { return MatlabFiles(robot).run(); }

}  // namespace ulna::internal
