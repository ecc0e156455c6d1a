#include <ulna/formulation/speeds.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <span>
#include <stdexcept>

#include "expr/differentiate.hpp"
#include "expr/read_expression.hpp"
#include "expr/sampled.hpp"
#include "formulation/chosen_speeds.hpp"
#include "formulation/kane.hpp"
#include "formulation/kane_stanford.hpp"
#include "model/require_fixed_base.hpp"
#include "text/message.hpp"

namespace ulna::internal {

namespace {

std::vector<std::string> moving_joints(const Model& model) {
  std::vector<std::string> names;
  for (const Joint& joint : model.joints())
    if (joint.type != JointType::fixed) names.push_back(joint.name);
  return names;
}

/// A planar base is three joints before the others.
Model base_among_joints(const Model& model) { return model.base() == RootJoint::planar ? with_base_as_joints(model) : model; }

/// Why no choice of speeds is taken for a robot; empty when one is.
std::string why_no_speeds(const Model& model) {
  if (model.closed()) return "has loops, where the independent joints' rates are the speeds; open them with --loops ignore";
  if (model.base() == RootJoint::free) return "has a free base; speeds are of joints, on a base that is fixed or planar";
  for (const Joint& joint : model.joints())
    if (joint.mimic) return cat("has joint ", in_quotes(joint.name), ", which mimics another; make it free by --mimic ignore");
  return {};
}

/// The joint rates that determine them come in blocks: rows and columns of A that depend on each other, each block after those that it needs.
struct SpeedBlocks {
  struct Block {
    std::vector<std::size_t> rows, columns;
  };
  std::vector<Block> blocks;
  std::vector<std::size_t> too_many;  // not empty: these speeds depend on fewer joints than they are
};

class BlockFinder {
 public:
  BlockFinder(std::size_t n, const std::vector<Expr>& A) : n_(n), A_(A), column_(n, kNone), row_(n, kNone), index_(n, kNone), low_(n), open_(n) {}

  SpeedBlocks find() {
    for (std::size_t r = 0; r < n_; ++r) {
      std::vector<bool> seen(n_);
      if (match(r, seen)) continue;
      for (std::size_t k = 0; k < n_; ++k)  // those whose joints the search has tried
        if (k == r || (column_[k] != kNone && seen[column_[k]])) found_.too_many.push_back(k);
      return std::move(found_);
    }
    for (std::size_t r = 0; r < n_; ++r)
      if (index_[r] == kNone) connect(r);
    return std::move(found_);
  }

 private:
  bool has(std::size_t r, std::size_t c) const { return !A_[r * n_ + c].is(0); }
  bool match(std::size_t r, std::vector<bool>& seen) {
    for (std::size_t c = 0; c < n_; ++c) {
      if (!has(r, c) || seen[c]) continue;
      seen[c] = true;
      if (row_[c] != kNone && !match(row_[c], seen)) continue;
      row_[c] = r;
      column_[r] = c;
      return true;
    }
    return false;
  }
  /// Tarjan's strongly connected components: they come out with those first that others need.
  void connect(std::size_t r) {
    index_[r] = low_[r] = next_++;
    stack_.push_back(r);
    open_[r] = true;
    for (std::size_t c = 0; c < n_; ++c) {
      const std::size_t other = row_[c];
      if (!has(r, c) || other == r) continue;
      if (index_[other] == kNone) {
        connect(other);
        low_[r] = std::min(low_[r], low_[other]);
      } else if (open_[other]) {
        low_[r] = std::min(low_[r], index_[other]);
      }
    }
    if (low_[r] != index_[r]) return;
    SpeedBlocks::Block block;
    for (std::size_t top = kNone; top != r;) {
      top = stack_.back();
      stack_.pop_back();
      open_[top] = false;
      block.rows.push_back(top);
    }
    std::sort(block.rows.begin(), block.rows.end());
    for (const std::size_t row : block.rows) block.columns.push_back(column_[row]);
    std::sort(block.columns.begin(), block.columns.end());
    found_.blocks.push_back(std::move(block));
  }

