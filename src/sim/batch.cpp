#include <ulna/sim/simulate.hpp>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <map>
#include <mutex>
#include <new>
#include <stdexcept>
#include <thread>

#include <ulna/formulation/formulation.hpp>

#include "sim/system.hpp"
#include "text/crew.hpp"
#include "text/message.hpp"

namespace ulna {
namespace sim ULNA_API {

using namespace internal;
using namespace internal::sim;

namespace {

/// Runs that go in step, or one alone.
struct Job {
  std::vector<std::size_t> rows;
  std::string why_alone;
};

/// Columns in which runs that go in step may differ: the others change the times of steps, or numbers that the machine code has for all lanes. (The
/// tolerance is not used by integrators of fixed step.)
bool may_differ(const std::string& column) {
  const std::string head = column.substr(0, column.find('.'));
  return head == "q" || head == "v" || head == "tau" || head == "kp" || head == "kd" || head == "ki" || head == "law" || head == "tolerance";
}

std::vector<Job> jobs_of(const Scenario& scenario, const Overrides& overrides) {
  std::vector<Job> jobs;
  const std::string reason =
      scenario.dynamics == nullptr || scenario.dynamics->instruction_set() != InstructionSet::none ? why_alone(scenario) : "no machine code can be made here";
  const std::size_t lanes = reason.empty() ? scenario.dynamics->lanes() : 1;
  std::map<std::vector<double>, std::size_t> open;  // where runs of these numbers still find room
  for (std::size_t row = 0; row < overrides.rows.size(); ++row) {
    std::vector<double> key;
    for (std::size_t i = 0; i < overrides.names.size(); ++i)
      if (!may_differ(overrides.names[i])) key.push_back(overrides.rows[row][i]);
    const auto found = open.find(key);
    if (lanes > 1 && found != open.end() && jobs[found->second].rows.size() < lanes) {
      jobs[found->second].rows.push_back(row);
      continue;
    }
    open[key] = jobs.size();
    jobs.push_back({{row}, reason});
  }
  for (Job& job : jobs)
    if (job.rows.size() == 1 && job.why_alone.empty()) job.why_alone = "no other run is left that it could go in step with";
  return jobs;
}

BatchRun summary(const Scenario& scenario, const Outcome& outcome) {
  const Trajectory& r = outcome.trajectory;
  const Audit& audit = outcome.audit;
  BatchRun run;
  run.ending = outcome.ending;
  run.message = outcome.message;
  run.end = outcome.end;
  run.q = outcome.q;
  run.v = outcome.v;
  run.joint_v = outcome.joint_v;
  run.peak_tau.assign(r.size, 0.0);
  for (std::size_t k = 0; k < r.tau.size(); ++k) run.peak_tau[k % r.size] = std::max(run.peak_tau[k % r.size], std::abs(r.tau[k]));
  run.tracking = tracking_of(scenario, r);
  run.energy_drift = audit.energy_drift;
  run.smallest_pivot = audit.smallest_pivot;
  run.closed = audit.closed;
  run.evaluations = audit.evaluations;
  return run;
}

BatchRun alone(const Scenario& scenario, const Overrides& overrides, std::size_t row, const std::string& why, const RunOptions& options) {
  BatchRun run;
  try {
    const Scenario own = with_overrides(scenario, overrides.names, overrides.rows[row]);
    run = summary(own, simulate(own, options));
  } catch (const std::bad_alloc&) {
    throw;  // not the run's fault
  } catch (const std::exception& problem) {
    run.ending = Ending::diverged;
    run.message = problem.what();
  }
  run.why_alone = why;
  return run;
}

/// Never throws for a run that cannot begin.
void make(const Scenario& scenario, const Overrides& overrides, const Job& job, const RunOptions& options, std::vector<BatchRun>& runs) {
  std::vector<std::optional<Outcome>> outcomes(job.rows.size());
  std::vector<Scenario> own;
  std::string why = job.why_alone;
  if (job.rows.size() > 1) try {
      std::vector<const Scenario*> lanes;
      for (const std::size_t row : job.rows) own.push_back(with_overrides(scenario, overrides.names, overrides.rows[row]));
      for (const Scenario& run : own) lanes.push_back(&run);
      why = "it diverged or came to a limit";
      outcomes = simulate_together(lanes, scenario.dynamics->lanes(), options);
    } catch (const std::bad_alloc&) {
      throw;
    } catch (const std::exception&) {
      why = "another run of its group could not start";  // it reports which one and why when it is made alone
    }
  for (std::size_t k = 0; k < job.rows.size(); ++k) {
    BatchRun& run = runs[job.rows[k]];
    run = outcomes[k] ? summary(own[k], *outcomes[k]) : alone(scenario, overrides, job.rows[k], why, options);
    run.together = outcomes[k].has_value();
  }
}

}  // namespace

std::vector<BatchRun> simulate_batch(const Scenario& given, const Overrides& overrides, unsigned threads, const std::function<bool(std::size_t)>& go_on) {
  Scenario scenario = given;
  if (scenario.formulation == production_path().id && scenario.dynamics == nullptr)
    scenario.dynamics = std::make_shared<const Dynamics>(scenario.model, DynamicsOptions{.rotor = scenario.rotor, .threads = 1});
  if (scenario.limits == LimitPolicy::report) scenario.limits = LimitPolicy::ignore;            // there is nowhere to report them
  with_overrides(scenario, overrides.names, std::vector<double>(overrides.names.size(), 1.0));  // the names, once
  for (const std::vector<double>& row : overrides.rows)
    if (row.size() != overrides.names.size()) throw std::invalid_argument(cat("there are ", overrides.names.size(), " names, but ", row.size(), " values"));
  std::vector<BatchRun> runs(overrides.rows.size());
  for (BatchRun& run : runs) run.ending = Ending::interrupted;
  const std::vector<Job> jobs = jobs_of(scenario, overrides);
  if (threads == 0) threads = std::max(1u, std::thread::hardware_concurrency());
  std::atomic<std::size_t> next{0};
  std::atomic<bool> stop{false};
  std::mutex reporting;
  std::size_t done = 0;
  // Called after every run and every thousand steps of each, so that a batch of long runs can be ended, too.
  const auto ask = [&](std::size_t more) {
    const std::lock_guard<std::mutex> lock(reporting);
    done += more;
    if (go_on && !go_on(done)) stop = true;
  };
  const auto work = [&] {
    int steps = 0;
    const RunOptions options{[&](double) {
      if (++steps % 1000 == 0) ask(0);
      return !stop;
    }};
    for (std::size_t k = next++; k < jobs.size() && !stop; k = next++) {
      make(scenario, overrides, jobs[k], options, runs);
      ask(jobs[k].rows.size());
    }
  };
  run_crew(std::min<std::size_t>(threads, jobs.size()), work, [&] { stop = true; });
  return runs;
}

}  // namespace ULNA_API
}  // namespace ulna
