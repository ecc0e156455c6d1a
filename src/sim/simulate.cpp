#include <ulna/sim/simulate.hpp>

#include <algorithm>

#include <ulna/plan/plan.hpp>

#include "sim/audit.hpp"
#include "sim/system.hpp"
#include "spatial/curve.hpp"
#include "text/message.hpp"

namespace ulna {
namespace sim ULNA_API {

using namespace internal;
using namespace internal::sim;

std::string_view to_string(Ending ending) {
  constexpr std::string_view kNames[] = {"done", "stopped", "diverged", "interrupted"};
  return kNames[static_cast<std::size_t>(ending)];
}

namespace {

constexpr double kRunaway = 1e9;       // rad/s, m/s, rad, m: sines of such numbers mean nothing
constexpr double kMostReserved = 1e4;  // rows that room is made for at once

void reserve(Trajectory& r, double rows, std::size_t n) {
  const std::size_t count = static_cast<std::size_t>(std::min(rows, kMostReserved)) + 2;
  for (std::vector<double>* part : {&r.t, &r.kinetic, &r.potential, &r.work, &r.energy_drift, &r.pivot}) part->reserve(count);
  for (std::vector<double>* part : {&r.q, &r.v, &r.a, &r.tau, &r.joint_work}) part->reserve(count * n);
  r.segment.reserve(count);
}

using ulna::internal::Curve;

/// Watches joints cross their limits.
class LimitWatch {
 public:
  /// `lane` of states that lie side by side; see system.hpp. `rates` gives speeds of all joints of a state, good until the next call.
  LimitWatch(const Model& model, std::size_t lanes, std::size_t lane, std::function<const double*(const double* x)> rates) : rates_(std::move(rates)) {
    const auto coordinate_of = [&](std::size_t joint) {
      const auto found = std::find(model.independent().begin(), model.independent().end(), joint);
      return static_cast<std::size_t>(found - model.independent().begin());
    };
    const std::vector<std::size_t> places = model.places();
    for (std::size_t j = 0; j < model.joints().size(); ++j) {
      const Joint& joint = model.joints()[j];
      if (joint.type == JointType::fixed || joint.type == JointType::continuous || joint.type == JointType::ball ||
          (std::isinf(joint.lower) && std::isinf(joint.upper)))
        continue;
      const std::size_t leader = joint.mimic ? joint.mimic->leader : j;
      watched_.push_back({joint.name, places[coordinate_of(leader)] * lanes + lane, (base_nv(model.base()) + coordinate_of(leader)) * lanes + lane,
                          joint.mimic ? joint.mimic->multiplier : 1, joint.mimic ? joint.mimic->offset : 0, joint.lower, joint.upper});
    }
  }
  /// Joints that are outside at the start.
  void start(const double* q, const double* v, std::vector<LimitEvent>& events) {
    for (Watched& w : watched_) {
      w.value = w.value_at(q[w.at_q]);
      w.rate = w.multiplier * v[w.at_v];
      w.side = w.side_of(w.value);
      if (w.side != 0) events.push_back(event(w, 0, v, w.side));
    }
  }
  /// After a step: all crossings within it, in the order of time. They are found on the integrator's interpolant, whose extrema are checked, too, so
  /// that a joint that leaves and returns within one step is found.
  void after(Integrator& integrator, std::vector<LimitEvent>& events) {
    const std::size_t first = events.size();
    for (const Crossing& crossing : find(integrator)) {
      const double begin = integrator.begin(), end = integrator.end();
      const double t = crossing.s == 1 ? end : std::min(begin + crossing.s * (end - begin), end);
      integrator.at(t, x_);
      events.push_back(event(watched_[crossing.watched], t, rates_(x_.data()), crossing.side));
    }
    std::stable_sort(events.begin() + static_cast<std::ptrdiff_t>(first), events.end(), [](const LimitEvent& a, const LimitEvent& b) { return a.t < b.t; });
  }
  /// The same, but only whether there is any. Asks for no state within the step where the interpolant is a cubic.
  bool crossed(Integrator& integrator) { return !find(integrator).empty(); }

 private:
  struct Watched {
    std::string name;
    std::size_t at_q, at_v;  // where it stands in q and in v
    double multiplier, offset, lower, upper;
    int side = 0;                // at the end of the last step: -1 below the lower limit, 1 above the upper one
    double value = 0, rate = 0;  // there

