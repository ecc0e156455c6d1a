#include <ulna/verify/verify.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <stdexcept>

#include "expr/expand.hpp"
#include "model/require_fixed_base.hpp"
#include "text/message.hpp"
#include "verify/proof_lines.hpp"
#include "verify/symbolic_chain.hpp"

namespace ulna::internal::proof {

namespace {

using Number = Rounded<double>;

const std::vector<Row>& rows() {
  static const std::vector<Row> all = {turney_row(), hollerbach_row(), kane_row(), lin_row(), nasser_row()};
  return all;
}
const Row& row_named(std::string_view id) {
  const auto at = std::find_if(rows().begin(), rows().end(), [&](const Row& row) { return row.id == id; });
  if (at != rows().end()) return *at;
  std::vector<std::string> known;
  for (const Row& row : rows()) known.emplace_back(row.id);
  throw std::invalid_argument(there_is_no("proof", std::string(id), known));
}

/// The largest |x - y| relative to the sizes of all that was rounded on the way to x and y: rounding alone makes it one unit roundoff at most, to first order.
double difference(const std::vector<Number>& x, const std::vector<Number>& y) {
  double worst = 0;
  for (std::size_t k = 0; k < x.size(); ++k) {
    const double apart = std::fabs(x[k].value() - y[k].value()), size = x[k].error() + y[k].error();
    if (apart == 0) continue;
    const double relative = apart / size;  // infinite where nothing was rounded and they differ
    if (!(relative <= worst)) worst = relative;
    if (std::isnan(relative)) return std::numeric_limits<double>::infinity();
  }
  return worst;
}

/// Goes through the lines of a derivation: step(line, the line that it must equal) returns whether it does, printed(line, …) hears of misprints.
template <class T, class Step, class Printed>
void walk(const std::vector<Line<T>>& lines, const Step& step, const Printed& printed) {
  std::size_t steps = 0, misprints = 0;
  const Line<T>* held = nullptr;  // the last line that held
  for (const Line<T>& line : lines) {
    switch (line.role) {
      case Line<T>::Role::begins: held = &line; break;
      case Line<T>::Role::follows:
      case Line<T>::Role::rational:
        if (step(steps++, line, *held)) held = &line;
        break;
      // A misprint stands behind the equation as it is right, and is compared with what that was compared with: the value is the same.
      case Line<T>::Role::as_printed: printed(misprints++, line, *held); break;
    }
  }
}

class Run {
 public:
  Run(const Row& row, const Model& model, const ProofOptions& options, std::string_view spoiled)
      : row_(row), model_(model), options_(options), spoiled_(spoiled), chain_(make_dh_chain(model, options.snap)) {
    report_.proof = row.id;
    report_.robot = model.name();
    report_.model_hash = model_hash(model);
    report_.samples = options.samples;
    report_.seed = options.seed;
    report_.tolerance = std::numeric_limits<double>::epsilon() / 2;
  }

  ProofReport report() {
    const DhChain<Number> chain = chain_.cast<Number>();
    StateSampler sampler(model_, options_.seed);
    std::vector<double> q, v, a;
    const auto exact = [](const std::vector<double>& x) {
      std::vector<Number> numbers;
      for (const double value : x) numbers.push_back(Number::exact(value));
      return numbers;
    };
    for (std::size_t sample = 0; sample < options_.samples; ++sample) {
      sampler.next(q, v, a);
      compare(row_.numbers(chain, exact(q), exact(v), exact(a), spoiled_));
      if (options_.progress) options_.progress(static_cast<double>(sample + 1) / static_cast<double>(options_.samples));
    }
    for (ProofStep& step : report_.steps) step.agree = step.max_relative_difference <= report_.tolerance;
    for (Misprint& misprint : report_.misprints) misprint.differs = misprint.max_relative_difference > report_.tolerance;
    compare_symbols();
    return std::move(report_);
  }

 private:
  void compare(const std::vector<Line<Number>>& lines) {
    walk(
        lines,
        [&](std::size_t k, const Line<Number>& line, const Line<Number>& held) {
          if (k == report_.steps.size())
            report_.steps.push_back({std::string(line.equation), std::string(held.equation), std::string(line.says), 0, std::nullopt, false});
          const double apart = difference(line.values, held.values);
          report_.steps[k].max_relative_difference = std::max(report_.steps[k].max_relative_difference, apart);
          return apart <= report_.tolerance;
        },
        [&](std::size_t k, const Line<Number>& line, const Line<Number>& held) {
          if (k == report_.misprints.size()) report_.misprints.push_back({std::string(line.equation), std::string(line.says), 0, false});
          report_.misprints[k].max_relative_difference = std::max(report_.misprints[k].max_relative_difference, difference(line.values, held.values));
        });
  }

