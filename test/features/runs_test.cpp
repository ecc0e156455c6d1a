// Runs: every row against one step of the classic four points from the row before, by accelerations of the reference; accelerations, torques and energies of
// rows; rows of data sets.
#include <gtest/gtest.h>

#include <cmath>

#include <ulna/campaign/campaign.hpp>
#include <ulna/model/model.hpp>
#include <ulna/sim/simulate.hpp>
#include <ulna/source/load.hpp>
#include <ulna/verify/verify.hpp>

#include "features/expected.hpp"
#include "features/loops.hpp"
#include "features/meet.hpp"
#include "support/arm.hpp"
#include "support/folder.hpp"
#include "text/message.hpp"

namespace ulna::test {
namespace {

using Vector = Truth::Vector;

constexpr double kStep = 1e-3, kSmooth = 0.05;
constexpr int kSteps = 4;

/// The base's motion at time t: turning about an axis that stands still in it, gravity turning the other way.
BaseMotion base_at(const Drawn& drawn, Real t) {
  BaseMotion motion;
  if (!has(drawn.features, Feature::base_motion)) return motion;
  motion.angular_velocity = drawn.motion.angular_velocity;
  const Vec3<Real> w = motion.angular_velocity.cast<Real>(), g = drawn.description.gravity.cast<Real>();
  const Real speed = std::sqrt(dot(w, w)), angle = -speed * t;  // Rᵀ
  const Vec3<Real> n = (1 / speed) * w;
  const Vec3<Real> turned = std::cos(angle) * g + std::sin(angle) * cross(n, g) + ((1 - std::cos(angle)) * dot(n, g)) * n;
  const Vec3<Real> a = drawn.motion.linear_acceleration.cast<Real>() + g - turned;
  motion.linear_acceleration = {static_cast<double>(a.x), static_cast<double>(a.y), static_cast<double>(a.z)};
  return motion;
}

/// What simulations add to the reference, which has rigid bodies alone: smooth friction, time, whole turns.
class Step {
 public:
  Step(const Drawn& drawn, const std::vector<double>& q, double t) : drawn_(drawn), rubbing_(drawn), q_(q), t_(t) { drawn_.friction = false; }

  struct Rates {
    Vector q, v;
  };
  Rates rates(Real t, const Vector& q_near, const Vector& v, const Vector& tau) const {
    Drawn now = drawn_;
    now.motion = base_at(drawn_, t);
    const Truth truth(now, now.apart(), q_);
    Vector q = q_near, left = tau;
    if (truth.free()) {
      const Real length = std::sqrt(q[3] * q[3] + q[4] * q[4] + q[5] * q[5] + q[6] * q[6]);
      for (std::size_t k = 3; k < 7; ++k) q[k] /= length;
    }
    const Vector friction = Truth(rubbing_).friction(v, kSmooth);
    for (std::size_t k = 0; k < v.size(); ++k) left[k] -= friction[k];
    Rates out{v, truth.value(Quantity::forward, q, v, left)};
    if (!truth.free()) return out;
    const Mat3<Real> R = truth.reference().pose(q, 0).R;
    const Vec3<Real> w{v[0], v[1], v[2]}, u{v[3], v[4], v[5]}, p = R * u, turned = cross(w, u);
    const Real x = q_near[3], y = q_near[4], z = q_near[5], s = q_near[6];
    out.q = {p.x,
             p.y,
             p.z,
             (s * w.x + y * w.z - z * w.y) / 2,
             (s * w.y + z * w.x - x * w.z) / 2,
             (s * w.z + x * w.y - y * w.x) / 2,
             -(x * w.x + y * w.y + z * w.z) / 2};
    out.q.insert(out.q.end(), v.begin() + 6, v.end());
    out.v[3] -= turned.x, out.v[4] -= turned.y, out.v[5] -= turned.z;  // whose numbers change by that much less
    return out;
  }