    double value_at(double q) const { return multiplier * q + offset; }
    int side_of(double x) const { return x > upper ? 1 : x < lower ? -1 : 0; }
  };
  struct Crossing {
    std::size_t watched;
    int side;
    double s;  // share of the step
  };
  /// In no order of time.
  const std::vector<Crossing>& find(Integrator& integrator) {
    crossings_.clear();
    const double *q = integrator.state().data(), *v = rates_(q), h = integrator.end() - integrator.begin();
    if (!integrator.cubic()) integrator.at(integrator.begin() + h / 2, x_);
    for (std::size_t k = 0; k < watched_.size(); ++k) {
      Watched& w = watched_[k];
      const double value = w.value_at(q[w.at_q]), rate = w.multiplier * v[w.at_v];
      const double more = integrator.cubic() ? 0 : w.value_at(x_[w.at_q]) - ((w.value + value) / 2 + h * (w.rate - rate) / 8);
      const Curve curve = Curve::between(w.value, h * w.rate, value, h * rate, more);
      if (w.side != 0 || w.side_of(curve.least()) != 0 || w.side_of(curve.most()) != 0) find_on(curve, k);
      w.value = value;
      w.rate = rate;
    }
    return crossings_;
  }
  /// Between extrema the motion is monotonic, so that it crosses a limit once at most.
  void find_on(const Curve& curve, std::size_t watched) {
    Watched& w = watched_[watched];
    std::vector<double> extrema = curve.slope().roots();
    extrema.push_back(1);
    double inside = 0;
    for (const double extremum : extrema) {
      const int side = w.side_of(curve.at(extremum));
      if (side != w.side && side != 0) {
        double low = inside, high = extremum;
        for (double middle = (low + high) / 2; low < middle && middle < high; middle = (low + high) / 2)
          (w.side_of(curve.at(middle)) == side ? high : low) = middle;
        crossings_.push_back({watched, side, high});
      }
      w.side = side;
      inside = extremum;
    }
  }
  LimitEvent event(const Watched& w, double t, const double* v, int side) const {
    return {t, w.name, side > 0, side > 0 ? w.upper : w.lower, side * w.multiplier * v[w.at_v]};
  }

  std::function<const double*(const double* x)> rates_;
  std::vector<Watched> watched_;
  std::vector<Crossing> crossings_;
  std::vector<double> x_;
};

/// One run, or several side by side. Of several, one that diverges or comes to a limit that stops it leaves: it must be made alone.
class Run {
 public:
  Run(const std::vector<const Scenario*>& runs, std::size_t lanes, const RunOptions& options, const TogetherOptions& together = {})
      : scenario_(*runs.front()),
        options_(options),
        together_(together),
        system_(runs, lanes, together.system),
        outputs_(scenario_.output_step),
        samples_(system_.sampled() ? scenario_.control.period : 1) {
    for (std::size_t l = 0; l < runs.size(); ++l) {
      Single& run = runs_.emplace_back();
      run.limits.emplace(scenario_.model, system_.lanes(), l, [this](const double* x) { return system_.joint_rates(x); });
      run.left = !system_.fits(l);
      if (!system_.audited()) continue;
      run.auditor.emplace(*runs[l], system_);
      reserve(run.outcome.trajectory, scenario_.duration / scenario_.output_step, system_.coordinates());
    }
    IntegratorSettings settings = scenario_.integrator;
    if (system_.prescribed()) settings.kind = IntegratorKind::dormand_prince_5;  // only the audit's integrals are left to integrate
    Momenta momenta;
    if (settings.kind == IntegratorKind::implicit_midpoint) momenta = system_.momenta();
    integrator_ = make_integrator(
        settings, system_.size() * system_.lanes(), [this](double t, const double* x, double* dxdt) { system_.derivative(t, x, dxdt); }, &momenta,
        system_.restores() ? Restore([this](double* x) { system_.restore(x); }) : Restore());
    if (system_.sticking() != nullptr) slips_.emplace(system_, scenario_);
    x_ = system_.initial();
    next_output_ = outputs_(0);
  }