  void compare_symbols() {
    const std::size_t n = chain_.size();
    if (!options_.symbolic || n > kMostSymbolicJoints) {
      report_.symbolic = options_.symbolic ? cat("not for more than ", kMostSymbolicJoints, " joints: normal forms get too long") : "not asked for";
      return;
    }
    std::vector<bool> prismatic;
    std::string joints;
    for (const DhRow<double>& row : chain_.rows) {
      prismatic.push_back(row.prismatic);
      joints += row.prismatic ? 'P' : 'R';
    }
    const SymbolicChain arm(prismatic);
    const std::vector<Line<Expr>> lines = row_.expressions(arm.chain, arm.q, arm.v, arm.a, spoiled_);
    // Far beyond what three joints take; coefficients are halves and whole numbers, and cancel to zero.
    constexpr ExpansionLimits kLimits{.terms = 200'000, .work = std::size_t{20} << 30};
    constexpr std::size_t kMostRemembered = 800'000;  // terms, some 100 MB
    std::optional<Expansion> expansion;
    std::map<const Line<Expr>*, std::vector<Polynomial>> forms;
    bool too_long = false;
    const auto form = [&](const Line<Expr>& line) -> const std::vector<Polynomial>& {
      const auto [at, is_new] = forms.try_emplace(&line);
      if (!is_new) return at->second;
      for (const Expr& x : line.values) {
        if (!expansion || expansion->remembered() > kMostRemembered) expansion.emplace(*arm.graph, n, arm.circles, kLimits);
        std::optional<Polynomial> expanded = (*expansion)(x);
        too_long = too_long || !expanded;
        at->second.push_back(expanded ? std::move(*expanded) : Polynomial{});
      }
      return at->second;
    };
    walk(
        lines,
        [&](std::size_t k, const Line<Expr>& line, const Line<Expr>& held) {
          if (line.role == Line<Expr>::Role::rational) return false;
          const bool same = form(line) == form(held);
          if (too_long) return true;
          report_.steps[k].same_normal_form = same;
          report_.steps[k].agree = report_.steps[k].agree && same;
          return same;
        },
        [](std::size_t, const Line<Expr>&, const Line<Expr>&) {});
    report_.symbolic = too_long ? "normal forms got too long" : cat("every arm of joints ", joints, ", all numbers as symbols");
  }

  const Row& row_;
  const Model& model_;
  const ProofOptions& options_;
  std::string_view spoiled_;
  DhChain<double> chain_;
  ProofReport report_;
};

}  // namespace

ProofReport prove_spoiled(std::string_view proof, const Model& model, const ProofOptions& options, std::string_view spoiled) {
  const Row& row = row_named(proof);
  if (const std::string reason = why_not_proved(proof, model, options.snap); !reason.empty()) throw std::invalid_argument(reason);
  return Run(row, model, options, spoiled).report();
}

}  // namespace ulna::internal::proof

namespace ulna ULNA_API {

using namespace internal;

bool ProofReport::agree() const {
  return std::all_of(steps.begin(), steps.end(), [](const ProofStep& step) { return step.agree; });
}

const std::vector<Proof>& proofs() {
  static const std::vector<Proof> all(proof::rows().begin(), proof::rows().end());
  return all;
}

std::string why_not_proved(std::string_view proof, const Model& model, double snap) {
  const auto lacks = [&](const std::string& what) { return cat("the proof ", in_quotes(std::string(proof)), " is about ", what); };
  proof::row_named(proof);
  if (model.nv() == 0) return lacks("arms that move, and this robot has no moving joint");
  for (const Joint& joint : model.joints())
    if (joint.mimic) return lacks(cat("free joints, and ", in_quotes(joint.name), " mimics another; --mimic ignore makes it free"));
  if (model.nv() > kMostProofJoints)
    return lacks(cat("arms for which n⁴ operations are few: ", model.nv(), " joints are too many, ", kMostProofJoints, " are allowed"));
  if (model.has_balls()) return lacks("joints of one degree of freedom, and the robot has ball joints");
  if (const std::string reason = why_not_a_chain(model, snap); !reason.empty()) return lacks(cat("serial chains: ", reason));
  return {};
}

ProofReport prove(std::string_view proof, const Model& model, const ProofOptions& options) {
  require_fixed_base(model, "a proof of the papers");
  return proof::prove_spoiled(proof, model, options, {});
}

}  // namespace ULNA_API