  /// Where the numbers q, v are a step later, q by how far it moved.
  void take(const std::vector<double>& v0, const std::vector<double>& tau, Vector& moved, Vector& v) const {
    const Vector q = Truth(drawn_, drawn_.apart(), q_).near(), v_at = wide(v0), torque = wide(tau);
    const auto plus = [](const Vector& x, Real h, const Vector& by) {
      Vector out = x;
      for (std::size_t k = 0; k < x.size(); ++k) out[k] += h * by[k];
      return out;
    };
    const Real h = kStep, t = t_;
    const Rates k1 = rates(t, q, v_at, torque), k2 = rates(t + h / 2, plus(q, h / 2, k1.q), plus(v_at, h / 2, k1.v), torque),
                k3 = rates(t + h / 2, plus(q, h / 2, k2.q), plus(v_at, h / 2, k2.v), torque), k4 = rates(t + h, plus(q, h, k3.q), plus(v_at, h, k3.v), torque);
    moved.resize(q.size());
    v = v_at;
    for (std::size_t k = 0; k < q.size(); ++k) moved[k] = h / 6 * (k1.q[k] + 2 * k2.q[k] + 2 * k3.q[k] + k4.q[k]);
    for (std::size_t k = 0; k < v.size(); ++k) v[k] += h / 6 * (k1.v[k] + 2 * k2.v[k] + 2 * k3.v[k] + k4.v[k]);
    if (drawn_.base != RootJoint::free) return;
    Real length = 0;
    for (std::size_t k = 3; k < 7; ++k) length += (q[k] + moved[k]) * (q[k] + moved[k]);
    for (std::size_t k = 3; k < 7; ++k) moved[k] = (q[k] + moved[k]) / std::sqrt(length) - q[k];
  }

