// C++11 from a program: one header of functions that take any scalar.
#include <ranges>

#include <ulna/scalar/scalar.hpp>

#include "emit/languages.hpp"
#include "emit/literal.hpp"
#include "emit/written.hpp"
#include "text/message.hpp"

namespace ulna::internal {

namespace {

/// Constants are written in double precision and converted to the scalar.
class CppSyntax : public Syntax {
 public:
  explicit CppSyntax(Real real)
      : Syntax(Real::double_precision), overflows_(real == Real::single_precision ? static_cast<double>(kOverflowsBeyond<float>) : kOverflowsBeyond<double>) {}

  std::string number(double value) const override {
    // The largest angle depends on the scalar. One without limits has no guard against large angles.
    const double rate = value / overflows_;
    if (is_never_tabled(value)) return cat("(std::numeric_limits<T>::max() / T(", literal(kLargestAngle / rate, real_), "))");
    return cat("T(", Syntax::number(value), ")");
  }
  std::string called(const std::string& function, const std::string& x) const override { return cat(function, "(", x, ")"); }
  std::string power(const std::string& x, const std::string& exponent) const override { return cat("pow(", x, ", ", exponent, ")"); }
  std::string sign(const std::string& v) const override { return cat("T(int(", v, " > T(0)) - int(", v, " < T(0)))"); }
  std::string tabled(const std::string& table, std::size_t index) const override { return cat("T(", element(table, index), ")"); }
  /// The overflow factor of angles is not a parameter of the robot.
  bool is_never_tabled(double value) const override { return value / overflows_ > 1e-6; }

 private:
  double overflows_;
};

class CppFile : LanguageFiles<CppSyntax> {
 public:
  explicit CppFile(const GeneratedRobot& robot)
      : LanguageFiles(robot, robot.prefix, "numbers()", CppSyntax(robot.real), robot.real == Real::single_precision ? "f" : ""),
        name_(robot.name),
        type_(single_ ? "float" : "double"),
        upper_(upper_case(name_)) {}

  std::vector<GeneratedFile> run() const {
    const std::string file = name_ + ".hpp", macro = upper_ + "_SELFTEST_MAIN";
    std::string out = commented(
        banner(robot_, file,
               {"T is any type with + - * /, a constructor from double, and sin and cos in its own namespace or in std: double, float, types of automatic",
                "differentiation. Results must not overlap inputs. Functions keep no state. C++11 or later.", "",
                cat("Self-test: c++ -std=c++11 -O2 -x c++ -D", macro, " ", file, " -o ", name_, "_selftest && ./", name_, "_selftest"), ""}),
        "//");
    out += commented(names_explained(), "//");
    out += cat("#ifndef ", upper_, "_HPP\n#define ", upper_, "_HPP\n\n#include <cmath>\n#include <limits>\n\nnamespace ", name_,
               " {\n\nenum { joints = ", robot_.joints.size(), robot_.two_sizes() ? cat(", nq = ", robot_.sizes.nq, ", nv = ", robot_.sizes.nv) : "", " };\n");
    std::string functions;
    for (const Generated& made : robot_.functions) functions += function(made);
    out += numbers() + functions + close();
    out += selftest();
    out += cat("\n}  // namespace ", name_, "\n");
    out += cat("\n#ifdef ", macro, "\n#include <cstdio>\nint main() {\n  const int failed = ", name_, "::selftest();\n  if (failed != 0)\n    std::printf(\"",
               name_, ": check %d of ", checks(), " FAILED\\n\", failed);\n  else\n    std::printf(\"", name_, ": all ", checks(),
               " checks passed\\n\");\n  return failed != 0;\n}\n#endif\n\n#endif\n");
    return {{file, out}};
  }

 private:
  /// A function: a static table in a header would be duplicated in every file that includes it.
  std::string numbers() const {
    if (tabled_.numbers().empty()) return {};
    return cat("\n// The robot's numbers, in the order of their first use.\ninline const double* numbers() {\n  static const double all[",
               tabled_.numbers().size(), "] = {\n", number_rows("      ", Syntax(Real::double_precision)), "  };\n  return all;\n}\n");
  }
  std::string sides(const Generated& made, const Written& written) const {
    if (!needs_sides(made, written)) return {};
    const std::size_t count = made.program.inputs.back().size;
    const char* const v = made.speeds ? "rates" : "v";
    const std::string out = list_of(std::views::iota(std::size_t{0}, count), ", ", [&](std::size_t k) { return side_text(made, k, v, syntax_); });
    return cat(made.speeds ? cat("  T rates[", made.speeds->results.size(), "];\n  ", prefix_, Generated::kSpeeds, "<T>(q, v, rates);\n") : "",
               only_signs(made) ? "" : "  using std::exp;\n  using std::fabs;\n  using std::pow;\n  using std::tanh;\n", "  const T side[", count, "] = {", out,
               "};\n");
  }
  static std::string arguments(const Generated& made) {
    return list_of(made.arguments(), "", [](const Signal& s) { return cat("const T* ", s.name, ", "); }) + "T* " + made.program.outputs.front().name;
  }
  static std::string sizes(const Generated& made) {
    const auto size = [](const Signal& s) { return cat(s.name, "[", s.size, "]"); };
    return cat(list_of(made.arguments(), ", ", size), ", ", list_of(made.program.outputs, ", ", size));
  }

