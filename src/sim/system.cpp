#include "sim/system.hpp"

#include <algorithm>

#include "dynamics/compute-inl.hpp"

#include "sim/side_law.hpp"

namespace ulna::internal::sim {

namespace {

std::vector<const Scenario*> filled(std::vector<const Scenario*> runs, std::size_t lanes) {
  runs.resize(std::max(runs.size(), lanes), runs.back());
  return runs;
}

}  // namespace

System::System(const Scenario& scenario, const SystemOptions& options) : System(std::vector<const Scenario*>{&scenario}, 1, options) {}

System::System(const std::vector<const Scenario*>& runs, std::size_t lanes, const SystemOptions& options)
    : scenario_(*runs.front()),
      runs_(filled(runs, lanes)),
      base_(scenario_.model.base()),
      nq_(scenario_.model.nq()),
      n_(scenario_.model.nv()),
      lanes_(runs_.size()),
      audited_(options.audited),
      own_(options.own) {
  if (!options.checked)
    for (const Scenario* run : runs) check(*run);
  const bool own_begin = scenario_.reference.from.empty();
  for (std::size_t l = 0; l < (own_begin ? lanes_ : 1); ++l)
    if (std::unique_ptr<ReferenceMotion> reference = make_reference(*runs_[l])) references_.push_back(std::move(reference));
  dynamics_ = scenario_.dynamics;
  if (dynamics_ == nullptr && scenario_.formulation == production_path().id)
    dynamics_ = std::make_shared<const Dynamics>(scenario_.model, DynamicsOptions{.rotor = scenario_.rotor, .threads = 1});
  law_ = make_side_law(runs_, runs.size(), references_, scenario_.believed != nullptr ? scenario_.believed.get() : dynamics_.get());
  make_phases();
  check_formulation(scenario_, robot(), references_.empty() ? nullptr : references_.front().get());
  own_speeds_ = robot().speeds() != nullptr && !prescribed() && scenario_.integrator.kind != IntegratorKind::implicit_midpoint;
  find_cyclic();
  find_breaks();
  driven_ = driven_positions(scenario_.model);
  quaternions_ = scenario_.model.quaternions();
  if (scenario_.model.closed()) keeper_.emplace(*robot().kernels());
  if (scenario_.friction.on) rubbing_.emplace(robot().plan(), runs_);
  if (scenario_.friction.on && robot().plan().loaded) load_space_.emplace(robot().plan());
  if (can_stick(scenario_)) sticking_.emplace(robot().plan(), scenario_.friction);
  if (sticking_ && lanes_ > 1) throw std::logic_error("joints stick in one lane only");
  if (scenario_.control.period > 0) sampled_.emplace(runs_, *law_, keeper_ ? robot().kernels() : nullptr);
  work_at_ = nq_ + n_ + (sampled_ ? 0 : law_->memory());
  losses_at_ = work_at_ + n_;
  external_at_ = losses_at_ + (scenario_.friction.on ? n_ : 0);
  impulse_at_ = external_at_ + (scenario_.disturbances.empty() ? 0 : n_);
  world_at_ = impulse_at_ + cyclic_.size();
  size_ = audited_ ? world_at_ + (base_.free ? base_.v : 0) : work_at_;
  weight_ = base_.free && !(scenario_.model.gravity() == Vec3<double>{});
  transferred_.assign(base_.free ? base_.v : 0, 0.0);
  q_.resize(nq_ * lanes_);
  for (std::vector<double>* scratch : {&v_, &a_, &tau_, &u_, &u_dot_, &friction_, &net_, &applied_, &bias_, &closing_}) scratch->resize(n_ * lanes_);
  joint_friction_.resize(keeper_ ? scenario_.model.nv_tree() : 0);
  target_.resize((n_ - base_.v) * lanes_);
  if (audited_) make_rows();
  enter(breaks_[0], breaks_[1]);
}

void System::make_rows() {
  mass_.resize(n_ * n_ * lanes_);
  for (std::size_t l = 0; l < lanes_; ++l) {
    rows_.emplace_back();
    RowFacts& row = rows_.back();
    row.q.resize(nq_);
    for (std::vector<double>* part : {&row.v, &row.a, &row.tau, &row.bias, &row.closing, &row.work}) part->resize(n_);
    row.losses.resize(external_at_ - losses_at_);
    row.friction.resize(sticking_ ? n_ : 0);
    row.external.resize(impulse_at_ - external_at_);
    row.impulse.resize(cyclic_.size());
    row.world_impulse.resize(base_.free ? base_.v : 0);
    row.mass.resize(n_ * n_);
    for (std::vector<double>* part : {&row.joint_v, &row.joint_a}) part->resize(keeper_ ? scenario_.model.nv_tree() : 0);
    if (robot().other_formulation() != nullptr) row.production.resize(n_);
  }
}

/// One robot for every combination of payloads that occurs, and a table of all lanes' where they have own numbers. Payloads without mass are there for their
/// times: the steps of all runs of a campaign are the same.
void System::make_phases() {
  std::vector<double> times{0};
  for (const Payload& p : scenario_.payloads)
    for (const double t : {p.from, p.to})
      if (t > 0 && t < scenario_.duration) times.push_back(t);
  std::sort(times.begin(), times.end());
  times.erase(std::unique(times.begin(), times.end()), times.end());
  const auto carrying = [](const Scenario& run, double t, bool caught) {
    Model model = run.model;
    for (const Payload& p : run.payloads)
      if (p.mass != 0 && p.from <= t && t < p.to && (caught || !p.flight || p.from != t)) model = with_payload(model, p);
    return model;
  };
  for (const double t : times) {
    // Tables have the numbers of lanes that have own ones: their robot is that of the machine code.
    const Model robot = own_ != nullptr ? dynamics_->model() : carrying(scenario_, t, true);
    phases_.push_back({t, ForwardModel(robot, scenario_.formulation, scenario_.rotor, dynamics_.get(), scenario_.speeds), {}});
    if (std::any_of(scenario_.payloads.begin(), scenario_.payloads.end(), [&](const Payload& p) { return p.flight && p.from == t; }))
      phases_.back().uncaught.emplace(carrying(scenario_, t, false), scenario_.formulation, scenario_.rotor, dynamics_.get(), scenario_.speeds);
    if (own_ == nullptr) continue;
    fits_.resize(lanes_, true);
    tables_.push_back(std::make_unique<ulna::internal::LaneNumbers>(own_));
    for (std::size_t l = 0; l < lanes_; ++l) fits_[l] = fits_[l] && tables_.back()->set(l, carrying(*runs_[l], t, true));
  }
}

void System::find_breaks() {
  breaks_ = {0, scenario_.duration};
  std::vector<double> times;  // of a law that is sampled, f knows what it holds
  if (!sampled_) times = law_->breaks();
  for (const Phase& phase : phases_) times.push_back(phase.from);
  for (const Disturbance& d : scenario_.disturbances) times.insert(times.end(), {d.from, d.to});
  for (const Brake& b : scenario_.brakes) times.insert(times.end(), {b.from, b.to});
  for (const double t : times)
    if (t > 0 && t < scenario_.duration) breaks_.push_back(t);
  std::sort(breaks_.begin(), breaks_.end());
  // Two that differ by rounding are one.
  const double least = kRunRounding * scenario_.duration;
  std::vector<double> distinct{breaks_.front()};
  for (const double t : breaks_)
    if (t - distinct.back() > least) distinct.push_back(t);
  distinct.back() = scenario_.duration;
  breaks_ = distinct;
}

/// Joints on a base that stands still, the first one of a planar base among them: M never depends on their coordinate, and neither does the potential energy if
/// gravity is along the axis of a revolute one or across that of a prismatic one.
void System::find_cyclic() {
  const Plan& plan = phases_.front().robot.plan();
  if (scenario_.base.moves || plan.coupled || plan.free || plan.closed()) return;
  const double g = std::sqrt(dot(plan.gravity, plan.gravity));
  for (const PlanBody<double>& body : plan.bodies) {
    if (body.parent != kNone || body.ball > 0) continue;
    const Vec3<double> z = body.R_PB.column_z();
    const Vec3<double> turning = cross(z, plan.gravity);
    const double weight = body.prismatic ? std::abs(dot(z, plan.gravity)) : std::sqrt(dot(turning, turning));
    if (weight <= kKeptDigits * g) cyclic_.push_back(body.v);
  }
}

std::vector<double> System::initial() {
  std::vector<double> x(size_ * lanes_, 0.0);
  if (prescribed() && !keeper_) {
    std::vector<double> unused(n_);
    references_.front()->at(0, x.data(), x.data() + n_, unused.data());
    return x;
  }
  for (std::size_t l = 0; l < lanes_; ++l) {
    for (std::size_t i = 0; i < nq_; ++i) x[i * lanes_ + l] = runs_[l]->q[i];
    for (std::size_t i = 0; i < n_; ++i) x[(nq_ + i) * lanes_ + l] = runs_[l]->v[i];
  }
  if (keeper_) robot().kernels()->close({x.data(), nq_});
  if (prescribed()) {
    std::copy_n(x.begin(), nq_, q_.begin());
    place_reference(0, inside(0));
    std::copy_n(q_.begin(), nq_, x.begin());
    std::copy_n(v_.begin(), n_, x.begin() + static_cast<std::ptrdiff_t>(nq_));
  }
  restore(x.data());
  if (own_speeds_) phases_.front().robot.speeds()->from_rates(scenario_.q.data(), scenario_.v.data(), x.data() + n_);
  return x;
}

void System::enter(double begin, double end) {
  begin_ = begin;
  end_ = end;
  const double middle = begin + (end - begin) / 2;
  wrenches_.clear();
  for (const Disturbance& d : scenario_.disturbances)
    if (d.from <= middle && middle < d.to) wrenches_.push_back(d.wrench);
  held_.clear();
  for (const Brake& b : scenario_.brakes)
    if (b.from <= middle && middle < b.to) {
      held_.resize(n_, false);
      for (const std::size_t joint : b.joints) held_[base_.v + joint] = true;
    }
  phase_before_ = phase_;
  phase_ = 0;
  while (phase_ + 1 < phases_.size() && phases_[phase_ + 1].from <= middle) ++phase_;
  kernels_ = wrenches_.empty() && held_.empty() && !scenario_.base.moves ? robot().kernels() : nullptr;
}

void System::enter_at(double t) {
  const auto next = std::upper_bound(breaks_.begin() + 1, breaks_.end() - 1, t);
  enter(*(next - 1), *next);
}

/// Laws and references jump at breaks. At a break itself, the side that counts is the one inside the present stretch.
double System::inside(double t) const {
  const double least = std::min(kRunRounding * end_, (end_ - begin_) / 4);  // a part of the run's own times: it may last microseconds
  return std::clamp(t, begin_ + least, end_ - least);
}

void System::restore(double* x) {
  for (const std::size_t at : quaternions_) make_unit(x, at, lanes_);
  if (keeper_) {
    const LoopKeeper::Closing now = keeper_->close(x);
    loops_ = {std::max(loops_.before, now.before), std::max(loops_.after, now.after)};
  }
}

/// The reference's q, v and a, in q_, v_ and a_. Of a robot with loops, its independent joints', and what follows for the others from where q_ is.
void System::place_reference(double t, double when) {
  const double at = t <= begin_ || t >= end_ ? when : t;
  if (!keeper_) return references_.front()->at(at, q_.data(), v_.data(), a_.data());
  references_.front()->at(at, u_.data(), v_.data(), a_.data());
  for (std::size_t k = 0; k < n_; ++k) q_[driven_[k]] = u_[k];
  keeper_->close(q_.data());
}

void System::move(const std::vector<double>& q, const std::vector<double>& direction, double by, std::vector<double>& to) {
  integrate(scenario_.model, q, {robot().joint_speeds(q.data(), direction.data()), scenario_.model.nv_tree()}, by, to);
  if (keeper_) keeper_->close(to.data());
}

/// A caught body transfers its momentum, and joints that are stopped lose theirs to the brake: M v changes by impulses, none of which acts on free coordinates.
void System::jump(double* x) {
  Phase &before = phases_[phase_before_], &now = phases_[phase_];
  const bool catches = now.uncaught && phase_before_ != phase_;
  ForwardModel& carries = catches ? *now.uncaught : now.robot;  // all that moves with the robot already
  const double* q = positions(x);
  double* v = x + nq_;
  Momentum came{};
  if (base_.free) {
    const Momentum is = carries.momentum(q, v).momentum, was = before.robot.momentum(q, v).momentum;
    came = {is.angular - was.angular, is.linear - was.linear};
  }
  std::fill(net_.begin(), net_.end(), 0.0);
  for (const Payload& p : scenario_.payloads) {
    if (!catches || !p.flight || p.from != now.from) continue;
    const Pose<double> X_WL = now.robot.link_pose(q, p.link);
    const Vec3<double> arm = X_WL.R * p.com, linear = p.mass * p.flight->velocity;
    const Vec3<double> spin = X_WL.R * (p.inertia * tmul(X_WL.R, p.flight->angular_velocity));
    const Wrench impact{p.link, Axes::world, linear, spin + cross(arm, linear)};
    now.robot.wrench_torques(q, {&impact, 1}, applied_.data());
    for (std::size_t i = 0; i < n_; ++i) net_[i] += applied_[i];
    came = {came.angular + spin + cross(X_WL.p + arm, linear), came.linear + linear};
  }
  if (base_.free) transferred_ = {came.angular.x, came.angular.y, came.angular.z, came.linear.x, came.linear.y, came.linear.z};
  bool stops = false;
  for (std::size_t i = 0; i < held_.size(); ++i) stops = stops || (held_[i] && v[i] != 0);
  if (!catches && !stops) return;
  carries.inertia_torques(q, v, tau_.data());
  now.robot.after_impulse(q, tau_.data(), net_.data(), held_.empty() ? std::vector<bool>(n_, false) : held_, v);
}

const double* System::positions(const double* x) {
  if (!restores()) return x;
  std::copy(x, x + nq_ * lanes_, q_.begin());
  for (const std::size_t at : quaternions_) make_unit(q_.data(), at, lanes_);
  if (keeper_) keeper_->close(q_.data());
  return q_.data();
}

const double* System::rates(const double* x) {
  const double* second = x + nq_ * lanes_;
  if (!own_speeds_) return second;
  robot().speeds()->to_rates(x, second, v_.data());
  return v_.data();
}

void System::sample(std::uint64_t k, double t, const double* x) { sampled_->sample(k, t, positions(x), rates(x)); }

const double* System::reference_positions(double t) {
  if (references_.empty()) return nullptr;
  const std::size_t joints = n_ - base_.v;
  for (std::size_t r = 0; r < references_.size(); ++r) {
    references_[r]->at(t, u_.data(), v_.data(), a_.data());
    for (std::size_t i = 0; i < joints; ++i) std::fill_n(&target_[i * lanes_ + r], references_.size() == 1 ? lanes_ : 1, u_[i]);
  }
  return target_.data();
}

const double* System::friction_at(const double* q, const double* v) {
  if (!rubbing_) {
    std::fill(friction_.begin(), friction_.end(), 0.0);
  } else if (!keeper_) {
    rubbing_->torques(v, friction_.data());
  } else {
    rubbing_->torques(robot().joint_speeds(q, v), joint_friction_.data());
    robot().gather(q, joint_friction_.data(), friction_.data());
  }
  return friction_.data();
}

System::Instant System::at(double t, const double* x) {
  const double when = inside(t);
  ForwardModel& robot = phases_[phase_].robot;
  if (prescribed()) {
    std::copy_n(x, nq_, q_.begin());  // loops are closed from there
    place_reference(t, when);
    friction_at(q_.data(), v_.data());
    robot.own_torques(q_.data(), v_.data(), a_.data(), tau_.data(), base_at(t), wrenches_);
    add_load(v_.data(), tau_.data(), a_.data(), friction_.data());
    for (std::size_t i = 0; i < n_; ++i) tau_[i] += friction_[i];
    return {q_.data(), v_.data(), a_.data(), tau_.data()};
  }
  const double *v = rates(x), *q = positions(x);
  if (sampled_)
    std::copy_n(sampled_->torques(), tau_.size(), tau_.begin());
  else
    law_->torque(when, q, v, x + (nq_ + n_) * lanes_, tau_.data());
  const double* net = tau_.data();
  if (scenario_.friction.on) {
    friction_at(q, v);
    if (sticking_) {
      sticking_->place(robot, q);
      sticking_->by_modes(v, friction_.data());
    }
    for (std::size_t k = 0; k < n_ * lanes_; ++k) net_[k] = tau_[k] - friction_[k];
    net = net_.data();
    if (load_space_) rub_by_load(t, q, v);
  }
  const std::vector<bool>& held = sticking_ ? sticking_->held() : held_;
  if (!held.empty()) {
    if (net != net_.data()) std::copy(tau_.begin(), tau_.end(), net_.begin());
    robot.held_accelerations(q, v, held, net_.data(), a_.data(), base_at(t), wrenches_);
    for (std::size_t i = 0; i < n_; ++i)
      if (sticking_ && sticking_->sticks(i))
        friction_[i] = tau_[i] - net_[i];
      else if (held[i])
        tau_[i] = net_[i];  // of the brake: there is no friction at a joint at rest
  } else if (own_speeds_) {
    if (!wrenches_.empty()) {  // as joint torques
      std::vector<double> loads(n_);
      robot.wrench_torques(q, wrenches_, loads.data());
      if (net != net_.data()) std::copy(tau_.begin(), tau_.end(), net_.begin());
      for (std::size_t k = 0; k < n_; ++k) net_[k] += loads[k];
      net = net_.data();
    }
    robot.speeds()->derivatives(q, x + n_, net, u_dot_.data(), a_.data());
  } else if (!tables_.empty())
    tables_[phase_]->forward(q, v, net, a_.data());
  else if (kernels_ == nullptr)
    robot.accelerations(q, v, net, a_.data(), base_at(t), wrenches_);
  else if (lanes_ == 1)
    kernels_->forward(q, v, net, a_.data());
  else
    kernels_->compute_lanes(Quantity::forward, {q, v, net}, a_.data(), 1);
  return {q, v, a_.data(), tau_.data()};
}

void System::derivative(double t, const double* x, double* dxdt) {
  ++evaluations_;
  const std::size_t width = n_ * lanes_;
  const Instant now = at(t, x);
  const double* second = own_speeds_ ? u_dot_.data() : now.a;
  double* accelerates = dxdt + nq_ * lanes_;
  std::copy(second, second + width, accelerates);
  const double* speeds = robot().joint_speeds(now.q, now.v);
  if (base_.free) {
    base_rates(x, now.q, now.v, dxdt, lanes_);
    if (!scenario_.model.has_balls()) std::copy_n(speeds + base_.v * lanes_, (nq_ - base_.q) * lanes_, dxdt + base_.q * lanes_);
    classical_to_numbers(now.v, accelerates, lanes_);
  } else {
    std::copy_n(speeds, (scenario_.model.has_balls() ? base_.q : nq_) * lanes_, dxdt);
  }
  if (scenario_.model.has_balls()) {
    for (std::size_t k = 0; k < driven_.size(); ++k) std::copy_n(now.v + (base_.v + k) * lanes_, lanes_, dxdt + driven_[k] * lanes_);
    for (const std::size_t at : quaternions_)
      if (const auto first = std::find(driven_.begin(), driven_.end(), at); first != driven_.end())
        quaternion_rates(x, at, now.v, base_.v + static_cast<std::size_t>(first - driven_.begin()), dxdt, lanes_);
  }
  if (!sampled_) law_->memory_rate(inside(t), now.q, now.v, dxdt + (nq_ + n_) * lanes_);
  if (!audited_) return;
  double* work = dxdt + work_at_ * lanes_;
  for (std::size_t k = 0; k < width; ++k) work[k] = now.tau[k] * now.v[k];
  if (scenario_.friction.on) {
    double* losses = dxdt + losses_at_ * lanes_;
    for (std::size_t k = 0; k < width; ++k) losses[k] = friction_[k] * now.v[k];
  }
  if (!scenario_.disturbances.empty()) {
    if (wrenches_.empty())
      std::fill(applied_.begin(), applied_.end(), 0.0);
    else
      robot().wrench_torques(now.q, wrenches_, applied_.data());
    double* external = dxdt + external_at_ * lanes_;
    for (std::size_t k = 0; k < width; ++k) external[k] = applied_[k] * now.v[k];
  }
  for (std::size_t k = 0; k < cyclic_.size(); ++k)
    for (std::size_t l = 0; l < lanes_; ++l) {
      const std::size_t i = cyclic_[k] * lanes_ + l;
      double& impulse = dxdt[(impulse_at_ + k) * lanes_ + l];
      impulse = now.tau[i];
      if (scenario_.friction.on) impulse -= friction_[i];
      if (!wrenches_.empty()) impulse += applied_[i];
    }
  if (base_.free) world_impulse_rate(now, dxdt + world_at_ * lanes_);
}

/// External loads on the robot: tau of its base, wrenches on its links and its weight, reduced to the base, in the world about its origin.
void System::world_impulse_rate(const Instant& now, double* rate) {
  const std::size_t width = base_.v * lanes_;
  std::copy(now.tau, now.tau + width, rate);
  if (!wrenches_.empty())
    for (std::size_t k = 0; k < width; ++k) rate[k] += applied_[k];
  if (weight_) {
    if (lanes_ == 1)
      robot().gravity_torques(now.q, bias_.data());
    else
      kernels_->compute_lanes(Quantity::gravity, {now.q}, bias_.data(), 1);
    for (std::size_t k = 0; k < width; ++k) rate[k] -= bias_[k];
  }
  wrench_to_world(now.q, rate, lanes_);
}

const std::vector<RowFacts>& System::row(double t, const double* x) {
  const Instant now = at(t, x);
  if (lanes_ > 1) {
    kernels_->compute_lanes(Quantity::bias, {now.q, now.v}, bias_.data(), 1);
    kernels_->compute_lanes(Quantity::inverse, {now.q, now.v, now.a}, closing_.data(), 1);
    kernels_->compute_lanes(Quantity::mass, {now.q}, mass_.data(), 1);
    if (scenario_.friction.on)
      for (std::size_t k = 0; k < n_ * lanes_; ++k) closing_[k] += friction_[k];
  } else {
    bias(t, now.q, now.v, bias_.data());
    // A prescribed motion's torques come from inverse dynamics, so they go through forward dynamics first.
    if (prescribed()) {
      for (std::size_t i = 0; i < n_; ++i) applied_[i] = now.tau[i] - friction_[i];
      robot().accelerations(now.q, now.v, applied_.data(), net_.data(), base_at(t), wrenches_);
    }
    closing_torques(t, now.q, now.v, prescribed() ? net_.data() : now.a, closing_.data(), sticking_ ? friction_.data() : nullptr);
    robot().mass(now.q, mass_.data());
  }
  const auto take = [&](const double* from, std::size_t lane, std::vector<double>& to) {
    for (std::size_t i = 0; i < to.size(); ++i) to[i] = from[i * lanes_ + lane];
  };
  for (std::size_t l = 0; l < lanes_; ++l) {
    RowFacts& row = rows_[l];
    take(now.q, l, row.q);
    take(now.v, l, row.v);
    take(now.a, l, row.a);
    take(now.tau, l, row.tau);
    take(bias_.data(), l, row.bias);
    take(closing_.data(), l, row.closing);
    take(mass_.data(), l, row.mass);
    take(x + work_at_ * lanes_, l, row.work);
    take(x + losses_at_ * lanes_, l, row.losses);
    take(friction_.data(), l, row.friction);
    take(x + external_at_ * lanes_, l, row.external);
    take(x + impulse_at_ * lanes_, l, row.impulse);
    take(x + world_at_ * lanes_, l, row.world_impulse);
    if (keeper_) {
      const auto [joint_v, joint_a] = robot().joint_motion(now.q, now.v, now.a);
      std::copy_n(joint_v, row.joint_v.size(), row.joint_v.begin());
      std::copy_n(joint_a, row.joint_a.size(), row.joint_a.begin());
    }
    row.energy = robot().energy(row.q.data(), row.v.data());
    if (!base_.free) continue;
    row.world = robot().momentum(row.q.data(), row.v.data());
    row.transferred = transferred_;
  }
  if (robot().other_formulation() != nullptr) compare_with_production(t, x, now, rows_.front());
  return rows_;
}

/// One lane.
void System::compare_with_production(double t, const double* x, const Instant& now, RowFacts& row) {
  if (prescribed()) {
    closing_torques(t, now.q, now.v, now.a, row.production.data());
  } else {
    friction_at(now.q, now.v);
    for (std::size_t i = 0; i < n_; ++i) net_[i] = now.tau[i] - friction_[i];
    robot().production_accelerations(now.q, now.v, net_.data(), row.production.data(), base_at(t), wrenches_);
  }
  if (constant().symbol.empty()) return;
  if (!own_speeds_) robot().speeds()->from_rates(now.q, now.v, u_.data());
  row.constant = robot().speeds()->constant(now.q, own_speeds_ ? x + n_ : u_.data());
}

ConstantOfMotion System::constant() const {
  const Formulation* other = phases_.front().robot.other_formulation();
  return other == nullptr ? ConstantOfMotion{} : other->constant;
}

std::string System::equations() const {
  const std::string by = phases_.front().robot.equations(prescribed());
  return own_speeds_ ? by + ", integrated in its generalized speeds" : by;
}

std::string System::in_the_way() const {
  const Dynamics* dynamics = phases_.front().robot.kernels();
  if (dynamics == nullptr) return {};
  if (std::string why = dynamics->why_not_compiled(prescribed() ? Quantity::inverse : Quantity::forward); !why.empty()) return why;
  if (scenario_.base.moves) return "machine code has no base that moves";
  if (!scenario_.brakes.empty()) return "machine code has no brakes: templates compute while one holds";
  return scenario_.disturbances.empty() ? "" : "machine code has no disturbances, and computes where none acts";
}

std::string System::computed_by() const {
  if (phases_.front().robot.kernels() == nullptr) return scenario_.formulation;
  return in_the_way().empty() ? "compiled-double" : "templates";
}

Momenta System::momenta() {
  std::vector<Momenta> each;
  for (Phase& phase : phases_) each.push_back(phase.robot.momenta());
  Momenta all;
  all.nq = nq_;
  all.n = n_;
  all.move = each.front().move;
  all.p = [this, each](const double* q, const double* v, double* p) { each[phase_].p(q, v, p); };
  all.v = [this, each](const double* q, const double* p, double* v) { each[phase_].v(q, p, v); };
  all.rate = [this, each](const double* q, const double* v, const double* a, double* rate) { each[phase_].rate(q, v, a, rate); };
  return all;
}

void System::closing_torques(double t, const double* q, const double* v, const double* a, double* tau, const double* friction) {
  robot().torques(q, v, a, tau, base_at(t), wrenches_);
  if (friction == nullptr) {
    friction = friction_at(q, v);
    add_load(v, tau, a, friction_.data());
  }
  for (std::size_t i = 0; i < n_; ++i) tau[i] += friction[i];
}

void System::add_load(const double* v, const double* links, const double* a, double* to) {
  if (!load_space_) return;
  const kernel::Loads<double, double> loads(robot().plan(), *load_space_, v, scenario_.rotor);
  for (std::size_t i = 0; i < n_; ++i) to[i] += loads.share[i] * std::fabs(links[i] - loads.rotor[i] * a[i]);
}

/// Load-dependent friction of the remaining torques: the part of the links is transmitted. See dynamics/loaded-inl.hpp.
void System::rub_by_load(double t, const double* q, const double* v) {
  kernel::Loads<double, double> loads(robot().plan(), *load_space_, v, scenario_.rotor);
  std::copy(net_.begin(), net_.end(), loads.y);
  for (std::size_t i = 0; i < n_; ++i) loads.sides[i] = sign(net_[i]), loads.a[i] = 0;
  if (loads.iterated) {
    bias(t, q, v, loads.h);
    robot().mass(q, loads.K);
    kernel::solve_loaded(loads, loads.a);
  }
  for (std::size_t i = 0; i < n_; ++i) {
    const double taken = loads.share[i] * std::fabs((net_[i] - loads.rotor[i] * loads.a[i]) / loads.factor(i));
    if (loads.share[i] == 0) continue;
    friction_[i] += taken;
    net_[i] -= taken;
  }
}

void System::decide(double t, const double* x, const std::vector<Sticking::Pin>& pins) {
  sticking_->decide(rates(x), held_, pins, [&] {
    at(t, x);
    return Sticking::Forces{a_.data(), friction_.data()};
  });
}

void System::bias(double t, const double* q, const double* v, double* bias) { robot().torques(q, v, nullptr, bias, base_at(t), wrenches_); }

}  // namespace ulna::internal::sim
