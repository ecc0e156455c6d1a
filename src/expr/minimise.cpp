#include "expr/minimise.hpp"

#include <algorithm>
#include <optional>

#include <ulna/expr/program.hpp>
#include <ulna/views.hpp>

#include "expr/live.hpp"

namespace ulna::internal {

namespace {

// Sums longer than this keep their order: comparing all pairs of their terms would take longer than it saves.
constexpr std::size_t kLongestSum = 64;
constexpr int kRounds = 8;

bool is_sum(const Node& n) { return !n.fixed && (n.operation == Operation::add || n.operation == Operation::subtract); }
bool is_product(const Node& n) { return !n.fixed && n.operation == Operation::multiply; }

/// A product with a sign; one factor is a plain term.
struct Term {
  std::vector<Expr> factors;
  std::uint32_t node = kNoValue;  // of the old graph, when others use the term too
  bool negative = false;          // against it
};

/// Rewrites a graph, node by node in its order, with single-use sums and products flattened to lists.
class Rewrite {
 public:
  Rewrite(const Graph& from, std::span<const Expr> results)
      : from_(from), to_(std::make_unique<Graph>()), results_(results), live_(live_nodes(from, results)), uses_(use_counts(from, results, live_)) {
    for (const Signal& s : from.input_signals()) add_inputs(to_->inputs(s.name, s.size));
    for (const Signal& s : from.parameter_signals()) add_parameters(to_->parameters(s.name, s.size));
    const std::vector<Node>& nodes = from.nodes();
    absorbed_.assign(nodes.size(), 0);
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      if (live_[i] == 0 || !(is_sum(nodes[i]) || is_product(nodes[i]))) continue;
      for (const std::uint32_t k : {nodes[i].a, nodes[i].b}) {
        const Node& operand = nodes[k];
        if (uses_[k] != 1) continue;
        if ((is_sum(nodes[i]) && (is_sum(operand) || is_product(operand))) || (is_product(nodes[i]) && is_product(operand))) absorbed_[k] = 1;
      }
    }
  }
  virtual ~Rewrite() = default;

  Minimised run() {
    const std::vector<Node>& nodes = from_.nodes();
    made_.resize(nodes.size());
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      if (live_[i] == 0 || absorbed_[i] != 0) continue;
      made_[i] = made(i);
      if (const NodeName& name = from_.name_of(i); !name.empty()) to_->name(made_[i], name);
    }
    Minimised out;
    for (const Expr& x : results_) out.results.push_back(x.is_number() ? x : signed_as(x.negative(), made_[x.node()]));
    out.graph = std::move(to_);
    return out;
  }

 protected:
  virtual Expr sum(std::size_t node, std::vector<Term> terms) = 0;

