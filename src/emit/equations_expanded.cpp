#include "emit/equations_steps.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include <ulna/spatial/spatial.hpp>

#include "expr/expand.hpp"
#include "text/message.hpp"

namespace ulna::internal {

namespace {

constexpr std::size_t kMostTerms = 80;   // of one result
constexpr std::size_t kMostInAll = 240;  // of all results of a quantity
/// Limits of intermediate terms, many of which cancel later: some hundredths of a second, after which a robot is known to be too large.
constexpr ExpansionLimits kLimits{.terms = 1500, .work = 2000000, .zero = kKeptDigits};

/// Sine or cosine of a sum of angles, each so many times. The first that occurs does so with a positive number.
struct Wave {
  std::vector<int> times;
  bool sine = false;
  friend auto operator<=>(const Wave&, const Wave&) = default;
};

/// Product of waves.
using Waves = std::map<Wave, int>;

/// The parts of a term, in the order in which terms are gathered: rates, then waves, then parameters.
struct Parts {
  Powers inputs;
  Powers rank;  // the same with the last signal first: accelerations come before products of rates, and these before the rest
  Waves waves;
  Powers parameters;
  friend bool operator<(const Parts& a, const Parts& b) {
    if (a.rank != b.rank) return b.rank < a.rank;
    if (a.waves != b.waves) return a.waves < b.waves;
    return b.parameters < a.parameters;
  }
};
using Terms = std::map<Parts, double>;

Terms kept(const Polynomial& polynomial, const Expansion& at) {
  Terms out;
  for (const auto& [powers, coefficient] : polynomial) {
    Parts parts;
    const auto input = powers.begin() + static_cast<std::ptrdiff_t>(at.first_input()), angle = powers.begin() + static_cast<std::ptrdiff_t>(at.first_angle());
    parts.parameters.assign(powers.begin(), input);
    parts.inputs.assign(input, angle);
    const std::size_t angles = (powers.size() - at.first_angle()) / 2;
    for (std::size_t from = parts.inputs.size(); from >= angles && from > 0; from -= angles)
      parts.rank.insert(parts.rank.end(), parts.inputs.begin() + static_cast<std::ptrdiff_t>(from - angles),
                        parts.inputs.begin() + static_cast<std::ptrdiff_t>(from));
    for (std::size_t k = 0; k < 2 * angles; ++k) {
      if (angle[static_cast<std::ptrdiff_t>(k)] == 0) continue;
      Wave wave{std::vector<int>(angles), k % 2 == 1};
      wave.times[k / 2] = 1;
      parts.waves[wave] = angle[static_cast<std::ptrdiff_t>(k)];
    }
    out[parts] = coefficient;
  }
  return out;
}

/// `sum` + coefficient * wave, with cos(-x) = cos x, sin(-x) = -sin x and sin 0 = 0.
void add_wave(std::map<Wave, double>& sum, Wave wave, double coefficient) {
  const auto first = std::find_if(wave.times.begin(), wave.times.end(), [](int k) { return k != 0; });
  if (first == wave.times.end() && wave.sine) return;
  if (first != wave.times.end() && *first < 0) {
    for (int& k : wave.times) k = -k;
    if (wave.sine) coefficient = -coefficient;
  }
  sum[wave] += coefficient;
}

/// Products of sines and cosines as sums of those of sums of angles.
Terms as_sums_of_angles(const Terms& from) {
  Terms out;
  for (const auto& [parts, coefficient] : from) {
    std::map<Wave, double> sum;
    const std::size_t angles = parts.waves.empty() ? 0 : parts.waves.begin()->first.times.size();
    sum[Wave{std::vector<int>(angles), false}] = coefficient;
    for (const auto& [factor, power] : parts.waves)
      for (int k = 0; k < power; ++k) {
        std::map<Wave, double> next;
        for (const auto& [wave, c] : sum) {
          Wave plus{wave.times, wave.sine != factor.sine}, minus{wave.times, wave.sine != factor.sine};
          for (std::size_t j = 0; j < angles; ++j) plus.times[j] += factor.times[j], minus.times[j] -= factor.times[j];
          // cos cos: + +; sin cos: + +; cos sin: + -; sin sin: - +
          add_wave(next, plus, wave.sine && factor.sine ? -c / 2 : c / 2);
          add_wave(next, minus, !wave.sine && factor.sine ? -c / 2 : c / 2);
        }
        sum = std::move(next);
      }
    for (const auto& [wave, c] : sum) {
      Parts to{parts.inputs, parts.rank, {}, parts.parameters};
      if (std::any_of(wave.times.begin(), wave.times.end(), [](int k) { return k != 0; })) to.waves[wave] = 1;
      out[to] += c;
    }
  }
  std::erase_if(out, [](const auto& term) { return std::fabs(term.second) < kKeptDigits; });
  return out;
}

EquationFactor factor_of(const EquationMark& mark, int power) { return {EquationFactor::Kind::mark, mark, nullptr, power}; }
EquationFactor bracket_of(EquationFormula inside) { return {EquationFactor::Kind::bracket, {}, std::make_shared<const EquationFormula>(std::move(inside)), 1}; }

class Gathering {
 public:
  Gathering(const GraphMarks& marks, std::set<Wave>& used) : marks_(marks), used_(used) {}

