#include "sim/forward_model.hpp"

#include <algorithm>

#include "dynamics/base-inl.hpp"
#include "dynamics/closed-inl.hpp"
#include "dynamics/inverse-inl.hpp"
#include "dynamics/kinematics-inl.hpp"

#include "sim/base_state.hpp"

namespace ulna::internal::sim {

namespace {

/// Whether machine code for one is valid for the other. It contains neither friction nor limits.
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

/// Other formulations use the production path for checks only, for which machine code does not pay.
Dynamics dynamics_for(const Model& model, bool production, bool rotor, const Dynamics* like) {
  if (production && like != nullptr) return same_numbers(model, like->model()) ? *like : like->with_parameters(model);
  return Dynamics(model, {.rotor = rotor, .threads = 1, .most = production ? InstructionSet::avx512 : InstructionSet::none});
}

}  // namespace

template <class Take>
void ForwardModel::take_part(const Take& take) {
  part_.clear();
  for (std::size_t i = 0; i < n_; ++i)
    for (std::size_t j = 0; j < n_; ++j)
      if (take(i) && take(j)) part_.push_back(M_[i * n_ + j]);
}

ForwardModel::ForwardModel(const Model& model, const std::string& formulation, bool rotor, const Dynamics* like, std::shared_ptr<const Speeds> speeds)
    : plan_(make_plan(model)),
      weightless_(without_gravity(plan_)),
      workspace_(plan_),
      dual_workspace_(plan_),
      rotor_(rotor),
      dynamics_(dynamics_for(model, formulation == production_path().id, rotor, like)),
      n_(plan_.sizes().nv),
      bias_(n_),
      motions_(plan_.bodies.size()),
      J_base_(plan_.base.J()),
      M_(n_ * n_) {
  if (formulation != production_path().id) other_.emplace(formulation, model, rotor, std::move(speeds));
  ground_.gravity = plan_.gravity;
  for (const PlanBody<double>& body : plan_.bodies) J_.push_back(body.inertia.J());
}

void ForwardModel::accelerations(const double* q, const double* v, const double* tau, double* a, const BaseMotion& base, std::span<const Wrench> wrenches) {
  const Effects effects = acting(base, wrenches);
  if (!other_) return dynamics_.compute(Quantity::forward, {q, v, tau}, a, effects);
  if (other_->needs_bias()) dynamics_.compute(Quantity::bias, {q, v}, bias_.data(), effects);
  other_->accelerations(q, v, tau, bias_.data(), a, effects);
}

void ForwardModel::own_torques(const double* q, const double* v, const double* a, double* tau, const BaseMotion& base, std::span<const Wrench> wrenches) {
  if (!other_) return torques(q, v, a, tau, base, wrenches);
  const Effects effects = acting(base, wrenches);
  if (other_->needs_bias()) dynamics_.compute(Quantity::bias, {q, v}, bias_.data(), effects);
  other_->torques(q, v, a, bias_.data(), tau, effects);
}

void ForwardModel::production_accelerations(const double* q, const double* v, const double* tau, double* a, const BaseMotion& base,
                                            std::span<const Wrench> wrenches) {
  dynamics_.compute(Quantity::forward, {q, v, tau}, a, acting(base, wrenches));
}

void ForwardModel::torques(const double* q, const double* v, const double* a, double* tau, const BaseMotion& base, std::span<const Wrench> wrenches) {
  const Effects effects = acting(base, wrenches);
  if (v == nullptr) return inverse_dynamics(plan_, workspace_, q, v, a, tau, effects);
  dynamics_.compute(a == nullptr ? Quantity::bias : Quantity::inverse, {q, v, a}, tau, effects);
}

void ForwardModel::derivatives(const double* q, const double* v, const double* tau, double* d, const BaseMotion& base, std::span<const Wrench> wrenches) {
  dynamics_.compute(Quantity::forward_derivatives, {q, v, tau}, d, acting(base, wrenches));
}

void ForwardModel::inertia_torques(const double* q, const double* a, double* tau, bool rotors) {
  inverse_dynamics(weightless_, workspace_, q, nullptr, a, tau, Effects{.rotor = rotors && rotor_});
}

void ForwardModel::driven_torques(const double* q, const double* v, const double* a, double* tau) {
  const std::size_t n = size(), base = base_nv(dynamics_.model().base());
  if (base == 0) return torques(q, v, a, tau);
  torques(q, v, nullptr, tau);
  dynamics_.mass(q, M_.data());
  // The base accelerates so that no wrench is needed on it: M_bb a_b = -(bias_b + M_bj a_j).
  right_.assign(n, 0.0);
  std::copy(a, a + (n - base), right_.begin() + static_cast<std::ptrdiff_t>(base));
  std::vector<double>& own = own_;
  own.resize(base);
  for (std::size_t i = 0; i < base; ++i) {
    own[i] = -tau[i];
    for (std::size_t j = base; j < n; ++j) own[i] -= M_[i * n + j] * right_[j];
  }
  take_part([&](std::size_t i) { return i < base; });
  solve(part_, own);
  std::copy(own.begin(), own.end(), right_.begin());
  torques(q, v, right_.data(), tau);
  std::fill(tau, tau + base, 0.0);
}

void ForwardModel::held_accelerations(const double* q, const double* v, const std::vector<bool>& held, double* tau, double* a, const BaseMotion& base,
                                      std::span<const Wrench> wrenches) {
  const std::size_t n = size();
  dynamics_.mass(q, M_.data());
  torques(q, v, nullptr, bias_.data(), base, wrenches);
  take_part([&](std::size_t i) { return !held[i]; });
  right_.clear();
  for (std::size_t i = 0; i < n; ++i)
    if (!held[i]) right_.push_back(tau[i] - bias_[i]);
  solve(part_, right_);
  for (std::size_t i = 0, k = 0; i < n; ++i) a[i] = held[i] ? 0 : right_[k++];
  for (std::size_t i = 0; i < n; ++i) {
    if (!held[i]) continue;
    tau[i] = bias_[i];
    for (std::size_t j = 0; j < n; ++j) tau[i] += M_[i * n + j] * a[j];
  }
}

void ForwardModel::after_impulse(const double* q, const double* momentum, const double* impulse, const std::vector<bool>& held, double* v) {
  dynamics_.mass(q, M_.data());
  take_part([&](std::size_t i) { return !held[i]; });
  right_.clear();
  for (std::size_t i = 0; i < size(); ++i)
    if (!held[i]) right_.push_back(momentum[i] + impulse[i]);
  solve(part_, right_);
  for (std::size_t i = 0, k = 0; i < size(); ++i) v[i] = held[i] ? 0 : right_[k++];
}

const double* ForwardModel::joint_speeds(const double* q, const double* v) {
  if (!plan_.closed()) return v;
  kernel::resolve_loops(plan_, workspace_, q);
  return kernel::complete_speeds(plan_, workspace_, v);
}

std::pair<const double*, const double*> ForwardModel::joint_motion(const double* q, const double* v, const double* a) {
  const double* speeds = joint_speeds(q, v);
  return {speeds, speeds == v ? a : kernel::complete_accelerations(plan_, workspace_, speeds, a)};
}

void ForwardModel::gather(const double* q, const double* of_joints, double* tau) {
  if (!plan_.closed()) {
    std::copy_n(of_joints, size(), tau);
    return;
  }
  kernel::resolve_loops(plan_, workspace_, q);
  kernel::gather(plan_, workspace_.closed, of_joints, tau);
}

ForwardModel::InWorld ForwardModel::momentum(const double* q, const double* v) {
  const Plan& plan = plan_;
  WorkspaceOf<double>& ws = workspace_;
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

Pose<double> ForwardModel::link_pose(const double* q, std::size_t link) { return ulna::link_pose(plan_, workspace_, {q, positions()}, link); }

void ForwardModel::wrench_torques(const double* q, std::span<const Wrench> wrenches, double* tau) {
  inverse_dynamics(weightless_, workspace_, q, nullptr, nullptr, tau, Effects{.wrenches = wrenches});
  for (std::size_t i = 0; i < size(); ++i) tau[i] = -tau[i];  // inverse dynamics gives the part that the joints need not supply
}

/// Everything in the bodies' own axes, gravity included: m g·p of a body is that of its joint's place on the parent and so on down to the base, so that no
/// frame is needed in the base's axes. About 80 multiplications a body, half of what kernel::energy() takes.
Energy ForwardModel::energy(const double* q, const double* v) {
  const Plan& plan = plan_;
  WorkspaceOf<double>& ws = workspace_;
  v = joint_speeds(q, v);
  kernel::place(plan, ws, q);
  std::vector<BodyMotion>& motions = motions_;
  BodyMotion& ground = ground_;
  Energy e{0, -dot(plan.gravity, plan.base.h)};
  if (plan.free) {
    ground = {kernel::gravity_in_base(plan, q), kernel::three(v, 0), kernel::three(v, 3), dot(plan.gravity, kernel::three(q, 0))};
    e.potential = -(plan.base.m * ground.height + dot(ground.gravity, plan.base.h));
    e.kinetic = 0.5 * (plan.base.m * dot(ground.v, ground.v) + dot(ground.w, J_base_ * ground.w)) + dot(ground.v, cross(ground.w, plan.base.h));
  }
  for (std::size_t i = 0; i < plan.bodies.size(); ++i) {
    const PlanBody<double>& body = plan.bodies[i];
    const BodyState<double>& s = ws.bodies[i];
    const BodyMotion& parent = body.parent == kNone ? ground : motions[body.parent];
    BodyMotion& f = motions[i];
    const double rate = body.multiplier * v[body.v];
    f.gravity = kernel::to_child(body, s, parent.gravity);
    f.height = parent.height + dot(parent.gravity, s.p_PB);
    f.w = kernel::to_child(body, s, parent.w);
    f.v = kernel::to_child(body, s, parent.v + cross(parent.w, s.p_PB));
    (body.prismatic ? f.v.z : f.w.z) += rate;
    const PseudoInertia<double>& own = body.inertia;
    e.potential -= own.m * f.height + dot(f.gravity, own.h);
    e.kinetic += 0.5 * (own.m * dot(f.v, f.v) + dot(f.w, J_[i] * f.w)) + dot(f.v, cross(f.w, own.h));
    if (rotor_) e.kinetic += 0.5 * body.rotor * (rate * rate);
  }
  return e;
}

std::string ForwardModel::equations(bool torques) const {
  const std::string what = torques ? "torques" : "accelerations";
  if (other_) return other_->equations(torques);
  return what + (plan_.closed() ? " by the production path, loops closed after every step" : " by the production path");
}

Momenta ForwardModel::momenta() {
  const bool free = plan_.free;
  const std::size_t n = size(), nq = positions(), first_q = free ? base_nq(RootJoint::free) : 0, first_v = free ? base_nv(RootJoint::free) : 0;
  Momenta m;
  m.nq = nq;
  m.n = n;
  m.move = [this, n, nq](const double* q, const double* v, double dt, double* to) { integrate(dynamics_.model(), {q, nq}, {v, n}, dt, {to, nq}); };
  m.p = [this, free](const double* q, const double* v, double* out) {
    inertia_torques(q, v, out);
    if (free) to_world(q, out);
  };
  m.v = [this, n, free, own = std::vector<double>(n)](const double* q, const double* momentum, double* v) mutable {
    std::copy_n(momentum, n, own.begin());
    if (free) to_base(q, own.data());
    forward_dynamics(weightless_, workspace_, q, nullptr, own.data(), v, Effects{.rotor = rotor_});
  };
  // Ṁ v is the rate of M(q) v along q̇ = v with v held: one recursion on dual numbers. M does not depend on where a free base is.
  m.rate = [this, n, nq, free, first_q, first_v, q_dual = std::vector<Dual<double>>(nq), v_dual = std::vector<Dual<double>>(n),
            Mv = std::vector<Dual<double>>(n), a = std::vector<double>(n),
            wrench = std::vector<double>(n)](const double* q, const double* v, const double* v_dot, double* rate) mutable {
    inertia_torques(q, v_dot, rate);
    for (std::size_t k = 0; k < nq; ++k) q_dual[k] = {q[k], k < first_q ? 0 : v[k - first_q + first_v]};
    for (std::size_t i = 0; i < n; ++i) v_dual[i] = v[i];
    const Dual<double>* at_rest = nullptr;
    kernel::inverse_dynamics(weightless_, dual_workspace_, q_dual.data(), at_rest, v_dual.data(), Mv.data(), EffectsOf<Dual<double>>{.rotor = rotor_});
    for (std::size_t i = 0; i < n; ++i) rate[i] += Mv[i].rate;
    if (!free) return;
    // The robot's momentum in the world changes by the forces of inertia, which are the wrench that would hold the base.
    std::copy_n(v_dot, n, a.begin());
    numbers_to_classical(v, a.data());
    inverse_dynamics(weightless_, workspace_, q, v, a.data(), wrench.data());
    to_world(q, wrench.data());
    std::copy_n(wrench.data(), first_v, rate);
  };
  return m;
}

}  // namespace ulna::internal::sim
