#include "campaign/block.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <stdexcept>

#include "sim/normal.hpp"
#include "sim/philox.hpp"
#include "campaign/smooth_sign.hpp"
#include "model/unit_quaternion.hpp"
#include "sim/base_state.hpp"
#include "sim/forward_model.hpp"
#include "sim/integrator.hpp"
#include "sim/loop_keeper.hpp"
#include "sim/side_law.hpp"
#include "text/cat.hpp"
#include "text/number.hpp"
#include "text/quote.hpp"

namespace ulna::campaign::internal {

using namespace ulna::internal;
using namespace ulna::sim::internal;

namespace {

constexpr double kRunaway = 1e9;  // as in simulate(): sines of such numbers mean nothing

/// What a link carries at a time.
Model carrying(const sim::Scenario& s, double t) {
  Model model = s.model;
  for (const sim::Payload& p : s.payloads)
    if (p.from <= t && t < p.to) model = sim::with_payload(model, p);
  return model;
}

/// Numbers of which none is zero or one by chance.
std::vector<double> generic_values(const Spec& spec) {
  std::vector<double> values;
  for (const Variation& v : spec.variations) switch (v.kind) {
      case Kind::uniform: values.push_back(v.a + 0.618 * (v.b - v.a)); break;
      case Kind::normal: values.push_back(v.a + 0.37 * v.b); break;
      case Kind::identified: values.push_back(0.37 * v.values.back()); break;
      case Kind::grid: values.push_back(*std::max_element(v.values.begin(), v.values.end(), [](double x, double y) { return std::fabs(x) < std::fabs(y); }));
    }
  return values;
}

/// Those numbers may be impossible together, though most runs' are not; the nominal ones are possible.
RunNumbers generic_numbers(const Spec& spec) {
  try {
    return numbers_of(spec, generic_values(spec));
  } catch (const std::invalid_argument&) {
    return spec.nominal;
  }
}

Model generic_model(const Spec& spec) {
  const sim::Scenario s = generic_numbers(spec).scenario;
  Model model = s.model;
  for (const sim::Payload& p : s.payloads) model = sim::with_payload(model, p);
  return model;
}

bool pushed(const sim::Scenario& s) { return !s.disturbances.empty() || s.base.moves; }

/// Whether runs may begin in different places, and with them their references.
bool own_references(const Spec& spec) {
  const sim::ReferenceSettings& r = spec.nominal.scenario.reference;
  if (!r.from.empty() || r.kind == sim::ReferenceKind::none || r.kind == sim::ReferenceKind::hold || r.kind == sim::ReferenceKind::waypoints) return false;
  return std::any_of(spec.variations.begin(), spec.variations.end(), [](const Variation& v) { return v.parameter.name.rfind("q.", 0) == 0; });
}

}  // namespace

Machinery::Machinery(const Spec& of) : spec(of) {
  const sim::Scenario& s = spec.nominal.scenario;
  DynamicsOptions options{.rotor = s.rotor, .threads = 1};
  believed = std::make_shared<const Dynamics>(s.model, options);
  const Model varied = generic_model(spec);
  options.quantities = {Quantity::forward};
  generic = std::make_shared<const Dynamics>(varied, options);
  if (!s.model.closed()) {
    auto made = std::make_shared<const LaneCode>(varied, s.rotor);
    if (made->ok()) code = std::move(made);
  }
  lanes = code != nullptr ? believed->lanes() : 1;
  path = s.model.closed()          ? "one by one: loops are closed in each run as often as it needs"
         : code == nullptr         ? "one by one: there is no machine code for lanes"
         : !s.disturbances.empty() ? "one by one: disturbances act"
         : s.base.moves            ? "one by one: the base is moved"
                                   : "lanes";
  instruction_set = to_string(believed->instruction_set());
}

struct Block::Parts {
  explicit Parts(const Machinery& of)
      : m(of),
        spec(of.spec),
        W(of.lanes),
        base(spec.nominal.scenario.model.base()),
        nq(spec.nominal.scenario.model.nq()),
        nv(spec.nominal.scenario.model.nv()),
        n(nv - base.v),
        all(spec.nominal.scenario.model.nv_tree()),
        driven(driven_positions(spec.nominal.scenario.model)),
        following(followers(spec.nominal.scenario.model)),
        metrics(spec, of.lanes),
        times(spec.period) {
    for (std::vector<double>* x : {&q, &mq, &q2, &q3, &q4}) x->assign(nq * W, 0.0);
    for (std::vector<double>* x : {&v, &tau, &asked, &mv, &net, &v2, &v3, &v4, &a1, &a2, &a3, &a4}) x->assign(nv * W, 0.0);
    for (std::vector<double>* x : {&viscous, &coulomb}) x->assign((all + following.size()) * W, 0.0);
    if (const sim::Scenario& s = spec.nominal.scenario; s.model.closed()) {
      keeper.emplace(*of.believed);
      geometry.emplace(s.model, "ulna", s.rotor, of.believed.get());
      joints_q.resize(n), rubbed.resize(all), unrubbed.resize(all);
    }
    if (base.free || keeper)
      for (std::vector<double>* x : {&unit, &rate1, &rate2, &rate3, &rate4}) x->assign(nq * W, 0.0);
    for (std::vector<double>* x : {&error, &moved, &noise_q, &noise_v, &target}) x->assign(n * W, 0.0);
    own_q.resize(n), own_v.resize(n), own_a.resize(n);
    late.resize((most_delay(spec) + 1) * nv * W);
    one_q.resize(nq), one_v.resize(nv), one_tau.resize(nv), one_a.resize(nv);
    const sim::Scenario& s = spec.nominal.scenario;
    phase_times = {0.0};
    for (const sim::Payload& p : s.payloads)
      for (const double t : {p.from, p.to})
        if (t > 0 && t < s.duration) phase_times.push_back(t);
    std::sort(phase_times.begin(), phase_times.end());
    phase_times.erase(std::unique(phase_times.begin(), phase_times.end()), phase_times.end());
    if (m.code != nullptr)
      for (std::size_t p = 0; p < phase_times.size(); ++p) tables.push_back(std::make_unique<LaneNumbers>(m.code));
  }

