#include "sim/forward_model.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <stdexcept>

#include "dynamics/base-inl.hpp"
#include "dynamics/closed-inl.hpp"
#include "dynamics/inverse-inl.hpp"
#include "dynamics/joint-inl.hpp"
#include "dynamics/kinematics-inl.hpp"
#include <ulna/model/model.hpp>

#include "scalar/dual.hpp"
#include "dynamics/smooth_sign.hpp"
#include "sim/base_state.hpp"
#include "sim/formulation_forward.hpp"

namespace ulna::internal::sim {

namespace {

/// Whether machine code for one is machine code for the other as it stands. Friction and limits are not in it.
bool same_numbers(const Model& a, const Model& b) {
  const auto same_link = [](const Link& x, const Link& y) { return x.mass == y.mass && x.com == y.com && x.inertia == y.inertia; };
  const auto same_mimic = [](const std::optional<Mimic>& x, const std::optional<Mimic>& y) {
    return x.has_value() == y.has_value() && (!x || (x->leader == y->leader && x->multiplier == y->multiplier && x->offset == y->offset));
  };
  const auto same_joint = [&](const Joint& x, const Joint& y) {
    return x.type == y.type && x.parent == y.parent && x.child == y.child && x.X_PF == y.X_PF && x.X_MB == y.X_MB && x.axis == y.axis && x.rotor == y.rotor &&
           x.gear == y.gear && same_mimic(x.mimic, y.mimic);
  };
  return a.base() == b.base() && a.gravity() == b.gravity() && std::equal(a.links().begin(), a.links().end(), b.links().begin(), b.links().end(), same_link) &&
         std::equal(a.joints().begin(), a.joints().end(), b.joints().begin(), b.joints().end(), same_joint);
}

/// x of H x = b for a symmetric, positive H that is overwritten, by LDLᵀ. `b` becomes x.
void solve(std::vector<double>& H, std::vector<double>& b) {
  const std::size_t n = b.size();
  for (std::size_t k = 0; k < n; ++k)
    for (std::size_t i = k + 1; i < n; ++i) {
      const double l = H[i * n + k] / H[k * n + k];
      for (std::size_t j = k + 1; j <= i; ++j) H[i * n + j] -= l * H[j * n + k];
      b[i] -= l * b[k];
    }
  for (std::size_t k = n; k-- > 0;) {
    for (std::size_t i = k + 1; i < n; ++i) b[k] -= H[i * n + k] * b[i];
    b[k] /= H[k * n + k];
  }
}

/// What a wrench on the base, or its momentum, in its own axes at its origin, is in the world's at its origin; and back. Six numbers each.
void to_world(const double* q, double* six) {
  const MomentumOf<double> own = kernel::in_world(kernel::base_pose(q), MomentumOf<double>{kernel::three(six, 0), kernel::three(six, 3)});
  kernel::write(own.angular, own.linear, six);
}
void to_base(const double* q, double* six) {
  const Pose<double> X_WB = kernel::base_pose(q);
  const Vec3<double> linear = kernel::three(six, 3), angular = kernel::three(six, 0) - cross(X_WB.p, linear);
  kernel::write(tmul(X_WB.R, angular), tmul(X_WB.R, linear), six);
}

Plan without_gravity(Plan plan) {
  plan.gravity = {};
  return plan;
}

}  // namespace

/// Of a body, in its own axes; see energy().
struct Felt {
  Vec3<double> gravity{}, w{}, v{};
  double height = 0;  // gravity times the place of its origin
};

/// Other formulations have theirs for what a run is checked with: no machine code is worth making for that.
Dynamics dynamics_for(const Model& model, bool production, bool rotor, const Dynamics* like) {
  if (production && like != nullptr) return same_numbers(model, like->model()) ? *like : like->with_parameters(model);
  return Dynamics(model, {.rotor = rotor, .threads = 1, .most = production ? InstructionSet::avx512 : InstructionSet::none});
}

struct ForwardModel::Parts {
  Parts(const Model& model, const std::string& formulation, bool rotors, const Dynamics* like)
      : plan(make_plan(model)),
        weightless(without_gravity(plan)),
        workspace(plan),
        dual_workspace(plan),
        rotor(rotors),
        dynamics(dynamics_for(model, formulation == production_path().id, rotors, like)) {
    if (formulation != production_path().id) other.emplace(formulation, model, rotors);
    n = plan.sizes().nv;
    bias.resize(n);
    M.resize(n * n);
    J_base = plan.base.J();
    felt.resize(plan.bodies.size());
    ground.gravity = plan.gravity;
    for (const PlanBody<double>& body : plan.bodies) J.push_back(body.inertia.J());
  }
  Effects effects(const BaseMotion& base, std::span<const Wrench> wrenches) const { return {rotor, false, base, wrenches}; }

