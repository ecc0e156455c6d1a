// Which method is cheapest for how many joints: by the papers' polynomials, and by our counts of `general-R…`.
#include <algorithm>
#include <functional>

#include <ulna/formulation/formulation.hpp>

#include "count/table_arms.hpp"
#include "count/tables.hpp"
#include "formulation/composite_ldl.hpp"
#include "formulation/counting.hpp"
#include "formulation/rows.hpp"
#include "text/message.hpp"

namespace ulna::internal {

namespace {

constexpr int kMostJoints = 20;
constexpr int kMostLookedUp = 12;  // a table of more joints is refused

struct Method {
  std::string name;
  std::function<Rational(int n)> cost;
};

std::string range(int from, int to) { return from == to ? cat(from) : cat(from, "-", to); }

/// The winners for n = first … last; whether `claimed` (if any) is the winner exactly for n = from … to. Of equal costs the earlier method wins.
Crossover::Line contest(std::string basis, int first, int last, const std::vector<Method>& methods, std::string_view claimed = {}, int from = 0, int to = 0) {
  Crossover::Line line{std::move(basis), {}, {}};
  if (!claimed.empty()) line.holds = true;
  std::string winner;
  int since = first;
  const auto end_run = [&](int n) {
    if (!winner.empty()) line.cheapest += cat(line.cheapest.empty() ? "n = " : "; ", range(since, n), ": ", winner);
  };
  for (int n = first; n <= last; ++n) {
    const auto best = std::min_element(methods.begin(), methods.end(), [n](const Method& a, const Method& b) { return a.cost(n) < b.cost(n); });
    if (best->name != winner) {
      end_run(n - 1);
      winner = best->name;
      since = n;
    }
    if (!claimed.empty() && (best->name == claimed) != (from <= n && n <= to)) line.holds = false;
  }
  end_run(last);
  return line;
}

Polynomial printed_sum(std::string_view table, std::string_view entry) {
  const PublishedEntry& e = *find_published(table)->find(entry);
  return e.mul.polynomial + e.add.polynomial;
}
Method printed(std::string_view table, std::string_view entry, bool additions = true) {
  const Polynomial cost = additions ? printed_sum(table, entry) : find_published(table)->find(entry)->mul.polynomial;
  return {std::string(entry), [cost](int n) { return cost(n); }};
}

/// Counts of general_arm(1) … general_arm(kMostJoints).
class OurCounts {
 public:
  OurCounts() {
    for (int n = 1; n <= kMostJoints; ++n) arms_.push_back(general_arm(static_cast<std::size_t>(n)));
  }

  struct Include {
    bool entries = false;  // those of the rotations, where they are outside of the total
    bool additions = true;
  };
  /// mul + add + div of the total, or of a part.
  Method method(const Formulation& formulation, Quantity quantity, std::string_view part, const Include& include) const {
    std::vector<Rational> costs;
    for (const Prepared& arm : arms_) {
      if (!formulation.why_not(arm).empty()) break;
      const AsWritten counts = count_as_written(formulation, quantity, arm);
      const auto cost = [&](const OperationCounts& c) { return c.mul + c.div + (include.additions ? c.add : 0); };
      std::int64_t all = cost(part.empty() ? counts.total : counts.find(part)->counts);
      if (const CountedPart* rotations = counts.find(kRotationEntries); include.entries && rotations != nullptr && !rotations->in_total)
        all += cost(rotations->counts);
      costs.emplace_back(all);
    }
    return {std::string(formulation.id), [costs](int n) { return costs.at(static_cast<std::size_t>(n - 1)); }};
  }
  Method method(const Formulation& formulation, Quantity quantity, std::string_view part = {}) const { return method(formulation, quantity, part, {}); }
  /// Every formulation that gives the quantity for every number of joints and has cost at most O(n³).
  std::vector<Method> all(Quantity quantity) const {
    std::vector<Method> methods;
    for (const Formulation& formulation : formulations())
      if (formulation.gives(quantity) && formulation.growth.joints < 4 && formulation.valid_at != ValidAt::table_nodes &&
          formulation.why_not(arms_.back()).empty())
        methods.push_back(method(formulation, quantity, {}, {.entries = true}));
    return methods;
  }

