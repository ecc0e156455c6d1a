#include "sim/sticking.hpp"

#include <algorithm>

#include <ulna/formulation/formulation.hpp>

#include "sim/system.hpp"
#include "text/message.hpp"

namespace ulna::internal::sim {

using ulna::internal::Curve;

namespace {

constexpr double kGraze = 1e-9;  // of a level: joints that come so near to it break away together
constexpr double kLongest = 10;  // steps: see StickSlip::step()

bool is_dry(const Joint& joint) { return joint.type != JointType::fixed && joint.friction.level() > 0 && joint.friction.smoothing_speed == 0; }

int sign_of(double x) { return (x > 0) - (x < 0); }

/// Where a curve that begins at or above zero first falls below it; 1 where it does not, 0 where it never is above.
double first_fall(const Curve& curve) {
  std::vector<double> ends = curve.roots();
  ends.push_back(1);
  bool above = false;
  double from = 0;
  for (const double to : ends) {
    const bool below = curve.at((from + to) / 2) < 0;
    if (below && above) return from;
    above = above || !below;
    from = to;
  }
  return above ? 1 : 0;
}

/// Of each coordinate of v_tree the one of v that alone determines it; kNone where several do. Loops that share a joint are one mechanism.
std::vector<std::size_t> coordinates_of_loops(const Plan& plan) {
  std::vector<std::size_t> group(plan.nv), place(plan.nv, kNone);
  for (std::size_t c = 0; c < plan.nv; ++c) group[c] = c;
  for (const LoopRowsOf<double>& loop : plan.loops) {
    std::size_t first = kNone;
    for (const std::vector<std::size_t>* bodies : {&loop.to_A, &loop.to_B})
      for (const std::size_t body : *bodies) {
        const std::size_t joins = group[plan.bodies[body].v];
        if (first == kNone) first = joins;
        std::replace(group.begin(), group.end(), joins, first);
      }
  }
  if (!plan.closed()) return group;
  const std::vector<std::size_t>& independent = plan.order.independent;
  for (std::size_t c = 0; c < plan.nv; ++c) {
    std::size_t owners = 0;
    for (std::size_t i = 0; i < independent.size(); ++i) {
      if (independent[i] == c) {
        place[c] = i;
        owners = 1;
        break;
      }
      if (group[independent[i]] != group[c]) continue;
      place[c] = i;
      ++owners;
    }
    if (owners != 1) place[c] = kNone;
  }
  return place;
}

}  // namespace

bool can_stick(const Scenario& s) {
  return s.friction.dry() && s.law.kind != LawKind::prescribed && std::any_of(s.model.joints().begin(), s.model.joints().end(), is_dry);
}

std::string why_no_sticking(const Scenario& s) {
  if (!can_stick(s)) return {};
  if (s.integrator.kind == IntegratorKind::implicit_midpoint)
    return "the implicit midpoint rule cannot end a step where a joint sticks; use dormand-prince-5 or rk4";
  if (s.formulation != production_path().id)
    return cat("the formulation ", s.formulation, " does not support joints that stick; use 'ulna', or give friction a smooth speed");
  for (const Joint& joint : s.model.joints())
    if (joint.friction.load != 0)
      return cat("joint ", in_quotes(joint.name),
                 " has friction by load, for which sticking is not defined; give friction a smooth speed, or that joint no load");
  if (!s.model.closed()) return {};
  const std::vector<std::size_t> places = coordinates_of_loops(make_plan(s.model));
  const std::vector<std::size_t>& independent = s.model.independent();
  const std::vector<Joint>& joints = s.model.joints();
  for (std::size_t j = 0; j < joints.size(); ++j) {
    const auto at = std::find(independent.begin(), independent.end(), joints[j].mimic ? joints[j].mimic->leader : j) - independent.begin();
    if (is_dry(joints[j]) && places[base_nv(s.model.base()) + static_cast<std::size_t>(at)] == kNone)
      return cat("joint ", in_quotes(joints[j].name),
                 " depends on several others through loops, and sticking would lock a combination of them; give friction a smooth speed, or that joint none");
  }
  return {};
}

Sticking::Sticking(const Plan& plan, const FrictionSettings& settings) {
  const std::size_t n = plan.sizes().nv;
  for (std::vector<double>* each : {&own_coulomb_, &own_level_, &own_centre_, &own_lean_, &unit_}) each->assign(n, 0.0);
  const std::vector<std::size_t> places = coordinates_of_loops(plan);
  for (const PlanBody<double>& body : plan.bodies) {
    const Friction& f = body.friction;
    const double factor = std::fabs(body.multiplier);
    const double level = settings.static_factor > 0 ? settings.static_factor * factor * f.coulomb : factor * f.level();
    // Of a Stribeck curve friction is the static level where sliding begins.
    const double coulomb = f.stribeck_speed > 0 ? level : factor * f.coulomb;
    const std::size_t i = places[body.v];
    if (!(level > 0) || f.smoothing_speed > 0) continue;
    const double lean = body.multiplier * f.asymmetry, centre = body.multiplier * f.offset + lean;
    if (plan.closed() && plan.order.independent[i] != body.v) {
      passive_.push_back({body.v, i, coulomb, level, centre, lean});
    } else {
      own_coulomb_[i] += coulomb;
      own_level_[i] += level;
      own_centre_[i] += centre;
      own_lean_[i] += lean;
    }
  }
  coulomb_ = own_coulomb_;
  level_ = own_level_;
  centre_ = own_centre_;
  lean_ = own_lean_;
  rubs_.resize(n);
  for (std::size_t i = 0; i < n; ++i) rubs_[i] = level_[i] > 0;
  for (const Passive& p : passive_) rubs_[p.i] = true;
  mode_.assign(n, 0);
  braked_.assign(n, false);
}

void Sticking::place(ForwardModel& robot, const double* q) {
  if (passive_.empty()) return;
  coulomb_ = own_coulomb_;
  level_ = own_level_;
  centre_ = own_centre_;
  lean_ = own_lean_;
  for (const Passive& p : passive_) {
    unit_[p.i] = 1;
    const double way = robot.joint_speeds(q, unit_.data())[p.coordinate], G = std::fabs(way);
    unit_[p.i] = 0;
    coulomb_[p.i] += G * p.coulomb;
    level_[p.i] += G * p.level;
    centre_[p.i] += way * p.centre;
    lean_[p.i] += way * p.lean;
  }
}

void Sticking::by_modes(const double* v, double* friction) const {
  for (std::size_t i = 0; i < mode_.size(); ++i)
    friction[i] += coulomb_[i] * (mode_[i] - sign_of(v[i])) + lean_[i] * (std::abs(mode_[i]) - std::abs(sign_of(v[i])));
}

void Sticking::list_held() {
  held_.assign(mode_.size(), false);
  bool any = false;
  for (std::size_t i = 0; i < mode_.size(); ++i) any = (held_[i] = braked_[i] || (stands_[i] && mode_[i] == 0)) || any;
  if (!any) held_.clear();
}

/// All joints at rest stick at first. Then, round by round, those beyond their limit are released and those that slide backwards are stopped: all at once
/// while that makes them fewer, else the first one alone, which ends for every positive definite matrix (K. G. Murty, "Note on a Bard-type scheme for solving
/// the complementarity problem", Opsearch 11, 1974; in a box: J. J. Júdice and F. M. Pires, "Basic-set algorithm for a generalized linear complementarity
/// problem", J. Optim. Theory Appl. 74, 1992). A level falls to Coulomb friction once at most.
void Sticking::decide(const double* v, const std::vector<bool>& brakes, const std::vector<Pin>& pins, const std::function<Forces()>& solve) {
  const std::size_t n = mode_.size();
  braked_ = brakes;
  braked_.resize(n, false);
  stands_.assign(n, false);
  for (std::size_t i = 0; i < n; ++i) {
    stands_[i] = rubs(i) && v[i] == 0 && !braked_[i];
    mode_[i] = static_cast<signed char>(braked_[i] ? 0 : sign_of(v[i]));
  }
  let_go_.assign(n, false);
  std::size_t fewest = n + 1;
  int patience = 3;
  for (std::size_t round = 0; round < 100 * (n + 1); ++round) {
    list_held();
    const Forces now = solve();
    wanted_ = mode_;
    std::size_t wrong = 0;
    const auto want = [&](std::size_t i, int mode) {
      if (patience > 0 || wrong == 0) wanted_[i] = static_cast<signed char>(mode);
      ++wrong;
    };
    for (std::size_t i = 0; i < n; ++i) {
      if (!stands_[i] || pins[i] == Pin::stays) continue;
      const bool pinned = pins[i] == Pin::breaks_away;
      const double beyond = now.friction[i] - centre_[i];
      if (mode_[i] == 0 && (pinned || std::fabs(beyond) > (let_go_[i] ? coulomb_ : level_)[i]))
        want(i, sign_of(beyond));
      else if (mode_[i] * now.a[i] < 0 && !pinned)
        want(i, 0);
    }
    if (wanted_ == mode_) break;
    patience = wrong < fewest ? 3 : patience - 1;
    fewest = std::min(fewest, wrong);
    for (std::size_t i = 0; i < n; ++i)
      if (mode_[i] == 0 && wanted_[i] != 0) let_go_[i] = true;
    mode_ = wanted_;
  }
  list_held();
}

StickSlip::StickSlip(System& system, const Scenario& scenario)
    : system_(system),
      sticking_(*system.sticking()),
      nq_(system.positions()),
      n_(system.coordinates()),
      step_(scenario.integrator.step),
      pins_(n_, Sticking::Pin::none),
      a_(n_) {}

/// The least time between events: rounding of a step, and more where many crowd, so that every run goes on.
double StickSlip::least(double t) const {
  constexpr int kMany = 100;
  return std::max(kTimeRounding * step_ * std::pow(10.0, std::min(crowded_ / kMany, 9)), 1e-15 * std::fabs(t));
}

void StickSlip::begin(double t, const double* x) {
  std::fill(pins_.begin(), pins_.end(), Sticking::Pin::none);
  system_.decide(t, x, pins_);
}

bool StickSlip::step(Integrator& integrator, const std::vector<double>& x, double limit) {
  const double begin = integrator.end();
  std::fill(pins_.begin(), pins_.end(), Sticking::Pin::none);
  const double* a = system_.at(begin, x.data()).a;
  if (worst().first > 0) {  // a law may jump between steps
    this->begin(begin, x.data());
    integrator.restart(begin, x);
    a = system_.at(begin, x.data()).a;
  }
  for (std::size_t tries = 0;; ++tries) {
    a_.assign(a, a + n_);
    integrator.step(sticking_.held().empty() ? limit : std::min(limit, begin + kLongest * step_));
    const Event event = find(integrator, x);
    if (event.kind == Event::none || (event.kind == Event::false_start && tries > 2 * n_)) {
      crowded_ = 0;
      return false;
    }
    if (event.kind != Event::false_start) return cut(integrator, x, event);
    // It is at rest, and was released in the wrong direction or too soon.
    const int mode = sticking_.mode(event.joint);
    system_.decide(begin, x.data(), pins_);
    if (sticking_.mode(event.joint) == mode) {
      pins_[event.joint] = Sticking::Pin::stays;
      system_.decide(begin, x.data(), pins_);
    }
    integrator.restart(begin, x);
    a = system_.at(begin, x.data()).a;
  }
}

StickSlip::Event StickSlip::find(Integrator& integrator, const std::vector<double>& x) {
  const double begin = integrator.begin(), end = integrator.end(), h = end - begin, middle = begin + h / 2;
  const std::vector<double>& after = integrator.state();
  Event first;
  const auto take = [&](Event event) {
    if (first.kind == Event::none || event.t < first.t) first = event;
  };
  bool sticks = false, known = integrator.cubic();
  const double* a = system_.at(end, after.data()).a;
  for (std::size_t i = 0; i < n_; ++i) {
    sticks = sticks || sticking_.sticks(i);
    if (!sticking_.rubs(i) || sticking_.mode(i) == 0) continue;
    const double s = sticking_.mode(i), v0 = x[nq_ + i], v1 = after[nq_ + i];
    double more = 0;
    if (!integrator.cubic()) {
      if (!known) integrator.at(middle, probe_);
      known = true;
      more = probe_[nq_ + i] - ((v0 + v1) / 2 + h * (a_[i] - a[i]) / 8);
    }
    const Curve way = Curve::between(s * v0, s * h * a_[i], s * v1, s * h * a[i], s * more);
    if (way.least() >= 0) continue;
    const double fall = first_fall(way);
    if (fall == 0)
      take({v0 == 0 ? Event::false_start : Event::rest, begin, i});
    else if (fall < 1)
      take({Event::rest, begin + fall * h, i});
  }
  if (!sticks) return first;
  double low = begin, high = begin;
  for (const double t : {middle, end}) {
    if (high > begin || (t == middle && integrator.cubic())) continue;
    (excess(integrator, t).first > 0 ? high : low) = t;
  }
  if (high == begin) return first;
  for (double t = (low + high) / 2; high - low > kRunRounding * h && low < t && t < high; t = (low + high) / 2)
    (excess(integrator, t).first > 0 ? high : low) = t;
  take({Event::release, high, excess(integrator, high).second});
  return first;
}

std::pair<double, std::size_t> StickSlip::excess(Integrator& integrator, double t) {
  integrator.at(t, probe_);
  system_.at(t, probe_.data());
  return worst();
}

std::pair<double, std::size_t> StickSlip::worst() const {
  std::pair<double, std::size_t> worst{-INFINITY, 0};
  for (std::size_t i = 0; i < n_; ++i)
    if (sticking_.sticks(i)) worst = std::max(worst, {std::fabs(system_.friction()[i] - sticking_.centre(i)) - sticking_.level(i), i});
  return worst;
}

/// The interpolant gives the time to its own order; Newton's method on the step itself to rounding.
bool StickSlip::cut(Integrator& integrator, const std::vector<double>& x, Event event) {
  constexpr int kRounds = 5;
  const double begin = integrator.begin(), end = integrator.end(), soonest = std::min(begin + least(begin), end);
  double t = std::clamp(event.t, soonest, end), made = end;
  for (int round = 0; round < kRounds; ++round) {
    if (t != made) {
      integrator.restart(begin, x);
      integrator.step(t);
      if (integrator.end() < t) return false;  // an error was too large after all: the rest comes later
      made = t;
    }
    if (event.kind != Event::rest) break;
    const std::vector<double>& at = integrator.state();
    const double next = std::clamp(t - at[nq_ + event.joint] / system_.at(t, at.data()).a[event.joint], soonest, end);
    if (!(std::fabs(next - t) > 1e-16 * std::fabs(t))) break;
    t = next;
  }
  ++crowded_;
  last_ = event;
  return true;
}

void StickSlip::settle(double t, std::vector<double>& x) {
  const double *a = system_.at(t, x.data()).a, *friction = system_.friction();
  const bool releases = last_.kind == Event::release;
  std::fill(pins_.begin(), pins_.end(), Sticking::Pin::none);
  for (std::size_t i = 0; i < n_; ++i) {
    double& v = x[nq_ + i];
    if (sticking_.sticks(i)) {
      if (releases && (i == last_.joint || std::fabs(friction[i] - sticking_.centre(i)) >= (1 - kGraze) * sticking_.level(i)))
        pins_[i] = Sticking::Pin::breaks_away;
    } else if (sticking_.rubs(i)) {
      const double s = sticking_.mode(i);
      if (s * v <= 0 || (!releases && i == last_.joint) || s * v <= -s * a[i] * least(t)) v = 0;
    }
  }
  system_.decide(t, x.data(), pins_);
}

}  // namespace ulna::internal::sim