  Plan plan, weightless;
  Workspace workspace;
  WorkspaceOf<Dual<double>> dual_workspace;
  bool rotor;
  Dynamics dynamics;
  std::optional<FormulationForward> other;
  std::size_t n;  // of v
  std::vector<double> bias;
  Felt ground;             // by the base: at rest unless it is free
  std::vector<Felt> felt;  // by every body
  std::vector<Sym3<double>> J;
  Sym3<double> J_base;
  std::vector<double> M, part, right, own;  // of driven_torques() and the like

  /// The rows and columns of M that `take` says, into `part`.
  template <class Take>
  void take_part(const Take& take) {
    part.clear();
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j)
        if (take(i) && take(j)) part.push_back(M[i * n + j]);
  }
};

ForwardModel::ForwardModel(const Model& model, const std::string& formulation, bool rotor, const Dynamics* like)
    : parts_(std::make_unique<Parts>(model, formulation, rotor, like)) {}
ForwardModel::~ForwardModel() = default;
ForwardModel::ForwardModel(ForwardModel&&) noexcept = default;
ForwardModel& ForwardModel::operator=(ForwardModel&&) noexcept = default;

std::size_t ForwardModel::size() const { return parts_->n; }
std::size_t ForwardModel::positions() const { return parts_->plan.nq; }
const Plan& ForwardModel::plan() const { return parts_->plan; }
bool ForwardModel::rotor() const { return parts_->rotor; }

void ForwardModel::accelerations(const double* q, const double* v, const double* tau, double* a, const BaseMotion& base, std::span<const Wrench> wrenches) {
  Parts& p = *parts_;
  const Effects effects = p.effects(base, wrenches);
  if (!p.other) return p.dynamics.compute(Quantity::forward, {q, v, tau}, a, effects);
  if (p.other->needs_bias()) p.dynamics.compute(Quantity::bias, {q, v}, p.bias.data(), effects);
  p.other->accelerations(q, v, tau, p.bias.data(), a, effects);
}

void ForwardModel::own_torques(const double* q, const double* v, const double* a, double* tau, const BaseMotion& base, std::span<const Wrench> wrenches) {
  Parts& p = *parts_;
  if (!p.other) return torques(q, v, a, tau, base, wrenches);
  const Effects effects = p.effects(base, wrenches);
  if (p.other->needs_bias()) p.dynamics.compute(Quantity::bias, {q, v}, p.bias.data(), effects);
  p.other->torques(q, v, a, p.bias.data(), tau, effects);
}

void ForwardModel::production_accelerations(const double* q, const double* v, const double* tau, double* a, const BaseMotion& base,
                                            std::span<const Wrench> wrenches) {
  parts_->dynamics.compute(Quantity::forward, {q, v, tau}, a, parts_->effects(base, wrenches));
}

void ForwardModel::torques(const double* q, const double* v, const double* a, double* tau, const BaseMotion& base, std::span<const Wrench> wrenches) {
  const Effects effects = parts_->effects(base, wrenches);
  if (v == nullptr) return inverse_dynamics(parts_->plan, parts_->workspace, q, v, a, tau, effects);
  parts_->dynamics.compute(a == nullptr ? Quantity::bias : Quantity::inverse, {q, v, a}, tau, effects);
}

void ForwardModel::derivatives(const double* q, const double* v, const double* tau, double* d, const BaseMotion& base, std::span<const Wrench> wrenches) {
  parts_->dynamics.compute(Quantity::forward_derivatives, {q, v, tau}, d, parts_->effects(base, wrenches));
}

void ForwardModel::inertia_torques(const double* q, const double* a, double* tau, bool rotors) {
  inverse_dynamics(parts_->weightless, parts_->workspace, q, nullptr, a, tau, Effects{.rotor = rotors && parts_->rotor});
}

void ForwardModel::gravity_torques(const double* q, double* tau) { parts_->dynamics.gravity(q, tau); }