  struct Lane {
    std::optional<RunNumbers> numbers;
    std::vector<std::optional<Dynamics>> own;  // of each phase: where the lanes' code does not fit, or something pushes
    std::size_t delay = 0;
    bool fits = true, alive = false;
  };

  const Machinery& m;
  const Spec& spec;
  std::size_t W;
  BaseState base;
  std::size_t nq, nv, n, all;        // n: of the joints that v lists; all: speeds of all joints, and of the base
  std::vector<std::size_t> driven;   // where q has the positions of those that v lists
  std::optional<LoopKeeper> keeper;  // of a robot with loops; there is one lane then
  std::optional<ForwardModel> geometry;
  std::vector<double> joints_q, rubbed, unrubbed;
  std::vector<Follower> following;
  Metrics metrics;
  Multiples times;
  std::vector<double> phase_times;
  std::vector<std::unique_ptr<LaneNumbers>> tables;
  std::vector<Lane> lanes;
  std::vector<std::unique_ptr<sim::ReferenceMotion>> references;
  std::size_t phase = 0;
  double middle = 0;  // of the step under way: it decides which wrenches act
  bool noisy = false, rubs = false, pushes = false, all_fit = true;
  double smooth = 1;
  std::vector<double> q, v, tau, asked, mq, mv, net, q2, v2, q3, v3, q4, v4, a1, a2, a3, a4, viscous, coulomb, error, moved, noise_q, noise_v, target, late,
      memory, rate;
  std::vector<double> unit, rate1, rate2, rate3, rate4;  // of a free base: q with unit quaternions, rates of q
  std::vector<double> own_q, own_v, own_a, one_q, one_v, one_tau, one_a;

  /// Of the joints that v lists, in lanes.
  const double* positions() {
    if (!keeper) return q.data() + base.q * W;
    for (std::size_t i = 0; i < n; ++i) joints_q[i] = q[driven[i]];
    return joints_q.data();
  }
  const double* joint_speeds(const double* at_q, const double* at_v) { return keeper ? geometry->joint_speeds(at_q, at_v) : at_v; }

