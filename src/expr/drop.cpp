#include <ulna/expr/program.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "expr/minimise.hpp"

#include "expr/op_kinds.hpp"
#include "expr/run.hpp"
#include "text/message.hpp"

namespace ulna ULNA_API {

using namespace internal;

namespace {

/// x + x is a doubling, not a sum of two terms.
bool is_sum(const Instruction& step) { return ((step.op == Op::add || step.op == Op::subtract) && step.a != step.b) || is_fused(step.op); }
bool has_second(Op op) { return op != Op::sine && op != Op::cosine; }

/// The values an instruction reads, at most three.
template <class F>
void for_each_operand(const Instruction& step, F use) {
  use(step.a);
  if (has_second(step.op)) use(step.b);
  if (is_fused(step.op)) use(step.c);
}

/// Forward and reverse sweep over one state. The adjoints of all outputs of one value lie side by side, so the inner loops run over outputs.
class DropSweep {
 public:
  DropSweep(const Program& program, std::span<const double> parameters)
      : program_(program), evaluation_(program, parameters), results_(program.results.size()), adjoints_(evaluation_.values().size() * results_.size()) {}

  void operator()(std::span<const double> state) {
    evaluation_(state, results_);
    const std::size_t first = program_.first_instruction(), outputs = results_.size();
    std::fill(adjoints_.begin(), adjoints_.end(), 0.0);
    for (std::size_t k = 0; k < outputs; ++k) adjoint(program_.results[k].value)[k] += program_.results[k].negative ? -1 : 1;
    for (std::size_t i = program_.instructions.size(); i-- > program_.precomputed;) back(program_.instructions[i], &adjoints_[(first + i) * outputs]);
  }

  double value(std::uint32_t v) const { return evaluation_.values()[v]; }
  double output(std::size_t k) const { return results_[k]; }
  const double* adjoint_of_instruction(std::size_t i) const { return &adjoints_[(program_.first_instruction() + i) * results_.size()]; }
  double term(const Instruction& step, bool second) const {
    if (!is_fused(step.op)) return value(second ? step.b : step.a);
    return second ? value(step.c) : value(step.a) * value(step.b);
  }

 private:
  double* adjoint(std::uint32_t v) { return &adjoints_[v * results_.size()]; }
  void pass(std::uint32_t to, const double* from, double factor) {
    double* const sums = adjoint(to);
    for (std::size_t k = 0; k < results_.size(); ++k) sums[k] += factor * from[k];
  }

  void back(const Instruction& step, const double* from) {
    switch (step.op) {
      case Op::add:
        pass(step.a, from, 1);
        pass(step.b, from, 1);
        break;
      case Op::subtract:
        pass(step.a, from, 1);
        pass(step.b, from, -1);
        break;
      case Op::multiply:
        pass(step.a, from, value(step.b));
        pass(step.b, from, value(step.a));
        break;
      case Op::divide:
        pass(step.a, from, 1 / value(step.b));
        pass(step.b, from, -value(step.a) / (value(step.b) * value(step.b)));
        break;
      case Op::sine: pass(step.a, from, std::cos(value(step.a))); break;
      case Op::cosine: pass(step.a, from, -std::sin(value(step.a))); break;
      case Op::multiply_add:
      case Op::multiply_subtract:
      case Op::subtract_product: {
        const double sign = step.op == Op::subtract_product ? -1 : 1;
        pass(step.a, from, sign * value(step.b));
        pass(step.b, from, sign * value(step.a));
        pass(step.c, from, step.op == Op::multiply_subtract ? -1 : 1);
        break;
      }
    }
  }