  std::size_t n_;
  const std::vector<Expr>& A_;
  std::vector<std::size_t> column_, row_;  // of a row, of a column, in the matching
  std::vector<std::size_t> index_, low_, stack_;
  std::vector<bool> open_;
  std::size_t next_ = 0;
  SpeedBlocks found_;
};

/// The inverse of a k x k block, row by row, and what it divides by. Small blocks by cofactors, which are singular where the block is and nowhere else; larger
/// ones by elimination with the pivots of a sample. Zero: identically singular.
std::vector<Expr> inverse_of_block(std::size_t k, std::vector<Expr> A, Sampled& sampled, Expr& divisor) {
  const auto at = [&](std::size_t r, std::size_t c) -> const Expr& { return A[(r % k) * k + c % k]; };
  const auto simplest = [&](const Expr& x) { return sampled.simplest(x); };
  std::vector<Expr> W(k * k);
  if (k <= 3) {
    if (k == 1) {
      W[0] = Expr(1);
      divisor = A[0];
    } else if (k == 2) {
      W = {A[3], -A[1], -A[2], A[0]};
      divisor = simplest(A[0] * A[3] - A[1] * A[2]);
    } else {
      for (std::size_t r = 0; r < 3; ++r)
        for (std::size_t c = 0; c < 3; ++c) W[c * 3 + r] = simplest(at(r + 1, c + 1) * at(r + 2, c + 2) - at(r + 1, c + 2) * at(r + 2, c + 1));
      divisor = simplest(A[0] * W[0] + A[1] * W[3] + A[2] * W[6]);
    }
    if (divisor.is(0)) return W;
    for (Expr& w : W) w = simplest(simplest(w) / divisor);
    return W;
  }
  divisor = Expr(1);
  for (std::size_t r = 0; r < k; ++r) W[r * k + r] = Expr(1);
  for (std::size_t p = 0; p < k; ++p) {
    std::size_t best = p;
    for (std::size_t r = p; r < k; ++r) {
      A[r * k + p] = simplest(A[r * k + p]);
      if (std::fabs(sampled.value(A[r * k + p])) > std::fabs(sampled.value(A[best * k + p]))) best = r;
    }
    const Expr pivot = A[best * k + p];
    divisor = divisor * pivot;
    if (pivot.is(0)) return W;
    for (std::size_t c = 0; c < k; ++c) std::swap(A[p * k + c], A[best * k + c]), std::swap(W[p * k + c], W[best * k + c]);
    for (std::size_t c = 0; c < k; ++c) A[p * k + c] = A[p * k + c] / pivot, W[p * k + c] = W[p * k + c] / pivot;
    for (std::size_t r = 0; r < k; ++r) {
      if (r == p) continue;
      const Expr factor = A[r * k + p];
      for (std::size_t c = 0; c < k; ++c) {
        A[r * k + c] = c == p ? Expr(0) : A[r * k + c] - factor * A[p * k + c];
        W[r * k + c] = W[r * k + c] - factor * W[p * k + c];
      }
    }
  }
  for (Expr& w : W) w = simplest(w);
  return W;
}

Program program_of(const Graph& graph, const std::vector<Expr>& results) {
  const OutputOf output{"result", results};
  return make_program(graph, std::span(&output, 1));
}

/// A divisor in the words of the speeds' expressions.
std::string divisor_text(const Graph& graph, const Expr& divisor, const std::vector<std::string>& joints) {
  const Program program = program_of(graph, {divisor});
  std::string text = formula(program, program.results.front().value, 80);
  for (std::size_t k = joints.size(); k-- > 0;) {
    const std::string index = cat("q[", k, "]"), name = cat("q.", joints[k]);  // which may have the index in it
    for (std::size_t at = text.find(index); at != std::string::npos; at = text.find(index, at + name.size())) text.replace(at, index.size(), name);
  }
  return text;
}

/// Of a quotient the numerator; 1 for any number.
Expr numerator(Expr x) {
  while (!x.is_number() && x.graph()->nodes()[x.node()].operation == Operation::divide) {
    const std::uint32_t over = x.graph()->nodes()[x.node()].a;
    x = x.graph()->nodes()[over].fixed ? Expr(1) : Expr(*x.graph(), over, false);
  }
  return x;
}
/// What expressions divide by, numbers aside.
std::vector<Expr> denominators(Graph& graph, const std::vector<Expr>& of) {
  std::vector<bool> used(graph.nodes().size());
  for (const Expr& x : of)
    if (!x.is_number()) used[x.node()] = true;
  std::vector<Expr> found;
  for (std::size_t k = used.size(); k-- > 0;) {  // arguments stand first
    const Node& node = graph.nodes()[k];
    if (!used[k] || node.operation < Operation::add) continue;
    for (const std::uint32_t operand : {node.a, node.b})
      if (operand != kNoValue) used[operand] = true;
    if (node.operation == Operation::divide && !graph.nodes()[node.b].fixed) found.emplace_back(graph, node.b, false);
  }
  return found;
}

/// Which speeds cannot be solved for the rates, and why.
struct NotSolvable {
  std::vector<std::size_t> speeds;
  std::string why;
};

/// From A and B on a graph whose inputs are q and v. Throws NotSolvable.
void make_programs(Graph& graph, const std::vector<Expr>& q, const std::vector<Expr>& v, std::vector<Expr> A, std::vector<Expr> B,
                   const std::vector<std::string>& joints, ChosenSpeeds& chosen) {
  const std::size_t n = q.size();
  Sampled sampled(graph);
  for (Expr& a : A) a = sampled.simplest(a);
  const SpeedBlocks found = BlockFinder(n, A).find();
  if (!found.too_many.empty()) throw NotSolvable{found.too_many, "there are fewer joints in them than speeds"};
  std::vector<Expr> W(n * n);
  std::vector<std::string> zeros;  // where it is singular
  for (const SpeedBlocks::Block& block : found.blocks) {
    const std::size_t k = block.rows.size();
    std::vector<Expr> own(k * k);
    for (std::size_t i = 0; i < k; ++i)
      for (std::size_t j = 0; j < k; ++j) own[i * k + j] = A[block.rows[i] * n + block.columns[j]];
    Expr divisor(1);
    const std::vector<Expr> inverse = inverse_of_block(k, own, sampled, divisor);
    if (divisor.is(0)) throw NotSolvable{block.rows, "their determinant is zero at every q"};
    if (!numerator(divisor).is_number()) zeros.push_back(divisor_text(graph, numerator(divisor), joints));
    // v of these columns = inverse (u - B - A of the others v): what the others are has been found before.
    for (std::size_t r = 0; r < n; ++r) {
      std::vector<Expr> rest(k);
      for (std::size_t i = 0; i < k; ++i) {
        rest[i] = Expr(block.rows[i] == r ? 1 : 0);
        for (std::size_t c = 0; c < n; ++c)
          if (std::find(block.columns.begin(), block.columns.end(), c) == block.columns.end()) rest[i] = rest[i] - A[block.rows[i] * n + c] * W[c * n + r];
      }
      for (std::size_t j = 0; j < k; ++j) {
        Expr sum(0);
        for (std::size_t i = 0; i < k; ++i) sum = sum + inverse[j * k + i] * rest[i];
        W[block.columns[j] * n + r] = sampled.simplest(sum);
      }
    }
  }
  std::vector<Expr> both = std::move(A);
  both.insert(both.end(), B.begin(), B.end());
  for (const Expr& pole : denominators(graph, both)) zeros.push_back(divisor_text(graph, pole, joints));
  for (std::size_t k = 0; k < zeros.size(); ++k)
    if (std::find(zeros.begin(), zeros.begin() + static_cast<std::ptrdiff_t>(k), zeros[k]) == zeros.begin() + static_cast<std::ptrdiff_t>(k))
      chosen.singular_where += cat(k == 0 ? "where " : ", or ", zeros[k], " is zero");
  const std::vector<Expr> rates = along(graph, both, q, v);
  chosen.values = program_of(graph, both);
  chosen.rates = program_of(graph, rates);
  chosen.inverse = program_of(graph, W);
}

/// Reads all expressions twice: with the rates as inputs, and with zeros in their place, which leaves B.
class SpeedsReader {
 public:
  SpeedsReader(const Model& model, const SpeedDefinitions& text) : text_(text), joints_(moving_joints(model)), diagnostics_(text.source) {
    if (const std::string why = why_no_speeds(model); !why.empty()) diagnostics_.error(0, "speeds", cat("robot ", in_quotes(model.name()), " ", why), "");
    q_ = graph_.inputs("q", joints_.size());
    v_ = graph_.inputs("v", joints_.size());
  }