  /// f(terms) for every sum that sum() would get, before anything is rewritten: nodes and signs of the terms are known.
  template <class F>
  void each_sum(const F& f) {
    const std::vector<Node>& nodes = from_.nodes();
    made_.resize(nodes.size());
    std::vector<Term> terms;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      if (live_[i] == 0 || absorbed_[i] != 0 || !is_sum(nodes[i])) continue;
      terms.clear();
      collect_terms(i, false, terms);
      if (terms.size() <= kLongestSum) f(terms);
    }
  }

  static Expr signed_as(bool negative, const Expr& x) { return negative ? -x : x; }
  static Expr product(const std::vector<Expr>& factors, std::size_t without = kNone) {
    Expr p(1);
    for (std::size_t k = 0; k < factors.size(); ++k)
      if (k != without) p = p * factors[k];
    return p;
  }
  static Expr plain_sum(const std::vector<Term>& terms) {
    Expr s(0);
    for (const Term& t : terms) s = s + product(t.factors);
    return s;
  }
  const Expr& made_of(std::size_t node) const { return made_[node]; }
  const Graph& from() const { return from_; }
  bool is_live(std::size_t node) const { return live_[node] != 0; }
  bool single_use(std::size_t node) const { return uses_[node] == 1; }
  /// Not to be spread out in the sum that uses it.
  void keep_whole(std::size_t node) { absorbed_[node] = 0; }
  /// As it was written, without any change.
  Expr as_it_was(std::size_t node) {
    const Node& n = from_.nodes()[node];
    const auto operand = [&](std::size_t k) { return absorbed_[k] != 0 ? as_it_was(k) : made_[k]; };
    switch (n.operation) {
      case Operation::add: return operand(n.a) + operand(n.b);
      case Operation::subtract: return operand(n.a) - operand(n.b);
      case Operation::multiply: return operand(n.a) * operand(n.b);
      case Operation::divide: return operand(n.a) / operand(n.b);
      case Operation::sine: return sincos(operand(n.a)).sin;
      case Operation::cosine: return sincos(operand(n.a)).cos;
      case Operation::constant: return Expr(from_.constants()[n.a]);
      case Operation::input: return inputs_[n.a];
      case Operation::parameter: return parameters_[n.a];
    }
    return Expr(0);
  }

 private:
  void add_inputs(const std::vector<Expr>& more) { inputs_.insert(inputs_.end(), more.begin(), more.end()); }
  void add_parameters(const std::vector<Expr>& more) { parameters_.insert(parameters_.end(), more.begin(), more.end()); }

  void collect_factors(std::size_t node, std::vector<Expr>& factors) {
    const Node& n = from_.nodes()[node];
    for (const std::uint32_t at : {n.a, n.b}) {
      if (absorbed_[at] != 0)
        collect_factors(at, factors);
      else
        factors.push_back(made_[at]);
    }
  }
  void collect_terms(std::size_t node, bool negative, std::vector<Term>& terms) {
    const Node& n = from_.nodes()[node];
    for (const std::uint32_t at : {n.a, n.b}) {
      const bool sign = negative != (at == n.b && n.operation == Operation::subtract);
      if (absorbed_[at] == 0) {
        terms.push_back({{signed_as(sign, made_[at])}, uses_[at] > 1 ? at : kNoValue, sign});
      } else if (is_sum(from_.nodes()[at])) {
        collect_terms(at, sign, terms);
      } else {
        Term t;
        collect_factors(at, t.factors);
        t.factors.front() = signed_as(sign, t.factors.front());
        terms.push_back(std::move(t));
      }
    }
  }
  Expr made(std::size_t node) {
    const Node& n = from_.nodes()[node];
    if (!is_sum(n)) return as_it_was(node);
    std::vector<Term> terms;
    collect_terms(node, false, terms);
    return terms.size() > kLongestSum ? as_it_was(node) : sum(node, std::move(terms));
  }

  const Graph& from_;
  std::unique_ptr<Graph> to_;
  std::span<const Expr> results_;
  std::vector<std::uint8_t> live_;
  std::vector<std::uint32_t> uses_;
  std::vector<std::uint8_t> absorbed_;  // used once, by a sum or product that flattens it
  std::vector<Expr> made_;
  std::vector<Expr> inputs_, parameters_;
};

/// a x + a y = a (x + y).
class Factor : public Rewrite {
 public:
  using Rewrite::Rewrite;

 private:
  Expr sum(std::size_t node, std::vector<Term> terms) override {
    bool changed = cancel(terms);
    while (true) {
      // The factor that most terms have; the first one of several.
      const Expr* best = nullptr;
      std::size_t most = 1;
      for (const Term& t : terms) {
        if (t.factors.size() < 2) continue;
        for (const Expr& f : t.factors) {
          if (f.is_number() && (f.is(1) || f.is(-1))) continue;
          const std::size_t times =
              static_cast<std::size_t>(std::count_if(terms.begin(), terms.end(), [&](const Term& other) { return index_of(other, f).has_value(); }));
          if (times > most) most = times, best = &f;
        }
      }
      if (best == nullptr) break;
      changed = true;
      const Expr factor = *best;
      Expr inner(0);
      std::vector<Term> rest;
      std::optional<std::size_t> place;
      for (const Term& t : terms) {
        const std::optional<std::size_t> at = index_of(t, factor);
        if (!at) {
          rest.push_back(t);
          continue;
        }
        if (!place) {
          place = rest.size();
          rest.push_back({});
        }
        const Expr others = product(t.factors, *at);
        inner = inner + (opposite(t.factors[*at], factor) ? -others : others);
      }
      rest[*place].factors = {factor, inner};
      terms = std::move(rest);
    }
    return changed ? plain_sum(terms) : as_it_was(node);
  }

