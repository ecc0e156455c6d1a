#include "emit/equations_steps.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "text/message.hpp"

namespace ulna::internal {

namespace {

EquationMark mark_of(const PaperQuantity<Expr>& quantity, std::size_t n) {
  const PaperIndex& at = quantity.index;
  const bool pair = at.second != 0;
  return {quantity.symbol.letter, pair ? cat(at.first, n < 10 ? "" : ",", at.second) : cat(at.first),
          at.frame == 0 ? quantity.symbol.above : cat("(", at.frame, ")"), quantity.symbol.dots};
}

std::string rule_of(const PaperSymbol& symbol) {
  return cat(symbol.rule, *symbol.rule == 0 || *symbol.equation == 0 ? "" : "  ", *symbol.equation == 0 ? "" : cat("(", symbol.equation, ")"));
}

/// Sines and cosines of joint angles are called by the coordinate, whatever constant is added to it: c3, or where the paper has a c or an s of its own,
/// c with theta3 below it.
void name_angles(Graph& graph, const std::vector<std::size_t>& numbers, bool theta, std::map<std::string, EquationMark>& marks) {
  const auto angle_of = [&](std::size_t index) {
    const auto at = [&](std::size_t k) { return graph.nodes()[k]; };
    Node node = at(index);
    if (node.operation == Operation::add || node.operation == Operation::subtract) {
      if (at(node.a).fixed != at(node.b).fixed) node = at(at(node.a).fixed ? node.b : node.a);
    }
    return node.operation == Operation::input ? node.a : kNoValue;
  };
  for (std::size_t k = 0; k < graph.nodes().size(); ++k) {
    const Node node = graph.nodes()[k];
    if (node.operation != Operation::sine && node.operation != Operation::cosine) continue;
    const std::uint32_t coordinate = angle_of(node.a);
    if (coordinate == kNoValue || coordinate >= numbers.size()) continue;
    const EquationMark mark{node.operation == Operation::sine ? "s" : "c", cat(numbers[coordinate]), "", 0, "", theta ? "theta" : ""};
    marks[mark.text()] = mark;
    graph.name(Expr(graph, static_cast<std::uint32_t>(k), false), NodeName{mark.text()});
  }
}

EquationFormula of_mark(const EquationMark& mark, bool negative) {
  return {{EquationTerm{negative ? -1.0 : 1.0, {EquationFactor{EquationFactor::Kind::mark, mark, nullptr, 1}}, {}}}};
}

/// The name of an entry: a number, a symbol, an input, or a node by its name.
EquationQuantity::Entry entry_of(const Expr& x, const std::vector<EquationMark>& inputs, const SymbolicTrace& trace) {
  if (x.is_number()) return {true, x.is(0) ? EquationFormula{} : EquationFormula{{EquationTerm{x.number(), {}, {}}}}};
  const Node node = trace.graph->nodes()[x.node()];
  if (node.operation == Operation::input) return {true, of_mark(inputs[node.a], x.negative())};
  if (node.operation == Operation::parameter) return {true, of_mark(trace.symbols[node.a].mark, x.negative())};
  const NodeName& name = trace.graph->name_of(x.node());
  const auto known = trace.marks.find(name.letter);
  if (known == trace.marks.end()) return {false, {}};
  return {true, of_mark(known->second, x.negative() != name.opposite)};
}

bool same_letter(const EquationMark& a, const EquationMark& b) { return a.letter == b.letter && a.above == b.above && a.dots == b.dots; }

/// The one mark that an entry is made of; null for numbers and sums.
const EquationMark* single_mark(const EquationFormula& formula) {
  if (formula.terms.size() != 1 || formula.terms[0].factors.size() != 1 || !formula.terms[0].divisors.empty()) return nullptr;
  const EquationFactor& factor = formula.terms[0].factors[0];
  return factor.kind == EquationFactor::Kind::mark ? &factor.mark : nullptr;
}

bool equal(const EquationFormula& a, const EquationFormula& b) {
  const EquationMark *x = single_mark(a), *y = single_mark(b);
  if (x != nullptr && y != nullptr) return *x == *y && a.terms[0].coefficient == b.terms[0].coefficient;
  if (x != nullptr || y != nullptr || a.terms.size() != b.terms.size()) return false;
  return a.terms.empty() || a.terms[0].coefficient == b.terms[0].coefficient;  // numbers
}
bool equal(const EquationQuantity& a, const EquationQuantity& b) {
  return a.rows == b.rows && a.columns == b.columns && std::equal(a.entries.begin(), a.entries.end(), b.entries.begin(), [](const auto& x, const auto& y) {
           return x.needed == y.needed && equal(x.formula, y.formula);
         });
}

/// Definitions that stand together: those of a quantity's entries, or one alone; and quantities made of earlier ones alone.
struct Block {
  std::vector<std::size_t> definitions;
  std::optional<std::size_t> quantity;
  std::set<std::size_t> needs;  // other blocks
};

class Arrangement {
 public:
  explicit Arrangement(EquationSet& set) : set_(set) {
    for (std::size_t k = 0; k < set.definitions.size(); ++k) defined_[set.definitions[k].left.text()] = k;
    for (const EquationSymbol& symbol : set.symbols) symbols_.insert(symbol.mark.text());
    for (const EquationQuantity& quantity : set.quantities) own_.push_back(own(quantity));
  }

