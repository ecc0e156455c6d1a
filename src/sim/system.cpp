#include "sim/system.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "model/text.hpp"
#include "sim/kane_levinson_law.hpp"

namespace ulna::sim {

namespace {

void require(bool good, const std::string& message) {
  if (!good) throw std::invalid_argument(message);
}

void require_positive(const char* what, double value) { require(value > 0 && std::isfinite(value), cat("the ", what, " must be positive, but it is ", value)); }

void check(const Scenario& s) {
  const std::size_t n = static_cast<std::size_t>(s.model.nv());
  require(n > 0, cat("robot ", in_quotes(s.model.name()), " has no joint that moves"));
  require_positive("duration", s.duration);
  require_positive("output step", s.output_step);
  require(s.q.size() == n, cat("the initial q has ", s.q.size(), " entries, but the robot has ", n, " coordinates"));
  require(s.v.size() == n, cat("the initial v has ", s.v.size(), " entries, but the robot has ", n, " coordinates"));
  for (std::size_t i = 0; i < n; ++i)
    require(std::isfinite(s.q[i]) && std::isfinite(s.v[i]), cat("the initial state of joint ", in_quotes(s.model.coordinate_names()[i]), " is not finite"));
  require(s.friction.smooth >= 0, cat("the smooth speed of friction must not be negative, but it is ", s.friction.smooth));
  for (const Disturbance& d : s.disturbances) {
    require(d.wrench.link >= 0 && static_cast<std::size_t>(d.wrench.link) < s.model.links().size(),
            cat("disturbance: link index ", d.wrench.link, " is out of range: the robot has ", s.model.links().size(), " links"));
    require(d.to > d.from, cat("disturbance: it ends at ", d.to, " s, which is not after its beginning at ", d.from, " s"));
  }
  for (const Payload& p : s.payloads) require(p.to > p.from, cat("payload: it is dropped at ", p.to, " s, which is not after it is taken at ", p.from, " s"));
  require(s.formulation == "ulna" || (s.disturbances.empty() && !s.base.moves),
          cat("formulation ", in_quotes(s.formulation), " takes neither disturbances nor a base that moves; use 'ulna'"));
  if (s.paper_columns)
    if (const std::string reason = why_no_stanford(s.model); !reason.empty())
      throw std::invalid_argument(cat("the paper's columns are for the Stanford arm: ", reason));
}

}  // namespace

System::System(const Scenario& scenario) : scenario_(scenario), n_(static_cast<std::size_t>(scenario.model.nv())) {
  check(scenario);
  reference_ = make_reference(scenario.reference, n_);
  dynamics_ = scenario.dynamics;
  if (dynamics_ == nullptr && scenario.formulation == "ulna")
    dynamics_ = std::make_shared<const Dynamics>(scenario.model, DynamicsOptions{.rotor = scenario.rotor, .threads = 1});
  law_ = make_law(scenario.law, scenario.model, scenario.rotor, reference_.get(), dynamics_.get());
  make_phases();
  find_cyclic();
  find_breaks();
  work_at_ = 2 * n_ + law_->memory();
  size_ = work_at_ + n_ + 2 + cyclic_.size();
  for (std::vector<double>* scratch : {&q_, &v_, &a_, &tau_, &friction_, &net_, &pushed_}) scratch->resize(n_);
  enter(breaks_[0], breaks_[1]);
}

/// One robot for every combination of payloads that occurs.
void System::make_phases() {
  std::vector<double> times{0};
  for (const Payload& p : scenario_.payloads)
    for (const double t : {p.from, p.to})
      if (t > 0 && t < scenario_.duration) times.push_back(t);
  std::sort(times.begin(), times.end());
  times.erase(std::unique(times.begin(), times.end()), times.end());
  for (const double t : times) {
    Model model = scenario_.model;
    for (const Payload& p : scenario_.payloads)
      if (p.from <= t && t < p.to) model = with_payload(model, p);
    phases_.push_back({t, ForwardModel(model, scenario_.formulation, scenario_.rotor, dynamics_.get())});
  }
}

void System::find_breaks() {
  breaks_ = {0, scenario_.duration};
  std::vector<double> times = law_->breaks();
  for (const Phase& phase : phases_) times.push_back(phase.from);
  for (const Disturbance& d : scenario_.disturbances) times.insert(times.end(), {d.from, d.to});
  for (const double t : times)
    if (t > 0 && t < scenario_.duration) breaks_.push_back(t);
  std::sort(breaks_.begin(), breaks_.end());
  // Two that differ by rounding are one.
  const double least = 1e-12 * scenario_.duration;
  std::vector<double> distinct{breaks_.front()};
  for (const double t : breaks_)
    if (t - distinct.back() > least) distinct.push_back(t);
  distinct.back() = scenario_.duration;
  breaks_ = distinct;
}

/// Joints on a base that stands still: M never depends on their coordinate, and neither does the potential energy if gravity lies along the axis of a turning
/// one or across that of a sliding one.
void System::find_cyclic() {
  const Plan& plan = phases_.front().robot.plan();
  if (scenario_.base.moves || plan.coupled) return;
  const double g = std::sqrt(dot(plan.gravity, plan.gravity));
  for (const PlanBody<double>& body : plan.bodies) {
    if (body.parent >= 0) continue;
    const Vec3<double> z = body.R_PB.column_z();
    const Vec3<double> turning = cross(z, plan.gravity);
    const double felt = body.prismatic ? std::abs(dot(z, plan.gravity)) : std::sqrt(dot(turning, turning));
    if (felt <= 1e-12 * g) cyclic_.push_back(static_cast<std::size_t>(body.v));
  }
}

std::vector<double> System::initial() const {
  std::vector<double> x(size_, 0.0);
  std::copy(scenario_.q.begin(), scenario_.q.end(), x.begin());
  std::copy(scenario_.v.begin(), scenario_.v.end(), x.begin() + static_cast<std::ptrdiff_t>(n_));
  if (prescribed()) {
    std::vector<double> unused(n_);
    reference_->at(0, x.data(), x.data() + n_, unused.data());
  }
  return x;
}

void System::enter(double begin, double end) {
  begin_ = begin;
  end_ = end;
  const double middle = begin + (end - begin) / 2;
  wrenches_.clear();
  for (const Disturbance& d : scenario_.disturbances)
    if (d.from <= middle && middle < d.to) wrenches_.push_back(d.wrench);
  phase_ = 0;
  while (phase_ + 1 < phases_.size() && phases_[phase_ + 1].from <= middle) ++phase_;
}

void System::enter_at(double t) {
  const auto next = std::upper_bound(breaks_.begin() + 1, breaks_.end() - 1, t);
  enter(*(next - 1), *next);
}

/// Laws and references jump at breaks. At a break itself, the side that counts is the one inside the present stretch.
double System::inside(double t) const {
  const double least = 1e-12 * std::max(1.0, end_);
  return std::clamp(t, begin_ + least, end_ - least);
}

System::Instant System::at(double t, const double* x) {
  const double when = inside(t);
  const double *q = x, *v = x + n_;
  ForwardModel& robot = phases_[phase_].robot;
  const BaseMotion base = base_motion(scenario_.base, scenario_.model.gravity(), t);
  if (prescribed()) {
    reference_->at(t <= begin_ || t >= end_ ? when : t, q_.data(), v_.data(), a_.data());
    q = q_.data();
    v = v_.data();
    robot.friction(v, scenario_.friction, friction_.data());
    robot.torques(q, v, a_.data(), tau_.data(), base, wrenches_);
    for (std::size_t i = 0; i < n_; ++i) tau_[i] += friction_[i];
    return {q, v, a_.data(), tau_.data()};
  }
  law_->torque(when, q, v, x + 2 * n_, tau_.data());
  robot.friction(v, scenario_.friction, friction_.data());
  for (std::size_t i = 0; i < n_; ++i) net_[i] = tau_[i] - friction_[i];
  robot.accelerations(q, v, net_.data(), a_.data(), base, wrenches_);
  return {q, v, a_.data(), tau_.data()};
}

void System::derivative(double t, const double* x, double* dxdt) {
  ++evaluations_;
  const Instant now = at(t, x);
  std::copy(now.v, now.v + n_, dxdt);
  std::copy(now.a, now.a + n_, dxdt + n_);
  law_->memory_rate(inside(t), now.q, now.v, dxdt + 2 * n_);
  double* work = dxdt + work_at_;
  double losses = 0, external = 0;
  if (!wrenches_.empty()) robot().wrench_torques(now.q, wrenches_, pushed_.data());
  for (std::size_t i = 0; i < n_; ++i) {
    work[i] = now.tau[i] * now.v[i];
    losses += friction_[i] * now.v[i];
    if (!wrenches_.empty()) external += pushed_[i] * now.v[i];
  }
  work[n_] = losses;
  work[n_ + 1] = external;
  for (std::size_t k = 0; k < cyclic_.size(); ++k) {
    const std::size_t i = cyclic_[k];
    work[n_ + 2 + k] = now.tau[i] - friction_[i] + (wrenches_.empty() ? 0 : pushed_[i]);
  }
}

Momenta System::momenta() {
  std::vector<Momenta> each;
  for (Phase& phase : phases_) each.push_back(phase.robot.momenta());
  Momenta all;
  all.n = n_;
  all.p = [this, each](const double* q, const double* v, double* p) { each[phase_].p(q, v, p); };
  all.v = [this, each](const double* q, const double* p, double* v) { each[phase_].v(q, p, v); };
  all.rate = [this, each](const double* q, const double* v, const double* a, double* rate) { each[phase_].rate(q, v, a, rate); };
  return all;
}

void System::closing_torques(double t, const double* q, const double* v, const double* a, double* tau) {
  robot().torques(q, v, a, tau, base_motion(scenario_.base, scenario_.model.gravity(), t), wrenches_);
  robot().friction(v, scenario_.friction, friction_.data());
  for (std::size_t i = 0; i < n_; ++i) tau[i] += friction_[i];
}

void System::closing_accelerations(double t, const double* q, const double* v, const double* tau, double* a) {
  robot().friction(v, scenario_.friction, friction_.data());
  for (std::size_t i = 0; i < n_; ++i) net_[i] = tau[i] - friction_[i];
  robot().accelerations(q, v, net_.data(), a, base_motion(scenario_.base, scenario_.model.gravity(), t), wrenches_);
}

void System::bias(double t, const double* q, const double* v, double* bias) {
  robot().torques(q, v, nullptr, bias, base_motion(scenario_.base, scenario_.model.gravity(), t), wrenches_);
}

}  // namespace ulna::sim
