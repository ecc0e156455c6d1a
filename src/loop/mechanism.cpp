#include <ulna/loop/mechanism.hpp>

#include <algorithm>

#include <ulna/dynamics/on_plan.hpp>

#include "dynamics/pivots.hpp"
#include "loop/parts.hpp"
#include "text/message.hpp"

namespace ulna ULNA_API {

using namespace internal;

namespace {

/// A coordinate without inertia makes forward dynamics meaningless: the law of trees (check/check.hpp), for the independent coordinates.
void check_inertia(const Mechanism::Parts& p, Diagnostics& diagnostics) {
  Plan closed = p.plan;
  closed.order = elimination_order(p);
  Workspace ws(closed);
  const std::size_t m = p.independent.size();
  std::vector<double> M(m * m), whole(m);
  compute(Quantity::mass, closed, ws, {p.reference.data()}, M.data());
  for (std::size_t k = 0; k < m; ++k) whole[k] = M[k * m + k];
  for_each_pivot(M.data(), m, [&](std::size_t k, double pivot) {
    const bool reliable = pivot_holds(pivot, whole[k], m, std::numeric_limits<double>::epsilon());
    if (!reliable) {
      const Joint& joint = p.tree.joints()[p.tree.independent()[p.independent[k]]];
      diagnostics.physical(false, joint.line, Element::joint(joint.name),
                           "the inertia matrix of the closed robot is singular: this joint moves nothing that has inertia",
                           "give the links that it moves masses and inertias, or the joint a rotor inertia");
    }
    return reliable;
  });
}

/// The joints alone: loops do not depend on the base.
Model bolted_down(const Model& robot) { return with_base(without_loops(robot), RootJoint::fixed); }

void find_closed_forms(Mechanism::Parts& parts) {
  parts.dyads = find_dyads(parts.plan, parts.dependent, parts.reference);
  LoopState state(parts.plan);
  parts.branch = branches(parts.plan, parts.dyads, state, parts.reference);
}

}  // namespace

std::optional<Mechanism> Mechanism::make(const Model& tree, const LoopDescription& loops, Diagnostics& diagnostics) {
  if (tree.has_balls() && !loops.loops.empty()) {
    diagnostics.error(loops.loops.front().loop.line, cat("loop ", in_quotes(loops.loops.front().loop.name)), "Ulna closes no loop of a robot with ball joints",
                      "pass --loops ignore (LoadOptions::loops) to open all loops, or write three hinges in the place of each ball joint");
    return {};
  }
  auto parts = std::make_shared<Parts>(Parts{tree, {}, {}, {}, {}, make_plan(tree), {}, {}, {}, {}, 1});
  if (!resolve(loops, *parts, diagnostics)) return {};
  parts->plan = with_conditions(parts->open, parts->loops);
  if (!choose(*parts, diagnostics)) return {};
  if (!parts->loops.empty()) {
    check_inertia(*parts, diagnostics);
    find_closed_forms(*parts);
  }
  return Mechanism(std::move(parts));
}

Mechanism::Mechanism(std::shared_ptr<const Parts> parts) : parts_(std::move(parts)) {}

Mechanism::Mechanism(const Model& tree, const LoopDescription& loops) {
  Diagnostics diagnostics(tree.file());
  std::optional<Mechanism> made = make(tree, loops, diagnostics);
  if (!made) throw SourceError(diagnostics.all());
  parts_ = made->parts_;
}

Mechanism Mechanism::of(const Model& robot) {
  const Model tree = bolted_down(robot);
  auto parts = std::make_shared<Parts>(Parts{tree, robot.loops(), {}, {}, {}, make_plan(tree), {}, {}, {}, {}, robot.singularity()});
  parts->plan = with_conditions(parts->open, parts->loops);
  parts->base_q = base_nq(robot.base());
  const EliminationOrder order = robot.order();
  const std::size_t base_v = base_nv(robot.base());
  for (const std::size_t k : order.independent)
    if (k >= base_v) parts->independent.push_back(k - base_v);
  for (const std::size_t k : robot.dependent()) parts->dependent.push_back(k - base_v);
  parts->rows = order.rows;
  const std::vector<double> reference = robot.reference();
  parts->reference.assign(reference.begin() + static_cast<std::ptrdiff_t>(parts->base_q), reference.end());
  if (robot.closed()) find_closed_forms(*parts);
  return Mechanism(std::move(parts));
}

std::optional<Model> with_loops(const Model& tree, const LoopDescription& loops, Diagnostics& diagnostics) {
  const std::optional<Mechanism> made = Mechanism::make(bolted_down(tree), loops, diagnostics);
  if (!made) return {};
  if (made->loops().empty()) return tree;
  ClosedLoops closed{made->loops(), elimination_order(made->parts()), neutral(tree), made->singularity()};
  const std::size_t base_v = base_nv(tree.base());
  for (std::size_t& k : closed.order.columns) k += base_v;
  std::vector<std::size_t> independent;
  for (std::size_t k = 0; k < base_v; ++k) independent.push_back(k);
  for (const std::size_t k : closed.order.independent) independent.push_back(k + base_v);
  closed.order.independent = std::move(independent);
  std::copy(made->reference().begin(), made->reference().end(), closed.reference.begin() + static_cast<std::ptrdiff_t>(base_nq(tree.base())));
  return with_closed(tree, std::move(closed));
}

Model with_loops(const Model& tree, const LoopDescription& loops) {
  Diagnostics diagnostics(tree.file());
  std::optional<Model> made = with_loops(tree, loops, diagnostics);
  if (!made) throw SourceError(diagnostics.all());
  return *std::move(made);
}

const Model& Mechanism::tree() const { return parts_->tree; }
const std::vector<Loop>& Mechanism::loops() const { return parts_->loops; }
std::size_t Mechanism::nv() const { return parts_->tree.nv(); }
const std::vector<std::size_t>& Mechanism::independent() const { return parts_->independent; }
const std::vector<std::size_t>& Mechanism::dependent() const { return parts_->dependent; }
std::size_t Mechanism::equations() const { return parts_->plan.conditions; }
std::size_t Mechanism::redundant() const { return parts_->plan.conditions - parts_->rows.size(); }
const std::vector<double>& Mechanism::reference() const { return parts_->reference; }
bool Mechanism::closed_form() const { return !parts_->dyads.empty(); }
double Mechanism::singularity() const { return parts_->singularity; }

namespace {
std::vector<std::string> names_of(const Model& tree, const std::vector<std::size_t>& coordinates) {
  const std::vector<std::string> all = tree.velocity_names();
  std::vector<std::string> names;
  for (const std::size_t k : coordinates) names.push_back(all[k]);
  return names;
}
}  // namespace

std::vector<std::string> Mechanism::independent_names() const { return names_of(parts_->tree, parts_->independent); }
std::vector<std::string> Mechanism::dependent_names() const { return names_of(parts_->tree, parts_->dependent); }

}  // namespace ULNA_API