  void run() {
    while (!ordered()) {
    }  // each pass takes one more quantity apart
    std::vector<Equation> definitions;
    std::vector<EquationQuantity> quantities;
    for (const std::size_t b : order_) {
      const Block& block = blocks_[b];
      const std::size_t first = definitions.size();
      for (const std::size_t k : block.definitions) definitions.push_back(set_.definitions[k]);
      if (!block.quantity) continue;
      EquationQuantity quantity = set_.quantities[*block.quantity];
      quantity.first = first;
      quantity.last = definitions.size();
      if (quantity.first == quantity.last)
        if (const auto twin = std::find_if(quantities.begin(), quantities.end(), [&](const EquationQuantity& q) { return equal(q, quantity); });
            twin != quantities.end())
          quantity.same_as = twin->mark;
      quantities.push_back(std::move(quantity));
    }
    set_.definitions = std::move(definitions);
    set_.quantities = std::move(quantities);
    write_out();
  }

 private:
  /// Definitions that are entries of a quantity; entries that were not kept are marked.
  std::vector<std::size_t> own(const EquationQuantity& quantity) const {
    std::set<std::size_t> found;
    for (const EquationQuantity::Entry& entry : quantity.entries)
      if (const EquationMark* mark = single_mark(entry.formula);
          mark != nullptr && entry.needed && same_letter(*mark, quantity.mark) && mark->below == quantity.mark.below)
        if (const auto at = defined_.find(mark->text()); at != defined_.end()) found.insert(at->second);
    return {found.begin(), found.end()};
  }

  void make_blocks() {
    blocks_.clear();
    of_definition_.assign(set_.definitions.size(), kNone);
    for (std::size_t q = 0; q < set_.quantities.size(); ++q) {
      const std::vector<std::size_t> together = apart_.contains(q) ? std::vector<std::size_t>{} : own_[q];
      for (const std::size_t k : together) of_definition_[k] = blocks_.size();
      blocks_.push_back({together, q, {}});
    }
    for (std::size_t k = 0; k < set_.definitions.size(); ++k)
      if (of_definition_[k] == kNone) of_definition_[k] = blocks_.size(), blocks_.push_back({{k}, {}, {}});
    for (std::size_t b = 0; b < blocks_.size(); ++b) {
      std::set<std::string> used;
      for (const std::size_t k : blocks_[b].definitions) collect_marks(set_.definitions[k].right, used);
      if (blocks_[b].quantity)
        for (const EquationQuantity::Entry& entry : set_.quantities[*blocks_[b].quantity].entries) collect_marks(entry.formula, used);
      for (const std::string& mark : used)
        if (const auto at = defined_.find(mark); at != defined_.end() && of_definition_[at->second] != b) blocks_[b].needs.insert(of_definition_[at->second]);
    }
  }

  /// False when a quantity had to be split because its entries are needed at different times.
  bool ordered() {
    make_blocks();
    order_.clear();
    path_.clear();
    state_.assign(blocks_.size(), 0);
    // By the last definition of each; quantities without definitions come as early as possible, in their own order.
    std::vector<std::size_t> by_place;
    for (std::size_t b = 0; b < blocks_.size(); ++b) by_place.push_back(b);
    const auto place = [&](std::size_t b) {
      if (!blocks_[b].definitions.empty()) return blocks_[b].definitions.back();
      std::size_t last = 0;
      for (const std::size_t need : blocks_[b].needs) last = std::max(last, blocks_[need].definitions.empty() ? 0 : blocks_[need].definitions.back());
      return last;
    };
    std::stable_sort(by_place.begin(), by_place.end(), [&](std::size_t a, std::size_t b) { return place(a) < place(b); });
    return std::all_of(by_place.begin(), by_place.end(), [&](std::size_t b) { return put(b); });
  }
  bool put(std::size_t b) {
    if (state_[b] == 2) return true;
    if (state_[b] == 1) {  // it depends on itself: definitions alone never do, so a quantity is part of the cycle
      const auto around = std::find_if(std::find(path_.begin(), path_.end(), b), path_.end(), [&](std::size_t k) { return blocks_[k].quantity.has_value(); });
      apart_.insert(blocks_[*around].quantity.value());
      return false;
    }
    state_[b] = 1;
    path_.push_back(b);
    for (const std::size_t need : blocks_[b].needs)
      if (!put(need)) return false;
    path_.pop_back();
    state_[b] = 2;
    order_.push_back(b);
    return true;
  }

