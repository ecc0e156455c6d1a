// Rust from a program: one module.
#include "emit/written.hpp"

#include "emit/languages.hpp"
#include "emit/literal.hpp"
#include "text/message.hpp"

namespace ulna::internal {

namespace {

class RustSyntax : public Syntax {
 public:
  using Syntax::Syntax;
  std::string called(const std::string& function, const std::string& x) const override {
    return cat("(", x, ").", function == "fabs" ? "abs" : function, "()");
  }
  std::string power(const std::string& x, const std::string& exponent) const override { return cat("(", x, ").powf(", exponent, ")"); }
  std::string sign(const std::string& v) const override { return cat("if ", v, " > 0.0 { 1.0 } else if ", v, " < 0.0 { -1.0 } else { 0.0 }"); }
};

class RustFile : LanguageFiles<RustSyntax> {
 public:
  explicit RustFile(const GeneratedRobot& robot) : LanguageFiles(robot, robot.prefix, "NUMBERS", RustSyntax(robot.real)) {}

  std::vector<GeneratedFile> run() const {
    const std::string file = robot_.name + ".rs";
    std::string out =
        commented(banner(robot_, file,
                         {"Nothing is allocated and no state is kept. Of std only sin and cos are used.", "", cat("Use:       mod ", robot_.name, ";"),
                          cat("Self-test: rustc -O --test ", file, " -o ", robot_.name, "_selftest && ./", robot_.name, "_selftest"), ""}),
                  "//");
    out += commented(names_explained(), "//");
    // Names follow the equations; units in brackets are no links; not every user calls every function; a robot's constant may look like pi.
    out += "#![allow(non_snake_case, rustdoc::broken_intra_doc_links, dead_code, clippy::all)]\n";
    out += cat("\npub const JOINTS: usize = ", robot_.joints.size(), ";\n");
    if (robot_.two_sizes()) out += cat("pub const NQ: usize = ", robot_.sizes.nq, ";\npub const NV: usize = ", robot_.sizes.nv, ";\n");
    std::string functions;
    for (const Generated& made : robot_.functions) functions += function(made);
    if (!tabled_.numbers().empty()) {
      out += cat("\n/// The robot's numbers, in the order of their first use.\nstatic NUMBERS: ", array(tabled_.numbers().size()), " = [\n");
      out += number_rows("    ", syntax_) + "];\n";
    }
    out += functions + close();
    return {{file, out + selftest()}};
  }

 private:
  const char* type() const { return single_ ? "f32" : "f64"; }
  std::string array(std::size_t size) const { return cat("[", type(), "; ", size, "]"); }
  std::string arguments(const Generated& made) const {
    return list_of(made.arguments(), ", ", [&](const Signal& s) { return cat(s.name, ": &", array(s.size)); });
  }
  std::string sides(const Generated& made, const Written& written) const {
    if (!needs_sides(made, written)) return {};
    const char* const v = made.speeds ? "rates" : "v";
    std::string out;
    for (std::size_t k = 0; k < made.program.inputs.back().size; ++k) out += cat("        ", side_text(made, k, v, syntax_), ",\n");
    return cat(made.speeds ? cat("    let rates = ", prefix_, Generated::kSpeeds, "(q, v);\n") : "", "    let side: ", array(made.program.inputs.back().size),
               " = [\n", out, "    ];\n");
  }

  std::string function(const Generated& made) const {
    const Written written = write(made);
    const std::size_t angles = written.angles.size();
    const std::string result = array(written.results.size());
    const auto declare = [&](const Assignment& line) { return cat("    let ", line.name, ": ", type(), " = ", line.expression, ";\n"); };
    std::string body = sides(made, written) + list_of(written.lines, "", declare) + "    [\n";
    for (const std::string& x : written.results) body += cat("        ", x, ",\n");
    body = cat(unused(made, body, !made.folds(), "    let _ = "), body, "    ]\n}\n");

    std::string out = cat("\n", commented(explained(robot_, made), "///"), "pub fn ", named(made), "(", arguments(made), ") -> ", result, " {\n");
    if (made.folds()) return out + body;
    const auto of_angles = [&](const char* function) {
      return list_of(written.angles, ", ", [&](const std::string& angle) { return cat(type(), "::", function, "(", angle, ")"); });
    };
    out += cat(list_of(written.before_angles, "", declare), "    ", named(made), "_turned(&[", of_angles("sin"), "], &[", of_angles("cos"), "], ",
               argument_names(made), ")\n}\n");

    out += "\n/// The same with sines and cosines that the caller has already:\n";
    for (std::size_t i = 0; i < angles; ++i) out += cat("/// `sine[", i, "]`, `cosine[", i, "]` of `", angle_text(written, i), "`\n");
    if (angles == 0) out += "/// there are none.\n";
    return out +
           cat("pub fn ", named(made), "_turned(sine: &", array(angles), ", cosine: &", array(angles), ", ", arguments(made), ") -> ", result, " {\n", body);
  }