  ChosenSpeeds read() {
    fail_if_wrong();
    ChosenSpeeds chosen;
    chosen.source = text_.source;
    std::vector<Expr> u, B;
    std::vector<const SpeedDefinition*> of;
    for (const bool moving : {true, false}) {
      known_.clear();
      for (const SpeedDefinition& definition : text_.definitions) {
        const Expr x = expression(definition, moving);
        if (!definition.abbreviation) (moving ? u : B).push_back(x);
        if (definition.abbreviation || !moving) continue;
        of.push_back(&definition);
        chosen.names.push_back(definition.name);
        chosen.expressions.push_back(definition.expression);
      }
      fail_if_wrong();  // the second reading would only repeat them
    }
    const std::size_t n = joints_.size();
    if (u.size() != n) {
      diagnostics_.error(of.empty() ? 0 : of.back()->line, "speeds", cat("there are ", u.size(), ", and ", n, " joints move: ", joined(joints_)),
                         "give one speed for each joint");
      fail_if_wrong();
    }
    const std::vector<Expr> columns = differentiate(graph_, u, v_);
    std::vector<Expr> A(n * n);
    for (std::size_t r = 0; r < n; ++r)
      for (std::size_t s = 0; s < n; ++s) A[r * n + s] = columns[r + s * n];
    const std::vector<bool> moves = depends_on_rates();
    for (std::size_t r = 0; r < n; ++r)
      for (std::size_t s = 0; s < n; ++s)
        if (const Expr& a = A[r * n + s]; !a.is_number() && moves[a.node()]) {
          problem(*of[r], 0, cat("it is not linear in the rate v.", joints_[s]), "write u = A(q) v + B(q): a sum of rates times functions of coordinates");
          break;
        }
    for (std::size_t s = 0; s < n; ++s)
      if (bool in = false; n == u.size()) {
        for (std::size_t r = 0; r < n; ++r) in = in || !A[r * n + s].is(0);
        if (!in)
          diagnostics_.error(0, "speeds", cat("none of them contains the rate v.", joints_[s]), "add it to one of them: the rates must follow from the speeds");
      }
    fail_if_wrong();
    try {
      make_programs(graph_, q_, v_, std::move(A), std::move(B), joints_, chosen);
    } catch (const NotSolvable& not_solvable) {
      std::vector<std::string> names;
      for (const std::size_t r : not_solvable.speeds) names.push_back(chosen.names[r]);
      problem(*of[not_solvable.speeds.back()], 0, cat("speeds ", listed(names, "and"), " do not determine the joints' rates: ", not_solvable.why),
              "replace one of them by a speed that does not follow from the others");
      fail_if_wrong();
    }
    return chosen;
  }

