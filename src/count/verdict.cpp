#include "count/tables.hpp"

#include <algorithm>
#include <iterator>

#include "text/message.hpp"

namespace ulna::internal {

namespace {

constexpr std::string_view kBoth = "mul and add";

struct Filed {
  std::string_view table, entry, operation;  // kBoth: the reason is that of two counts
  Verdict verdict;
  std::string_view text;
};

constexpr std::string_view kNotThere = "the method is named with its polynomial and described elsewhere; only the arithmetic of its row can be checked";

constexpr std::string_view kLastLink = "nothing hangs on the last link, so n - 1 links have this term; the paper charges all n";
constexpr std::string_view kAlpha = "the product of omega and the joint's speed takes 2 multiplications a link, which the row leaves out";
constexpr std::string_view kZeta =
    "one line of Figure 3, zeta of the joint behind the first rotational one, is missing in the transcription that we worked from; ours for it is cheaper by a "
    "constant";
constexpr std::string_view kStanford =
    "some of Z are missing in the transcription that we worked from and were derived again, and the paper does not say which constants were folded and what "
    "was shared";
constexpr std::string_view kFourVectors = "n of eq. 5.2 has four vectors, which are added with 9 additions; 12 are those of five, which eq. 3.20 has";
constexpr std::string_view kTau = "the projection of n on the joint's axis, which gives the torque, is in no row";

constexpr std::string_view kOtherPoint =
    "the conclusion says that other reference points than the base's origin cost more, and prints no numbers: s of (25) is carried inward, too, and the "
    "last joint, being last, spares nothing of what (59) and (60) spare at the first";
constexpr std::string_view kOtherFrame =
    "the text names this frame beside that of the second joint and prints one polynomial; ours agrees in its part in n². By our count the third joint's frame "
    "is the cheapest";
constexpr std::string_view kQuotedHollerbach =
    "quoted from Table II of Hollerbach 1980 for six revolute joints, and not for the Stanford arm: see hollerbach-2";
constexpr std::string_view kQuotedOrin =
    "quoted from Walker and Orin 1982, who are not reprinted here; it is more than twice what our Newton-Euler recursion takes, so it may have the inertia "
    "matrix in it";

// clang-format off
constexpr Filed kReasons[] = {
    {"turney-1", "Lagrange", "mul", Verdict::differs, "row 'kinetic' of Table 2: the 16q products of link q with the accelerations are listed in the appendix and then lost from its sum"},
    {"turney-1", "Lagrange", "add", Verdict::differs,
     "row 'kinetic' of Table 2: q² - 1 matrices are added for link q although only q(q + 1)/2 are formed, and the sum of q(q + 1) is taken for n(n² - 1)/3 where it is n(n + 1)(n + 2)/3"},
    {"turney-1", "Newton-Euler", "mul", Verdict::differs, "rows 'alpha', 'f', 'r x R f' and 'R n' of Table 3, and tau, which has no row: see turney-3"},
    {"turney-1", "Newton-Euler", "add", Verdict::differs, "rows 'r x R f', 'R n' and 'add n' of Table 3, and tau, which has no row: see turney-3"},
    {"turney-1", "Modified Newton-Euler", "mul", Verdict::differs, "rows 'alpha', 'r x R f' and 'R n' of Table 4, and tau, which has no row: see turney-4"},
    {"turney-1", "Modified Newton-Euler", "add", Verdict::differs, "rows 'r x R f', 'R n' and 'add n' of Table 4, and tau, which has no row: see turney-4"},

    {"turney-2", "kinetic", "mul", Verdict::differs, "the 16q products of link q with the accelerations are listed in the appendix and then lost from its sum"},
    {"turney-2", "kinetic", "add", Verdict::differs,
     "q² - 1 matrices are added for link q although only q(q + 1)/2 are formed, and the sum of q(q + 1) is taken for n(n² - 1)/3 where it is n(n + 1)(n + 2)/3"},
    {"turney-2", "Total", kBoth, Verdict::differs, "row 'kinetic'"},

    {"turney-3", "alpha", "mul", Verdict::differs, kAlpha},
    {"turney-3", "f", "mul", Verdict::differs, "m abar is needed of all n links, the rotated force of n - 1; the paper has n - 1 for both"},
    {"turney-3", "r x R f", kBoth, Verdict::differs, kLastLink},
    {"turney-3", "R n", kBoth, Verdict::differs, kLastLink},
    {"turney-3", "add n", "add", Verdict::differs, "five vectors are added with 12 additions, three at the last link with 6"},
    {"turney-3", "tau", kBoth, Verdict::differs, kTau},
    {"turney-3", "Total", "mul", Verdict::differs, "rows 'alpha', 'f', 'r x R f', 'R n', and tau"},
    {"turney-3", "Total", "add", Verdict::differs, "rows 'r x R f', 'R n', 'add n', and tau"},

    {"turney-4", "alpha", "mul", Verdict::differs, kAlpha},
    {"turney-4", "r x R f", kBoth, Verdict::differs, kLastLink},
    {"turney-4", "R n", kBoth, Verdict::differs, kLastLink},
    {"turney-4", "add n", "add", Verdict::differs, "four vectors are added with 9 additions, two at the last link with 3; the row is Table 3's"},
    {"turney-4", "tau", kBoth, Verdict::differs, kTau},
    {"turney-4", "Total", "mul", Verdict::differs, "rows 'alpha', 'r x R f', 'R n', and tau"},
    {"turney-4", "Total", "add", Verdict::differs, "rows 'r x R f', 'R n', 'add n', and tau"},

    {"turney-5", "alpha_1", "mul", Verdict::differs, kAlpha},
    {"turney-5", "alpha_2", "mul", Verdict::differs, kAlpha},
    {"turney-5", "each link, inward", "add", Verdict::differs, kFourVectors},
    {"turney-5", "Total", "mul", Verdict::differs, "twice the 2 multiplications that alpha_1 and alpha_2 leave out"},
    {"turney-5", "Total", "add", Verdict::differs, kFourVectors},
    {"turney-5", "Total, without lock-step", "mul", Verdict::differs,
     "the 27 steps a link are the paper's, 18 for a and 9 for R n; but a unit that begins as soon as its operands are there does not wait for omega_1, alpha_1, A_1, omega_2 and alpha_2 one after the other, a of the last link is not formed, and moments of n - 1 links have one behind them"},
    {"turney-5", "Total, without lock-step", "add", Verdict::differs,
     "inward 9 additions a link wait for the moment behind, 6 to rotate it and 3 to add it, as the other terms of n are added before it comes; the start and the last link are as for the multiplications"},

    {"hollerbach-1", "Uicker/Kahn", "mul", Verdict::differs,
     "the sum over accelerations of eq. 4: it has n(n + 1)(2n + 1)/6 terms of 129 multiplications, and the printed polynomial has n(n + 1)(n + 2)/12 of them; that number is found by subtraction, the text has no reason for it"},
    {"hollerbach-1", "Uicker/Kahn", "add", Verdict::not_determined,
     "the same terms, 100 additions each, make up 25n³ + 25n² of the difference; where the rest, 0.5n² - 5/3 n, comes from is not known"},
    {"hollerbach-1", "Waters", "mul", Verdict::not_determined, "the constant is met when 17 products of link 1 with the resting base are counted; the paper does not say so"},
    {"hollerbach-1", "Waters", "add", Verdict::not_determined, "32 of the 33 additions a link are met with 6 matrix additions in eqs 8 to 10, where 4 are set forth; where the others come from is not said"},
    {"hollerbach-1", "Hollerbach (4x4)", "mul", Verdict::not_determined, "20 multiplications a link are not explained by the equations as set forth"},
    {"hollerbach-1", "Hollerbach (4x4)", "add", Verdict::not_determined, "the slope is met with 6 matrix additions a link in eqs 8 to 10, where 4 are set forth; where the other 2 come from is not said"},
    {"hollerbach-1", "Hollerbach (3x3)", "mul", Verdict::not_determined, "14 multiplications a link are not explained by the equations as printed"},
    {"hollerbach-1", "Hollerbach (3x3)", "add", Verdict::not_determined, "the slope is met with 6 matrix additions a link in eqs 8 to 10, where 4 are set forth; the constant is not met even so"},
    {"hollerbach-1", "Hollerbach (3x3), corrected", kBoth, Verdict::not_determined, "the printed equations lack terms of gravity and of a; with them the form costs more, and the polynomial is met by neither"},
    {"hollerbach-1", "Newton-Euler", kBoth, Verdict::not_determined, "three of the equations in link coordinates are printed, as examples, and Luh, Walker & Paul are named for the others; written out in the paper's letters they take 6 multiplications and 12 additions a link less than the polynomial"},
    {"hollerbach-1", "Horn, Raibert", "add", Verdict::not_determined, "it is met when each of the two sums is charged one addition more than it has; the paper does not say so"},

    {"lin-1", "Walker and Orin", kBoth, Verdict::not_determined, "the version that was counted is in another article; ours agrees in n²"},
    {"lin-1", "Lin 1988", kBoth, Verdict::not_determined, "the article of 1988 is not reprinted here; ours is its idea, partial velocities of each link in driving-axis frames, and agrees in n³: 7 multiplications and 6 additions for each pair of joints and link"},
    {"lin-1", "Fijany and Bejczy", kBoth, Verdict::not_determined, "only the part in n² is printed, and ours agrees in it; the rest is the authors' own program"},
    {"lin-1", "Fijany and Bejczy, end-effector's frame", kBoth, Verdict::not_determined, kOtherFrame},
    {"lin-1", "Present, from the last frame's origin", kBoth, Verdict::differs, kOtherPoint},
    {"lin-1", "Present, from the last mass centre", kBoth, Verdict::differs, kOtherPoint},
    {"lin-frames", "saved", "add", Verdict::not_determined, "one composite body less is carried into the frame before: R E R^T 37 mul 19 add, p + R c 8 mul 7 add; where two more additions come from is not said"},
    {"lin-2", "Khalil and Kleinfinger", kBoth, Verdict::not_determined, kNotThere},
    {"lin-2", "Balafoutis et al.", kBoth, Verdict::not_determined, kNotThere},
    {"lin-2", "Present", kBoth, Verdict::differs, kZeta},
    {"lin-2", "Present, H and b", kBoth, Verdict::differs, "the same line of Figure 3; the print is met when eq. 56 is carried out there term by term, R zeta + R u q' with two equal products, 9 mul 4 add for 6 mul 2 add"},

    {"nasser", "Nasser", kBoth, Verdict::not_determined, "no scheme is given, and it is not said whether N has the base in it (N = n + 1); ours is in joints n. No convention of frames, links, base, sharing, divisions and N that the text allows gives it (docs/formulations/nasser.md#cost)"},
    {"kane", "Stanford arm", kBoth, Verdict::not_determined, kStanford},
    {"kane", "Stanford arm, constants not folded", kBoth, Verdict::not_determined, kStanford},
    {"kane", "Lagrange, quoted from Hollerbach", kBoth, Verdict::not_determined, kQuotedHollerbach},
    {"kane", "Newton-Euler, quoted from Walker and Orin", kBoth, Verdict::not_determined, kQuotedOrin},
    {"kane", "Newton-Euler, quoted from Hollerbach", kBoth, Verdict::not_determined, kQuotedHollerbach},
};
// clang-format on

}  // namespace

std::string_view to_string(Verdict verdict) {
  switch (verdict) {
    case Verdict::exact: return "exact";
    case Verdict::differs: return "differs";
    case Verdict::not_determined: return "not determined by the paper";
  }
  return "?";
}

std::optional<Reason> reason_on_file(const PublishedTable& table, std::string_view entry, std::string_view operation) {
  const bool again = !table.cells_of.empty() && table.cells_of != table.id;
  const std::string_view id = again ? table.cells_of : table.id;
  for (const Filed& filed : kReasons)
    if (filed.table == id && filed.entry == entry && (filed.operation == operation || filed.operation == kBoth))
      return Reason{filed.verdict, again ? "see hollerbach-1" : filed.text};
  return {};
}

std::size_t reasons_on_file() {
  return std::size(kReasons) +
         static_cast<std::size_t>(std::count_if(std::begin(kReasons), std::end(kReasons), [](const Filed& filed) { return filed.operation == kBoth; }));
}

std::string judge(ComparedCount& count, int first, bool single, const std::optional<Reason>& reason) {
  bool equal = false;
  if (!count.ours.empty()) {
    if (single)
      count.fit = PolynomialFit{Polynomial({Rational(count.ours.front())}), first};
    else
      count.fit = fit_polynomial(1, count.ours);
    if (count.fit) {
      count.difference = count.fit->polynomial - count.printed.polynomial;
      equal = count.fit->from <= first && count.difference->degree() < 0;
    }
  }
  if (equal) {
    count.verdict = Verdict::exact;
    return reason ? cat("it agrees, and yet a reason is on file: ", reason->text) : std::string{};
  }
  count.verdict = reason ? reason->verdict : Verdict::differs;
  count.reason = reason ? reason->text : "no reason is known";
  return reason ? std::string{} : "it does not agree, and no reason is on file";
}

}  // namespace ulna::internal