  std::string close() const {
    if (!robot_.closed()) return {};
    const std::size_t nq = robot_.sizes.nq, pivots = nq + robot_.conditions();
    return cat("\n", commented(close_explained(), "///"), "pub fn ", prefix_, "close(q: &mut ", array(nq), ", steps: usize) -> ", type(),
               " {\n    const LEAST: ", array(robot_.pivots.size()), " = [", row(robot_.pivots), "];\n    let mut at = ", prefix_,
               "closure(q);\n    let mut side: ", type(), " = 1.0;\n    for x in &at[", pivots,
               "..] {\n        side = side.copysign(side * x);\n    }\n    for _ in 0..steps {\n        q.copy_from_slice(&at[..", nq,
               "]);\n        at = ", prefix_, "closure(q);\n    }\n    let mut left: ", type(), " = 0.0;\n    for x in &at[", nq, "..", pivots,
               "] {\n        if !(x.abs() <= left) {\n            left = x.abs();\n        }\n    }\n    for (x, least) in at[", pivots,
               "..].iter().zip(LEAST.iter()) {\n        side = side.copysign(side * x);\n        if !(x.abs() > *least) && !left.is_nan() {\n            "
               "left = ",
               type(), "::INFINITY;\n        }\n    }\n    if side < 0.0 && !left.is_nan() {\n        ", type(),
               "::INFINITY\n    } else {\n        left\n    }\n}\n");
  }

  std::string table(const std::string& name, std::size_t columns, const std::vector<std::string>& rows) const {
    std::string out = cat("    static ", name, ": [", array(columns), "; ", rows.size(), "] = [\n");
    for (const std::string& row : rows) out += cat("        [", row, "],\n");
    return out + "    ];\n";
  }

  std::string test(const Generated& made) const {
    std::string out = cat("\nfn test_", made.what(), "() -> Result<(), usize> {\n"), call;
    std::size_t at = 0;
    const std::vector<Signal> arguments = made.arguments();
    for (std::size_t k = 0; k < arguments.size(); ++k) {
      const std::size_t size = arguments[k].size;
      std::vector<std::string> rows;
      for (const TestState& state : made.tests) {
        const auto first = state.inputs.begin() + static_cast<std::ptrdiff_t>(at);
        rows.push_back(row(std::vector<double>(first, first + static_cast<std::ptrdiff_t>(size))));
      }
      out += table(cat("INPUT_", k + 1), size, rows);
      call += cat(call.empty() ? "" : ", ", "&INPUT_", k + 1, "[k]");
      at += size;
    }
    const std::size_t results = made.results();
    out += table("EXPECTED", results, test_rows(made, &TestState::expected));
    out += cat("    static TOLERANCE: ", array(made.tests.size()), " = [", row(tolerances(made)), "];\n");
    // Written so that not-a-number fails.
    return out + cat("    for k in 0..", made.tests.size(), " {\n        let result = ", named(made), "(", call, ");\n        for i in 0..", results,
                     " {\n            if !((result[i] - EXPECTED[k][i]).abs() <= TOLERANCE[k]) {\n                return Err(k + 1);\n            }\n"
                     "        }\n    }\n    Ok(())\n}\n");
  }

  std::string selftest() const {
    std::string out, calls;
    std::size_t before = 0;
    for (const Generated& made : robot_.functions) {
      if (made.tests.empty()) continue;
      out += test(made);
      calls += cat("    test_", made.what(), "().map_err(|k| k + ", before, ")?;\n");
      before += made.tests.size();
    }
    out +=
        cat("\n/// Compares results with values of an independent recursion in extended precision. An error is the number of the first check that does not\n"
            "/// agree, from 1.\npub fn selftest() -> Result<(), usize> {\n",
            calls, "    Ok(())\n}\n");
    return out + "\n#[cfg(test)]\nmod tests {\n    #[test]\n    fn selftest() {\n        assert_eq!(super::selftest(), Ok(()));\n    }\n}\n";
  }
};

}  // namespace

std::vector<GeneratedFile> files_in_rust(const GeneratedRobot& robot) { return RustFile(robot).run(); }

}  // namespace ulna::internal