void ForwardModel::driven_torques(const double* q, const double* v, const double* a, double* tau) {
  Parts& p = *parts_;
  const std::size_t n = size(), base = base_nv(p.dynamics.model().base());
  if (base == 0) return torques(q, v, a, tau);
  torques(q, v, nullptr, tau);
  p.dynamics.mass(q, p.M.data());
  // The base goes where no wrench is needed on it: M_bb a_b = -(bias_b + M_bj a_j).
  p.right.assign(n, 0.0);
  std::copy(a, a + (n - base), p.right.begin() + static_cast<std::ptrdiff_t>(base));
  std::vector<double>& own = p.own;
  own.resize(base);
  for (std::size_t i = 0; i < base; ++i) {
    own[i] = -tau[i];
    for (std::size_t j = base; j < n; ++j) own[i] -= p.M[i * n + j] * p.right[j];
  }
  p.take_part([&](std::size_t i) { return i < base; });
  solve(p.part, own);
  std::copy(own.begin(), own.end(), p.right.begin());
  torques(q, v, p.right.data(), tau);
  std::fill(tau, tau + base, 0.0);
}

void ForwardModel::held_accelerations(const double* q, const double* v, const std::vector<bool>& held, double* tau, double* a, const BaseMotion& base,
                                      std::span<const Wrench> wrenches) {
  Parts& p = *parts_;
  const std::size_t n = size();
  p.dynamics.mass(q, p.M.data());
  torques(q, v, nullptr, p.bias.data(), base, wrenches);
  p.take_part([&](std::size_t i) { return !held[i]; });
  p.right.clear();
  for (std::size_t i = 0; i < n; ++i)
    if (!held[i]) p.right.push_back(tau[i] - p.bias[i]);
  solve(p.part, p.right);
  for (std::size_t i = 0, k = 0; i < n; ++i) a[i] = held[i] ? 0 : p.right[k++];
  for (std::size_t i = 0; i < n; ++i) {
    if (!held[i]) continue;
    tau[i] = p.bias[i];
    for (std::size_t j = 0; j < n; ++j) tau[i] += p.M[i * n + j] * a[j];
  }
}

void ForwardModel::after_blow(const double* q, const double* momentum, const double* impulse, const std::vector<bool>& held, double* v) {
  Parts& p = *parts_;
  p.dynamics.mass(q, p.M.data());
  p.take_part([&](std::size_t i) { return !held[i]; });
  p.right.clear();
  for (std::size_t i = 0; i < size(); ++i)
    if (!held[i]) p.right.push_back(momentum[i] + impulse[i]);
  solve(p.part, p.right);
  for (std::size_t i = 0, k = 0; i < size(); ++i) v[i] = held[i] ? 0 : p.right[k++];
}

const double* ForwardModel::joint_speeds(const double* q, const double* v) {
  if (!parts_->plan.closed()) return v;
  kernel::resolve_loops(parts_->plan, parts_->workspace, q);
  return kernel::complete_speeds(parts_->plan, parts_->workspace, v);
}

std::pair<const double*, const double*> ForwardModel::joint_motion(const double* q, const double* v, const double* a) {
  const double* speeds = joint_speeds(q, v);
  return {speeds, speeds == v ? a : kernel::complete_accelerations(parts_->plan, parts_->workspace, speeds, a)};
}

void ForwardModel::gather(const double* q, const double* of_joints, double* tau) {
  if (!parts_->plan.closed()) {
    std::copy_n(of_joints, size(), tau);
    return;
  }
  kernel::resolve_loops(parts_->plan, parts_->workspace, q);
  kernel::gather(parts_->plan, parts_->workspace.closed, of_joints, tau);
}

