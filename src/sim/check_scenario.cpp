#include <cmath>
#include <stdexcept>

#include <ulna/formulation/formulation.hpp>
#include <ulna/loop/mechanism.hpp>

#include "model/unit_quaternion.hpp"
#include "sim/formulation_forward.hpp"
#include "sim/side_law.hpp"
#include "sim/sticking.hpp"
#include "sim/system.hpp"
#include "text/message.hpp"

namespace ulna::internal::sim {

namespace {

void require(bool good, const std::string& message) {
  if (!good) throw std::invalid_argument(message);
}

void require_positive(const char* what, double value) { require(value > 0 && std::isfinite(value), cat("the ", what, " must be positive, but it is ", value)); }

/// Refuses what cannot be combined with a planar or free base.
void check_base(const Scenario& s) {
  const Model& model = s.model;
  if (model.base() == RootJoint::fixed) return;
  const std::string base = cat("the base of robot ", in_quotes(model.name()), " is ", to_string(model.base()));
  require(!s.base.moves, cat(base, ", so that its motion cannot be prescribed: remove that, or fix the base"));
  require(s.formulation == production_path().id, cat(base, ", which the formulation ", s.formulation, " does not simulate: use 'ulna'"));
  require(s.law.kind != LawKind::prescribed, cat(base,
                                                 ", so that the motion cannot be prescribed as a whole: use the law "
                                                 "computed-torque, which keeps the joints on the reference"));
  require(s.law.kind != LawKind::kane_levinson && !s.paper_columns, cat(base, ", but Kane and Levinson's arm has a fixed base"));
  if (model.base() != RootJoint::free) return;
  const double length = quaternion_length(&s.q[3]);
  require(std::abs(length - 1) <= kUnitQuaternion, cat("the initial q: ", quaternion_problem(length), "; ", kQuaternionCure));
}

void check_brakes(const Scenario& s) {
  for (const Brake& b : s.brakes) {
    require(b.to > b.from, cat("brake: it lets go at ", b.to, " s, which is not after it holds at ", b.from, " s"));
    for (const std::size_t joint : b.joints)
      require(joint < s.model.driven().size(), cat("brake: joint index ", joint, " is out of range: the robot has ", s.model.driven().size(), " free joints"));
  }
  if (s.brakes.empty()) return;
  require(s.integrator.kind != IntegratorKind::implicit_midpoint, "brakes: the implicit midpoint rule would let the joints creep; use dormand-prince-5 or rk4");
  require(s.formulation == production_path().id, cat("brakes: the formulation ", s.formulation, " has none; use 'ulna'"));
  require(s.law.kind != LawKind::prescribed, "brakes: the motion is prescribed; use the law computed-torque");
}

/// Refuses what cannot be combined with ball joints.
void check_balls(const Scenario& s) {
  if (!s.model.has_balls()) return;
  const std::string robot = cat("robot ", in_quotes(s.model.name()), " has ball joints");
  const LawKind law = s.law.kind;
  require(law == LawKind::none || law == LawKind::constant || law == LawKind::table || law == LawKind::function,
          cat(robot, ", whose angles no reference can name: use the law none, constant or table"));
  require(s.control.period == 0, cat(robot, ", whose angles no sensor of a sampled law can name: remove control"));
  require(s.formulation == production_path().id, cat(robot, ", which the formulation ", s.formulation, " does not simulate: use 'ulna'"));
  require(s.integrator.kind != IntegratorKind::implicit_midpoint, cat(robot, ", which implicit-midpoint does not take: use rk4 or dormand-prince-5"));
  require(!can_stick(s), cat(robot, ", and dry friction is available for joints with one axis only: give friction a smooth speed (friction: {smooth: 0.01})"));
  internal::require_unit(s.model, s.q.data(), "the initial q: ");
}

/// Refuses what cannot be combined with loops, and loops that do not close where the run begins.
void check_loops(const Scenario& s) {
  if (!s.model.closed()) return;
  const std::string robot = cat("robot ", in_quotes(s.model.name()), " has loops");
  require(s.formulation == production_path().id, cat(robot, ", which the formulation ", s.formulation, " does not simulate: use 'ulna'"));
  require(s.integrator.kind != IntegratorKind::implicit_midpoint, cat(robot, ", which implicit-midpoint does not keep closed: use rk4 or dormand-prince-5"));
  require(s.law.kind != LawKind::kane_levinson && !s.paper_columns, cat(robot, ", but Kane and Levinson's arm has none"));
  std::vector<double> q = s.q;
  const ClosureProblem wrong = problem(Mechanism::of(s.model).close(q), s.model.loops());
  require(wrong.what.empty(), cat("initial q: ", wrong.what, "; ", wrong.cure));
}

}  // namespace

std::string why_no_loads(const Scenario& s) {
  if (s.formulation == production_path().id || (s.disturbances.empty() && !s.base.moves)) return {};
  std::vector<Wrench> wrenches;
  for (const Disturbance& d : s.disturbances) wrenches.push_back(d.wrench);
  Effects effects;
  effects.wrenches = wrenches;
  if (s.base.moves) effects.base.linear_acceleration.x = 1;  // in whatever way
  return why_no_loads(s.formulation, s.model, effects);
}

void check_control(const Scenario& s) {
  const ControlSettings& c = s.control;
  if (c.period == 0) return;
  require_positive("period of control", c.period);
  require(s.duration / c.period <= kMostLawSamples,
          cat("control: a run of ", s.duration, " s would have ", s.duration / c.period, " samples, more than ", kMostLawSamples));
  require(c.delay / c.period <= kMostLawDelay, cat("control: the delay is ", c.delay / c.period, " samples, more than ", kMostLawDelay));
  require(c.delay >= 0 && c.delay <= s.duration, cat("control: the delay is ", c.delay, " s, but the run has ", s.duration, " s"));
  const std::size_t n = s.model.driven().size();
  for (const std::vector<double>* numbers : {&c.noise_q, &c.noise_v, &c.step_q, &c.step_v}) {
    require(numbers->empty() || numbers->size() == n,
            cat("control: noise or quantisation has ", numbers->size(), " entries, but the robot has ", n, " drives"));
    for (const double x : *numbers) require(x >= 0 && std::isfinite(x), cat("control: noise and quantisation must not be negative, but one is ", x));
  }
  require(s.law.kind != LawKind::prescribed, "control: the motion is prescribed, so that no law is sampled; use the law computed-torque");
  require(s.formulation == production_path().id, cat("control: the formulation ", s.formulation, " has no sampled law; use 'ulna'"));
  require(s.integrator.kind != IntegratorKind::implicit_midpoint,
          "control: the implicit midpoint rule is for smooth motions, not for torques that jump; use rk4 or dormand-prince-5");
}

void check(const Scenario& s) {
  const std::size_t n = s.model.nv(), nq = s.model.nq();
  require(n > 0, cat("robot ", in_quotes(s.model.name()), " has no joint that moves"));
  require_positive("duration", s.duration);
  require_positive("output step", s.output_step);
  constexpr double kMostRows = 1e7;  // gigabytes
  require(s.duration / s.output_step <= kMostRows, cat("the run would have ", s.duration / s.output_step, " rows, which is more than ", kMostRows,
                                                       ": make the duration shorter or the output step longer"));
  require(s.q.size() == nq, cat("the initial q has ", s.q.size(), " entries, but the robot has ", nq, " coordinates"));
  require(s.v.size() == n, cat("the initial v has ", s.v.size(), " entries, but the robot has ", n, " coordinates"));
  const std::vector<double> rates = turning_rates(make_plan(s.model));
  for (std::size_t i = 0; i < n; ++i)
    require(std::isfinite(s.v[i]), cat("the initial state of joint ", in_quotes(s.model.velocity_names()[i]), " is not finite"));
  for (std::size_t i = 0; i < nq; ++i) {
    require(std::isfinite(s.q[i]), cat("the initial state of joint ", in_quotes(s.model.position_names()[i]), " is not finite"));
    require(rates[i] * std::fabs(s.q[i]) <= kLargestAngle, cat("the initial angle of joint ", in_quotes(s.model.position_names()[i]), " is ", s.q[i],
                                                               " rad; sine and cosine are exact up to ", kLargestAngle, " rad: take off whole turns"));
  }
  check_base(s);
  check_loops(s);
  check_balls(s);
  check_brakes(s);
  check_control(s);
  require(s.friction.smooth >= 0, cat("the smooth speed of friction must not be negative, but it is ", s.friction.smooth));
  require(s.friction.static_factor == 0 || s.friction.static_factor >= 1,
          cat("the static level of friction is a multiple of Coulomb friction, at least 1, but it is ", s.friction.static_factor));
  require(s.friction.static_factor == 0 || s.friction.smooth == 0, "smooth friction has no static level: give one of static and smooth");
  require(!rubs_by_load(s) || s.formulation == production_path().id,
          cat("the formulation ", s.formulation, " has no friction that depends on loads; use 'ulna'"));
  require(!rubs_by_load(s) || s.brakes.empty(), "brakes hold joints, and friction by load would be solved for without them: remove one of the two");
  if (const std::string reason = why_no_sticking(s); !reason.empty()) throw std::invalid_argument(cat("friction: ", reason));
  for (const Disturbance& d : s.disturbances) {
    require(d.wrench.link < s.model.links().size(),
            cat("disturbance: link index ", d.wrench.link, " is out of range: the robot has ", s.model.links().size(), " links"));
    require(d.to > d.from, cat("disturbance: it ends at ", d.to, " s, which is not after its beginning at ", d.from, " s"));
  }
  require(s.law.coriolis >= 0 && s.law.inertia >= 0,
          cat("the law's shares of torques must not be negative, but they are ", s.law.coriolis, " and ", s.law.inertia));
  require(!s.law.payload || s.law.payload->body.mass >= 0, "the payload that the law believes in must not have a negative mass");
  for (const Payload& p : s.payloads) {
    require(!p.flight || p.from > 0, "payload: a caught payload needs `from` > 0");
    require(!p.flight || s.law.kind != LawKind::prescribed, "payload: the motion is prescribed, so that nothing can be caught; use the law computed-torque");
    require(p.to > p.from, cat("payload: it is dropped at ", p.to, " s, which is not after it is taken at ", p.from, " s"));
  }
  require(s.speeds == nullptr || formulation_named(s.formulation).takes_speeds,
          cat("speeds: the formulation ", s.formulation, " integrates no generalized speeds; use 'kane'"));
  require(s.speeds == nullptr || !s.base.moves, "speeds: generalized speeds cannot be combined with a moving base; leave one of the two out");
  if (const std::string reason = why_no_loads(s); !reason.empty()) throw std::invalid_argument(cat("formulation ", s.formulation, ": ", reason));
  if (s.paper_columns)
    if (const std::string reason = why_no_stanford(s.model); !reason.empty())
      throw std::invalid_argument(cat("the paper's columns are for the Stanford arm: ", reason));
}

void check_formulation(const Scenario& s, ForwardModel& robot, const ReferenceMotion* reference) {
  if (robot.other_formulation() == nullptr) return;
  std::vector<double> q = s.q, v(q.size()), a(q.size());
  if (s.law.kind == LawKind::prescribed && reference != nullptr) {
    require(robot.why_no_torques().empty(), robot.why_no_torques());
    reference->at(0, q.data(), v.data(), a.data());
  }
  const std::string why = robot.why_not_here(q.data());
  require(why.empty(), cat("formulation ", s.formulation, " cannot begin at the initial q: ", why, "; begin elsewhere, or use another formulation"));
}

bool rubs_by_load(const Scenario& s) {
  return s.friction.on && std::any_of(s.model.joints().begin(), s.model.joints().end(), [](const Joint& joint) { return joint.friction.load != 0; });
}

std::string why_alone(const Scenario& s) {
  if (s.model.closed()) return "the number of closure steps differs between runs";
  if (s.integrator.kind == IntegratorKind::dormand_prince_5) return "dormand-prince-5 chooses different steps in every run";
  if (s.integrator.kind == IntegratorKind::implicit_midpoint) return "the number of iterations of implicit-midpoint differs between runs";
  if (s.formulation != production_path().id) return cat("the formulation ", s.formulation, " has no batch kernels");
  if (s.law.kind == LawKind::prescribed) return "the motion is prescribed: nothing is integrated but the audit";
  if (!s.disturbances.empty()) return "the batch kernels have no wrenches";
  if (s.base.moves) return "the batch kernels have no prescribed motion of the base";
  if (rubs_by_load(s)) return "friction by load is solved for in each run";
  if (can_stick(s)) return "dry friction stops each run's joints at times of their own";
  if (!s.brakes.empty()) return "a brake stops each run's joints in its own way";
  for (const Payload& p : s.payloads)
    if (p.flight || (s.model.base() == RootJoint::free && (p.from > 0 || p.to < s.duration)))
      return "what is taken or caught changes each run's momentum in its own way";
  return {};
}

}  // namespace ulna::internal::sim
