#include "emit/c_turn.hpp"

#include "emit/literal.hpp"
#include "jit/sincos.hpp"
#include "text/cat.hpp"

namespace ulna::internal {

namespace {

using Numbers = jit::TurnNumbers<double>;
static_assert(Numbers::terms == 6);

std::string number(double value) { return signed_literal(value, Real::double_precision); }

/// Six terms, c0 + z ((c1 + c2 z) + z² ((c3 + c4 z) + c5 z²)): as many operations as from the last term on, and fewer that wait for others. The largest term is
/// added last, and rounded once.
std::string polynomial(const double* c) {
  const auto pair = [c](int i) { return cat("(", number(c[i]), " + (z * ", number(c[i + 1]), "))"); };
  return cat(number(c[0]), " + (z * (", pair(1), " + (zz * (", pair(3), " + (zz * ", number(c[5]), ")))))");
}

}  // namespace

std::string c_restrict() {
  return "\n#if defined(__STDC_VERSION__) && __STDC_VERSION__ >= 199901L\n#define ULNA_RESTRICT restrict\n"
         "#elif defined(__GNUC__) || defined(_MSC_VER)\n#define ULNA_RESTRICT __restrict\n#else\n#define ULNA_RESTRICT\n#endif\n";
}

std::string turn_name(std::size_t count) { return count == kTurned ? "turn" : cat("turn_", count); }

std::string c_turn(const std::string& prefix, std::size_t count, const TurnText& text) {
  const std::string magic = number(Numbers::magic), line = cat("    const ", text.wide, " ");
  const bool single = text.real == Real::single_precision;
  std::string out = cat("\n/* Sines and cosines of ", count,
                        " angles, within 1 ulp up to 1.6e6 rad, without a branch. x = n pi/2 + r + rest, where n is the nearest integer; pi/2 is the sum\n"
                        " * of three numbers, and products with the first two are exact. Where numbers have more digits than their\n"
                        " * type, or the compiler may reorder sums, the library's functions are called",
                        single ? "; so they are where the processor has no doubles,\n * in which floats are turned" : "", ". */\n");
  out += cat("static void ", prefix, turn_name(count), "(const ", text.type, " *", text.restricted, "angle, ", text.type, " *", text.restricted, "sine, ",
             text.type, " *", text.restricted, "cosine)\n{\n  ", text.index, " i;\n  for (i = 0; i < ", count, "; ++i) {\n");
  out += "#if defined(FLT_EVAL_METHOD) && (FLT_EVAL_METHOD == 0) && !defined(__FAST_MATH__) && !defined(__ASSOCIATIVE_MATH__)";
  if (single) out += " \\\n    && !defined(__SOFTFP__) && (!defined(__ARM_FP) || ((__ARM_FP & 8) != 0)) && (!defined(__riscv_flen) || (__riscv_flen >= 64))";
  const auto let = [&](const char* name, const std::string& value) { out += cat(line, name, " = ", value, ";\n"); };
  out += "\n";
  let("x", single ? cat("(", text.wide, ")angle[i]") : "angle[i]");
  let("n", cat("((x * ", number(Numbers::two_over_pi), ") + ", magic, ") - ", magic));
  let("t", cat("x - (n * ", number(Numbers::short_P[0]), ")"));
  if (single) {
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
    out += single ? cat("    ", name, "[i] = (", text.type, ")(", value, ");\n") : cat("    ", name, "[i] = ", value, ";\n");
  };
  result("sine", "(even * s_r) + (odd * c_r)");
  result("cosine", "(even * c_r) - (odd * s_r)");
  const char* const f = single ? "f" : "";
  return out + cat("#else\n    sine[i] = sin", f, "(angle[i]);\n    cosine[i] = cos", f, "(angle[i]);\n#endif\n  }\n}\n");
}

}  // namespace ulna::internal