ForwardModel::InWorld ForwardModel::momentum(const double* q, const double* v) {
  const Plan& plan = parts_->plan;
  WorkspaceOf<double>& ws = parts_->workspace;
  const double* speeds = joint_speeds(q, v);
  kernel::place(plan, ws, q);
  kernel::place_in_world(plan, ws, q);
  kernel::velocities(plan, ws, speeds, {});
  InWorld all;
  const auto add = [&](const PseudoInertia<double>& body, const Pose<double>& X_WB, const Vec3<double>& w, const Vec3<double>& velocity) {
    const Momentum own = kernel::in_world(X_WB, kernel::own_momentum(body, w, velocity));
    all.momentum.angular = all.momentum.angular + own.angular;
    all.momentum.linear = all.momentum.linear + own.linear;
    all.angular += std::sqrt(dot(own.angular, own.angular));
    all.linear += std::sqrt(dot(own.linear, own.linear));
  };
  add(plan.base, ws.base.X_WB, ws.base.w_WB_B, ws.base.v_WBo_B);
  for (std::size_t i = 0; i < plan.bodies.size(); ++i) add(plan.bodies[i].inertia, ws.bodies[i].X_WB, ws.bodies[i].w_WB_B, ws.bodies[i].v_WBo_B);
  return all;
}

Pose<double> ForwardModel::link_pose(const double* q, std::size_t link) { return ulna::link_pose(parts_->plan, parts_->workspace, {q, positions()}, link); }

void ForwardModel::wrench_torques(const double* q, std::span<const Wrench> wrenches, double* tau) {
  inverse_dynamics(parts_->weightless, parts_->workspace, q, nullptr, nullptr, tau, Effects{.wrenches = wrenches});
  for (std::size_t i = 0; i < size(); ++i) tau[i] = -tau[i];  // inverse dynamics tells what the joints need not supply
}

void ForwardModel::friction(const double* q, const double* v, const FrictionSettings& settings, double* tau, std::size_t lanes) {
  Parts& p = *parts_;
  if (!p.plan.closed()) return joint_friction(v, settings, tau, lanes);
  p.own.resize(p.plan.nv);
  joint_friction(joint_speeds(q, v), settings, p.own.data());
  gather(q, p.own.data(), tau);
}

void ForwardModel::joint_friction(const double* speeds, const FrictionSettings& settings, double* tau, std::size_t lanes) const {
  std::fill(tau, tau + parts_->plan.nv * lanes, 0.0);
  if (!settings.on) return;
  if (settings.dry()) return kernel::add_friction(parts_->plan, speeds, 1.0, tau, lanes);
  kernel::add_friction(parts_->plan, speeds, 1.0, tau, lanes, [&](double rate) { return ulna::internal::smooth_sign(rate * (1 / settings.smooth)); });
}

void ForwardModel::friction_slopes(const double* speeds, const FrictionSettings& settings, double* slopes) const {
  std::fill(slopes, slopes + parts_->plan.nv, 0.0);
  if (!settings.on) return;
  for (const PlanBody<double>& body : parts_->plan.bodies) {
    const double way = settings.smooth > 0 ? ulna::internal::smooth_sign(body.multiplier * speeds[body.v] / settings.smooth) : 1;
    const double jump = settings.smooth > 0 ? (1 - way * way) / settings.smooth : 0;
    slopes[body.v] += body.multiplier * body.multiplier * kernel::friction(body, 1.0, jump);
  }
}

/// Everything in the bodies' own axes, gravity included: m g·p of a body is that of its joint's place on the parent and so on down to the base, so that no
/// frame is needed in the base's axes. About 80 multiplications a body, half of what kernel::energy() takes.
Energy ForwardModel::energy(const double* q, const double* v) {
  const Plan& plan = parts_->plan;
  WorkspaceOf<double>& ws = parts_->workspace;
  v = joint_speeds(q, v);
  kernel::place(plan, ws, q);
  std::vector<Felt>& felt = parts_->felt;
  Felt& ground = parts_->ground;
  Energy e{0, -dot(plan.gravity, plan.base.h)};
  if (plan.free) {
    ground = {kernel::gravity_in_base(plan, q), kernel::three(v, 0), kernel::three(v, 3), dot(plan.gravity, kernel::three(q, 0))};
    e.potential = -(plan.base.m * ground.height + dot(ground.gravity, plan.base.h));
    e.kinetic = 0.5 * (plan.base.m * dot(ground.v, ground.v) + dot(ground.w, parts_->J_base * ground.w)) + dot(ground.v, cross(ground.w, plan.base.h));
  }
  for (std::size_t i = 0; i < plan.bodies.size(); ++i) {
    const PlanBody<double>& body = plan.bodies[i];
    const BodyState<double>& s = ws.bodies[i];
    const Felt& parent = body.parent == kNone ? ground : felt[body.parent];
    Felt& f = felt[i];
    const double rate = body.multiplier * v[body.v];
    f.gravity = kernel::to_child(body, s, parent.gravity);
    f.height = parent.height + dot(parent.gravity, s.p_PB);
    f.w = kernel::to_child(body, s, parent.w);
    f.v = kernel::to_child(body, s, parent.v + cross(parent.w, s.p_PB));
    (body.prismatic ? f.v.z : f.w.z) += rate;
    const PseudoInertia<double>& own = body.inertia;
    e.potential -= own.m * f.height + dot(f.gravity, own.h);
    e.kinetic += 0.5 * (own.m * dot(f.v, f.v) + dot(f.w, parts_->J[i] * f.w)) + dot(f.v, cross(f.w, own.h));
    if (parts_->rotor) e.kinetic += 0.5 * body.rotor * (rate * rate);
  }
  return e;
}