 private:
  Drawn drawn_;
  const Drawn& rubbing_;
  std::vector<double> q_;
  double t_;
};

double allowed_acceleration(const Drawn& drawn, const std::vector<double>& q, const std::vector<double>& v, const std::vector<double>& a, double t) {
  Drawn now = drawn;
  now.motion = base_at(drawn, t);
  const Expected expected(now, {q, v, a});
  double most = 0;
  for (std::size_t k = 0; k < v.size(); ++k) most = std::max(most, expected.allowed(Quantity::forward, k));
  // Positions of stages are rounded, far ones by more than near ones.
  double far = 1, slope = 0;
  for (const double x : q) far = std::max(far, std::abs(x));
  for (const Real x : expected.of(Quantity::forward_derivatives).value) slope += static_cast<double>(std::abs(x));
  return most + slope * far * 2.3e-16;
}

std::string step_differs(const Drawn& drawn, double t, const double* q, const double* v, const double* tau, const double* a, const double* q_next,
                         const double* v_next) {
  const Model model = drawn.model();
  const std::vector<double> q0(q, q + model.nq()), v0(v, v + model.nv()), torque(tau, tau + model.nv()), a0(a, a + model.nv());
  Vector moved, wanted;
  Step(drawn, q0, t).take(v0, torque, moved, wanted);
  const double of_a = allowed_acceleration(drawn, q0, v0, a0, t);
  for (std::size_t k = 0; k < v0.size(); ++k) {
    const auto off = static_cast<double>(std::abs(static_cast<Real>(v_next[k]) - wanted[k]));
    const double allowed = 4 * kStep * of_a + 8 * 2.3e-16 * (std::abs(v0[k]) + 1);
    if (!(off <= allowed))
      return cat("v[", k, "] is ", v_next[k], " a step after t = ", t, " for ", static_cast<double>(wanted[k]), ": off by ", off, ", allowed ", allowed);
  }
  for (std::size_t k = 0; k < q0.size(); ++k) {
    const auto off = static_cast<double>(std::abs(static_cast<Real>(q_next[k]) - q0[k] - moved[k]));
    const double allowed = 4 * kStep * kStep * of_a + 8 * 2.3e-16 * (std::abs(q0[k]) + 1);
    if (!(off <= allowed))
      return cat("q[", k, "] moved by ", q_next[k] - q0[k], " in a step after t = ", t, " for ", static_cast<double>(moved[k]), ": off by ", off, ", allowed ",
                 allowed);
  }
  return {};
}

sim::Scenario scenario_of(const Drawn& drawn) {
  sim::Scenario s = drawn.loops.loops.empty() ? sim::Scenario(drawn.model()) : sim::Scenario(with_loops(drawn.model(), drawn.loops));
  s.duration = kSteps * kStep;
  s.output_step = kStep;
  s.integrator = {sim::IntegratorKind::rk4, kStep};
  s.rotor = drawn.rotor;
  s.friction = {drawn.friction, kSmooth};
  s.limits = sim::LimitPolicy::ignore;
  for (const Wrench& w : drawn.wrenches) s.disturbances.push_back({w});
  if (drawn.payload) s.payloads.push_back({*drawn.model().find_link(drawn.payload_link), drawn.payload->mass, drawn.payload->com, drawn.payload->inertia});
  if (has(drawn.features, Feature::base_motion))
    s.base.moves = true, s.base.angular_velocity = drawn.motion.angular_velocity, s.base.linear_acceleration = drawn.motion.linear_acceleration;
  return s;
}

std::string tree_run(const Drawn& drawn, Counts& counts) {
  const State& state = drawn.states[0];
  sim::Scenario s = scenario_of(drawn);
  s.q = state.q, s.v = state.v;
  s.law.kind = sim::LawKind::constant;
  s.law.tau = state.a;
  const sim::Outcome done = sim::simulate(s);
  if (done.ending != sim::Ending::done) return "it ends: " + done.message;
  const sim::Trajectory& t = done.trajectory;
  if (t.rows() != kSteps + 1) return cat("it has ", t.rows(), " rows");
  for (std::size_t row = 0; row < t.rows(); ++row) {
    const double *q = &t.q[row * t.positions], *v = &t.v[row * t.size], *a = &t.a[row * t.size], *tau = &t.tau[row * t.size];
    if (row + 1 < t.rows())
      if (std::string fault = step_differs(drawn, t.t[row], q, v, tau, a, q + t.positions, v + t.size); !fault.empty()) return fault;
    // Accelerations and energies of the row itself.
    Drawn now = drawn;
    now.motion = base_at(drawn, t.t[row]);
    now.friction = false;
    const State here{{q, q + t.positions}, {v, v + t.size}, {a, a + t.size}};
    const Expected expected(now, here);
    Vector left(tau, tau + t.size);
    const Vector friction = Truth(drawn).friction(wide(here.v), kSmooth);
    for (std::size_t k = 0; k < left.size(); ++k) left[k] -= friction[k];
    const Vector wanted = expected.truth().value(Quantity::forward, expected.truth().near(), wide(here.v), left);
    const double allowed = allowed_acceleration(drawn, here.q, here.v, here.a, t.t[row]);
    for (std::size_t k = 0; k < t.size; ++k)
      if (!(std::abs(static_cast<double>(a[k] - wanted[k])) <= allowed))
        return cat("a[", k, "] of row ", row, " is ", a[k], " for ", static_cast<double>(wanted[k]), ", allowed ", allowed);
    if (has(drawn.features, Feature::base_motion)) continue;  // energies of runs are those in the base
    const double energy[] = {t.kinetic[row], t.potential[row]};
    if (std::string fault = expected.differs(Quantity::energy, energy); !fault.empty()) return fault;
    if (row == 0) counts.add(Path::simulate, Quantity::energy, drawn.features);
  }
  counts.add(Path::simulate, Quantity::forward, drawn.features);

  if (drawn.base != RootJoint::fixed) return {};
  // A motion that is prescribed, and the torques that it takes.
  s.law = {};
  s.law.kind = sim::LawKind::prescribed;
  s.reference.kind = sim::ReferenceKind::quintic;
  s.reference.to = state.q;
  for (double& x : s.reference.to) x += 0.01;
  s.v.assign(s.v.size(), 0);
  const sim::Outcome prescribed = sim::simulate(s);
  const sim::Trajectory& p = prescribed.trajectory;
  for (std::size_t row = 0; row < p.rows(); ++row) {
    Drawn now = drawn;
    now.motion = base_at(drawn, p.t[row]);
    now.friction = false;
    const auto numbers = [&](const std::vector<double>& x) { return std::vector<double>(&x[row * p.size], &x[row * p.size] + p.size); };
    const Expected expected(now, {numbers(p.q), numbers(p.v), numbers(p.a)});
    std::vector<double> rigid = numbers(p.tau);
    const Vector friction = Truth(drawn).friction(wide(expected.v()), kSmooth);
    const std::vector<double> rubbing = Truth(drawn).friction_size(expected.v());
    const Expected::Number& wanted = expected.of(Quantity::inverse);
    for (std::size_t k = 0; k < rigid.size(); ++k) {
      const double off = static_cast<double>(std::abs(rigid[k] - friction[k] - wanted.value[k]));
      const double allowed = expected.allowed(Quantity::inverse, k) + verify_tolerance(p.size) * rubbing[k] / kSmooth;
      if (!(off <= allowed)) return cat("torque ", k, " of row ", row, " of a prescribed motion is ", rigid[k], ": off by ", off, ", allowed ", allowed);
    }
  }
  counts.add(Path::simulate, Quantity::inverse, drawn.features);
  return {};
}

std::string loop_run(const Drawn& drawn, Counts& counts) {
  const Mechanism mechanism = drawn.mechanism();
  const State& state = drawn.states[0];
  sim::Scenario s = scenario_of(drawn);
  const std::vector<std::size_t>& independent = mechanism.independent();
  s.q = state.q;
  for (std::size_t k = 0; k < independent.size(); ++k) s.v[k] = state.v[k];
  s.law.kind = sim::LawKind::constant;
  s.law.tau = state.a;
  const sim::Outcome done = sim::simulate(s);
  if (done.ending != sim::Ending::done) return "it ends: " + done.message;
  const sim::Trajectory& t = done.trajectory;
  const std::size_t m = independent.size();
  for (std::size_t row = 0; row < t.rows(); ++row) {
    const std::vector<double> q(&t.q[row * t.positions], &t.q[row * t.positions] + t.positions);
    Drawn now = drawn;
    now.motion = base_at(drawn, t.t[row]);
    const LoopTruth at(now, mechanism, q);
    Vector near = at.tree().near(), u(m);
    if (!at.close(near)) return "a row is not closed";
    for (std::size_t k = 0; k < m; ++k) u[k] = t.v[row * t.size + k];
    // Smooth friction of all joints of the tree, gathered.
    Drawn rigid = now;
    rigid.friction = false;
    const LoopTruth frictionless(rigid, mechanism, q);
    const auto accelerations = [&](const Vector& q_there, const Vector& u_there) {
      const LoopTruth::Motion motion = frictionless.motion(q_there, u_there, Vector(m, 0));
      const Vector friction = at.tree().friction(motion.v, kSmooth);
      Vector left = wide(state.a);
      for (std::size_t k = 0; k < m; ++k)
        for (std::size_t i = 0; i < friction.size(); ++i) left[k] -= motion.G[i + k * friction.size()] * friction[i];
      return frictionless.value(Quantity::forward, q_there, u_there, left);
    };
    const Vector here = accelerations(near, u);
    State closed{q, {}, {}};
    for (std::size_t k = 0; k < m; ++k) closed.v.push_back(static_cast<double>(u[k])), closed.a.push_back(static_cast<double>(here[k]));
    const ExpectedLoop expected(frictionless, rigid, closed);
    double allowed = 0;
    for (std::size_t k = 0; k < m; ++k) allowed = std::max(allowed, expected.bound(Quantity::forward, k));
    allowed *= verify_tolerance(q.size());
    if (drawn.friction) allowed *= 1 / kSmooth;
    double far = 1;
    for (const double x : q) far = std::max(far, std::abs(x));
    allowed *= far;
    for (std::size_t k = 0; k < m; ++k)
      if (const double a = t.a[row * t.size + k]; !(std::abs(static_cast<double>(a - here[k])) <= allowed))
        return cat("a[", k, "] of row ", row, " is ", a, " for ", static_cast<double>(here[k]), ", allowed ", allowed);
    if (!has(drawn.features, Feature::base_motion)) {
      const double energy[] = {t.kinetic[row], t.potential[row]};
      if (std::string fault = expected.differs(Quantity::energy, energy); !fault.empty()) return fault;
      if (row == 0) counts.add(Path::simulate, Quantity::energy, drawn.features);
    }
    if (row + 1 == t.rows() || has(drawn.features, Feature::base_motion)) continue;
    const auto stage = [&](Real h, const Vector& qd, const Vector& ud, Vector& q_there, Vector& u_there) {
      q_there = near, u_there = u;
      for (std::size_t k = 0; k < m; ++k) q_there[independent[k]] += h * qd[k], u_there[k] += h * ud[k];
      frictionless.close(q_there);
      return accelerations(q_there, u_there);
    };
    const Real h = kStep;
    Vector q2, u2, q3, u3, q4, u4;
    const Vector k1 = here, k2 = stage(h / 2, u, k1, q2, u2), k3 = stage(h / 2, u2, k2, q3, u3), k4 = stage(h, u3, k3, q4, u4);
    for (std::size_t k = 0; k < m; ++k) {
      const Real v_next = u[k] + h / 6 * (k1[k] + 2 * k2[k] + 2 * k3[k] + k4[k]), moved = h / 6 * (u[k] + 2 * u2[k] + 2 * u3[k] + u4[k]);
      const double v_got = t.v[(row + 1) * t.size + k], q_got = t.q[(row + 1) * t.positions + independent[k]];
      if (!(std::abs(static_cast<double>(v_got - v_next)) <= 4 * kStep * allowed + 1e-15 * (1 + std::abs(v_got))))
        return cat("u[", k, "] is ", v_got, " after row ", row, " for ", static_cast<double>(v_next), ", allowed ", 4 * kStep * allowed);
      if (!(std::abs(static_cast<double>(static_cast<Real>(q_got) - q[independent[k]] - moved)) <= kStep * kStep * 4 * allowed + 2e-15 * (1 + std::abs(q_got))))
        return cat("q[", k, "] moved by ", q_got - q[independent[k]], " after row ", row, " for ", static_cast<double>(moved));
    }
  }
  counts.add(Path::simulate, Quantity::forward, drawn.features);
  return {};
}

TEST(Features, MeetInSimulate) {
  EXPECT_EQ(
      compare({.path = Path::simulate,
               .drawing = {.most = 4, .tilt = false},
               .check = [](const Drawn& drawn, Counts& counts) { return drawn.loops.loops.empty() ? tree_run(drawn, counts) : loop_run(drawn, counts); }}),
      "");
}

std::string list(const std::vector<double>& x) {
  std::string out;
  for (const double number : x) out += cat(out.empty() ? "[" : ", ", number);
  return out + "]";
}
std::string list(const Vec3<double>& x) { return list(std::vector<double>{x.x, x.y, x.z}); }

std::string problems(const std::vector<Diagnostic>& all) {
  std::string out;
  for (const Diagnostic& d : all)
    if (d.severity == Severity::error) out += to_string(d) + "\n";
  return out;
}

std::string campaign_run(const Drawn& drawn, Counts& counts) {
  const State& state = drawn.states[0];
  const Model model = drawn.model();
  const support::Folder folder;
  Diagnostics diagnostics;
  const std::optional<std::string> urdf = write_urdf(build(drawn.description), diagnostics);
  if (!urdf) return "it cannot be written";
  folder.write("robot.urdf", *urdf);
  std::string text = cat("campaign: features\nseed: 1\nruns: 3\nscenario:\n  model: robot.urdf\n  duration: ", kSteps * kStep, "\n");
  const std::size_t first_v = base_nv(model.base());
  const auto mapping = [&](const std::vector<std::string>& names, const std::vector<double>& x) {
    std::string out;
    for (std::size_t k = 0; k < x.size(); ++k) out += cat(out.empty() ? "{" : ", ", names[k], ": ", x[k]);
    return out + "}";
  };
  text += cat("  initial: {q: ", mapping(model.position_names(), state.q), ", v: ", mapping(model.velocity_names(), state.v), "}\n");
  text += cat("  law: {type: constant, tau: ", list(std::vector<double>(state.a.begin() + static_cast<long>(first_v), state.a.end())), "}\n");
  text += cat("  integrator: {type: rk4, step: ", kStep, "}\n  limits: ignore\n");
  if (drawn.friction) text += cat("  friction: {smooth: ", kSmooth, "}\n");
  if (!drawn.locks.empty()) text += cat("  lock: {", drawn.locks[0].joint, ": ", drawn.locks[0].value, "}\n");
  if (drawn.base != RootJoint::fixed) text += cat("  base: ", to_string(drawn.base), "\n");
  if (has(drawn.features, Feature::base_motion))
    text += cat("  base: {angular_velocity: ", list(drawn.motion.angular_velocity), ", linear_acceleration: ", list(drawn.motion.linear_acceleration), "}\n");
  if (drawn.payload) {
    const Sym3<double>& J = drawn.payload->inertia;
    text += cat("  payloads:\n    - {link: ", drawn.payload_link, ", mass: ", drawn.payload->mass, ", com: ", list(drawn.payload->com),
                ", inertia: ", list({J.xx, J.yy, J.zz, J.xy, J.xz, J.yz}), "}\n");
  }
  if (!drawn.wrenches.empty()) text += "  disturbances:\n";
  for (const Wrench& w : drawn.wrenches)
    text += cat("    - {link: ", model.links()[w.link].name, ", force: ", list(w.force), ", moment: ", list(w.moment),
                ", axes: ", w.axes == Axes::link ? "link" : "world", "}\n");
  text += "control: {rate: 1 kHz}\n";
  text += cat("vary:\n  v.", model.velocity_names()[first_v], ": {uniform: [", state.v[first_v], ", ", state.v[first_v] + 0.1, "]}\n");
  const campaign::CampaignResult read = campaign::try_parse_campaign(text, folder.at("campaign.yaml"));
  if (!read.campaign) return cat("the campaign is refused: ", problems(read.diagnostics), text);
  const campaign::Replay run = campaign::replay(*read.campaign, 1);
  if (run.status != "done") return cat("the run is ", run.status, ": ", run.reason);
  if (run.rows.size() < kSteps) return cat("there are ", run.rows.size(), " rows");
  const auto column = [&](const std::string& name) {
    for (std::size_t k = 0; k < run.names.size(); ++k)
      if (run.names[k] == name || run.names[k].starts_with(name + " ")) return k;
    throw std::logic_error(cat("there is no column ", name, " but ", run.names[1]));
  };
  const auto numbers = [&](const char* of, const std::vector<std::string>& names, std::size_t row) {
    std::vector<double> out;
    for (const std::string& name : names) out.push_back(run.rows[row][column(cat(of, ".", name))]);
    return out;
  };
  std::vector<double> tau(first_v, 0.0);
  tau.insert(tau.end(), state.a.begin() + static_cast<long>(first_v), state.a.end());
  for (std::size_t row = 0; row + 1 < run.rows.size(); ++row) {
    const std::vector<double> q = numbers("q", model.position_names(), row), v = numbers("v", model.velocity_names(), row);
    const std::vector<double> q_next = numbers("q", model.position_names(), row + 1), v_next = numbers("v", model.velocity_names(), row + 1);
    const std::vector<double> a(v.size(), 1.0);  // for the sizes of terms
    if (std::string fault = step_differs(drawn, run.rows[row][0], q.data(), v.data(), tau.data(), a.data(), q_next.data(), v_next.data()); !fault.empty())
      return fault;
  }
  // What lanes compute is what the replay computes, bit for bit.
  const campaign::Report report = campaign::run_campaign(*read.campaign, folder.at("out"), {.threads = 1});
  if (report.failed != 0) return "a run of the campaign fails";
  const bool alone = drawn.acts();
  if ((report.path == "lanes") == alone) return cat("the campaign's path is ", report.path);
  counts.add(Path::campaign, Quantity::forward, drawn.features);
  return {};
}

std::string dataset(const Drawn& drawn, Counts& counts) {
  if (has(drawn.features, Feature::far) && has(drawn.features, Feature::prismatic)) return {};  // one range for all: a slide of 600 km is no robot
  const support::Folder folder;
  Diagnostics diagnostics;
  const std::optional<std::string> urdf = write_urdf(build(drawn.description), diagnostics);
  if (!urdf) return "it cannot be written";
  folder.write("robot.urdf", *urdf);
  std::string text = "model: robot.urdf\nseed: 1\nrows: 5\nv: [-2, 2]\na: [-2, 2]\ntau: [-5, 5]\n";
  text += has(drawn.features, Feature::far) ? "q: [-600000, 600000]\nquantities: [" : "q: [-1, 1]\nquantities: [";
  std::vector<Quantity> all;
  for (const QuantityRow& row : quantities())
    if (does_not_exist(Path::campaign, row.quantity, Feature::rotor).empty()) text += cat(all.empty() ? "" : ", ", row.id), all.push_back(row.quantity);
  const campaign::DatasetResult read = campaign::try_parse_dataset(text + "]\n", folder.at("set.yaml"));
  if (!read.dataset) return cat("the data set is refused: ", problems(read.diagnostics));
  const std::size_t rows = 5, columns = read.dataset->columns().size();
  std::vector<double> numbers(rows * columns);
  read.dataset->make(0, rows, numbers.data());
  Drawn plain = drawn;
  plain.friction = false;  // data sets have none
  const Model model = drawn.model();
  const Sizes sizes = model.sizes();
  for (std::size_t row = 0; row < rows; ++row) {
    const auto part = [&](std::size_t first, std::size_t count) {
      std::vector<double> out;
      for (std::size_t c = first; c < first + count; ++c) out.push_back(numbers[c * rows + row]);
      return out;
    };
    const std::size_t n = model.nv();
    const std::vector<double> q = part(0, n), v = part(n, n), a = part(2 * n, n), tau = part(3 * n, n);
    const Expected expected(plain, {q, v, a});
    // Accelerations under tau are those at which the torques are tau: bounds are taken there.
    std::vector<double> under;
    for (const Real x : expected.truth().value(Quantity::forward, expected.truth().near(), wide(v), wide(tau))) under.push_back(static_cast<double>(x));
    const Expected forward(plain, {q, v, under});
    std::size_t at = 4 * n;
    for (const Quantity quantity : all) {
      const std::size_t size = row_of(quantity).size(sizes);
      const std::vector<double> got = part(at, size);
      at += size;
      const Expected& wanted = row_of(quantity).takes("tau") ? forward : expected;
      if (std::string fault = wanted.differs(quantity, got.data()); !fault.empty()) return cat("row ", row, " of a data set: ", fault);
    }
  }
  for (const Quantity quantity : all)
    if (quantity != Quantity::forward) counts.add(Path::campaign, quantity, drawn.features);
  return {};
}

TEST(Features, MeetInCampaigns) {
  EXPECT_EQ(compare({.path = Path::campaign,
                     .drawing = {.most = 4, .file = true},
                     .refuses = [](const Features& f) { return std::string(has(f, Feature::loop) ? "of robots with loops in tests of their own" : ""); },
                     .check =
                         [](const Drawn& drawn, Counts& counts) {
                           std::string fault = campaign_run(drawn, counts);
                           for (std::size_t k = 0; k < kFeatures; ++k)
                             if (drawn.features[k] && !does_not_exist(Path::campaign, Quantity::inverse, static_cast<Feature>(k)).empty()) return fault;
                           return fault.empty() ? dataset(drawn, counts) : fault;
                         }}),
            "");
}

}  // namespace
}  // namespace ulna::test
