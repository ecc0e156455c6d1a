#include <ulna/loop/mechanism.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include <ulna/dynamics/on_plan.hpp>
#include <ulna/model/configuration.hpp>

#include "dynamics/pivots.hpp"
#include "loop/mechanism_parts.hpp"
#include "text/cat.hpp"
#include "text/quote.hpp"

namespace ulna ULNA_API {

namespace {

void require(const Mechanism::Parts& p, const char* name, std::size_t got, std::size_t wanted, const char* what) {
  if (got != wanted) throw std::invalid_argument(cat(name, " has ", got, " entries, but robot ", in_quotes(p.tree.name()), " has ", what, " = ", wanted));
}
void require_q(const Mechanism::Parts& p, std::size_t got) { require(p, "q", got, p.tree.nq(), "nq"); }
void require_u(const Mechanism::Parts& p, const char* name, std::size_t got) { require(p, name, got, p.independent.size(), "mobility"); }

/// 0, or NaN where an input is not finite: what is added to every result.
double unknown(std::initializer_list<Mechanism::In> inputs, const Effects& effects = {}) {
  double sum = 0;
  for (const Mechanism::In& input : inputs)
    for (std::size_t k = 0; k < input.size(); ++k) sum += 0 * input.data()[k];
  const auto add = [&](const Vec3<double>& x) { sum += 0 * x.x + 0 * x.y + 0 * x.z; };
  for (const Wrench& wrench : effects.wrenches) add(wrench.force), add(wrench.moment);
  add(effects.base.angular_velocity), add(effects.base.linear_velocity), add(effects.base.angular_acceleration), add(effects.base.linear_acceleration);
  return sum;
}

void put(const std::vector<double>& results, double unknown, Mechanism::Out out) {
  for (std::size_t k = 0; k < results.size(); ++k) out.data()[k] = results[k] + unknown;
}

/// One closed configuration, and what follows from speeds and accelerations there.
class Motion {
 public:
  Motion(const Mechanism::Parts& parts, const double* q) : p_(parts), q_(q), state_(parts.plan), lu_(dependent_part(parts, placed())) {}

  double health() const { return lu_.health(); }

  /// v = G u.
  std::vector<double> velocities(const double* u) const { return completed(u, nullptr); }
  /// v̇ = G u̇ + γ.
  std::vector<double> accelerations(const std::vector<double>& v, const double* u_dot) {
    std::vector<double> c(p_.plan.conditions);
    double* nothing = nullptr;
    kernel::loop_equations(p_.plan, state_.ws, v.data(), nothing, nothing, c.data(), state_.ws.closed);
    return completed(u_dot, c.data());
  }

  /// What torques of the tree's joints are at the independent ones: Gᵀ tau. Their parts at the dependent joints are what the loops carry.
  std::vector<double> gathered(const std::vector<double>& tau, std::vector<double>* multipliers = nullptr) const {
    const std::size_t r = p_.rows.size();
    std::vector<double> at_dependent(r);
    for (std::size_t k = 0; k < r; ++k) at_dependent[k] = tau[p_.dependent[k]];
    const std::vector<double> mu = lu_.solve_transposed(std::move(at_dependent));  // J_Dᵀ mu = tau_D
    std::vector<double> out(p_.independent.size());
    for (std::size_t k = 0; k < out.size(); ++k) {
      out[k] = tau[p_.independent[k]];
      for (std::size_t i = 0; i < r; ++i) out[k] -= state_.J(p_.rows[i], p_.independent[k]) * mu[i];
    }
    if (multipliers != nullptr) *multipliers = mu;
    return out;
  }

  /// Of the tree.
  std::vector<double> torques(const double* v, const double* a, const Effects& effects) {
    std::vector<double> tau(p_.tree.nv());
    compute(Quantity::inverse, p_.open, state_.ws, {q_, v, a}, tau.data(), effects);
    return tau;
  }

  LoopState& state() { return state_; }

 private:
  const Matrix<double>& placed() {
    state_.at(p_.plan, q_);
    return state_.J;
  }

