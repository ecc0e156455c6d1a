// C99 from a program: one header, one source.
#include <algorithm>
#include <ranges>
#include <set>
#include <stdexcept>

#include <ulna/emit/generate.hpp>
#include <ulna/version.hpp>

#include "emit/languages.hpp"
#include "emit/literal.hpp"
#include "emit/written.hpp"
#include "jit/sincos.hpp"
#include "text/message.hpp"

namespace ulna::internal {

namespace {

/// Largest number of angles at a time: a whole number of vectors on every processor.
constexpr std::size_t kAngles = 8;

/// Size of a table of angles: rounded up to pairs, for vectors of two.
constexpr std::size_t angle_room(std::size_t angles) { return (angles + 1) / 2 * 2; }

/// Number of angles from `first` on in the next call: eight, or the rest.
constexpr std::size_t next_angles(std::size_t angles, std::size_t first) { return std::min(kAngles, angle_room(angles - first)); }

/// Name of the generated sincos function without the prefix: "turn" for eight angles, "turn_6" for six.
std::string sincos_name(std::size_t count) { return count == kAngles ? "turn" : cat("turn_", count); }

using Numbers = jit::SinCosNumbers<double>;
static_assert(Numbers::terms == 6);

std::string number(double value) { return signed_literal(value, Real::double_precision); }

/// Six terms, c0 + z ((c1 + c2 z) + z² ((c3 + c4 z) + c5 z²)): as many operations as from the last term on, and fewer that wait for others. The largest term is
/// added last, and rounded once.
std::string polynomial(const double* c) {
  const auto pair = [c](int i) { return cat("(", number(c[i]), " + (z * ", number(c[i + 1]), "))"); };
  return cat(number(c[0]), " + (z * (", pair(1), " + (zz * (", pair(3), " + (zz * ", number(c[5]), ")))))");
}

class CSyntax : public Syntax {
 public:
  CSyntax(Real real, bool misra) : Syntax(real), single_(real == Real::single_precision), misra_(misra) {}

  std::string number(double value) const override { return single_ ? Syntax::number(value) + "f" : Syntax::number(value); }
  std::string call(const char* function, const std::string& x) const { return cat(function, single_ ? "f(" : "(", x, ")"); }
  std::string called(const std::string& function, const std::string& x) const override { return call(function.c_str(), x); }
  std::string power(const std::string& x, const std::string& exponent) const override { return call("pow", cat(x, ", ", exponent)); }
  std::string sign(const std::string& v) const override {
    const std::string zero = number(0), one = number(1);
    return cat("(", v, " > ", zero, ") ? ", one, " : ((", v, " < ", zero, ") ? -", one, " : ", zero, ")");
  }
  bool brackets() const override { return misra_; }
  const char* type() const { return single_ ? (misra_ ? "ulna_float32" : "float") : misra_ ? "ulna_float64" : "double"; }
  const char* index() const { return misra_ ? "int32_t" : "int"; }

 private:
  bool single_, misra_;
};

/// Numbers of eight states side by side: number i of state l stands at 8 i + l. Tables of the robot's numbers, and signs, are not by state.
class LaneSyntax : public CSyntax {
 public:
  explicit LaneSyntax(Real real) : CSyntax(real, false) {}
  std::string element(const std::string& signal, std::size_t index) const override {
    return signal == Generated::kSides ? cat(signal, "_", index) : index == 0 ? cat(signal, "[l]") : cat(signal, "[", kAngles * index, " + l]");
  }
  std::string tabled(const std::string& table, std::size_t index) const override { return Syntax::element(table, index); }
};

class CFiles : LanguageFiles<CSyntax> {
 public:
  explicit CFiles(const GeneratedRobot& robot)
      : LanguageFiles(robot, robot.prefix_or(robot.name + "_"), robot.prefix_or(robot.name + "_") + "numbers", CSyntax(robot.real, robot.misra),
                      robot.real == Real::single_precision ? "f" : ""),
        lanes_(robot.real),
        upper_(upper_case(robot.name)) {
    for (const Generated& made : robot.functions) written_.push_back(write(made));
    if (robot.misra) require_short_names();
  }
  std::vector<GeneratedFile> run() const {
    if (robot_.single_file) return {{robot_.name + ".c", cat(header(), "\n", source())}};
    return {{robot_.name + ".h", header()}, {robot_.name + ".c", source()}};
  }