  /// Nothing for those that left.
  std::vector<std::optional<Outcome>> run() {
    for (Single& run : runs_) {
      run.outcome.trajectory.size = system_.coordinates();
      run.outcome.trajectory.positions = system_.positions();
    }
    try {
      go();
    } catch (const LoopsLost& problem) {
      for (Single& run : runs_) close(run, Ending::diverged, cat("the run cannot go on after t = ", rounded(end_), " s: ", problem.what()));
    } catch (const Diverged& problem) {
      const std::string too_far = turned_too_far();
      for (Single& run : runs_) close(run, Ending::diverged, too_far.empty() ? problem.what() : too_far);
    } catch (const std::domain_error& problem) {  // of a formulation
      for (Single& run : runs_)
        close(run, Ending::diverged, cat("the run cannot go on after t = ", rounded(end_), " s: ", problem.what(), "; use another formulation"));
    }
    const std::size_t n = system_.coordinates(), lanes = system_.lanes();
    const std::vector<RowFacts>* facts = system_.audited() ? &system_.row(end_, x_.data()) : nullptr;
    std::vector<std::optional<Outcome>> outcomes;
    for (std::size_t l = 0; l < runs_.size(); ++l) {
      outcomes.emplace_back();
      Outcome& outcome = runs_[l].outcome;
      if (runs_[l].left) continue;
      outcome.end = end_;
      outcome.computed_by = system_.computed_by();
      outcome.in_the_way = system_.in_the_way();
      outcome.equations = system_.equations();
      const double* v = system_.rates(x_.data());
      for (std::size_t i = 0; i < system_.positions(); ++i) outcome.q.push_back(x_[i * lanes + l]);
      for (std::size_t i = 0; i < n; ++i) outcome.v.push_back(v[i * lanes + l]);
      if (facts != nullptr) outcome.audit = runs_[l].auditor->finish(end_, (*facts)[l], segment_, outcome.trajectory, steps_);
      if (facts != nullptr && scenario_.model.closed()) outcome.joint_v.assign((*facts)[l].joint_v.begin(), (*facts)[l].joint_v.end());
      outcome.audit.loop_drift = system_.loops().before;
      outcome.audit.loop_residual = system_.loops().after;
      outcomes.back() = std::move(outcome);
    }
    return outcomes;
  }

 private:
  struct Single {
    std::optional<Auditor> auditor;
    std::optional<LimitWatch> limits;
    Outcome outcome;
    bool left = false;
  };

  bool watches() const { return scenario_.limits != LimitPolicy::ignore; }
  bool stops() const { return scenario_.limits == LimitPolicy::stop; }
  bool alone() const { return runs_.size() == 1 && system_.lanes() == 1; }

  static void close(Single& run, Ending ending, std::string message) {
    run.outcome.ending = ending;
    run.outcome.message = std::move(message);
  }

  void go() {
    const std::vector<double>& breaks = system_.breaks();
    if (!start_limits()) return;
    for (std::size_t k = 0; k + 1 < breaks.size(); ++k) {
      if (k > 0) before_break(breaks[k]);
      system_.enter(breaks[k], breaks[k + 1]);
      if (alone()) system_.jump(x_.data());
      sample(breaks[k]);
      if (slips_) slips_->begin(breaks[k], x_.data());
      after_break(breaks[k]);
      integrator_->restart(breaks[k], x_);
      if (near(breaks[k])) row(x_);
      while (integrator_->end() < breaks[k + 1]) {
        const double now = integrator_->end();
        if (due(now)) {
          before_break(now);
          sample(now);
          if (slips_) slips_->begin(now, x_.data());
          after_break(now);
          // Four points forget what was before, and their steps stand on a grid already.
          if (scenario_.integrator.kind != IntegratorKind::rk4) integrator_->restart(now, x_);
          if (near(now)) row(x_);
        }
        if (system_.sampled() && ++between_ > kMostBetween)
          throw Diverged(cat("the run diverged: after t = ", rounded(now), " s more than ", kMostBetween,
                             " steps lie between two samples of the law, which is unstable; ", "check its gains, rate and delay"));
        if (!step(system_.sampled() ? std::min(breaks[k + 1], next_sample()) : breaks[k + 1])) return;
      }
    }
    if (near(scenario_.duration)) row(x_);
    if (together_.watch) together_.watch({sample_, end_, system_.positions(x_.data()), system_.rates(x_.data()), nullptr, system_.reference_positions(end_)});
  }