  const Program& program_;
  Evaluation evaluation_;
  std::vector<double> results_;
  std::vector<double> adjoints_;  // value by value
};

/// For each instruction: which of its terms are left out.
struct Cut {
  bool first = false;
  bool second = false;
};
using Cuts = std::vector<Cut>;

/// Which values are zero because of what is left out.
std::vector<std::uint8_t> zeros(const Program& program, const Cuts& cuts) {
  std::vector<std::uint8_t> zero(program.value_count(), 0);
  const std::size_t first = program.first_instruction();
  for (std::size_t i = 0; i < program.instructions.size(); ++i) {
    const Instruction& step = program.instructions[i];
    const auto is_zero = [&](std::uint32_t v) { return zero[v] != 0; };
    switch (step.op) {
      case Op::add:
      case Op::subtract: zero[first + i] = (cuts[i].first || is_zero(step.a)) && (cuts[i].second || is_zero(step.b)); break;
      case Op::multiply: zero[first + i] = is_zero(step.a) || is_zero(step.b); break;
      case Op::divide:
      case Op::sine: zero[first + i] = is_zero(step.a); break;
      case Op::cosine: break;
      default: zero[first + i] = (cuts[i].first || is_zero(step.a) || is_zero(step.b)) && (cuts[i].second || is_zero(step.c)); break;
    }
  }
  return zero;
}

/// Instructions that the outputs still depend on, including those that are zero only because their terms are left out. O(instructions).
std::vector<std::uint8_t> needed(const Program& program, const Cuts& cuts) {
  const std::vector<std::uint8_t> zero = zeros(program, cuts);
  const std::size_t first = program.first_instruction();
  std::vector<std::uint8_t> live(program.instructions.size(), 0);
  const auto mark = [&](std::uint32_t value) {
    if (value >= first) live[value - first] = 1;
  };
  const auto mark_factors = [&](const Instruction& step) {  // what multiplies a zero is not needed
    const bool a = zero[step.a] != 0, b = zero[step.b] != 0;
    if (a || !b) mark(step.a);
    if (!a) mark(step.b);
  };
  for (const Output& result : program.results) mark(result.value);
  for (std::size_t i = program.instructions.size(); i-- > 0;) {
    if (live[i] == 0) continue;
    const Instruction& step = program.instructions[i];
    switch (step.op) {
      case Op::add:
      case Op::subtract:
        if (!cuts[i].first) mark(step.a);
        if (!cuts[i].second) mark(step.b);
        break;
      case Op::multiply: mark_factors(step); break;
      case Op::divide:
        mark(step.a);
        if (zero[step.a] == 0) mark(step.b);
        break;
      case Op::sine:
      case Op::cosine: mark(step.a); break;
      default:
        if (!cuts[i].first) mark_factors(step);
        if (!cuts[i].second) mark(step.c);
        break;
    }
  }
  return live;
}

/// The program on expressions, terms left out as zeros; folding and the passes of the minimum do the rest.
Program without(const Program& program, const Cuts& cuts) {
  Graph graph;
  std::vector<Expr> values;
  values.reserve(program.value_count());
  for (const Signal& s : program.inputs)
    for (const Expr& x : graph.inputs(s.name, s.size)) values.push_back(x);
  for (const Signal& s : program.parameters)
    for (const Expr& x : graph.parameters(s.name, s.size)) values.push_back(x);
  for (const double c : program.constants) values.emplace_back(c);
  for (std::size_t i = 0; i < program.instructions.size(); ++i) {
    const Instruction& step = program.instructions[i];
    const auto operand = [&](bool cut, std::uint32_t v) { return [&values, cut, v] { return cut ? Expr(0) : values[v]; }; };
    // The first term of a fused operation is its product: gone when a factor is.
    values.push_back(
        result_of<Expr>(step.op, operand(cuts[i].first, step.a), operand(cuts[i].second && !is_fused(step.op), step.b), operand(cuts[i].second, step.c)));
  }
  std::vector<Expr> results;
  for (const Output& result : program.results) results.push_back(result.negative ? -values[result.value] : values[result.value]);
  const Minimised best = minimised(graph, results);
  std::vector<OutputOf> outputs;
  std::size_t at = 0;
  for (const Signal& s : program.outputs) {
    outputs.push_back({s.name, std::span(best.results).subspan(at, s.size)});
    at += s.size;
  }
  return make_program(*best.graph, outputs, program.fused() > 0 ? Fuse::yes : Fuse::no);
}

/// The largest difference of each output between two programs over some states.
std::vector<double> differences(const Program& a, const Program& b, const std::vector<double>& states, std::span<const double> parameters) {
  Evaluation first(a, parameters), second(b, parameters);
  const std::size_t inputs = a.input_count(), outputs = a.results.size();
  std::vector<double> worst(outputs, 0), x(outputs), y(outputs);
  for (std::size_t at = 0; at + inputs <= states.size(); at += inputs) {
    const std::span<const double> state(&states[at], inputs);
    first(state, x);
    second(state, y);
    for (std::size_t k = 0; k < outputs; ++k) worst[k] = std::max(worst[k], std::fabs(x[k] - y[k]));
  }
  return worst;
}

/// 0 / 0 counts as 0; anything else over 0 as infinity.
double ratio(double part, double whole) { return part == 0 ? 0 : whole > 0 ? part / whole : std::numeric_limits<double>::infinity(); }

struct Candidate {
  DroppedTerm term;
  std::size_t row = 0;  // in the table of worst effects
};

class Choice {
 public:
  Choice(const Program& program, const std::vector<Candidate>& candidates, const std::vector<double>& worst, const std::vector<double>& allowed)
      : program_(program), candidates_(candidates), worst_(worst), allowed_(allowed), cuts_(program.instructions.size()) {}