  /// Takes out pairs of a term and its opposite.
  static bool cancel(std::vector<Term>& terms) {
    const std::size_t before = terms.size();
    for (std::size_t i = 0; i < terms.size(); ++i) {
      if (terms[i].node == kNoValue) continue;
      for (std::size_t j = i + 1; j < terms.size(); ++j) {
        if (terms[j].node != terms[i].node || terms[j].negative == terms[i].negative) continue;
        terms.erase(terms.begin() + static_cast<std::ptrdiff_t>(j));
        terms.erase(terms.begin() + static_cast<std::ptrdiff_t>(i));
        --i;
        break;
      }
    }
    return terms.size() != before;
  }

  static bool opposite(const Expr& a, const Expr& b) { return !same(a, b); }
  /// Position of this factor in a term, with either sign.
  static std::optional<std::size_t> index_of(const Term& t, const Expr& factor) {
    if (t.factors.size() < 2) return std::nullopt;
    for (std::size_t k = 0; k < t.factors.size(); ++k)
      if (same(t.factors[k], factor) || same(t.factors[k], -factor)) return k;
    return std::nullopt;
  }
};

/// Two terms that several sums have in common, up to the sign of both, are added once.
class SharePairs : public Rewrite {
 public:
  SharePairs(const Graph& from, std::span<const Expr> results) : Rewrite(from, results) {
    each_sum([&](const std::vector<Term>& terms) {
      for (std::size_t i = 0; i < terms.size(); ++i)
        for (std::size_t j = i + 1; j < terms.size(); ++j)
          if (const Key key = key_of(terms[i], terms[j])) pairs_.push_back(key);
    });
    std::sort(pairs_.begin(), pairs_.end());
  }
  bool none() const { return std::adjacent_find(pairs_.begin(), pairs_.end()) == pairs_.end(); }

 private:
  using Key = std::uint64_t;

  Expr sum(std::size_t node, std::vector<Term> terms) override {
    bool changed = false;
    while (terms.size() > 2) {
      std::ptrdiff_t most = 1;
      std::size_t bi = 0, bj = 0;
      for (std::size_t i = 0; i < terms.size(); ++i) {
        for (std::size_t j = i + 1; j < terms.size(); ++j) {
          const Key key = key_of(terms[i], terms[j]);
          if (key == 0) continue;
          const auto range = std::equal_range(pairs_.begin(), pairs_.end(), key);
          if (range.second - range.first > most) most = range.second - range.first, bi = i, bj = j;
        }
      }
      if (most < 2) break;
      changed = true;
      terms[bi] = {{terms[bi].factors.front() + terms[bj].factors.front()}};
      terms.erase(terms.begin() + static_cast<std::ptrdiff_t>(bj));
    }
    return changed ? plain_sum(terms) : as_it_was(node);
  }

  /// Both nodes and whether their signs agree; 0 for terms of one sum only.
  static Key key_of(const Term& a, const Term& b) {
    if (a.node == kNoValue || b.node == kNoValue || a.node == b.node) return 0;
    // Not std::minmax: it would return references to the two casts.
    const auto low = static_cast<Key>(std::min(a.node, b.node)), high = static_cast<Key>(std::max(a.node, b.node));
    return high << 32 | low << 1 | (a.negative == b.negative ? 1u : 0u);
  }

  std::vector<Key> pairs_;  // sorted: a pair is there as often as it occurs
};

/// No change but the loss of dead nodes.
class Plain : public Rewrite {
 public:
  using Rewrite::Rewrite;

 private:
  Expr sum(std::size_t node, std::vector<Term>) override { return as_it_was(node); }
};