  double next_sample() const { return samples_(static_cast<long>(sample_)); }
  bool due(double t) const { return system_.sampled() && t >= next_sample() && t < scenario_.duration; }

  /// Samples the law where it is due, for torques that are held from here on.
  void sample(double t) {
    if (!due(t)) return;
    system_.sample(sample_, t, x_.data());
    if (together_.watch)
      together_.watch({sample_, t, system_.positions(x_.data()), system_.rates(x_.data()), system_.torques(), system_.reference_positions(t)});
    ++sample_;
    between_ = 0;
  }

  void before_break(double t) {
    each(t, [&](Single& run, const RowFacts& facts) { run.auditor->before_break(t, facts, segment_); });
  }
  /// Forces jump there, or what is carried.
  void after_break(double t) {
    ++segment_;
    each(t, [&](Single& run, const RowFacts& facts) { run.auditor->after_break(t, facts, segment_); });
  }

  /// `look(run, facts)` at every run at time t.
  template <class Look>
  void each(double t, const Look& look) {
    if (!system_.audited()) return;
    const std::vector<RowFacts>& facts = system_.row(t, x_.data());
    for (std::size_t l = 0; l < runs_.size(); ++l)
      if (!runs_[l].left) look(runs_[l], facts[l]);
  }

  /// False when the run is to end here.
  bool start_limits() {
    if (!watches()) return true;
    for (Single& run : runs_) {
      std::vector<LimitEvent>& events = run.outcome.events;
      run.limits->start(x_.data(), system_.joint_rates(x_.data()), events);
      if (!stops() || events.empty()) continue;
      if (alone()) {
        stopped(run, events.front());
        return false;
      }
      run.left = true;
    }
    return true;
  }

  /// The next output is due at t.
  bool near(double t) const { return system_.audited() && same_time(next_output_, t, scenario_.output_step); }

  void row(const std::vector<double>& x) {
    const std::vector<RowFacts>& facts = system_.row(next_output_, x.data());
    for (std::size_t l = 0; l < runs_.size(); ++l)
      if (!runs_[l].left) runs_[l].auditor->row(next_output_, facts[l], segment_, runs_[l].outcome.trajectory);
    next_output_ = outputs_(++next_);
  }

  /// False when the run is to end here.
  bool step(double limit) {
    const double begin = integrator_->end();
    bool slips = false;
    if (slips_)
      slips = slips_->step(*integrator_, x_, limit);
    else
      integrator_->step(limit);
    last_step_ = integrator_->end() - begin;
    ++steps_;
    if (!check(integrator_->state())) return false;
    double end = integrator_->end();
    bool stop = false;
    if (watches()) {
      if (alone()) {
        std::vector<LimitEvent>& events = runs_.front().outcome.events;
        const std::size_t first = events.size();
        runs_.front().limits->after(*integrator_, events);
        stop = stops() && events.size() > first;
        if (stop) {
          events.resize(first + 1);
          end = events[first].t;
        }
      } else if (stops()) {
        for (Single& run : runs_)
          if (run.limits->crossed(*integrator_)) run.left = true;
      }
    }
    // A row at the end of a stretch belongs to the next one, unless there is none.
    while (system_.audited() && next_output_ <= end && !(near(limit) && end == limit)) {
      integrator_->at(next_output_, row_state_);
      row(row_state_);
    }
    end_ = end;
    if (end == integrator_->end())
      x_ = integrator_->state();
    else
      integrator_->at(end, x_);
    if (stop) {
      stopped(runs_.front(), runs_.front().outcome.events.back());
      return false;
    }
    if (slips && end < limit) settle(end);
    if (options_.go_on && !options_.go_on(end)) {
      for (Single& run : runs_) close(run, Ending::interrupted, cat("interrupted at t = ", rounded(end), " s"));
      return false;
    }
    return true;
  }

  /// Joints come to rest or break away at t: forces jump, so that a stretch ends.
  void settle(double t) {
    before_break(t);
    slips_->settle(t, x_);
    after_break(t);
    integrator_->restart(t, x_);
  }