 private:
  std::string header() const {
    const std::string guard = upper_ + "_H";
    std::string out = cat("/* ", robot_.name, robot_.single_file ? ".c" : ".h", ": equations of motion of the robot '", comment_text(robot_.robot), "'.\n");
    out += cat(" * Written by Ulna " ULNA_VERSION " from the model with the hash ", comment_text(robot_.hash), "; do not edit.\n *\n");
    if (!robot_.note.empty()) out += cat(" * ", comment_text(robot_.note), "\n *\n");
    out += cat(" * ", vectors_text(robot_), "\n");
    for (const std::string& line : coordinate_lines(robot_, 0)) out += cat(" *   ", line, "\n");
    out += cat(" *\n * SI units. ", influences_text(robot_), "\n");
    out +=
        " * Results must not overlap inputs. Functions keep no state: call them from as many threads as you like. An input that is NaN, infinite, or an angle\n"
        " * beyond 1.6e6 rad makes every result NaN; compilers that are told to take all numbers as finite (-ffast-math) take that away.\n *\n";
    out += cat(" * Compile:   cc -std=c99 -O2 -c ", robot_.name, ".c\n");
    out += cat(" * Self-test: cc -std=c99 -O2 -D", upper_, "_SELFTEST_MAIN ", robot_.name, ".c -lm -o ", robot_.name, "_selftest && ./", robot_.name,
               "_selftest\n");
    out += cat(" * CMake:     add_library(", robot_.name, " STATIC ", robot_.name, ".c)\n");
    if (robot_.misra)
      out +=
          cat(" *\n * A subset of C99 after MISRA C:2012: no recursion, no heap, no arrays of variable length, types of fixed width, one way out of every "
              "function.\n"
              " * Every function takes less than ",
              stack(), " bytes of stack, ", calls() * stack(), " with what it calls, the self-test ", (calls() + 2) * stack(),
              " (gcc and clang on 64-bit processors).\n");
    out += " */\n";
    if (!robot_.single_file) out += cat("#ifndef ", guard, "\n#define ", guard, "\n\n");
    if (robot_.misra) out += "#include <stdint.h>\n";
    if (robot_.batch || robot_.misra) out += "#include <stddef.h>\n";
    if (robot_.single_file) out += includes();
    if (robot_.batch || robot_.misra || robot_.single_file) out += "\n";
    const auto named = [&](const char* name, const char* guarded, const char* type) {
      out += cat("#ifndef ", guarded, "\n#define ", guarded, "\ntypedef ", type, " ", name, ";\n#endif\n\n");
    };
    if (robot_.misra && single_) named("ulna_float32", "ULNA_FLOAT32", "float");
    if (robot_.misra) named("ulna_float64", "ULNA_FLOAT64", "double");
    out += "#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n";
    out += cat("#define ", upper_, "_JOINTS ", robot_.joints.size(), "\n");
    if (robot_.two_sizes()) out += cat("#define ", upper_, "_NQ ", robot_.sizes.nq, "\n#define ", upper_, "_NV ", robot_.sizes.nv, "\n");
    out += "\n";
    for (std::size_t k = 0; k < robot_.functions.size(); ++k) {
      const Generated& made = robot_.functions[k];
      const std::vector<std::string> lines = explained(robot_, made);
      out += cat("/* ", lines[0], "\n * ", lines[1], " */\n", signature(made), ";\n\n");
      if (made.folds()) continue;
      out += "/* The same with sines and cosines that the caller has already:\n";
      for (std::size_t i = 0; i < written_[k].angles.size(); ++i) out += cat(" *   sine[", i, "], cosine[", i, "]: of ", angle_text(written_[k], i), "\n");
      if (written_[k].angles.empty()) out += " *   there are none; pass null pointers\n";
      out += cat(" */\n", signature_of_sincos(made), ";\n\n");
      if (robot_.batch)
        out += cat("/* The same for ", kAngles, " states side by side, number i of state l at [", kAngles,
                   " i + l]; and for `count` states one after the other. */\n", signature_of_lanes(made, ""), ";\n", signature_of_batch(made), ";\n\n");
    }
    if (robot_.closed()) out += cat("/* ", joined(close_explained(), "\n * "), " */\n", signature_of_close(), ";\n\n");
    out +=
        cat("/* Compares results with values of an independent recursion in extended precision: 0 when all agree, else the number of the first check that\n"
            " * does not, from 1. */\n",
            syntax_.index(), " ", prefix_, "selftest(void);\n\n");
    return out + "#ifdef __cplusplus\n}\n#endif\n" + (robot_.single_file ? "" : "\n#endif\n");
  }