void ForwardModel::mass(const double* q, double* M) { parts_->dynamics.mass(q, M); }

const Formulation* ForwardModel::other_formulation() const { return parts_->other ? &parts_->other->row() : nullptr; }
OwnSpeeds* ForwardModel::speeds() { return parts_->other ? parts_->other->speeds() : nullptr; }
std::string ForwardModel::why_not_here(const double* q) { return parts_->other ? parts_->other->why_not_here(q) : std::string(); }
std::string ForwardModel::why_no_torques() const { return parts_->other ? parts_->other->why_no_torques() : std::string(); }
std::string ForwardModel::equations(bool torques) const {
  const std::string what = torques ? "torques" : "accelerations";
  if (parts_->other) return parts_->other->equations(torques);
  return what + (parts_->plan.closed() ? " by the production path, loops closed after every step" : " by the production path");
}

const Dynamics* ForwardModel::kernels() const { return parts_->other ? nullptr : &parts_->dynamics; }

Momenta ForwardModel::momenta() {
  Parts* p = parts_.get();
  const bool free = p->plan.free;
  const std::size_t n = size(), nq = positions(), first_q = free ? base_nq(RootJoint::free) : 0, first_v = free ? base_nv(RootJoint::free) : 0;
  Momenta m;
  m.nq = nq;
  m.n = n;
  m.move = [p, n, nq](const double* q, const double* v, double dt, double* to) { integrate(p->dynamics.model(), {q, nq}, {v, n}, dt, {to, nq}); };
  m.p = [this, free](const double* q, const double* v, double* out) {
    inertia_torques(q, v, out);
    if (free) to_world(q, out);
  };
  m.v = [p, n, free, own = std::vector<double>(n)](const double* q, const double* momentum, double* v) mutable {
    std::copy_n(momentum, n, own.begin());
    if (free) to_base(q, own.data());
    forward_dynamics(p->weightless, p->workspace, q, nullptr, own.data(), v, Effects{.rotor = p->rotor});
  };
  // Ṁ v is the rate of M(q) v along q̇ = v with v held: one recursion on dual numbers. M does not depend on where a free base is.
  m.rate = [this, p, n, nq, free, first_q, first_v, q_dual = std::vector<Dual<double>>(nq), v_dual = std::vector<Dual<double>>(n),
            Mv = std::vector<Dual<double>>(n), a = std::vector<double>(n),
            wrench = std::vector<double>(n)](const double* q, const double* v, const double* v_dot, double* rate) mutable {
    inertia_torques(q, v_dot, rate);
    for (std::size_t k = 0; k < nq; ++k) q_dual[k] = {q[k], k < first_q ? 0 : v[k - first_q + first_v]};
    for (std::size_t i = 0; i < n; ++i) v_dual[i] = v[i];
    const Dual<double>* at_rest = nullptr;
    kernel::inverse_dynamics(p->weightless, p->dual_workspace, q_dual.data(), at_rest, v_dual.data(), Mv.data(), EffectsOf<Dual<double>>{.rotor = p->rotor});
    for (std::size_t i = 0; i < n; ++i) rate[i] += Mv[i].rate;
    if (!free) return;
    // The robot's momentum in the world changes by the forces of inertia, which are what the base would have to be pushed with.
    std::copy_n(v_dot, n, a.begin());
    numbers_to_classical(v, a.data());
    inverse_dynamics(p->weightless, p->workspace, q, v, a.data(), wrench.data());
    to_world(q, wrench.data());
    std::copy_n(wrench.data(), first_v, rate);
  };
  return m;
}

}  // namespace ulna::internal::sim