  EquationFormula operator()(const Terms& terms) {
    EquationFormula out;
    for (auto at = terms.begin(); at != terms.end();) {
      const Powers& inputs = at->first.inputs;
      const auto end = std::find_if(at, terms.end(), [&](const auto& term) { return term.first.inputs != inputs; });
      EquationFormula group = by_waves(at, end);
      const bool plain = std::all_of(inputs.begin(), inputs.end(), [](int p) { return p == 0; });
      if (plain) {
        out.terms.insert(out.terms.end(), group.terms.begin(), group.terms.end());
      } else {
        EquationTerm term = as_term(std::move(group));
        append(term.factors, inputs, marks_.inputs);
        out.terms.push_back(std::move(term));
      }
      at = end;
    }
    return out;
  }

 private:
  using Place = Terms::const_iterator;
  static EquationTerm as_term(EquationFormula sum) {
    if (sum.terms.size() == 1) return sum.terms.front();
    EquationTerm term;
    if (std::all_of(sum.terms.begin(), sum.terms.end(), [](const EquationTerm& t) { return t.coefficient < 0; })) {
      term.coefficient = -1;
      for (EquationTerm& t : sum.terms) t.coefficient = -t.coefficient;
    }
    term.factors.push_back(bracket_of(std::move(sum)));
    return term;
  }
  static void append(std::vector<EquationFactor>& factors, const Powers& powers, const std::vector<EquationMark>& marks) {
    for (std::size_t k = 0; k < powers.size(); ++k)
      if (powers[k] != 0) factors.push_back(factor_of(marks[k], powers[k]));
  }
  EquationFormula by_waves(Place begin, Place end) {
    EquationFormula out;
    for (auto at = begin; at != end;) {
      const Waves& waves = at->first.waves;
      const auto next = std::find_if(at, end, [&](const auto& term) { return term.first.waves != waves; });
      if (waves.empty()) {
        const EquationFormula sum = of_parameters(at, next, Powers{});
        out.terms.insert(out.terms.end(), sum.terms.begin(), sum.terms.end());
      } else {
        out.terms.push_back(with_common_factors(at, next));
        for (const auto& [wave, power] : waves) out.terms.back().factors.push_back(factor_of_wave(wave, power));
      }
      at = next;
    }
    return out;
  }
  EquationFormula of_parameters(Place begin, Place end, const Powers& without, double scale = 1) const {
    EquationFormula out;
    for (; begin != end; ++begin) {
      Powers powers = begin->first.parameters;
      for (std::size_t k = 0; k < without.size(); ++k) powers[k] = static_cast<std::int8_t>(powers[k] - without[k]);
      EquationTerm term;
      term.coefficient = begin->second / scale;
      append(term.factors, powers, marks_.parameters);
      out.terms.push_back(std::move(term));
    }
    return out;
  }
  /// m_1 l g + m_2 l g = (m_1 + m_2) l g.
  EquationTerm with_common_factors(Place begin, Place end) const {
    if (std::next(begin) == end) return of_parameters(begin, end, Powers{}).terms.front();
    Powers common = begin->first.parameters;
    double scale = begin->second;
    for (auto at = begin; at != end; ++at) {
      for (std::size_t k = 0; k < common.size(); ++k) common[k] = std::min(common[k], at->first.parameters[k]);
      if (std::fabs(at->second) != std::fabs(scale)) scale = std::copysign(1.0, scale);
    }
    EquationTerm term;
    term.coefficient = scale;
    term.factors.push_back(bracket_of(of_parameters(begin, end, common, scale)));
    append(term.factors, common, marks_.parameters);
    return term;
  }