  std::string source() const {
    std::string out =
        robot_.single_file ? "/*" : cat("/* ", robot_.name, ".c: see ", robot_.name, ".h. Written by Ulna " ULNA_VERSION "; do not edit.\n *\n *");
    out += cat(" ", joined(names_explained(), "\n * "), "\n */\n");
    if (!robot_.single_file) out += cat("#include \"", robot_.name, ".h\"\n\n", includes());
    if ((!sincos_counts().empty() && !robot_.misra) || robot_.batch)
      out +=
          "\n#if defined(__STDC_VERSION__) && __STDC_VERSION__ >= 199901L\n#define ULNA_RESTRICT restrict\n"
          "#elif defined(__GNUC__) || defined(_MSC_VER)\n#define ULNA_RESTRICT __restrict\n#else\n#define ULNA_RESTRICT\n#endif\n";
    for (const std::size_t count : sincos_counts()) out += sincos_function(count);
    std::string functions;
    for (std::size_t k = 0; k < robot_.functions.size(); ++k) {
      functions += function(robot_.functions[k], written_[k]);
      if (robot_.batch && !robot_.functions[k].folds()) functions += lanes(robot_.functions[k]) + batch(robot_.functions[k]);
    }
    return out + numbers() + functions + close() + selftest();
  }

  /// Numbers of angles of the sincos functions that are called.
  std::set<std::size_t> sincos_counts() const {
    std::set<std::size_t> counts;
    for (const Written& w : written_) {
      for (std::size_t i = 0; i < w.angles.size(); i += kAngles) counts.insert(next_angles(w.angles.size(), i));
      if (robot_.batch && !w.angles.empty()) counts.insert(kAngles);
    }
    return counts;
  }
  const char* restricted() const { return robot_.misra ? "" : "ULNA_RESTRICT "; }
  std::string includes() const { return !sincos_counts().empty() ? "#include <float.h>\n#include <math.h>\n" : "#include <math.h>\n"; }