  std::string function(const Generated& made) const {
    const Written written = write(made);
    const std::size_t angles = written.angles.size();
    const std::string result = made.program.outputs.front().name;
    const auto declare = [](const Assignment& line) { return cat("  const T ", line.name, " = ", line.expression, ";\n"); };
    std::string body = sides(made, written) + list_of(written.lines, "", declare);
    for (std::size_t i = 0; i < written.results.size(); ++i) body += cat("  ", result, "[", i, "] = ", written.results[i], ";\n");
    body = unused(made, body, !made.folds(), "  (void)") + body;

    std::vector<std::string> lines = explained(robot_, made);
    lines.push_back(cat("Sizes: ", sizes(made), "."));
    const std::string begin = cat("\n", commented(lines, "//"), "template <class T>\nvoid ", named(made), "(", arguments(made), ") {\n");
    if (made.folds()) return cat(begin, body, "}\n");
    lines = {cat("The function below with sines and cosines that the caller has already", angles == 0 ? ": there are none." : ":")};
    for (std::size_t i = 0; i < angles; ++i) lines.push_back(cat("  sine[", i, "], cosine[", i, "]: of ", angle_text(written, i)));
    std::string out = cat("\n", commented(lines, "//"), "template <class T>\nvoid ", named(made), "_turned(const T* sine, const T* cosine, ", arguments(made),
                          ") {\n", body, "}\n", begin);
    if (angles > 0) out += "  using std::cos;\n  using std::sin;\n";
    out += list_of(written.before_angles, "", declare);
    for (const auto& [function, name] : {std::pair{"sin", "sine"}, std::pair{"cos", "cosine"}})
      if (angles > 0)
        out += cat("  const T ", name, "[", angles, "] = {",
                   list_of(written.angles, ", ", [&, function = function](const std::string& angle) { return cat(function, "(", angle, ")"); }), "};\n");
    return out + cat("  ", named(made), "_turned<T>(", angles > 0 ? "sine, cosine" : "nullptr, nullptr", ", ", argument_names(made), ", ", result, ");\n}\n");
  }

  std::string close() const {
    if (!robot_.closed()) return {};
    const std::size_t nq = robot_.sizes.nq, first = nq + robot_.conditions(), all = first + robot_.pivots.size();
    const std::string closure = cat(prefix_, "closure<T>(q, at);\n"),
                      side = cat("  for (int i = ", first, "; i < ", all, "; ++i) side = at[i] < T(0) ? -side : side;\n");
    return cat("\n", commented(close_explained(), "//"), "template <class T>\nT ", prefix_, "close(T* q, int steps) {\n  static const double least[",
               robot_.pivots.size(), "] = {", literals(robot_.pivots, Real::double_precision), "};\n  T at[", all, "];\n  int side = 1;\n  ", closure, side,
               "  for (; steps > 0; --steps) {\n    for (int i = 0; i < ", nq, "; ++i) q[i] = at[i];\n    ", closure, "  }\n", side,
               "  T left = T(0);\n  for (int i = ", nq, "; i < ", first,
               "; ++i) {\n    const T size = at[i] < T(0) ? -at[i] : at[i];\n    if (!(size <= left)) left = size;\n  }\n  bool sound = side > 0;\n"
               "  for (int i = 0; i < ",
               robot_.pivots.size(), "; ++i) sound = sound && (at[", first, " + i] < T(0) ? -at[", first, " + i] : at[", first,
               " + i]) > T(least[i]);\n  return sound || left != left ? left : std::numeric_limits<T>::infinity();\n}\n");
  }

  std::string table(const char* name, std::size_t columns, const std::vector<std::string>& rows) const {
    std::string out = cat("  static const ", type_, " ", name, "[", rows.size(), "][", columns, "] = {\n");
    for (const std::string& row : rows) out += cat("      {", row, "},\n");
    return out + "  };\n";
  }

  std::string selftest() const {
    std::string out, calls;
    std::size_t before = 0;
    for (const Generated& made : robot_.functions) {
      if (made.tests.empty()) continue;
      const std::size_t results = made.results();
      out += cat("\ninline int test_", made.what(), "() {\n", table("inputs", made.argument_count(), test_rows(made, &TestState::inputs)),
                 table("expected", results, test_rows(made, &TestState::expected)), "  static const ", type_, " tolerance[", made.tests.size(), "] = {",
                 row(tolerances(made)), "};\n  for (int k = 0; k < ", made.tests.size(), "; ++k) {\n    ", type_, " result[", results, "];\n    ", named(made),
                 "<", type_, ">(");
      std::size_t at = 0;
      for (const Signal& s : made.arguments()) {
        out += cat("inputs[k]", at == 0 ? "" : cat(" + ", at), ", ");
        at += s.size;
      }
      // Written so that not-a-number fails.
      out += cat("result);\n    for (int i = 0; i < ", results,
                 "; ++i)\n      if (!(std::fabs(result[i] - expected[k][i]) <= tolerance[k])) return k + 1;\n"
                 "  }\n  return 0;\n}\n");
      calls += cat("  if (const int failed = test_", made.what(), "()) return ", before, " + failed;\n");
      before += made.tests.size();
    }
    return out +
           cat("\n// Compares results with values of an independent recursion in extended precision: 0 when all agree, else the number of the first check\n"
               "// that does not, from 1.\ninline int selftest() {\n",
               calls, "  return 0;\n}\n");
  }

  std::string name_, type_, upper_;
};

}  // namespace

std::vector<GeneratedFile> files_in_cpp(const GeneratedRobot& robot) { return CppFile(robot).run(); }

}  // namespace ulna::internal