  static void stopped(Single& run, const LimitEvent& event) {
    close(run, Ending::stopped,
          cat("joint ", in_quotes(event.joint), event.t == 0 ? " starts beyond its " : " reached its ", event.upper ? "upper" : "lower", " limit ",
              rounded(event.limit), event.t == 0 ? std::string() : cat(" at t = ", rounded(event.t), " s")));
  }

  /// False when no run is left.
  bool check(const std::vector<double>& x) {
    const std::size_t lanes = system_.lanes(), count = (system_.positions() + system_.coordinates()) * lanes;
    bool good = true;
    for (std::size_t k = 0; k < count; ++k) good = good & (std::abs(x[k]) < kRunaway);  // false for NaN
    if (good) return true;
    for (std::size_t k = 0; k < count; ++k) {
      if (std::abs(x[k]) < kRunaway || k % lanes >= runs_.size()) continue;
      if (alone()) runaway(x[k], k);
      runs_[k % lanes].left = true;
    }
    return std::any_of(runs_.begin(), runs_.end(), [](const Single& run) { return !run.left; });
  }

  [[noreturn]] void runaway(double x, std::size_t i) const {
    const std::size_t nq = system_.positions();
    const Model& model = scenario_.model;
    const std::string what = i >= nq && system_.own_speeds() ? cat("generalized speed u", i - nq + 1)
                                                             : cat(i < nq ? "position" : "speed", " of joint ",
                                                                   in_quotes(i < nq ? model.position_names()[i] : model.velocity_names()[i - nq]));
    throw Diverged(cat("the run diverged: at t = ", rounded(integrator_->end()), " s the ", what,
                       std::isfinite(x) ? cat(" is ", rounded(x)) : std::string(" is no longer finite"), "; make the step smaller or check the law's gains"));
  }

  /// The error when a joint angle has grown gradually beyond kLargestAngle. Empty for anything else: unbounded growth comes in
  /// jumps. The step that failed may have been longer than the one before.
  std::string turned_too_far() {
    constexpr double kLonger = 10, kLeap = 0.01 * kLargestAngle;
    if (!alone()) return {};
    const std::size_t n = scenario_.model.nv_tree(), base = base_nv(scenario_.model.base());
    const std::vector<std::size_t> places = scenario_.model.places();
    const std::vector<double> rates = turning_rates(make_plan(scenario_.model));
    const double* v = system_.joint_rates(x_.data());
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t at = i < base ? i : places[i - base];  // numbers of a free base have no rate there
      const double angle = rates[at] * std::abs(x_[at]), way = rates[at] * std::abs(v[i]) * std::max(last_step_, scenario_.integrator.step);
      if (angle + kLonger * way < kLargestAngle || way > kLeap) continue;
      return cat("joint ", in_quotes(scenario_.model.position_names()[at]), " has turned too far: after t = ", rounded(end_), " s, at ", rounded(x_[at]),
                 " rad, it leaves the range of ", rounded(kLargestAngle),
                 " rad in which sine and cosine are exact; end the run before, or begin it nearer to 0");
    }
    return {};
  }

  const Scenario& scenario_;  // of the first run
  const RunOptions& options_;
  const TogetherOptions& together_;
  System system_;
  std::vector<Single> runs_;
  Multiples outputs_, samples_;
  static constexpr int kMostBetween = 20000;
  std::uint64_t sample_ = 0;  // that comes next
  int between_ = 0;           // steps since the last
  std::unique_ptr<Integrator> integrator_;
  std::optional<StickSlip> slips_;  // of a run alone
  std::vector<double> x_, row_state_;
  long next_ = 0, steps_ = 0;
  double next_output_ = 0, end_ = 0, last_step_ = 0;
  int segment_ = -1;
};

}  // namespace

Outcome simulate(const Scenario& scenario, const RunOptions& options) { return *Run({&scenario}, 1, options).run().front(); }

}  // namespace ULNA_API
}  // namespace ulna

namespace ulna::internal::sim {

std::vector<std::optional<Outcome>> simulate_together(const std::vector<const Scenario*>& runs, std::size_t lanes, const RunOptions& options,
                                                      const TogetherOptions& together) {
  return Run(runs, lanes, options, together).run();
}

}  // namespace ulna::internal::sim