  void begin(std::uint64_t first, std::size_t count, std::vector<RunRow>& rows);
  void place(std::size_t lane, const sim::Scenario& s);
  void take_numbers(std::size_t lane, const RunNumbers& numbers);
  void measure(std::uint64_t first, std::uint64_t sample);
  void errors(double t);
  void accelerations(double t, const double* at_q, const double* at_v, double* a);
  void one_by_one(double t, const double* at_q, const double* at_v, double* a);
  const double* rates(const double* at_q, const double* at_v, std::vector<double>& own);
  void step(double t, double h);
  void end_run(std::size_t lane, RunRow& row, std::string status, std::string reason);
  void tell(double t, const Record& record);
  void look(double t, std::size_t count, std::vector<RunRow>& rows);
};

/// A lane into the initial state.
void Block::Parts::place(std::size_t l, const sim::Scenario& s) {
  for (std::size_t i = 0; i < nq; ++i) q[i * W + l] = s.q[i];
  for (std::size_t i = 0; i < nv; ++i) v[i * W + l] = s.v[i];
}

/// Numbers of a run into its lane. Throws std::invalid_argument where they are impossible.
void Block::Parts::take_numbers(std::size_t l, const RunNumbers& numbers) {
  Lane& lane = lanes[l];
  lane.numbers = numbers;
  lane.fits = m.code != nullptr;
  lane.own.assign(phase_times.size(), {});
  for (std::size_t p = 0; p < phase_times.size(); ++p) {
    const double end = p + 1 < phase_times.size() ? phase_times[p + 1] : numbers.scenario.duration;
    const Model model = carrying(numbers.scenario, (phase_times[p] + end) / 2);
    if (lane.fits && !tables[p]->set(l, model)) lane.fits = false;
    if (!lane.fits || pushed(numbers.scenario)) lane.own[p] = m.generic->with_parameters(model);
  }
  lane.delay = std::min(static_cast<std::size_t>(std::llround(numbers.delay / spec.period)), late.size() / (nv * W) - 1);
  if (base.free) require_unit(quaternion_length(numbers.scenario.q.data()), "the initial q: ");
  place(l, numbers.scenario);
  if (keeper) {
    const ClosureProblem wrong = problem(m.believed->close(q), numbers.scenario.model.loops());
    if (!wrong.what.empty()) throw std::invalid_argument(cat("initial q: ", wrong.what));
    keeper->restart();
  }
  for (std::size_t i = 0; i < all - base.v + following.size(); ++i) {
    viscous[(base.v + i) * W + l] = numbers.viscous[i];
    coulomb[(base.v + i) * W + l] = numbers.coulomb[i];
  }
  for (std::size_t i = 0; i < n; ++i) {
    noise_q[i * W + l] = numbers.noise_q[i];
    noise_v[i * W + l] = numbers.noise_v[i];
  }
  lane.alive = true;
}

void Block::Parts::begin(std::uint64_t first, std::size_t count, std::vector<RunRow>& rows) {
  lanes.assign(W, {});
  for (std::size_t l = 0; l < count; ++l) {
    RunRow& row = rows[l];
    row.run = first + l;
    row.values = drawn(spec, row.run);
    row.status = "done";
    try {
      take_numbers(l, numbers_of(spec, row.values));
    } catch (const std::exception& problem) {
      row.status = "refused";
      row.reason = problem.what();
      lanes[l].alive = false;
    }
  }
  // Lanes without a run, or with one that cannot be, repeat the nominal one: the kernels need numbers.
  for (std::size_t l = 0; l < W; ++l)
    if (!lanes[l].alive) {
      take_numbers(l, spec.nominal);
      lanes[l].alive = false;
    }
  const auto any = [](const std::vector<double>& x) { return std::any_of(x.begin(), x.end(), [](double y) { return y != 0; }); };
  noisy = any(noise_q) || any(noise_v);
  rubs = any(viscous) || any(coulomb);
  all_fit = std::all_of(lanes.begin(), lanes.end(), [](const Lane& lane) { return lane.fits; });
  if (base.free) make_unit(q.data(), W);
  pushes = pushed(spec.nominal.scenario);
  smooth = spec.nominal.smooth > 0 ? spec.nominal.smooth : 1e-3;
  metrics.restart();
}

/// What the controller sees. Every run draws its noise from a stream of its own, sample by sample.
void Block::Parts::measure(std::uint64_t first, std::uint64_t sample) {
  std::copy(q.begin(), q.end(), mq.begin());
  std::copy(v.begin(), v.end(), mv.begin());
  if (!noisy) return;
  for (std::size_t l = 0; l < W; ++l) {
    if (!lanes[l].alive) continue;
    for (std::size_t i = 0; i < n; ++i) {
      const Pair u = unit_pair(spec.seed, Stream::noise, first + l, sample * n + i);
      mq[driven[i] * W + l] += noise_q[i * W + l] * normal_quantile(u.first);
      mv[(base.v + i) * W + l] += noise_v[i * W + l] * normal_quantile(u.second);
    }
  }
  if (keeper) m.believed->close(mq.data());
}

/// The references at time t, and how far the joints are from them.
void Block::Parts::errors(double t) {
  for (std::size_t r = 0; r < references.size(); ++r) {
    references[r]->at(t, own_q.data(), own_v.data(), own_a.data());
    for (std::size_t i = 0; i < n; ++i) std::fill_n(&target[i * W + r], references.size() == 1 ? W : 1, own_q[i]);
  }
  const double* at = positions();
  for (std::size_t k = 0; k < n * W; ++k) error[k] = target[k] - at[k];
}

/// Rates of v; those of a free base's linear velocity are of its numbers, in the turning axes of the base.
void Block::Parts::accelerations(double t, const double* at_q, const double* at_v, double* a) {
  if (base.free || keeper) {
    std::copy(at_q, at_q + nq * W, unit.begin());
    if (base.free) make_unit(unit.data(), W);
    if (keeper) keeper->close(unit.data());
    at_q = unit.data();
  }
  const double* held = tau.data();
  if (rubs) {
    const double inverse = 1 / smooth;
    const double* __restrict c = coulomb.data();
    const double* __restrict d = viscous.data();
    const double* __restrict torque = keeper ? unrubbed.data() : tau.data();
    double* __restrict left = keeper ? rubbed.data() : net.data();
    const double* speeds = joint_speeds(at_q, at_v);
    for (std::size_t k = 0; k < all * W; ++k) left[k] = torque[k] - (d[k] * speeds[k] + c[k] * smooth_sign(speeds[k] * inverse));
    for (std::size_t f = 0; f < following.size(); ++f)  // at their own rates; what they take is felt at the coordinate by the same factor
      for (std::size_t l = 0; l < W; ++l) {
        const std::size_t k = (all + f) * W + l, coordinate = (base.v + following[f].coordinate) * W + l;
        const double speed = following[f].multiplier * speeds[coordinate];
        left[coordinate] -= following[f].multiplier * (d[k] * speed + c[k] * smooth_sign(speed * inverse));
      }
    if (keeper) {  // what loops leave of it at the drives
      geometry->gather(at_q, rubbed.data(), net.data());
      for (std::size_t k = 0; k < nv; ++k) net[k] += tau[k];
    }
    held = net.data();
  }
  if (!pushes && all_fit && m.code != nullptr) {
    tables[phase]->forward(at_q, at_v, held, a);
  } else {
    if (held != net.data()) std::copy(held, held + nv * W, net.begin());
    one_by_one(t, at_q, at_v, a);
  }
  if (base.free) classical_to_numbers(at_v, a, W);
}

/// Lanes whose code is their own, or on which something acts besides the drives.
void Block::Parts::one_by_one(double t, const double* at_q, const double* at_v, double* a) {
  if (m.code != nullptr && !pushes) tables[phase]->forward(at_q, at_v, net.data(), a);
  for (std::size_t l = 0; l < W; ++l) {
    if (!pushes && lanes[l].fits) continue;
    const RunNumbers& numbers = *lanes[l].numbers;
    const sim::Scenario& s = numbers.scenario;
    std::vector<Wrench> wrenches;
    for (const sim::Disturbance& d : s.disturbances)
      if (d.from <= middle && middle < d.to) wrenches.push_back(d.wrench);
    Effects effects{.rotor = s.rotor, .friction = false, .base = {}, .wrenches = wrenches};
    if (s.base.moves) effects.base = sim::base_motion(s.base, s.model.gravity(), t);
    for (std::size_t i = 0; i < nq; ++i) one_q[i] = at_q[i * W + l];
    for (std::size_t i = 0; i < nv; ++i) one_v[i] = at_v[i * W + l], one_tau[i] = net[i * W + l];
    lanes[l].own[phase]->compute(Quantity::forward, {one_q.data(), one_v.data(), one_tau.data()}, one_a.data(), effects);
    for (std::size_t i = 0; i < nv; ++i) a[i * W + l] = one_a[i];
  }
}

/// Rates of q: v, but for a free base and for loops; `own` is where theirs go. To be called behind accelerations() at the same state, which leaves unit
/// quaternions.
const double* Block::Parts::rates(const double* at_q, const double* at_v, std::vector<double>& own) {
  if (!base.free && !keeper) return at_v;
  const std::size_t first_q = base.free ? base.q : 0, first_v = base.free ? base.v : 0;
  if (base.free) base_rates(at_q, unit.data(), at_v, own.data(), W);
  std::copy_n(joint_speeds(unit.data(), at_v) + first_v * W, (nq - first_q) * W, own.begin() + static_cast<std::ptrdiff_t>(first_q * W));
  return own.data();
}

/// The classic rule of four points, under torques that are held.
void Block::Parts::step(double t, double h) {
  const double half = h / 2;
  middle = t + half;
  const auto ahead = [](std::vector<double>& to, const std::vector<double>& from, double time, const double* of) {
    double* __restrict x = to.data();
    const double* __restrict start = from.data();
    for (std::size_t k = 0; k < to.size(); ++k) x[k] = start[k] + time * of[k];
  };
  accelerations(t, q.data(), v.data(), a1.data());
  const double* r1 = rates(q.data(), v.data(), rate1);
  ahead(q2, q, half, r1), ahead(v2, v, half, a1.data());
  accelerations(middle, q2.data(), v2.data(), a2.data());
  const double* r2 = rates(q2.data(), v2.data(), rate2);
  ahead(q3, q, half, r2), ahead(v3, v, half, a2.data());
  accelerations(middle, q3.data(), v3.data(), a3.data());
  const double* r3 = rates(q3.data(), v3.data(), rate3);
  ahead(q4, q, h, r3), ahead(v4, v, h, a3.data());
  accelerations(t + h, q4.data(), v4.data(), a4.data());
  const double* r4 = rates(q4.data(), v4.data(), rate4);
  const double sixth = h / 6;
  for (std::size_t k = 0; k < q.size(); ++k) q[k] += sixth * (r1[k] + 2 * (r2[k] + r3[k]) + r4[k]);
  for (std::size_t k = 0; k < v.size(); ++k) v[k] += sixth * (a1[k] + 2 * (a2[k] + a3[k]) + a4[k]);
  if (base.free) make_unit(q.data(), W);
  if (keeper) keeper->close(q.data());
}

void Block::Parts::end_run(std::size_t l, RunRow& row, std::string status, std::string reason) {
  row.status = std::move(status);
  row.reason = std::move(reason);
  lanes[l].alive = false;
}

/// Ends runs that have diverged, or are where the scenario says that they stop; their lanes go on from the nominal state.
void Block::Parts::look(double t, std::size_t count, std::vector<RunRow>& rows) {
  const Model& model = spec.nominal.scenario.model;
  const bool stops = spec.nominal.scenario.limits == sim::LimitPolicy::stop;
  for (std::size_t l = 0; l < W; ++l) {
    bool fine = true;
    for (std::size_t i = 0; i < nq; ++i) fine = fine && std::fabs(q[i * W + l]) < kRunaway;
    for (std::size_t i = 0; i < nv; ++i) fine = fine && std::fabs(v[i * W + l]) < kRunaway;
    if (fine && l < count && lanes[l].alive && stops)
      for (std::size_t i = 0; i < model.independent().size(); ++i) {
        const Joint& joint = model.joints()[model.independent()[i]];
        const double at = q[(base.q + i) * W + l];
        if (at >= joint.lower && at <= joint.upper) continue;
        end_run(l, rows[l], "stopped",
                cat("joint ", in_quotes(joint.name), " is beyond its ", at < joint.lower ? "lower" : "upper", " limit at t = ", rounded(t), " s"));
        break;
      }
    if (fine) continue;
    if (l < count && lanes[l].alive)
      end_run(l, rows[l], "diverged", cat("a joint is faster than ", kRunaway, " rad/s or m/s, or no number, at t = ", rounded(t), " s"));
    place(l, spec.nominal.scenario);
    for (std::size_t i = 0; i < nv; ++i) {
      for (std::size_t k = 0; k < late.size() / (nv * W); ++k) late[(k * nv + i) * W + l] = 0;
    }
    for (std::size_t k = l; k < memory.size(); k += W) memory[k] = 0;
  }
}

/// Of the first lane.
void Block::Parts::tell(double t, const Record& record) {
  for (std::size_t i = 0; i < nq; ++i) one_q[i] = q[i * W];
  for (std::size_t i = 0; i < nv; ++i) one_v[i] = v[i * W], one_tau[i] = tau[i * W];
  for (std::size_t i = 0; i < n; ++i) own_q[i] = target[i * W];
  record(t, one_q.data(), one_v.data(), one_tau.data(), references.empty() ? nullptr : own_q.data());
}

Block::Block(const Machinery& machinery) : parts_(std::make_unique<Parts>(machinery)) {}
Block::~Block() = default;

std::vector<RunRow> Block::run(std::uint64_t first, std::size_t count, const Record& record) {
  Parts& p = *parts_;
  const Spec& spec = p.spec;
  if (count == 0 || count > p.W) throw std::invalid_argument(cat("there are ", p.W, " lanes, but ", count, " runs"));
  std::vector<RunRow> rows(count);
  p.begin(first, count, rows);
  // Laws know the robot that they were told of, and each its own gains and beginning.
  std::vector<sim::Scenario> own;
  std::vector<const sim::Scenario*> runs;
  for (std::size_t l = 0; l < p.W; ++l) {
    own.push_back(spec.nominal.scenario);
    own.back().law = p.lanes[l].numbers->scenario.law;
    own.back().q = p.lanes[l].numbers->scenario.q;
  }
  for (const sim::Scenario& run : own) runs.push_back(&run);
  p.references.clear();
  for (std::size_t l = 0; l < (own_references(spec) ? p.W : 1); ++l)
    if (std::unique_ptr<sim::ReferenceMotion> reference = sim::make_reference(own[l])) p.references.push_back(std::move(reference));
  const std::unique_ptr<sim::Law> law = make_side_law(runs, p.W, p.references, p.m.believed.get());
  p.memory.assign(law->memory() * p.W, 0.0);
  p.rate.assign(p.memory.size(), 0.0);
  const std::size_t size = p.nv * p.W, slots = p.late.size() / size;
  const double h = spec.period / static_cast<double>(spec.substeps);
  const double reference_end = p.references.empty() ? 0 : p.references.front()->end();
  p.phase = 0;
  const double* joints_v = p.v.data() + p.base.v * p.W;
  for (std::uint64_t k = 0; k < spec.samples; ++k) try {
      const double t = p.times(static_cast<long>(k));
      if (!p.references.empty()) p.errors(t);
      p.metrics.state(k, p.references.empty() ? nullptr : p.error.data(), p.positions(), joints_v);
      p.measure(first, k);
      law->torque(t, p.mq.data(), p.mv.data(), p.memory.data(), p.asked.data());
      if (!p.memory.empty()) {
        law->memory_rate(t, p.mq.data(), p.mv.data(), p.rate.data());
        for (std::size_t i = 0; i < p.memory.size(); ++i) p.memory[i] += spec.period * p.rate[i];
      }
      // Before the first torque arrives, the first acts.
      if (k == 0)
        for (std::size_t slot = 0; slot < slots; ++slot) std::copy(p.asked.begin(), p.asked.end(), p.late.begin() + static_cast<std::ptrdiff_t>(slot * size));
      std::copy(p.asked.begin(), p.asked.end(), p.late.begin() + static_cast<std::ptrdiff_t>(k % slots * size));
      for (std::size_t l = 0; l < p.W; ++l) {
        const double* from = &p.late[(k + slots - p.lanes[l].delay) % slots * size];
        for (std::size_t i = 0; i < p.nv; ++i) p.tau[i * p.W + l] = from[i * p.W + l];
      }
      if (record) p.tell(t, record);
      std::copy_n(p.positions(), p.n * p.W, p.moved.begin());
      for (std::size_t s = 0; s < spec.substeps; ++s) {
        const double begin = t + static_cast<double>(s) * h;
        while (p.phase + 1 < p.phase_times.size() && p.phase_times[p.phase + 1] <= begin + h / 2) ++p.phase;
        p.step(begin, h);
      }
      const double* joints_q = p.positions();
      for (std::size_t i = 0; i < p.n * p.W; ++i) p.moved[i] = joints_q[i] - p.moved[i];
      p.metrics.drive(p.tau.data() + p.base.v * p.W, p.moved.data());
      p.look(p.times(static_cast<long>(k) + 1), count, rows);
    } catch (const LoopsLost& lost) {  // of the one lane that there is
      if (p.lanes.front().alive) p.end_run(0, rows.front(), "diverged", cat("after t = ", rounded(p.times(static_cast<long>(k))), " s: ", lost.what()));
      break;
    }
  const double end = p.times(static_cast<long>(spec.samples));
  if (!p.references.empty()) p.errors(end);
  p.metrics.state(spec.samples, p.references.empty() ? nullptr : p.error.data(), p.positions(), joints_v);
  if (record && rows.front().status == "done") p.tell(end, record);
  for (std::size_t l = 0; l < count; ++l)
    if (rows[l].status == "done") rows[l].metrics = p.metrics.of(l, reference_end);
  return rows;
}

}  // namespace ulna::campaign::internal