  /// The function `PREFIXturn(angle, sine, cosine)` for `count` angles: within 1 ulp up to kLargestAngle, by the sums and products of jit/sincos.hpp without
  /// fused multiplication, which compilers may use all the same: products with the first two parts of π/2 are exact. Floats are computed in doubles. Where
  /// numbers have excess precision, the compiler may reorder sums (-ffast-math) or, of floats, the processor has no doubles, it calls the library's sine and
  /// cosine.
  std::string sincos_function(std::size_t count) const {
    const std::string magic = number(Numbers::magic), wide = robot_.misra ? "ulna_float64" : "double", line = cat("    const ", wide, " "),
                      type = syntax_.type();
    std::string out = cat("\n/* Sines and cosines of ", count,
                          " angles, within 1 ulp up to 1.6e6 rad, without a branch. x = n pi/2 + r + rest, where n is the nearest integer; pi/2 is the sum\n"
                          " * of three numbers, and products with the first two are exact. Where numbers have more digits than their\n"
                          " * type, or the compiler may reorder sums, the library's functions are called",
                          single_ ? "; so they are where the processor has no doubles,\n * in which floats are computed" : "", ". */\n");
    out += cat("static void ", prefix_, sincos_name(count), "(const ", type, " *", restricted(), "angle, ", type, " *", restricted(), "sine, ", type, " *",
               restricted(), "cosine)\n{\n  ", syntax_.index(), " i;\n  for (i = 0; i < ", count, "; ++i) {\n");
    out += "#if defined(FLT_EVAL_METHOD) && (FLT_EVAL_METHOD == 0) && !defined(__FAST_MATH__) && !defined(__ASSOCIATIVE_MATH__)";
    if (single_) out += " \\\n    && !defined(__SOFTFP__) && (!defined(__ARM_FP) || ((__ARM_FP & 8) != 0)) && (!defined(__riscv_flen) || (__riscv_flen >= 64))";
    const auto let = [&](const char* name, const std::string& value) { out += cat(line, name, " = ", value, ";\n"); };
    out += "\n";
    let("x", single_ ? cat("(", wide, ")angle[i]") : "angle[i]");
    let("n", cat("((x * ", number(Numbers::two_over_pi), ") + ", magic, ") - ", magic));
    let("t", cat("x - (n * ", number(Numbers::short_P[0]), ")"));
    if (single_) {
      // 29 bits of r are enough, and doubles have 53.
      let("r", cat("t - (n * ", number(Numbers::short_P[1] + Numbers::short_P[2]), ")"));
      let("z", "r * r");
      let("zz", "z * z");
      let("s_r", cat("r + ((r * z) * (", polynomial(Numbers::S), "))"));
      let("c_r", cat("(1.0 - (0.5 * z)) + (zz * (", polynomial(Numbers::C), "))"));
    } else {
      let("u", cat("n * ", number(Numbers::short_P[1])));
      let("first", "t - u");
      let("second", cat("((t - first) - u) - (n * ", number(Numbers::short_P[2]), ")"));
      let("r", "first + second");
      let("rest", "(first - r) + second");
      let("z", "r * r");
      let("zz", "z * z");
      let("p", polynomial(Numbers::S));
      let("c", polynomial(Numbers::C));
      let("half", "0.5 * z");
      let("w", "1.0 - half");
      let("s_r", "r + ((r * z * p) + rest)");
      let("c_r", "w + (((1.0 - w) - half) + ((zz * c) - (r * rest)))");
    }
    out += cat(line, "quarter = n - (4.0 * (((n * 0.25) + ", magic, ") - ", magic, ")); /* -2 to 2 */\n");
    out += cat(line, "even = 1.0 - fabs(quarter); /* cosine and sine of so many quarter turns: 0 or +-1 */\n");
    let("odd", "quarter * (1.0 + even)");
    const auto result = [&](const char* name, const char* value) {
      out += single_ ? cat("    ", name, "[i] = (", type, ")(", value, ");\n") : cat("    ", name, "[i] = ", value, ";\n");
    };
    result("sine", "(even * s_r) + (odd * c_r)");
    result("cosine", "(even * c_r) - (odd * s_r)");
    const char* const f = single_ ? "f" : "";
    return out + cat("#else\n    sine[i] = sin", f, "(angle[i]);\n    cosine[i] = cos", f, "(angle[i]);\n#endif\n  }\n}\n");
  }

