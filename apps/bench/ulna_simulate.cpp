#include "ulna_simulate.hpp"

#include <algorithm>

#include <ulna/sim/simulate.hpp>

namespace ulna::bench {

namespace {

using sim::Scenario;

Scenario scenario_of(const Model& model) {
  Scenario s(model);
  s.duration = kSimulatedSteps * kSimulatedStep;
  s.integrator = {sim::IntegratorKind::rk4, kSimulatedStep, 1e-9};
  s.limits = sim::LimitPolicy::ignore;  // MuJoCo is not asked for them either
  s.law.kind = sim::LawKind::constant;
  s.law.tau.assign(s.q.size(), 0.0);
  s.dynamics = std::make_shared<const Dynamics>(model, DynamicsOptions{.threads = 1});
  return s;
}

void put(const std::vector<double>& q, const std::vector<double>& v, double* out) { std::copy(v.begin(), v.end(), std::copy(q.begin(), q.end(), out)); }

std::function<void(const Span<double>&)> single_runs(const Inputs& inputs) {
  return [s = scenario_of(inputs.model), states = inputs.states](const Span<double>& span) mutable {
    const auto take = [&](const std::vector<double>& from, std::size_t k, std::vector<double>& to) {
      std::copy_n(from.data() + k * states.n, states.n, to.data());
    };
    double* out = span.out;
    for (std::size_t k = 0; k < span.count; ++k, out += span.stride) {
      take(states.q, k, s.q);
      take(states.v, k, s.v);
      take(states.tau, k, s.law.tau);
      const sim::Outcome run = sim::simulate(s);
      put(run.q, run.v, out);
    }
  };
}

std::function<void(const Span<double>&)> batches(const Inputs& inputs, unsigned threads) {
  sim::Overrides all;
  for (const char* part : {"q.", "v.", "tau."})
    for (const std::string& joint : inputs.model.coordinate_names()) all.names.push_back(part + joint);
  return [s = scenario_of(inputs.model), states = inputs.states, all, threads](const Span<double>& span) mutable {
    if (all.rows.size() != span.count) {
      all.rows.clear();
      for (std::size_t k = 0; k < span.count; ++k) {
        all.rows.emplace_back();
        for (const std::vector<double>* part : {&states.q, &states.v, &states.tau})
          all.rows.back().insert(all.rows.back().end(), part->data() + k * states.n, part->data() + (k + 1) * states.n);
      }
    }
    const std::vector<sim::BatchRun> runs = sim::simulate_batch(s, all, threads);
    for (std::size_t k = 0; k < span.count; ++k) put(runs[k].q, runs[k].v, span.out + k * span.stride);
  };
}

}  // namespace

void add_simulations(Library& library, const Inputs& inputs) {
  const auto add = [&](bool batch, std::size_t threads, std::function<void(const Span<double>&)> sweep) {
    Row row{"rk4", Job::simulate, batch, threads};
    row.sweep = std::move(sweep);
    library.rows.push_back(std::move(row));
  };
  add(false, 1, single_runs(inputs));
  add(true, 1, batches(inputs, 1));
  add(true, 2, batches(inputs, 2));
}

}  // namespace ulna::bench