 private:
  std::vector<Prepared> arms_;
};

/// LDLᵀ of an n x n matrix and its solution.
Rational elimination(int n) {
  const auto size = static_cast<std::size_t>(n);
  std::vector<Counted> M = counted_state(size * size, 0.3, 0.01), d(size), x = counted_state(size, 0.3, 0.01);
  const OperationCounts c = operations_of([&] {
    ldl_factor(size, M.data(), d.data());
    ldl_solve(size, M.data(), d.data(), x.data());
  });
  return c.mul + c.add + c.div;
}

}  // namespace

std::vector<Crossover> compare_crossovers() {
  const OurCounts ours;
  std::vector<Crossover> out;
  {
    std::vector<Method> table;
    for (const PublishedEntry& entry : find_published("lin-1")->entries) table.push_back(printed("lin-1", entry.name));
    const auto own = [&](MakeRow row) { return ours.method(row_of(row), Quantity::mass); };
    out.push_back({"lin-mass",
                   "Lin 1991",
                   "the present method is the cheapest for the inertia matrix from 5 joints on, and the one of 1988 up to 4",
                   {contest("printed polynomials, mul + add", 2, kMostJoints, table, "Present", 5, kMostJoints),
                    contest("our counts of these methods without that of 1988, which is not in the article", 2, kMostJoints,
                            {own(&walker_orin_row), own(&renaud_row), own(&fijany_bejczy_row), own(&lin_row)}, row_of(&lin_row).id, 5, kMostJoints),
                    contest("our counts of all formulations, entries of the rotations included", 2, kMostJoints, ours.all(Quantity::mass), row_of(&lin_row).id,
                            5, kMostJoints)}});
  }
  {
    std::vector<Method> sums, products;
    for (const std::string_view entry : {"Khalil and Kleinfinger", "Balafoutis et al.", "Present"}) {
      sums.push_back(printed("lin-2", entry));
      products.push_back(printed("lin-2", entry, false));
    }
    out.push_back({"lin-bias",
                   "Lin 1991",
                   "where the inertia matrix is formed anyway, the present method is the cheapest for the bias up to 6 joints",
                   {contest("printed polynomials, mul + add", 2, kMostJoints, sums, "Present", 2, 6),
                    contest("printed polynomials, mul alone", 2, kMostJoints, products, "Present", 2, 6),
                    contest("our counts, beside the recursions that Ulna has", 2, kMostJoints,
                            {ours.method(row_of(&lin_row), Quantity::bias, kBeyondMass), ours.method(row_of(&strobing_row), Quantity::bias),
                             ours.method(row_of(&ulna_row), Quantity::bias)},
                            row_of(&lin_row).id, 2, 6)}});
  }
  {
    std::vector<Method> sums, products;
    for (const PublishedEntry& entry : find_published("hollerbach-1")->entries) {
      sums.push_back(printed("hollerbach-1", entry.name));
      products.push_back(printed("hollerbach-1", entry.name, false));
    }
    const auto own = [&](MakeRow row, bool additions) { return ours.method(row_of(row), Quantity::inverse, {}, {.additions = additions}); };
    std::vector<Method> all = ours.all(Quantity::inverse);
    all.push_back(own(&horn_raibert_row, true));
    out.push_back({"horn-raibert",
                   "Hollerbach 1980",
                   "the look-up of Horn and Raibert is the cheapest up to 8 joints, and no longer from 9 on",
                   {contest("printed polynomials, mul alone", 1, kMostLookedUp, products, "Horn, Raibert", 1, 8),
                    contest("printed polynomials, mul + add", 1, kMostLookedUp, sums, "Horn, Raibert", 1, 8),
                    contest("our counts against newton-euler, mul alone", 1, kMostLookedUp, {own(&newton_euler_row, false), own(&horn_raibert_row, false)},
                            row_of(&horn_raibert_row).id, 1, 8),
                    contest("our counts against newton-euler, mul + add", 1, kMostLookedUp, {own(&newton_euler_row, true), own(&horn_raibert_row, true)},
                            row_of(&horn_raibert_row).id, 1, 8),
                    contest("our counts of all formulations, mul + add", 1, kMostLookedUp, all, row_of(&horn_raibert_row).id, 1, 8)}});
  }
  {
    const Polynomial nasser = printed_sum("nasser", "Nasser"), both = printed_sum("lin-2", "Present, H and b");
    const Method by_lin{"Lin", [both](int n) { return both(n) + elimination(n); }};
    const auto own = [&](MakeRow row) { return ours.method(row_of(row), Quantity::forward); };
    out.push_back({"forward",
                   "Nasser 1990, Lin 1991",
                   "accelerations by Nasser's O(n) recursion take less than by Walker and Orin's inertia matrix, says the introduction, without a count or a "
                   "number of joints",
                   {contest("printed polynomials with N = n; for Lin our LDLᵀ on top of H and b", 2, kMostJoints,
                            {by_lin, {"Nasser", [nasser](int n) { return nasser(n); }}}),
                    contest("the same with N = n + 1", 2, kMostJoints, {by_lin, {"Nasser", [nasser](int n) { return nasser(n + 1); }}}),
                    contest("our counts, mul + add + div; composite bodies are Walker and Orin's", 2, kMostJoints, {own(&composite_ldl_row), own(&nasser_row)},
                            row_of(&nasser_row).id, 2, kMostJoints),
                    contest("our counts with the production path by M", 2, kMostJoints, {own(&ulna_row), own(&nasser_row)})}});
  }
  return out;
}

}  // namespace ulna::internal