  /// Frames of a function and what it calls: another one, and of a robot with loops what gives friction its signs. The self-test has two more.
  std::size_t calls() const { return robot_.closed() ? 4 : 2; }
  /// Upper bound of a function's frame at any level of optimisation: as if every name had its own place.
  std::size_t stack() const {
    std::size_t most = 0;
    for (std::size_t k = 0; k < written_.size(); ++k) {
      const Generated& made = robot_.functions[k];
      const std::size_t named = written_[k].lines.size() + written_[k].before_angles.size() + 3 * angle_room(written_[k].angles.size()) +
                                made.program.results.size() + (made.takes_sides() ? made.program.inputs.back().size : 0);
      most = std::max(most, (single_ ? 4 : 8) * named);
    }
    return (most + 512 + 63) / 64 * 64;
  }
  /// Rule 5.1: linkers may distinguish only 31 characters of a name.
  void require_short_names() const {
    constexpr std::size_t kSeen = 31;
    std::set<std::string> seen{prefix_ + "selftest"};
    const auto require = [&](const std::string& name) {
      if (!seen.insert(name.substr(0, kSeen)).second)
        throw std::invalid_argument(cat("two functions have names that agree in their first 31 characters, ", name.substr(0, kSeen),
                                        ", which MISRA C does not allow: give a shorter name or prefix"));
    };
    if (robot_.closed()) require(prefix_ + "close");
    for (const Generated& made : robot_.functions) {
      require(named(made));
      if (!made.folds()) require(named(made) + "_turned");
    }
  }
  std::string numbers() const {
    if (tabled_.numbers().empty()) return {};
    return cat("\n/* The robot's numbers, in the order of their first use. */\nstatic const ", syntax_.type(), " ", prefix_, "numbers[",
               tabled_.numbers().size(), "] = {\n", number_rows("  ", syntax_), "};\n");
  }

  std::string arguments(const Generated& made) const {
    const auto array = [&](const Signal& s) { return cat(syntax_.type(), " ", s.name, "[", s.size, "]"); };
    return list_of(made.arguments(), "", [&](const Signal& s) { return cat("const ", array(s), ", "); }) + array(made.program.outputs.front());
  }
  std::string signature(const Generated& made) const { return cat("void ", named(made), "(", arguments(made), ")"); }
  std::string signature_of_sincos(const Generated& made) const {
    const std::string type = syntax_.type();
    return cat("void ", named(made), "_turned(const ", type, " sine[], const ", type, " cosine[], ", arguments(made), ")");
  }

  std::string declaration(const Assignment& line) const { return cat("  const ", syntax_.type(), " ", line.name, " = ", line.expression, ";\n"); }

  std::string function(const Generated& made, const Written& written) const {
    const std::string result = made.program.outputs.front().name;
    const auto declare = [&](const Assignment& line) { return declaration(line); };
    std::string body = sides(made, written) + list_of(written.lines, "", declare);
    for (std::size_t i = 0; i < written.results.size(); ++i) body += cat("  ", result, "[", i, "] = ", written.results[i], ";\n");
    body = cat("\n{\n", unused(made, body, !made.folds(), "  (void)"), body, "}\n");
    if (made.folds()) return cat("\n", signature(made), body);
    std::string out = cat("\n", signature_of_sincos(made), body, "\n", signature(made), "\n{\n");
    const std::size_t angles = written.angles.size();
    const std::size_t room = angle_room(angles);
    out += angle_tables(room) + list_of(written.before_angles, "", declare);
    for (std::size_t i = 0; i < room; ++i) out += cat("  angle[", i, "] = ", i < angles ? written.angles[i] : syntax_.number(0), ";\n");
    for (std::size_t i = 0; i < room; i += kAngles)
      out += cat("  ", prefix_, sincos_name(next_angles(angles, i)), "(", from("angle", i), ", ", from("sine", i), ", ", from("cosine", i), ");\n");
    return out + cat("  ", named(made), "_turned(",
                     angles > 0     ? "sine, cosine"
                     : robot_.misra ? "NULL, NULL"
                                    : "0, 0",
                     ", ", argument_names(made), ", ", result, ");\n}\n");
  }
  /// A table from number i on.
  static std::string from(const std::string& table, std::size_t i) { return i == 0 ? table : cat("&", table, "[", i, "]"); }
  std::string angle_tables(std::size_t room) const {
    std::string out;
    for (const char* name : {"angle", "sine", "cosine"}) out += room == 0 ? "" : cat("  ", syntax_.type(), " ", name, "[", room, "];\n");
    return out;
  }
  std::string signature_of_lanes(const Generated& made, const char* restricted) const {
    return cat("void ", named(made), "_lanes(", pointers(made, restricted), ")");
  }
  std::string signature_of_batch(const Generated& made) const { return cat("void ", named(made), "_batch(size_t count, ", pointers(made, ""), ")"); }
  std::string pointers(const Generated& made, const char* restricted) const {
    const auto pointer = [&](const Signal& s) { return cat(syntax_.type(), " *", restricted, s.name); };
    return list_of(made.arguments(), "", [&](const Signal& s) { return cat("const ", pointer(s), ", "); }) + pointer(made.program.outputs.front());
  }
  /// The loop over states is inside, its length known: compilers that vectorise at all vectorise it.
  static bool has_name(const std::string& text, const std::string& name) {
    for (std::size_t at = text.find(name); at != std::string::npos; at = text.find(name, at + 1))
      if (text.find_first_of("0123456789", at + name.size()) != at + name.size()) return true;
    return false;
  }