  /// J_D x_D = -J_I x_I - c.
  std::vector<double> completed(const double* x, const double* c) const {
    const std::size_t r = p_.rows.size();
    std::vector<double> right(r), all(p_.tree.nv());
    for (std::size_t i = 0; i < r; ++i) {
      right[i] = c == nullptr ? 0 : -c[p_.rows[i]];
      for (std::size_t k = 0; k < p_.independent.size(); ++k)
        if (x != nullptr) right[i] -= state_.J(p_.rows[i], p_.independent[k]) * x[k];
    }
    const std::vector<double> dependent = lu_.solve(right);
    for (std::size_t k = 0; k < r; ++k) all[p_.dependent[k]] = dependent[k];
    for (std::size_t k = 0; k < p_.independent.size(); ++k) all[p_.independent[k]] = x == nullptr ? 0 : x[k];
    return all;
  }

  const Mechanism::Parts& p_;
  const double* q_;
  LoopState state_;
  Lu<double> lu_;
};

std::vector<double> inverse_at(Motion& motion, const double* u, const double* u_dot, const Effects& effects) {
  const std::vector<double> v = motion.velocities(u), a = motion.accelerations(v, u_dot);
  return motion.gathered(motion.torques(v.data(), a.data(), effects));
}

/// GᵀMG, row by row.
std::vector<double> mass_at(const Mechanism::Parts& p, Motion& motion, const double* q, bool rotor) {
  const std::size_t n = p.tree.nv(), m = p.independent.size();
  std::vector<double> M(n * n), G(n * m), MG(n * m), reduced(m * m), unit(m, 0.0);
  compute(Quantity::mass, p.open, motion.state().ws, {q}, M.data(), {.rotor = rotor});
  for (std::size_t k = 0; k < m; ++k) {
    unit[k] = 1;
    const std::vector<double> column = motion.velocities(unit.data());
    unit[k] = 0;
    for (std::size_t i = 0; i < n; ++i) G[i * m + k] = column[i];
  }
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j)
      for (std::size_t k = 0; k < m; ++k) MG[i * m + k] += M[i * n + j] * G[j * m + k];
  for (std::size_t k = 0; k < m; ++k)
    for (std::size_t l = 0; l <= k; ++l) {
      double sum = 0;
      for (std::size_t i = 0; i < n; ++i) sum += G[i * m + k] * MG[i * m + l];
      reduced[k * m + l] = reduced[l * m + k] = sum;
    }
  return reduced;
}

/// A coordinate that no inertia opposes makes forward dynamics meaningless: the law of trees (check/check.hpp), on what is left of them.
void check_inertia(const Mechanism::Parts& p, Diagnostics& diagnostics) {
  Motion motion(p, p.reference.data());
  const std::size_t m = p.independent.size();
  std::vector<double> M = mass_at(p, motion, p.reference.data(), true), whole(m);
  for (std::size_t k = 0; k < m; ++k) whole[k] = M[k * m + k];
  for_each_pivot(M.data(), m, [&](std::size_t k, double pivot) {
    const bool sound = pivot_holds(pivot, whole[k], m, std::numeric_limits<double>::epsilon());
    if (!sound) {
      const Joint& joint = p.tree.joints()[p.tree.independent()[p.independent[k]]];
      diagnostics.physical(false, joint.line, Element::joint(joint.name),
                           "the inertia matrix of the closed robot is singular: this joint moves nothing that has inertia",
                           "give the links that it moves masses and inertias, or the joint a rotor inertia");
    }
    return sound;
  });
}

}  // namespace

namespace {

/// The joints alone: no loop depends on where the base is.
Model bolted_down(const Model& robot) { return with_base(without_loops(robot), RootJoint::fixed); }

void find_closed_forms(Mechanism::Parts& parts) {
  parts.dyads = find_dyads(parts.plan, parts.dependent, parts.reference);
  LoopState state(parts.plan);
  parts.branch = branches(parts.plan, parts.dyads, state, parts.reference);
}

}  // namespace