  /// Replaces the entries' names by their right sides; missing ones are not needed.
  void write_out() {
    std::map<std::string, std::size_t> at;
    for (std::size_t k = 0; k < set_.definitions.size(); ++k) at[set_.definitions[k].left.text()] = k;
    for (EquationQuantity& quantity : set_.quantities)
      for (EquationQuantity::Entry& entry : quantity.entries) {
        entry.name = entry.formula;
        const EquationMark* mark = single_mark(entry.name);
        if (mark == nullptr) continue;
        const std::string text = mark->text();
        const bool negative = entry.name.terms[0].coefficient < 0;
        if (const auto found = at.find(text); found != at.end()) {
          if (found->second < quantity.first || found->second >= quantity.last) continue;
          EquationFormula formula = set_.definitions[found->second].right;
          for (EquationTerm& term : formula.terms) term.coefficient = negative ? -term.coefficient : term.coefficient;
          entry.formula = std::move(formula);
        } else if (mark->letter != "q" && mark->letter != "tau" && !symbols_.contains(text)) {
          entry = {false, {}};
        }
      }
    std::erase_if(set_.quantities, [](const EquationQuantity& quantity) {
      return std::all_of(quantity.entries.begin(), quantity.entries.end(),
                         [](const auto& e) { return !e.needed || e.formula.terms.empty() || e.formula.terms[0].factors.empty(); });
    });
  }

  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);
  EquationSet& set_;
  std::map<std::string, std::size_t> defined_;
  std::set<std::string> symbols_;
  std::vector<std::vector<std::size_t>> own_;  // by quantity
  std::set<std::size_t> apart_;                // quantities whose entries stand alone
  std::vector<Block> blocks_;
  std::vector<std::size_t> of_definition_, order_, path_;
  std::vector<int> state_;
};

}  // namespace

std::string entry_name(std::size_t rows, std::size_t columns, std::size_t k) {
  if (rows * columns == 1) return {};
  const auto name = [rows](std::size_t i) { return rows == 3 ? std::string(1, "xyz"[i]) : cat(i + 1); };
  return columns == 1 ? name(k) : name(k / columns) + name(k % columns);
}

void name_quantities(const std::function<void(const PaperVisitor<Expr>&)>& visit, const std::vector<EquationMark>& inputs,
                     const std::vector<std::size_t>& numbers, SymbolicTrace& trace) {
  std::vector<PaperQuantity<Expr>> shown;
  visit([&](const PaperQuantity<Expr>& quantity) {
    if (!quantity.symbol.beside) shown.push_back(quantity);
  });
  const bool taken = std::any_of(shown.begin(), shown.end(), [](const PaperQuantity<Expr>& quantity) {
    const std::string_view letter = quantity.symbol.letter;
    return (letter == "c" || letter == "s") && quantity.rows > 1;
  });
  name_angles(*trace.graph, numbers, taken, trace.marks);
  for (const PaperQuantity<Expr>& quantity : shown) {
    const EquationMark whole = mark_of(quantity, numbers.size());
    for (std::size_t k = 0; k < quantity.entries.size(); ++k) {
      EquationMark mark = whole;
      mark.entry = entry_name(quantity.rows, quantity.columns, k);
      trace.marks.emplace(mark.text(), mark);
      trace.graph->name(quantity.entries[k], NodeName{mark.text()});
    }
    const EquationMark letter{whole.letter, "", quantity.symbol.above, whole.dots};
    const auto known = std::find_if(trace.letters.begin(), trace.letters.end(), [&](const EquationLetter& l) {
      return l.mark == letter && l.rows == quantity.rows && l.columns == quantity.columns && l.meaning == quantity.symbol.meaning;
    });
    if (known == trace.letters.end()) trace.letters.push_back({letter, quantity.rows, quantity.columns, quantity.symbol.meaning, rule_of(quantity.symbol)});
  }
  for (const PaperQuantity<Expr>& quantity : shown) {
    if (quantity.entries.size() == 1) continue;  // a name is all that a scalar needs
    EquationQuantity drawn{mark_of(quantity, numbers.size()), quantity.rows, quantity.columns, {}};
    for (const Expr& x : quantity.entries) drawn.entries.push_back(entry_of(x, inputs, trace));
    trace.quantities.push_back(std::move(drawn));
  }
}

void arrange_quantities(EquationSet& set) {
  if (set.quantities.empty() && set.letters.empty()) return;
  Arrangement(set).run();
  std::erase_if(set.letters, [&](const EquationLetter& letter) {
    const auto is = [&](const EquationMark& mark) {
      return mark.letter == letter.mark.letter && mark.dots == letter.mark.dots && (mark.above == letter.mark.above || mark.above.starts_with("("));
    };
    return std::none_of(set.quantities.begin(), set.quantities.end(), [&](const EquationQuantity& q) { return is(q.mark); }) &&
           std::none_of(set.definitions.begin(), set.definitions.end(), [&](const Equation& e) { return is(e.left); });
  });
}

}  // namespace ulna::internal
