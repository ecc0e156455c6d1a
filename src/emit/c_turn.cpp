#include "emit/c_turn.hpp"

#include "emit/literal.hpp"
#include "jit/sincos.hpp"
#include "text/cat.hpp"

namespace ulna::internal {

namespace {

using Numbers = jit::TurnNumbers<double>;

std::string number(double value) { return signed_literal(value, Real::double_precision); }

/// c[0] + z * (c[1] + z * (...))
std::string polynomial(const double* c, int terms) {
  std::string out = number(c[terms - 1]);
  for (int i = terms - 2; i >= 0; --i) out = cat(number(c[i]), " + z * ", "(", out, ")");
  return out;
}

}  // namespace

std::string c_restrict() {
  return "\n#if defined(__STDC_VERSION__) && __STDC_VERSION__ >= 199901L\n#define ULNA_RESTRICT restrict\n"
         "#elif defined(__GNUC__) || defined(_MSC_VER)\n#define ULNA_RESTRICT __restrict\n#else\n#define ULNA_RESTRICT\n#endif\n";
}

std::string c_turn(const std::string& prefix) {
  const std::string magic = number(Numbers::magic), count = cat(kTurned);
  return cat("\n/* Sines and cosines of ", count,
             " angles, within 1 ulp up to 1.6e6 rad, without a branch. x = n pi/2 + r + rest, where n is the nearest integer; pi/2 is the sum\n"
             " * of three numbers, and products with the first two are exact. Where numbers have more digits than their\n"
             " * type, or the compiler may reorder sums, the library's functions are called. */\n"
             "static void ",
             prefix, "turn(const double *ULNA_RESTRICT angle, double *ULNA_RESTRICT sine, double *ULNA_RESTRICT cosine)\n{\n  int i;\n  for (i = 0; i < ",
             count,
             "; ++i) {\n"
             "    const double x = angle[i];\n"
             "#if defined(FLT_EVAL_METHOD) && FLT_EVAL_METHOD == 0 && !defined(__FAST_MATH__) && !defined(__ASSOCIATIVE_MATH__)\n"
             "    const double n = (x * ",
             number(Numbers::two_over_pi), " + ", magic, ") - ", magic,
             ";\n"
             "    const double t = x - n * ",
             number(Numbers::short_P[0]),
             ";\n"
             "    const double u = n * ",
             number(Numbers::short_P[1]),
             ";\n"
             "    const double first = t - u;\n"
             "    const double second = ((t - first) - u) - n * ",
             number(Numbers::short_P[2]),
             ";\n"
             "    const double r = first + second;\n"
             "    const double rest = (first - r) + second;\n"
             "    const double z = r * r;\n"
             "    const double p = ",
             polynomial(Numbers::S, Numbers::terms),
             ";\n"
             "    const double c = ",
             polynomial(Numbers::C, Numbers::terms),
             ";\n"
             "    const double half = 0.5 * z;\n"
             "    const double w = 1.0 - half;\n"
             "    const double s_r = r + (r * z * p + rest);\n"
             "    const double c_r = w + (((1.0 - w) - half) + (z * z * c - r * rest));\n"
             "    const double quarter = n - 4.0 * ((n * 0.25 + ",
             magic, ") - ", magic,
             "); /* -2 to 2 */\n"
             "    const double even = 1.0 - fabs(quarter); /* cosine and sine of so many quarter turns: 0 or +-1 */\n"
             "    const double odd = quarter * (1.0 + even);\n"
             "    sine[i] = even * s_r + odd * c_r;\n"
             "    cosine[i] = even * c_r - odd * s_r;\n"
             "#else\n    sine[i] = sin(x);\n    cosine[i] = cos(x);\n#endif\n  }\n}\n");
}

}  // namespace ulna::internal