/// See with_short_rotations().
class ShortRotations : public Rewrite {
 public:
  ShortRotations(const Graph& graph, std::span<const Expr> results) : Rewrite(graph, results), half_of_(graph.nodes().size(), kNone) {
    for (std::size_t i = 0; i < graph.nodes().size(); ++i) {
      Half half;
      if (!is_live(i) || !is_half(i, half)) continue;
      for (std::size_t k = 0; k < halves_.size(); ++k) {
        Half& other = halves_[k];
        if (other.angle != half.angle || other.x != half.y || other.y != half.x || other.paired || other.turns_back == half.turns_back) continue;
        other.paired = half.paired = true;
        half_of_[other.node] = k;
        half_of_[i] = halves_.size();
        keep_whole(other.node);
        keep_whole(half.node);
        break;
      }
      halves_.push_back(half);
    }
  }

 private:
  /// ±(c x + s y), or ±(c x - s y) for the inverse rotation.
  struct Half {
    std::size_t node = kNone, angle = kNone, sine = kNone, cosine = kNone, x = kNone, y = kNone;
    bool turns_back = false, negative = false, paired = false;
  };

  const Node& node(std::size_t k) const { return from().nodes()[k]; }
  /// Splits a product into its sine or cosine and the rest.
  bool split(std::size_t product, Operation operation, std::size_t& sincos, std::size_t& rest) const {
    const Node& p = node(product);
    if (!is_product(p) || p.scaled || !single_use(product)) return false;
    for (const auto& [f, g] : {std::pair(p.a, p.b), std::pair(p.b, p.a)}) {
      if (node(f).operation != operation || node(f).fixed) continue;
      sincos = f, rest = g;
      return true;
    }
    return false;
  }
  bool is_half(std::size_t i, Half& half) const {
    const Node& n = node(i);
    if (!is_sum(n)) return false;
    half.node = i;
    const bool minus = n.operation == Operation::subtract;
    for (const bool swapped : {false, true}) {
      const std::size_t c = swapped ? n.b : n.a, s = swapped ? n.a : n.b;
      if (!split(c, Operation::cosine, half.cosine, half.x) || !split(s, Operation::sine, half.sine, half.y)) continue;
      if (node(half.cosine).a != node(half.sine).a) continue;
      half.angle = node(half.cosine).a;
      half.turns_back = minus;
      half.negative = minus && swapped;  // s y - c x = -(c x - s y)
      return true;
    }
    return false;
  }

  Expr sum(std::size_t i, std::vector<Term>) override {
    const std::size_t at = half_of_[i];
    if (at == kNone) return as_it_was(i);
    const Half& half = halves_[at];
    const Expr &c = made_of(half.cosine), &s = made_of(half.sine), &x = made_of(half.x), &y = made_of(half.y);
    const Expr t = c * (x + y);
    const Expr value = half.turns_back ? t - (s + c) * y : t + (s - c) * y;
    return signed_as(half.negative, value);
  }

  std::vector<Half> halves_;
  std::vector<std::size_t> half_of_;  // of a sum that is half of a pair; else kNone
};

std::optional<Minimised> factored(const Graph& graph, std::span<const Expr> results) { return Factor(graph, results).run(); }

long operations(const OperationCounts& c) { return c.mul + c.add + c.div; }

std::optional<Minimised> shared_pairs(const Graph& graph, std::span<const Expr> results) {
  SharePairs shared(graph, results);
  if (shared.none()) return std::nullopt;
  return shared.run();
}

}  // namespace

Minimised minimised(const Graph& graph, std::span<const Expr> results) {
  long cost = operations(count(graph, results));
  Minimised best = Factor(graph, results).run();
  if (const long now = operations(count(*best.graph, best.results)); now <= cost)
    cost = now;
  else
    best = Plain(graph, results).run();
  for (int round = 0; round < kRounds; ++round) {
    const long before = cost;
    for (const auto pass : {&factored, &shared_pairs}) {
      std::optional<Minimised> next = pass(*best.graph, best.results);
      const long now = next ? operations(count(*next->graph, next->results)) : cost;
      if (now >= cost) continue;
      best = *std::move(next);
      cost = now;
    }
    if (cost == before) break;
  }
  return best;
}

Minimised with_short_rotations(const Graph& graph, std::span<const Expr> results) { return ShortRotations(graph, results).run(); }

}  // namespace ulna::internal