 private:
  Expr expression(const SpeedDefinition& definition, bool moving) {
    const bool repeated = known_.count(definition.name) != 0;
    if (repeated) problem(definition, 0, "it is defined twice", "remove one of the two");
    if (definition.name == "pi") problem(definition, 0, "expressions have the number pi already", "choose another name");
    const NameOf name_of = [&](std::string_view scope, std::string_view name) -> Expr {
      if (scope.empty()) {
        if (const auto known = known_.find(std::string(name)); known != known_.end()) return known->second;
        std::vector<std::string> all;
        for (const auto& [earlier, x] : known_) all.push_back(earlier);
        const bool joint = std::find(joints_.begin(), joints_.end(), name) != joints_.end();
        throw ExpressionProblem{0, cat("there is no ", in_quotes(name), joint ? "" : did_you_mean(name, all)),
                                joint ? cat("write v.", name, " for the joint's rate, q.", name, " for its coordinate") : "define it before it is used"};
      }
      auto joint = std::find(joints_.begin(), joints_.end(), name);
      for (std::size_t k = 0; joint == joints_.end() && k < joints_.size(); ++k)  // as equations number them
        if (name == cat("q", k + 1)) joint = joints_.begin() + static_cast<std::ptrdiff_t>(k);
      if (joint == joints_.end()) throw ExpressionProblem{0, there_is_no("joint that moves called", name, joints_), cat("the joints are ", joined(joints_))};
      const auto k = static_cast<std::size_t>(joint - joints_.begin());
      return scope == "q" ? q_[k] : moving ? v_[k] : Expr(0);
    };
    Expr x(0);
    try {
      x = read_expression(definition.expression, name_of);
      if (x.is_number() && !std::isfinite(x.number())) throw ExpressionProblem{0, "its value is not finite", "divide by something that is not zero"};
    } catch (const ExpressionProblem& wrong) {
      problem(definition, wrong.at, wrong.problem, wrong.cure);
    }
    if (!repeated) known_.emplace(definition.name, x);
    return x;
  }
  void problem(const SpeedDefinition& definition, std::size_t at, const std::string& what, const std::string& cure) {
    diagnostics_.error(definition.line, cat(in_quotes(definition.name), ", column ", static_cast<std::size_t>(std::max(definition.column, 1)) + at), what,
                       cure);
  }
  /// Of each node.
  std::vector<bool> depends_on_rates() const {
    const std::vector<Node>& nodes = graph_.nodes();
    std::vector<bool> depends(nodes.size());
    for (std::size_t k = 0; k < nodes.size(); ++k) {
      const Node& node = nodes[k];
      switch (node.operation) {
        case Operation::constant:
        case Operation::parameter: break;
        case Operation::input: depends[k] = node.a >= joints_.size(); break;
        case Operation::sine:
        case Operation::cosine: depends[k] = depends[node.a]; break;
        default: depends[k] = depends[node.a] || depends[node.b];
      }
    }
    return depends;
  }
  void fail_if_wrong() const {
    if (diagnostics_.has_errors()) throw SourceError(diagnostics_.all());
  }