  /// From the smallest up. Dropping a term may remove the sums of terms dropped before, which frees their share; hence the repetition.
  /// It ends because every dropped term shortens the program.
  void run() {
    for (bool gained = true; gained;) {
      gained = false;
      for (std::size_t c = 0; c < candidates_.size(); ++c) {
        if (is_taken(c) || live_[candidates_[c].term.sum] == 0 || !take(c)) continue;
        gained = true;
      }
    }
  }
  /// Restores terms, the last first, until `keep` are left.
  void keep(std::size_t keep) {
    while (taken_.size() > keep) {
      set(taken_.back(), false);
      taken_.pop_back();
    }
    settle();
  }

  const Cuts& cuts() const { return cuts_; }
  const std::vector<std::size_t>& taken() const { return taken_; }
  const std::vector<double>& spent() const { return spent_; }

 private:
  bool is_taken(std::size_t c) const {
    const Cut& cut = cuts_[candidates_[c].term.sum];
    return candidates_[c].term.second ? cut.second : cut.first;
  }
  void set(std::size_t c, bool cut) {
    Cut& at = cuts_[candidates_[c].term.sum];
    (candidates_[c].term.second ? at.second : at.first) = cut;
  }
  bool take(std::size_t c) {
    const double* const effects = &worst_[candidates_[c].row * allowed_.size()];
    for (std::size_t k = 0; k < allowed_.size(); ++k)
      if (effects[k] > allowed_[k]) return false;  // too much even alone
    const std::vector<std::size_t> before = taken_;
    set(c, true);
    taken_.push_back(c);
    settle();
    for (std::size_t k = 0; k < allowed_.size(); ++k) {
      if (spent_[k] <= allowed_[k]) continue;
      set(c, false);
      for (const std::size_t old : before) set(old, true);
      taken_ = before;
      settle();
      return false;
    }
    return true;
  }
  /// Only terms whose sums are still there count.
  void settle() {
    live_ = needed(program_, cuts_);
    std::erase_if(taken_, [&](std::size_t c) {
      if (live_[candidates_[c].term.sum] != 0) return false;
      set(c, false);
      return true;
    });
    std::fill(spent_.begin(), spent_.end(), 0.0);
    for (const std::size_t c : taken_)
      for (std::size_t k = 0; k < allowed_.size(); ++k) spent_[k] += worst_[candidates_[c].row * allowed_.size() + k];
  }