  std::string lanes(const Generated& made) const {
    const TabledSyntax tabled(robot_.real, lanes_, prefix_ + "numbers");
    if (robot_.static_const) tabled.begin_with(tabled_.numbers());
    const Written written = write(made, robot_.static_const ? static_cast<const Syntax&>(tabled) : lanes_);
    const std::string loop = cat("  for (l = 0; l < ", kAngles, "; ++l) {\n"), type = syntax_.type(), result = made.program.outputs.front().name;
    std::string body;
    for (const Assignment& line : written.lines) body += "  " + declaration(line);
    for (std::size_t i = 0; i < written.results.size(); ++i) body += cat("    ", lanes_.element(result, i), " = ", written.results[i], ";\n");
    std::string sides;
    for (std::size_t k = 0; made.takes_sides() && k < made.program.inputs.back().size; ++k)
      if (has_name(body, cat("side_", k))) sides += cat("    const ", type, " side_", k, " = ", side_text(made, k, made.speeds ? "rates" : "v", lanes_), ";\n");
    const std::size_t angles = written.angles.size(), room = angles * kAngles;
    std::string before;
    for (const Assignment& line : written.before_angles) before += "  " + declaration(line);
    for (std::size_t i = 0; i < angles; ++i) before += cat("    ", lanes_.element("angle", i), " = ", written.angles[i], ";\n");
    std::string out = cat("\n", signature_of_lanes(made, "ULNA_RESTRICT "), "\n{\n");
    out += angle_tables(room);
    if (made.speeds && !sides.empty()) out += cat("  ", type, " rates[", kAngles * made.speeds->results.size(), "];\n");
    if (angles > 0) out += "  int j;\n";
    out += "  int l;\n";
    for (const Signal& s : made.arguments())
      if (!uses_signal(before, s.name) && !uses_signal(sides + body, s.name)) out += cat("  (void)", s.name, ";\n");
    if (made.speeds && !sides.empty()) out += cat("  ", prefix_, Generated::kSpeeds, "_lanes(q, v, rates);\n");
    if (angles > 0) {
      out += cat(loop, before, "  }\n  for (j = 0; j < ", room, "; j += ", kAngles, ") {\n    ", prefix_, "turn(&angle[j], &sine[j], &cosine[j]);\n  }\n");
    }
    return out + loop + sides + body + "  }\n}\n";
  }
  /// Transposes blocks of states to lanes and back; the last block is filled up with its last state.
  std::string batch(const Generated& made) const {
    const std::string type = syntax_.type(), result = made.program.outputs.front().name, eight = cat(kAngles);
    const std::size_t results = made.results();
    std::string out = cat("\n", signature_of_batch(made), "\n{\n"), call, fill;
    for (const Signal& s : made.arguments()) {
      out += cat("  ", type, " ", s.name, "_lanes[", kAngles * s.size, "];\n");
      fill +=
          cat("      for (i = 0; i < ", s.size, "; ++i) {\n        ", s.name, "_lanes[", eight, " * i + l] = ", s.name, "[k * ", s.size, " + i];\n      }\n");
      call += cat(s.name, "_lanes, ");
    }
    return out + cat("  ", type, " results[", kAngles * results, "];\n  size_t first, i, k, l;\n  for (first = 0; first < count; first += ", eight,
                     ") {\n    for (l = 0; l < ", eight, "; ++l) {\n      k = first + l < count ? first + l : count - 1;\n", fill, "    }\n    ", prefix_,
                     made.what(), "_lanes(", call, "results);\n    for (l = 0; l < ", eight, " && first + l < count; ++l) {\n      for (i = 0; i < ", results,
                     "; ++i) {\n        ", result, "[(first + l) * ", results, " + i] = results[", eight, " * i + l];\n      }\n    }\n  }\n}\n");
  }
  /// The signs of the velocities, where friction is not zero.
  std::string sides(const Generated& made, const Written& written) const {
    if (!needs_sides(made, written)) return {};
    const std::size_t count = made.program.inputs.back().size;
    const std::string out =
        list_of(std::views::iota(std::size_t{0}, count), ",\n    ", [&](std::size_t k) { return side_text(made, k, made.speeds ? "rates" : "v", syntax_); });
    const std::string rates =
        made.speeds ? cat("  ", syntax_.type(), " rates[", made.speeds->results.size(), "];\n  ", prefix_, Generated::kSpeeds, "(q, v, rates);\n") : "";
    return cat(rates, "  const ", syntax_.type(), " side[", made.program.inputs.back().size, "] = {\n    ", out, "};\n");
  }
  std::string signature_of_close() const {
    return cat(syntax_.type(), " ", prefix_, "close(", syntax_.type(), " q[", robot_.sizes.nq, "], ", syntax_.index(), " steps)");
  }
  std::string close() const {
    if (!robot_.closed()) return {};
    const std::size_t nq = robot_.sizes.nq, conditions = robot_.conditions(), pivots = robot_.pivots.size();
    const std::string type = syntax_.type(), index = syntax_.index(), zero = syntax_.number(0), one = syntax_.number(1),
                      call = cat(prefix_, to_string(Quantity::closure), "(q, at);\n"),
                      side = cat("  for (i = 0; i < ", pivots, "; ++i) {\n    side = (at[", nq + conditions, " + i] < ", zero, ") ? -side : side;\n  }\n"),
                      infinity = single_ ? "HUGE_VALF" : "HUGE_VAL";
    return cat("\n", signature_of_close(), "\n{\n  static const ", type, " least[", pivots, "] = {", row(robot_.pivots), "};\n  ", type, " at[",
               nq + conditions + pivots, "];\n  ", type, " side = ", one, ";\n  ", type, " left = ", zero, ";\n  ", index, " i;\n  ", index, " k;\n  ", call,
               side, "  for (k = 0; k < steps; ++k) {\n    for (i = 0; i < ", nq, "; ++i) {\n      q[i] = at[i];\n    }\n    ", call, "  }\n", side,
               "  for (i = 0; i < ", conditions, "; ++i) {\n    if (!(", syntax_.call("fabs", cat("at[", nq, " + i]")),
               " <= left)) {\n      left = ", syntax_.call("fabs", cat("at[", nq, " + i]")), ";\n    }\n  }\n  for (i = 0; i < ", pivots,
               "; ++i) {\n    if (!(", syntax_.call("fabs", cat("at[", nq + conditions, " + i]")), " > least[i])) {\n      side = -", one,
               ";\n    }\n  }\n  /* NaN stays */\n  return ((side < ", zero, ") && (left >= ", zero, ")) ? ", infinity, " : left;\n}\n");
  }
  std::string table(const char* name, const std::vector<std::string>& rows, std::size_t columns) const {
    std::string out = cat("  static const ", syntax_.type(), " ", name, "[", rows.size(), "][", columns, "] = {\n");
    for (const std::string& row : rows) out += cat("    {", row, "},\n");
    return out + "  };\n";
  }