  const SpeedDefinitions& text_;
  std::vector<std::string> joints_;
  Diagnostics diagnostics_;
  Graph graph_;
  std::vector<Expr> q_, v_;
  std::map<std::string, Expr> known_;
};

void require_size(const char* what, std::size_t given, std::size_t wanted) {
  if (given != wanted) throw std::invalid_argument(cat("speeds: ", what, " has ", given, " numbers, and ", wanted, " joints move"));
}

/// A choice whose A is a kernel's result, and whose B is zero.
template <class MakeA>
ChosenSpeeds speeds_by(const Model& model, const std::string& name, std::vector<std::string> names, std::vector<std::string> words, const MakeA& make_A) {
  if (const std::string why = why_no_speeds(model); !why.empty()) throw std::invalid_argument(cat("speeds: robot ", in_quotes(model.name()), " ", why));
  const std::vector<std::string> joints = moving_joints(model);
  const std::size_t n = joints.size();
  Graph graph;
  const std::vector<Expr> q = graph.inputs("q", n), v = graph.inputs("v", n);
  ChosenSpeeds chosen;
  chosen.source = name;
  chosen.names = std::move(names);
  chosen.expressions = std::move(words);
  std::vector<Expr> A(n * n);
  make_A(q, A);
  make_programs(graph, q, v, std::move(A), std::vector<Expr>(n), joints, chosen);
  return chosen;
}

std::vector<std::string> numbered_names(std::size_t n) {
  std::vector<std::string> names;
  for (std::size_t k = 1; k <= n; ++k) names.push_back(cat("u", k));
  return names;
}

ChosenSpeeds joint_rates_of(const Model& model) {
  std::vector<std::string> words;
  for (const std::string& joint : moving_joints(model)) words.push_back("v." + joint);
  const std::size_t n = words.size();
  return speeds_by(model, "joint-rates", numbered_names(n), std::move(words), [n](const std::vector<Expr>&, std::vector<Expr>& A) {
    for (std::size_t k = 0; k < n; ++k) A[k * n + k] = Expr(1);
  });
}

/// Along its joint's axis a link has the joint's rate more than the link before it, so that A is triangular with ones: it always has an inverse.
ChosenSpeeds body_rates_of(const Model& model) {
  const BodyTree<double> tree = make_body_tree(model);
  std::vector<std::string> words;
  for (const Joint& joint : model.joints())
    if (joint.type != JointType::fixed)
      words.push_back(cat(joint.type == JointType::prismatic ? "velocity" : "angular velocity", " of link ", in_quotes(model.links()[joint.child].name),
                          " along its joint's axis"));
  const std::size_t n = tree.size();
  return speeds_by(model, "body-rates", numbered_names(n), std::move(words), [&](const std::vector<Expr>& q, std::vector<Expr>& A) {
    const BodyTree<Expr> symbolic = tree.cast<Expr>();
    KaneWorkspace<Expr> ws(symbolic);
    kane_partials(symbolic, ws, q.data());
    for (std::size_t i = 0; i < n; ++i)
      for (const std::size_t s : ws.bodies[i].moved_by) A[i * n + s] = tree.bodies[i].prismatic ? ws.bodies[i].v_origin_r[s].z : ws.bodies[i].omega_r[s].z;
  });
}

ChosenSpeeds paper_speeds_of(const Model& model) {
  if (const std::string why = fit_stanford(make_body_tree(model)).why_not; !why.empty()) throw std::invalid_argument(cat("speeds kane-stanford: ", why));
  std::vector<std::string> words{"d1 . angular velocity of D", "d2 . angular velocity of D", "d3 . angular velocity of D"};
  const std::vector<std::string> joints = moving_joints(model);
  for (const std::size_t k : {4, 5, 2}) words.push_back("v." + joints[k]);
  return speeds_by(model, "kane-stanford", numbered_names(6), std::move(words),
                   [](const std::vector<Expr>& q, std::vector<Expr>& A) { stanford_speeds<Expr>().values(q.data(), Expr(0), A.data(), nullptr); });
}

}  // namespace

}  // namespace ulna::internal

