#include "sim/forward_model.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <stdexcept>

#include <ulna/dynamics/inverse-inl.hpp>
#include <ulna/dynamics/joint-inl.hpp>

#include "scalar/dual.hpp"
#include "sim/formulation_forward.hpp"

namespace ulna::sim::internal {

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
  return a.gravity() == b.gravity() && std::equal(a.links().begin(), a.links().end(), b.links().begin(), b.links().end(), same_link) &&
         std::equal(a.joints().begin(), a.joints().end(), b.joints().begin(), b.joints().end(), same_joint);
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
    bias.resize(plan.nv);
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
  std::vector<double> bias;
  Felt ground;             // at rest
  std::vector<Felt> felt;  // by every body
  std::vector<Sym3<double>> J;
};

ForwardModel::ForwardModel(const Model& model, const std::string& formulation, bool rotor, const Dynamics* like)
    : parts_(std::make_unique<Parts>(model, formulation, rotor, like)) {}
ForwardModel::~ForwardModel() = default;
ForwardModel::ForwardModel(ForwardModel&&) noexcept = default;
ForwardModel& ForwardModel::operator=(ForwardModel&&) noexcept = default;

std::size_t ForwardModel::size() const { return parts_->plan.nv; }
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

void ForwardModel::inertia_torques(const double* q, const double* a, double* tau, bool rotors) {
  inverse_dynamics(parts_->weightless, parts_->workspace, q, nullptr, a, tau, Effects{.rotor = rotors && parts_->rotor});
}

void ForwardModel::gravity_torques(const double* q, double* tau) { parts_->dynamics.gravity(q, tau); }

void ForwardModel::wrench_torques(const double* q, std::span<const Wrench> wrenches, double* tau) {
  inverse_dynamics(parts_->weightless, parts_->workspace, q, nullptr, nullptr, tau, Effects{.wrenches = wrenches});
  for (std::size_t i = 0; i < size(); ++i) tau[i] = -tau[i];  // inverse dynamics tells what the joints need not supply
}

void ForwardModel::friction(const double* v, const FrictionSettings& settings, double* tau, std::size_t lanes) const {
  std::fill(tau, tau + size() * lanes, 0.0);
  if (!settings.on) return;
  kernel::add_friction(parts_->plan, v, 1.0, tau, lanes, [&](double rate) { return settings.smooth > 0 ? std::tanh(rate / settings.smooth) : sign(rate); });
}

/// Everything in the bodies' own axes, gravity included: m g·p of a body is that of its joint's place on the parent and so on down to the base, so that no
/// frame is needed in the base's axes. About 80 multiplications a body, half of what kernel::energy() takes.
Energy ForwardModel::energy(const double* q, const double* v) {
  const Plan& plan = parts_->plan;
  WorkspaceOf<double>& ws = parts_->workspace;
  kernel::place(plan, ws, q);
  std::vector<Felt>& felt = parts_->felt;
  Energy e{0, -dot(plan.gravity, plan.base.h)};
  for (std::size_t i = 0; i < plan.bodies.size(); ++i) {
    const PlanBody<double>& body = plan.bodies[i];
    const BodyState<double>& s = ws.bodies[i];
    const Felt& parent = body.parent == kNone ? parts_->ground : felt[body.parent];
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
  return parts_->other ? parts_->other->equations(torques) : std::string(torques ? "torques" : "accelerations") + " by the production path";
}

const Dynamics* ForwardModel::kernels() const { return parts_->other ? nullptr : &parts_->dynamics; }

Momenta ForwardModel::momenta() {
  Parts* p = parts_.get();
  const std::size_t n = size();
  Momenta m;
  m.n = n;
  m.p = [this](const double* q, const double* v, double* out) { inertia_torques(q, v, out); };
  m.v = [p](const double* q, const double* momentum, double* v) {
    forward_dynamics(p->weightless, p->workspace, q, nullptr, momentum, v, Effects{.rotor = p->rotor});
  };
  // Ṁ v is the rate of M(q) v along q̇ = v with v held: one recursion on dual numbers.
  m.rate = [this, p, n, q_dual = std::vector<Dual<double>>(n), v_dual = std::vector<Dual<double>>(n), Mv = std::vector<Dual<double>>(n)](
               const double* q, const double* v, const double* a, double* rate) mutable {
    inertia_torques(q, a, rate);
    for (std::size_t i = 0; i < n; ++i) {
      q_dual[i] = {q[i], v[i]};
      v_dual[i] = v[i];
    }
    const Dual<double>* at_rest = nullptr;
    kernel::inverse_dynamics(p->weightless, p->dual_workspace, q_dual.data(), at_rest, v_dual.data(), Mv.data(), EffectsOf<Dual<double>>{.rotor = p->rotor});
    for (std::size_t i = 0; i < n; ++i) rate[i] += Mv[i].rate;
  };
  return m;
}

}  // namespace ulna::sim::internal
