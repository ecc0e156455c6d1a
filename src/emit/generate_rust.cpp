// Rust from a program: one module.
#include "emit/written.hpp"

#include "emit/languages.hpp"
#include "emit/literal.hpp"
#include "text/cat.hpp"

namespace ulna::internal {

namespace {

class RustSyntax : public Syntax {
 public:
  explicit RustSyntax(Real real) : real_(real) {}

  std::string number(double value) const override { return literal(value, real_); }
  std::string element(const std::string& signal, std::size_t index) const override { return cat(signal, "[", index, "]"); }
  std::string call(const char* function, const std::string& x) const override { return cat(type(), "::", function, "(", x, ")"); }
  const char* type() const { return real_ == Real::single_precision ? "f32" : "f64"; }
  std::string array(std::size_t size) const { return cat("[", type(), "; ", size, "]"); }

 private:
  Real real_;
};

class RustFile {
 public:
  explicit RustFile(const GeneratedRobot& robot) : robot_(robot), syntax_(robot.real), tabled_(syntax_, "NUMBERS") {}

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
      out += cat("\n/// The robot's numbers, in the order of their first use.\nstatic NUMBERS: ", syntax_.array(tabled_.numbers().size()), " = [\n");
      for (const double x : tabled_.numbers()) out += cat("    ", syntax_.number(x), ",\n");
      out += "];\n";
    }
    out += functions + close();
    return {{file, out + selftest()}};
  }

 private:
  std::string arguments(const Generated& made) const {
    std::string out;
    for (const Signal& s : made.arguments()) out += cat(out.empty() ? "" : ", ", s.name, ": &", syntax_.array(s.size));
    return out;
  }
  std::string named(const Generated& made) const { return robot_.prefix + made.what(); }
  std::string sides(const Generated& made, const Written& written) const {
    if (!made.takes_sides() || !uses_signal(written, Generated::kSides)) return {};
    const char* const v = made.speeds ? "rates" : "v";
    std::string out;
    for (std::size_t k = 0; k < made.program.inputs.back().size; ++k)
      out += cat("        if ", v, "[", k, "] > 0.0 { 1.0 } else if ", v, "[", k, "] < 0.0 { -1.0 } else { 0.0 },\n");
    return cat(made.speeds ? cat("    let rates = ", robot_.prefix, Generated::kSpeeds, "(q, v);\n") : "",
               "    let side: ", syntax_.array(made.program.inputs.back().size), " = [\n", out, "    ];\n");
  }
  std::string declaration(const Assignment& line) const { return cat("    let ", line.name, ": ", syntax_.type(), " = ", line.expression, ";\n"); }

  std::string function(const Generated& made) const {
    const Written written = write_out(made.program, robot_.static_const ? static_cast<const Syntax&>(tabled_) : syntax_);
    const std::size_t angles = written.angles.size();
    const std::string result = syntax_.array(written.results.size());

    std::string out = cat("\n", commented(explained(robot_, made), "///"), "pub fn ", named(made), "(", arguments(made), ") -> ", result, " {\n");
    if (made.folds()) {
      std::string body;
      for (const Assignment& line : written.lines) body += declaration(line);
      body += "    [\n";
      for (const std::string& x : written.results) body += cat("        ", x, ",\n");
      for (const Signal& s : made.arguments())
        if (!uses_signal(body, s.name)) out += cat("    let _ = ", s.name, ";\n");
      return out + body + "    ]\n}\n";
    }
    for (const Assignment& line : written.before_angles) out += declaration(line);
    std::string sines, cosines;
    for (const std::string& angle : written.angles) {
      sines += cat(sines.empty() ? "" : ", ", syntax_.call("sin", angle));
      cosines += cat(cosines.empty() ? "" : ", ", syntax_.call("cos", angle));
    }
    out += cat("    ", named(made), "_turned(&[", sines, "], &[", cosines, "]");
    for (const Signal& s : made.arguments()) out += cat(", ", s.name);
    out += ")\n}\n";

    out += "\n/// The same with sines and cosines that the caller has already:\n";
    for (std::size_t i = 0; i < angles; ++i) out += cat("/// `sine[", i, "]`, `cosine[", i, "]` of `", angle_text(written, i), "`\n");
    if (angles == 0) out += "/// there are none.\n";
    std::string body = sides(made, written);
    for (const Assignment& line : written.lines) body += declaration(line);
    body += "    [\n";
    for (const std::string& x : written.results) body += cat("        ", x, ",\n");
    body += "    ]\n";
    out += cat("pub fn ", named(made), "_turned(sine: &", syntax_.array(angles), ", cosine: &", syntax_.array(angles), ", ", arguments(made), ") -> ", result,
               " {\n");
    for (const char* name : {"sine", "cosine"})
      if (!uses_signal(body, name)) out += cat("    let _ = ", name, ";\n");
    for (const Signal& s : made.arguments())
      if (!uses_signal(body, s.name)) out += cat("    let _ = ", s.name, ";\n");
    return out + body + "}\n";
  }