 public:
  Equation definition(const Wave& wave) const { return {*short_name(wave), EquationFormula{{{1, {function_of(wave)}, {}}}}}; }

 private:
  /// c_{12} of cos(q_1 + q_2); none of cos(2 q_2 + q_3), nor of sums where "12" may be one number.
  std::optional<EquationMark> short_name(const Wave& wave) const {
    std::string joined;
    int angles = 0;
    for (std::size_t k = 0; k < wave.times.size(); ++k) {
      if (wave.times[k] == 0) continue;
      if (wave.times[k] != 1 || (++angles > 1 && wave.times.size() >= 10)) return {};
      joined += marks_.inputs[k].below;
    }
    return EquationMark{wave.sine ? "s" : "c", joined, "", 0};
  }
  EquationFactor function_of(const Wave& wave) const {
    EquationFormula angle;
    for (std::size_t k = 0; k < wave.times.size(); ++k)
      if (wave.times[k] != 0) angle.terms.push_back({static_cast<double>(wave.times[k]), {factor_of(marks_.inputs[k], 1)}, {}});
    return {wave.sine ? EquationFactor::Kind::sine : EquationFactor::Kind::cosine, {}, std::make_shared<const EquationFormula>(std::move(angle)), 1};
  }
  EquationFactor factor_of_wave(const Wave& wave, int power) {
    if (const std::optional<EquationMark> name = short_name(wave)) {
      used_.insert(wave);
      return factor_of(*name, power);
    }
    if (power == 1) return function_of(wave);
    EquationFactor whole = bracket_of({{{1, {function_of(wave)}, {}}}});
    whole.power = power;
    return whole;
  }

  const GraphMarks& marks_;
  std::set<Wave>& used_;
};

std::size_t total(const std::vector<Terms>& all) {
  std::size_t sum = 0;
  for (const Terms& terms : all) sum += terms.size();
  return sum;
}

}  // namespace

std::optional<ClosedForms> closed_forms(const Graph& graph, std::span<const Expr> results, const GraphMarks& marks) {
  Expansion expansion(graph, marks.angles, marks.circles, kLimits);
  std::vector<Terms> products, sums;
  for (const Expr& result : results) {
    const std::optional<Polynomial> polynomial = expansion(result);
    if (!polynomial) return {};
    products.push_back(kept(*polynomial, expansion));
    sums.push_back(as_sums_of_angles(products.back()));
  }
  const std::vector<Terms>& shorter = total(sums) < total(products) ? sums : products;
  if (total(shorter) > kMostInAll || std::any_of(shorter.begin(), shorter.end(), [](const Terms& t) { return t.size() > kMostTerms; })) return {};
  std::set<Wave> used;
  Gathering gather(marks, used);
  ClosedForms out;
  for (const Terms& terms : shorter) out.formulas.push_back(gather(terms));
  std::vector<Wave> order(used.begin(), used.end());
  // c_1, s_1, c_2, ...: fewest angles first, then by angle.
  const auto weight = [](const Wave& wave) { return std::count_if(wave.times.begin(), wave.times.end(), [](int k) { return k != 0; }); };
  std::stable_sort(order.begin(), order.end(), [&](const Wave& a, const Wave& b) {
    return weight(a) != weight(b) ? weight(a) < weight(b) : a.times != b.times ? b.times < a.times : a.sine < b.sine;
  });
  for (const Wave& wave : order) out.definitions.push_back(gather.definition(wave));
  return out;
}

}  // namespace ulna::internal