std::optional<Mechanism> Mechanism::make(const Model& tree, const LoopDescription& loops, Diagnostics& diagnostics) {
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
  ClosedLoops closed{made->loops(), elimination_order(*made), neutral(tree), made->singularity()};
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

Mechanism Mechanism::with_tree(const Model& tree) const {
  const auto same = [](const Joint& x, const Joint& y) {
    return x.type == y.type && x.parent == y.parent && x.child == y.child && x.X_PF == y.X_PF && x.X_MB == y.X_MB && x.axis == y.axis;
  };
  const std::vector<Joint>&ours = this->tree().joints(), &theirs = tree.joints();
  if (!std::equal(ours.begin(), ours.end(), theirs.begin(), theirs.end(), same) || tree.base() != this->tree().base())
    throw std::invalid_argument(cat("robot ", in_quotes(tree.name()), " is not robot ", in_quotes(this->tree().name()), " with other masses"));
  auto parts = std::make_shared<Parts>(*parts_);
  parts->tree = tree;
  parts->open = make_plan(tree);
  parts->plan = with_conditions(parts->open, parts->loops);
  return Mechanism(std::move(parts));
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

void Mechanism::velocities(In q, In u, Out v) const {
  require_q(*parts_, q.size()), require_u(*parts_, "u", u.size()), require(*parts_, "v", v.size(), nv(), "nv");
  const std::vector<double> all = Motion(*parts_, q.data()).velocities(u.data());
  put(all, unknown({q, u}), v);
}

void Mechanism::accelerations(In q, In u, In u_dot, Out a) const {
  require_q(*parts_, q.size()), require_u(*parts_, "u", u.size()), require_u(*parts_, "u_dot", u_dot.size()), require(*parts_, "a", a.size(), nv(), "nv");
  Motion motion(*parts_, q.data());
  const std::vector<double> all = motion.accelerations(motion.velocities(u.data()), u_dot.data());
  put(all, unknown({q, u, u_dot}), a);
}

void Mechanism::dependence(In q, MatrixView<double> G) const {
  require_q(*parts_, q.size()), require(*parts_, "G", G.rows(), nv(), "nv"), require_u(*parts_, "a row of G", G.cols());
  const Motion motion(*parts_, q.data());
  const double bad = unknown({q});
  std::vector<double> unit(mobility(), 0.0);
  for (std::size_t k = 0; k < mobility(); ++k) {
    unit[k] = 1;
    const std::vector<double> column = motion.velocities(unit.data());
    unit[k] = 0;
    for (std::size_t i = 0; i < nv(); ++i) G(i, k) = column[i] + bad;
  }
}

void Mechanism::gather(In q, In tau, Out at_independent) const {
  require_q(*parts_, q.size()), require(*parts_, "tau", tau.size(), nv(), "nv"), require_u(*parts_, "the result", at_independent.size());
  const std::vector<double> all = Motion(*parts_, q.data()).gathered({tau.data(), tau.data() + tau.size()});
  put(all, unknown({q, tau}), at_independent);
}

void Mechanism::inverse(In q, In u, In u_dot, Out tau, const Effects& effects) const {
  require_q(*parts_, q.size()), require_u(*parts_, "u", u.size()), require_u(*parts_, "u_dot", u_dot.size()), require_u(*parts_, "tau", tau.size());
  Motion motion(*parts_, q.data());
  const std::vector<double> all = inverse_at(motion, u.data(), u_dot.data(), effects);
  put(all, unknown({q, u, u_dot}, effects), tau);
}

void Mechanism::bias(In q, In u, Out bias, const Effects& effects) const {
  require_q(*parts_, q.size()), require_u(*parts_, "u", u.size()), require_u(*parts_, "bias", bias.size());
  Motion motion(*parts_, q.data());
  const std::vector<double> all = inverse_at(motion, u.data(), nullptr, effects);
  put(all, unknown({q, u}, effects), bias);
}

void Mechanism::gravity(In q, Out gravity) const {
  require_q(*parts_, q.size()), require_u(*parts_, "gravity", gravity.size());
  Motion motion(*parts_, q.data());
  const std::vector<double> all = motion.gathered(motion.torques(nullptr, nullptr, {}));
  put(all, unknown({q}), gravity);
}

void Mechanism::mass(In q, MatrixView<double> M, bool rotor) const {
  require_q(*parts_, q.size()), require_u(*parts_, "M", M.rows()), require_u(*parts_, "a row of M", M.cols());
  Motion motion(*parts_, q.data());
  const std::vector<double> reduced = mass_at(*parts_, motion, q.data(), rotor);
  const double bad = unknown({q});
  for (std::size_t i = 0; i < mobility(); ++i)
    for (std::size_t j = 0; j < mobility(); ++j) M(i, j) = reduced[i * mobility() + j] + bad;
}

void Mechanism::forward(In q, In u, In tau, Out u_dot, const Effects& effects) const {
  require_q(*parts_, q.size()), require_u(*parts_, "u", u.size()), require_u(*parts_, "u_dot", u_dot.size());
  if (tau.size() != nv()) require_u(*parts_, "tau", tau.size());
  const std::size_t m = mobility();
  Motion motion(*parts_, q.data());
  std::vector<double> right(tau.data(), tau.data() + tau.size());
  if (tau.size() == nv()) right = motion.gathered(right);
  const std::vector<double> bias = inverse_at(motion, u.data(), nullptr, effects);
  Matrix<double> M(m, m);
  M.entries = mass_at(*parts_, motion, q.data(), effects.rotor);
  for (std::size_t k = 0; k < m; ++k) right[k] -= bias[k];
  const std::vector<double> x = Lu<double>(std::move(M)).solve(right);
  put(x, unknown({q, u, tau}, effects), u_dot);
}

Energy Mechanism::energy(In q, In u, const Effects& effects) const {
  require_q(*parts_, q.size()), require_u(*parts_, "u", u.size());
  Motion motion(*parts_, q.data());
  const std::vector<double> v = motion.velocities(u.data());
  double out[2];
  compute(Quantity::energy, parts_->open, motion.state().ws, {q.data(), v.data()}, out, effects);
  const double bad = unknown({q, u}, effects);
  return {out[0] + bad, out[1] + bad};
}

std::vector<LoopReaction> Mechanism::reactions(In q, In u, In u_dot, const Effects& effects) const {
  require_q(*parts_, q.size()), require_u(*parts_, "u", u.size()), require_u(*parts_, "u_dot", u_dot.size());
  const Parts& p = *parts_;
  Motion motion(p, q.data());
  const std::vector<double> v = motion.velocities(u.data()), a = motion.accelerations(v, u_dot.data());
  std::vector<double> mu, by_row(p.plan.conditions, 0.0);
  motion.gathered(motion.torques(v.data(), a.data(), effects), &mu);
  for (std::size_t i = 0; i < p.rows.size(); ++i) by_row[p.rows[i]] = mu[i];
  LoopState& state = motion.state();
  state.at(p.plan, q.data());
  std::vector<LoopReaction> out;
  const double bad = unknown({q, u, u_dot}, effects);
  const Vec3<double> gap{bad, bad, bad};
  const double* none = nullptr;
  for (std::size_t l = 0; l < p.plan.loops.size(); ++l) {
    const LoopRowsOf<double>& loop = p.plan.loops[l];
    const kernel::LoopEndOf<double> A = kernel::follow(p.plan, state.ws, loop.to_A, loop.X_A, none, state.ws.closed);
    const kernel::LoopEndOf<double> B = kernel::follow(p.plan, state.ws, loop.to_B, loop.X_B, none, state.ws.closed);
    Vec3<double> force{}, moment{};  // in C
    std::size_t row = loop.first;
    if (meeting_rows(loop.type) == 3) force = {by_row[row], by_row[row + 1], by_row[row + 2]}, row += 3;
    for (std::size_t k = 0; k < turning_rows(loop.type); ++k, ++row)
      moment = moment + by_row[row] * cross(k == 2 ? kernel::column_x(B.X.R) : B.X.R.column_z(), k == 0 ? kernel::column_x(A.X.R) : kernel::column_y(A.X.R));
    for (std::size_t k = 0; k < sliding_rows(loop.type); ++k, ++row)
      force = force + by_row[row] * (loop.type == LoopType::planar ? A.X.R.column_z() : k == 0 ? kernel::column_x(A.X.R) : kernel::column_y(A.X.R));
    const Mat3<double> turn = rotation_z_to(p.loops[l].axis);  // from the axes of A with the joint's along z to those of the file
    out.push_back({turn * tmul(A.X.R, force) + gap, turn * tmul(A.X.R, moment) + gap});
  }
  return out;
}

}  // namespace ULNA_API