  std::string selftest() const {
    std::string out =
        "\n/* --- self-test ------------------------------------------------------------------------------------------------------------------- */\n";
    std::string calls;
    int first = 1;
    for (const Generated& made : robot_.functions) {
      if (made.tests.empty()) continue;
      std::vector<std::string> allowed;
      for (const double tolerance : tolerances(made)) allowed.push_back(syntax_.number(tolerance));
      const std::size_t results = made.results();
      if (single_)
        out += cat("\n/* Single precision: over 1000 ", measured_states(robot_), " results differ from double precision by at most ",
                   rounded(made.single_error), " of\n * the largest result, ", rounded(made.single_scale), ". */");
      const std::string index = syntax_.index();
      out += cat("\nstatic ", index, " ", prefix_, "test_", made.what(), "(void)\n{\n",
                 table("inputs", test_rows(made, &TestState::inputs), made.argument_count()), table("expected", test_rows(made, &TestState::expected), results),
                 table("tolerance", allowed, 1), "  ", syntax_.type(), " result[", results, "];\n  ", index, " failed = 0;\n  ", index, " i;\n  ", index,
                 " k;\n  for (k = 0; k < ", made.tests.size(), "; ++k) {\n    ", named(made), "(");
      std::size_t at = 0;
      for (const Signal& s : made.arguments()) {
        out += at == 0 ? "inputs[k], " : cat("&inputs[k][", at, "], ");
        at += s.size;
      }
      out += cat("result);\n    for (i = 0; i < ", results, "; ++i) {\n      if ((failed == 0) && !(", syntax_.call("fabs", "result[i] - expected[k][i]"),
                 " <= tolerance[k][0])) {\n        failed = k + 1;\n      }\n    }\n  }\n  return failed;\n}\n");
      if (first == 1)
        calls += cat("  ", index, " first = ", prefix_, "test_", made.what(), "();\n");
      else
        calls += cat("  if (first == 0) {\n    const ", index, " failed = ", prefix_, "test_", made.what(), "();\n    first = (failed == 0) ? 0 : (", first - 1,
                     " + failed);\n  }\n");
      first += static_cast<int>(made.tests.size());
    }
    out += cat("\n", syntax_.index(), " ", prefix_, "selftest(void)\n{\n", calls, calls.empty() ? "  return 0;\n}\n" : "  return first;\n}\n");
    if (robot_.misra) return out + cat("\n#ifdef ", upper_, "_SELFTEST_MAIN\nint main(void)\n{\n  return (", prefix_, "selftest() == 0) ? 0 : 1;\n}\n#endif\n");
    out +=
        cat("\n#ifdef ", upper_, "_SELFTEST_MAIN\n#include <stdio.h>\nint main(void)\n{\n  const int failed = ", prefix_,
            "selftest();\n  if (failed != 0) {\n    printf(\"", robot_.name, ": check %d of ", first - 1, " FAILED\\n\", failed);\n  } else {\n    printf(\"",
            robot_.name, ": all ", first - 1, " checks passed\\n\");\n  }\n  return failed != 0;\n}\n#endif\n");
    return out;
  }

  LaneSyntax lanes_;
  std::string upper_;
  std::vector<Written> written_;
};

}  // namespace

std::vector<GeneratedFile> files_in_c(const GeneratedRobot& robot) { return CFiles(robot).run(); }

}  // namespace ulna::internal
