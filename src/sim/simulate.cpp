#include <ulna/sim/simulate.hpp>

#include <algorithm>
#include <cmath>

#include "model/text.hpp"
#include "sim/audit.hpp"
#include "sim/limits.hpp"
#include "sim/system.hpp"

namespace ulna::sim {

std::string_view to_string(Ending ending) {
  switch (ending) {
    case Ending::done: return "done";
    case Ending::stopped: return "stopped";
    case Ending::diverged: return "diverged";
    case Ending::interrupted: break;
  }
  return "interrupted";
}

namespace {

constexpr double kRunaway = 1e9;  // rad/s, m/s, rad, m: sines of such numbers mean nothing

class Run {
 public:
  Run(const Scenario& scenario, const RunOptions& options)
      : scenario_(scenario), options_(options), system_(scenario), auditor_(scenario, system_), limits_(scenario.model), outputs_(scenario.output_step) {
    const Momenta momenta = system_.momenta();
    IntegratorSettings settings = scenario.integrator;
    if (system_.prescribed()) settings.kind = IntegratorKind::dormand_prince_5;  // only the audit's integrals are left to integrate
    integrator_ = make_integrator(
        settings, system_.size(), [this](double t, const double* x, double* dxdt) { system_.derivative(t, x, dxdt); }, &momenta);
  }

  Outcome run() {
    outcome_.trajectory.size = system_.coordinates();
    x_ = system_.initial();
    try {
      go();
    } catch (const Diverged& problem) {
      outcome_.ending = Ending::diverged;
      outcome_.message = problem.what();
    }
    const std::size_t n = system_.coordinates();
    outcome_.q.assign(x_.begin(), x_.begin() + static_cast<std::ptrdiff_t>(n));
    outcome_.v.assign(x_.begin() + static_cast<std::ptrdiff_t>(n), x_.begin() + static_cast<std::ptrdiff_t>(2 * n));
    outcome_.audit = auditor_.finish(x_.data(), outcome_.trajectory, steps_);
    return std::move(outcome_);
  }

 private:
  bool watches() const { return scenario_.limits != LimitPolicy::ignore; }

  void go() {
    const std::vector<double>& breaks = system_.breaks();
    if (watches()) limits_.start(x_.data(), x_.data() + system_.coordinates(), outcome_.events);
    if (scenario_.limits == LimitPolicy::stop && !outcome_.events.empty()) {
      stopped(outcome_.events.front());
      return;
    }
    for (std::size_t k = 0; k + 1 < breaks.size(); ++k) {
      auditor_.before_break(x_.data());
      system_.enter(breaks[k], breaks[k + 1]);
      auditor_.after_break(x_.data());
      segment_ = static_cast<int>(k);
      integrator_->restart(breaks[k], x_);
      if (near(breaks[k])) row(x_);
      while (integrator_->end() < breaks[k + 1])
        if (!step(breaks[k + 1])) return;
    }
    if (near(scenario_.duration)) row(x_);
  }

  /// The next output is due at t.
  bool near(double t) const { return std::abs(outputs_(next_) - t) <= 1e-9 * scenario_.output_step; }

  void row(const std::vector<double>& x) {
    auditor_.row(outputs_(next_), x.data(), segment_, outcome_.trajectory);
    ++next_;
  }

  /// False when the run is to end here.
  bool step(double limit) {
    integrator_->step(limit);
    ++steps_;
    check(integrator_->state());
    double end = integrator_->end();
    bool stop = false;
    if (watches()) {
      const std::size_t first = outcome_.events.size();
      limits_.after(*integrator_, outcome_.events);
      stop = scenario_.limits == LimitPolicy::stop && outcome_.events.size() > first;
      if (stop) {
        outcome_.events.resize(first + 1);
        end = outcome_.events[first].t;
      }
    }
    // A row at the end of a stretch belongs to the next one, unless there is none.
    std::vector<double>& x = row_state_;
    while (outputs_(next_) <= end && !(near(limit) && end == limit)) {
      integrator_->at(outputs_(next_), x);
      row(x);
    }
    outcome_.end = end;
    integrator_->at(end, x_);
    if (stop) {
      stopped(outcome_.events.back());
      return false;
    }
    if (options_.go_on && !options_.go_on(end)) {
      outcome_.ending = Ending::interrupted;
      outcome_.message = cat("interrupted at t = ", rounded(end), " s");
      return false;
    }
    return true;
  }

  void stopped(const LimitEvent& event) {
    outcome_.ending = Ending::stopped;
    outcome_.message = cat("joint ", in_quotes(event.joint), event.t == 0 ? " starts beyond its " : " reached its ", event.upper ? "upper" : "lower", " limit ",
                           rounded(event.limit), event.t == 0 ? std::string() : cat(" at t = ", rounded(event.t), " s"));
  }

  void check(const std::vector<double>& x) const {
    const std::size_t n = system_.coordinates();
    for (std::size_t i = 0; i < 2 * n; ++i) {
      if (std::abs(x[i]) < kRunaway) continue;  // false for NaN
      const std::string name = scenario_.model.coordinate_names()[i % n];
      throw Diverged(cat("the run diverged: at t = ", rounded(integrator_->end()), " s the ", i < n ? "position" : "speed", " of joint ", in_quotes(name),
                         std::isfinite(x[i]) ? cat(" is ", rounded(x[i])) : std::string(" is no longer finite"),
                         "; make the step smaller or check the law's gains"));
    }
  }

  const Scenario& scenario_;
  const RunOptions& options_;
  System system_;
  Auditor auditor_;
  LimitWatch limits_;
  Multiples outputs_;
  std::unique_ptr<Integrator> integrator_;
  std::vector<double> x_, row_state_;
  Outcome outcome_;
  long next_ = 0, steps_ = 0;
  int segment_ = 0;
};

}  // namespace

Outcome simulate(const Scenario& scenario, const RunOptions& options) { return Run(scenario, options).run(); }

}  // namespace ulna::sim
