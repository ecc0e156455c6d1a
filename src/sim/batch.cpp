#include <ulna/sim/batch.hpp>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <mutex>
#include <stdexcept>
#include <thread>

#include <ulna/model/reduce.hpp>

#include "model/text.hpp"
#include "sim/number_table.hpp"
#include "source/source_text.hpp"

namespace ulna::sim {

namespace {

/// Replaces one number. Empty when it could; else why not.
std::string replace(Scenario& s, const std::string& name, double value) {
  const std::size_t point = name.find('.');
  const std::string head = name.substr(0, point), tail = point == std::string::npos ? std::string() : name.substr(point + 1);
  if (head == "q" || head == "v" || head == "tau") {
    const std::vector<std::string> joints = s.model.coordinate_names();
    const auto found = std::find(joints.begin(), joints.end(), tail);
    if (found == joints.end()) return cat("robot ", in_quotes(s.model.name()), " has no free joint ", in_quotes(tail), did_you_mean(tail, joints));
    if (head == "tau" && s.law.kind != LawKind::constant) return "torques can be replaced where the law is constant only";
    (head == "q" ? s.q : head == "v" ? s.v : s.law.tau)[static_cast<std::size_t>(found - joints.begin())] = value;
    return {};
  }
  if (name == "duration") return s.duration = value, std::string();
  if (name == "step") return s.integrator.step = value, std::string();
  if (name == "tolerance") return s.integrator.tolerance = value, std::string();
  if (name == "kp" || name == "kd" || name == "ki") {
    std::vector<double>& gains = name == "kp" ? s.law.kp : name == "kd" ? s.law.kd : s.law.ki;
    if (gains.empty()) return cat("the law ", to_string(s.law.kind), " has no ", name);
    std::fill(gains.begin(), gains.end(), value);
    return {};
  }
  if (name == "payload.mass") {
    if (s.payloads.empty()) return "the scenario has no payload";
    s.payloads.front().mass = value;
    return {};
  }
  if (head == "gravity" && (tail == "x" || tail == "y" || tail == "z")) {
    Vec3<double> g = s.model.gravity();
    (tail == "x" ? g.x : tail == "y" ? g.y : g.z) = value;
    s.model = with_gravity(s.model, g);
    return {};
  }
  std::vector<std::string> known{"duration", "step", "tolerance", "kp", "kd", "ki", "payload.mass", "gravity.x", "gravity.y", "gravity.z"};
  for (const std::string& joint : s.model.coordinate_names())
    for (const char* part : {"q.", "v.", "tau."}) known.push_back(part + joint);
  const std::string hint = did_you_mean(name, known);
  return cat("a scenario has nothing of this name",
             hint.empty() ? "; columns are q.JOINT, v.JOINT, tau.JOINT, duration, step, tolerance, kp, kd, ki, payload.mass, gravity.x" : hint);
}

std::optional<Overrides> checked(NumberTable table, const Scenario& scenario, Diagnostics& diagnostics) {
  if (diagnostics.has_errors()) return {};
  Scenario scratch = scenario;
  for (const std::string& name : table.names) {
    if (too_many_problems(1, diagnostics)) break;
    if (const std::string reason = replace(scratch, name, 1); !reason.empty())
      diagnostics.error(1, cat("column ", in_quotes(name)), reason, "correct or remove the column");
  }
  if (diagnostics.has_errors()) return {};
  return Overrides{std::move(table.names), std::move(table.rows), std::move(table.lines)};
}

BatchRun one(const Scenario& scenario, const Overrides& overrides, std::size_t row, const RunOptions& options) {
  BatchRun run;
  try {
    const Outcome outcome = simulate(with_overrides(scenario, overrides.names, overrides.rows[row]), options);
    const Trajectory& r = outcome.trajectory;
    run = {outcome.ending,           outcome.message, outcome.end, outcome.q, outcome.v, std::vector<double>(r.size, 0.0), outcome.audit.energy_drift,
           outcome.audit.evaluations};
    for (std::size_t k = 0; k < r.tau.size(); ++k) run.peak_tau[k % r.size] = std::max(run.peak_tau[k % r.size], std::abs(r.tau[k]));
  } catch (const std::exception& problem) {
    run.ending = Ending::diverged;
    run.message = problem.what();
  }
  return run;
}

}  // namespace

std::optional<Overrides> parse_overrides(std::string_view text, const Scenario& scenario, Diagnostics& diagnostics) {
  return checked(read_number_table(text, diagnostics), scenario, diagnostics);
}
std::optional<Overrides> load_overrides(const std::string& path, const Scenario& scenario, Diagnostics& diagnostics, const ReadLimits& limits) {
  return checked(load_number_table(path, diagnostics, limits), scenario, diagnostics);
}

Scenario with_overrides(const Scenario& scenario, const std::vector<std::string>& names, const std::vector<double>& values) {
  if (names.size() != values.size()) throw std::invalid_argument(cat("there are ", names.size(), " names, but ", values.size(), " values"));
  Scenario changed = scenario;
  for (std::size_t i = 0; i < names.size(); ++i)
    if (const std::string reason = replace(changed, names[i], values[i]); !reason.empty()) throw std::invalid_argument(cat(in_quotes(names[i]), ": ", reason));
  return changed;
}

std::vector<BatchRun> simulate_batch(const Scenario& given, const Overrides& overrides, unsigned threads, const std::function<bool(std::size_t)>& go_on) {
  Scenario scenario = given;
  if (scenario.formulation == "ulna" && scenario.dynamics == nullptr)
    scenario.dynamics = std::make_shared<const Dynamics>(scenario.model, DynamicsOptions{.rotor = scenario.rotor, .threads = 1});
  const std::size_t count = overrides.rows.size();
  std::vector<BatchRun> runs(count);
  for (BatchRun& run : runs) run.ending = Ending::interrupted;
  if (threads == 0) threads = std::max(1u, std::thread::hardware_concurrency());
  std::atomic<std::size_t> next{0};
  std::atomic<bool> stop{false};
  std::mutex telling;
  std::size_t done = 0;
  // Asked after every run and every thousand steps of each, so that a batch of long runs can be ended, too.
  const auto ask = [&](std::size_t more) {
    const std::lock_guard<std::mutex> lock(telling);
    done += more;
    if (go_on && !go_on(done)) stop = true;
  };
  const auto work = [&] {
    int steps = 0;
    const RunOptions options{[&](double) {
      if (++steps % 1000 == 0) ask(0);
      return !stop;
    }};
    for (std::size_t k = next++; k < count && !stop; k = next++) {
      runs[k] = one(scenario, overrides, k, options);
      ask(1);
    }
  };
  std::vector<std::thread> crew;
  for (std::size_t k = 1; k < std::min<std::size_t>(threads, count); ++k) crew.emplace_back(work);
  work();
  for (std::thread& thread : crew) thread.join();
  return runs;
}

Spread spread_of(const std::vector<double>& values) {
  if (values.empty()) return {};
  Spread s{values.front(), 0, values.front(), 0};
  for (const double x : values) {
    s.least = std::min(s.least, x);
    s.most = std::max(s.most, x);
    s.mean += x / static_cast<double>(values.size());
  }
  for (const double x : values) s.deviation += (x - s.mean) * (x - s.mean);
  s.deviation = values.size() > 1 ? std::sqrt(s.deviation / static_cast<double>(values.size() - 1)) : 0;
  return s;
}

}  // namespace ulna::sim