  const Program& program_;
  const std::vector<Candidate>& candidates_;
  const std::vector<double>& worst_;
  const std::vector<double>& allowed_;
  Cuts cuts_;
  std::vector<std::size_t> taken_;
  std::vector<double> spent_ = std::vector<double>(allowed_.size(), 0.0);
  std::vector<std::uint8_t> live_ = needed(program_, cuts_);
};

/// For every value: one more than the last place of an input it depends on; 0 for none.
std::vector<std::size_t> last_inputs(const Program& program) {
  std::vector<std::size_t> last(program.value_count(), 0);
  std::size_t at = 0;
  for (const Signal& s : program.inputs)
    for (std::size_t k = 0; k < s.size; ++k) last[at++] = k + 1;
  at = program.first_instruction();
  for (const Instruction& step : program.instructions) {
    for_each_operand(step, [&](std::uint32_t v) { last[at] = std::max(last[at], last[v]); });
    ++at;
  }
  return last;
}

/// For every value: one more than the last output that it reaches; 0 for none.
std::vector<std::size_t> last_outputs(const Program& program) {
  std::vector<std::size_t> last(program.value_count(), 0);
  for (std::size_t k = 0; k < program.results.size(); ++k) last[program.results[k].value] = k + 1;
  for (std::size_t i = program.instructions.size(); i-- > 0;) {
    const std::size_t here = last[program.first_instruction() + i];
    for_each_operand(program.instructions[i], [&](std::uint32_t v) { last[v] = std::max(last[v], here); });
  }
  return last;
}

}  // namespace

Dropped drop_insignificant(const Program& program, const StateSource& next, const DropOptions& options, std::span<const double> parameters) {
  if (!(options.share >= 0 && options.share <= 1)) throw std::invalid_argument(cat("the share that results may change by is from 0 to 1, not ", options.share));
  if (options.samples == 0) throw std::invalid_argument(cat("at least 1 sample is needed, but ", options.samples, " are requested"));
  const std::size_t inputs = program.input_count(), outputs = program.results.size();
  const auto draw = [&] {
    std::vector<double> states(inputs * options.samples);
    for (std::size_t at = 0; at + inputs <= states.size() && inputs > 0; at += inputs) next(std::span(&states[at], inputs));
    return states;
  };
  const std::vector<double> states = draw(), fresh = draw();

  std::vector<Candidate> candidates;
  const std::vector<std::size_t> of_input = last_inputs(program), to_output = last_outputs(program);
  for (std::size_t i = program.precomputed; i < program.instructions.size(); ++i) {
    const Instruction& step = program.instructions[i];
    if (!is_sum(step)) continue;
    for (const bool second : {false, true}) {
      DroppedTerm term;
      term.sum = i;
      term.second = second;
      term.last_output = to_output[program.first_instruction() + i] - 1;  // 0 - 1 is kNone
      if (is_fused(step.op))
        term.last_input = (second ? of_input[step.c] : std::max(of_input[step.a], of_input[step.b])) - 1;
      else
        term.last_input = of_input[second ? step.b : step.a] - 1;
      candidates.push_back({term, candidates.size()});
    }
  }

  // The worst effect of every term on every output, and the largest outputs.
  std::vector<double> worst(candidates.size() * outputs, 0), largest(outputs, 0);
  DropSweep sweep(program, parameters);
  for (std::size_t at = 0; at + inputs <= states.size() && inputs > 0; at += inputs) {
    sweep(std::span(&states[at], inputs));
    for (std::size_t k = 0; k < outputs; ++k) {
      if (!std::isfinite(sweep.output(k))) throw std::invalid_argument("a sampled state gives a result that is not a number");
      largest[k] = std::max(largest[k], std::fabs(sweep.output(k)));
    }
    for (const Candidate& c : candidates) {
      const double term = std::fabs(sweep.term(program.instructions[c.term.sum], c.term.second));
      const double* const adjoint = sweep.adjoint_of_instruction(c.term.sum);
      double* const row = &worst[c.row * outputs];
      for (std::size_t k = 0; k < outputs; ++k) row[k] = std::max(row[k], std::fabs(adjoint[k]) * term);
    }
  }
  for (Candidate& c : candidates)
    for (std::size_t k = 0; k < outputs; ++k) {
      const double part = ratio(worst[c.row * outputs + k], largest[k]);
      if (c.term.output == kNone || part > c.term.worst) {
        c.term.worst = part;
        c.term.output = k;
      }
    }
  std::stable_sort(candidates.begin(), candidates.end(), [](const Candidate& a, const Candidate& b) { return a.term.worst < b.term.worst; });

  std::vector<double> allowed(outputs);
  for (std::size_t k = 0; k < outputs; ++k) allowed[k] = options.share * largest[k];
  Choice choice(program, candidates, worst, allowed);
  choice.run();

  // Does it hold when the terms are really left out? Another order of operations may round otherwise, by a roundoff for each of them.
  const double rounding = std::numeric_limits<double>::epsilon() * static_cast<double>(program.instructions.size());
  Dropped result{program, {}, largest, {}, {}};
  std::size_t good = 0, bad = choice.taken().size() + 1;
  for (std::size_t keep = choice.taken().size(); keep > good; keep = good + (bad - good) / 2) {
    Choice fewer = choice;
    fewer.keep(keep);
    Program reduced = without(program, fewer.cuts());
    const std::vector<double> change = differences(program, reduced, states, parameters);
    bool holds = true;
    for (std::size_t k = 0; k < outputs; ++k) holds = holds && change[k] <= allowed[k] + rounding * largest[k];
    if (holds) {
      good = keep;
      result.program = std::move(reduced);
    } else {
      bad = keep;
    }
    if (bad - good <= 1) break;
  }
  choice.keep(good);
  for (const std::size_t c : choice.taken()) result.terms.push_back(candidates[c].term);
  std::stable_sort(result.terms.begin(), result.terms.end(), [](const DroppedTerm& a, const DroppedTerm& b) { return a.worst < b.worst; });
  for (std::size_t k = 0; k < outputs; ++k) result.expected.push_back(ratio(choice.spent()[k], largest[k]));
  result.changed = differences(program, result.program, fresh, parameters);
  for (std::size_t k = 0; k < outputs; ++k) result.changed[k] = ratio(result.changed[k], largest[k]);
  return result;
}

}  // namespace ULNA_API