namespace ulna ULNA_API {

using namespace internal;

Speeds::Speeds(std::shared_ptr<const ChosenSpeeds> chosen) : chosen_(std::move(chosen)) {}
Speeds::Speeds(const Model& model, const SpeedDefinitions& definitions)
    : chosen_(std::make_shared<const ChosenSpeeds>(SpeedsReader(base_among_joints(model), definitions).read())) {}

const std::string& Speeds::source() const { return chosen_->source; }
const std::vector<std::string>& Speeds::names() const { return chosen_->names; }
std::vector<std::string> Speeds::expressions() const { return chosen_->expressions; }
const std::string& Speeds::singular_where() const { return chosen_->singular_where; }

void Speeds::from_rates(std::span<const double> q, std::span<const double> v, std::span<double> u) const {
  require_size("q", q.size(), size());
  require_size("v", v.size(), size());
  require_size("u", u.size(), size());
  speeds_from_rates<double>(speeds_on<double>(*chosen_), size(), q.data(), v.data(), nullptr, 0.0, u.data(), nullptr);
}

void Speeds::to_rates(std::span<const double> q, std::span<const double> u, std::span<double> v) const {
  require_size("q", q.size(), size());
  require_size("u", u.size(), size());
  require_size("v", v.size(), size());
  SpeedState<double> state;
  rates_from_speeds(speeds_on<double>(*chosen_), size(), q.data(), u.data(), 0.0, state);
  std::copy(state.v.begin(), state.v.end(), v.begin());
}

const Formulation& formulation_of_speeds() {
  return *std::find_if(formulations().begin(), formulations().end(), [](const Formulation& row) { return row.takes_speeds; });
}

const std::vector<std::string>& named_speeds() {
  static const std::vector<std::string> names{"joint-rates", "body-rates", "kane-stanford"};
  return names;
}

Speeds choose_speeds(const Model& given, const std::string& choice) {
  require_no_balls(given, "a choice of generalized speeds");
  const Model model = base_among_joints(given);
  const auto of = [](ChosenSpeeds chosen) { return Speeds(std::make_shared<const ChosenSpeeds>(std::move(chosen))); };
  if (choice == "joint-rates") return of(joint_rates_of(model));
  if (choice == "body-rates") return of(body_rates_of(model));
  if (choice == "kane-stanford") return of(paper_speeds_of(model));
  return Speeds(model, load_speeds(choice));
}

}  // namespace ULNA_API