  std::string close() const {
    if (!robot_.closed()) return {};
    const std::size_t nq = robot_.sizes.nq, pivots = nq + robot_.conditions();
    return cat("\n", commented(close_explained(), "///"), "pub fn ", robot_.prefix, "close(q: &mut ", syntax_.array(nq), ", steps: usize) -> ", syntax_.type(),
               " {\n    const LEAST: ", syntax_.array(robot_.pivots.size()), " = [", literals(robot_.pivots, robot_.real),
               "];\n    let mut at = ", robot_.prefix, "closure(q);\n    let mut side: ", syntax_.type(), " = 1.0;\n    for x in &at[", pivots,
               "..] {\n        side = side.copysign(side * x);\n    }\n    for _ in 0..steps {\n        q.copy_from_slice(&at[..", nq,
               "]);\n        at = ", robot_.prefix, "closure(q);\n    }\n    let mut left: ", syntax_.type(), " = 0.0;\n    for x in &at[", nq, "..", pivots,
               "] {\n        if !(x.abs() <= left) {\n            left = x.abs();\n        }\n    }\n    for (x, least) in at[", pivots,
               "..].iter().zip(LEAST.iter()) {\n        side = side.copysign(side * x);\n        if !(x.abs() > *least) && !left.is_nan() {\n            "
               "left = ",
               syntax_.type(), "::INFINITY;\n        }\n    }\n    if side < 0.0 && !left.is_nan() {\n        ", syntax_.type(),
               "::INFINITY\n    } else {\n        left\n    }\n}\n");
  }

  std::string table(const std::string& name, std::size_t columns, const std::vector<std::string>& rows) const {
    std::string out = cat("    static ", name, ": [", syntax_.array(columns), "; ", rows.size(), "] = [\n");
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
        rows.push_back(literals(std::vector<double>(first, first + static_cast<std::ptrdiff_t>(size)), robot_.real));
      }
      out += table(cat("INPUT_", k + 1), size, rows);
      call += cat(call.empty() ? "" : ", ", "&INPUT_", k + 1, "[k]");
      at += size;
    }
    std::vector<std::string> expected;
    std::vector<double> tolerances;
    for (const TestState& state : made.tests) expected.push_back(literals(state.expected, robot_.real)), tolerances.push_back(state.tolerance);
    const std::size_t results = made.program.results.size();
    out += table("EXPECTED", results, expected);
    out += cat("    static TOLERANCE: ", syntax_.array(tolerances.size()), " = [", literals(tolerances, robot_.real), "];\n");
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

  const GeneratedRobot& robot_;
  RustSyntax syntax_;
  TabledSyntax tabled_;
};

}  // namespace

std::vector<GeneratedFile> files_in_rust(const GeneratedRobot& robot) { return RustFile(robot).run(); }

}  // namespace ulna::internal
