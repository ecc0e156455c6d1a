// A short timing of our own, for when `ulna bench` and its programs are not available.
#include <algorithm>
#include <chrono>
#include <limits>

#include <ulna/robot/dynamics.hpp>

#include "study/data.hpp"

namespace ulna::internal {

namespace {

using Clock = std::chrono::steady_clock;
constexpr std::size_t kTimedStates = 256;

struct TimedStates {
  std::size_t nq, n;
  std::vector<double> q, v, a, tau;
};

/// The smallest of many repetitions, per state [ns].
template <class Sweep>
double smallest(double seconds, const Sweep& sweep) {
  double least = std::numeric_limits<double>::infinity();
  const Clock::time_point end = Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
  do {
    const Clock::time_point start = Clock::now();
    sweep();
    least = std::min(least, std::chrono::duration<double, std::nano>(Clock::now() - start).count() / static_cast<double>(kTimedStates));
  } while (Clock::now() < end);
  return least;
}

void time_one(StudyTimings& out, const Dynamics& d, const char* path, const TimedStates& s, double seconds) {
  std::vector<double> result(s.n * s.n);
  const auto add = [&](const char* task, auto&& call) {
    const double ns = smallest(seconds, [&] {
      for (std::size_t k = 0; k < kTimedStates; ++k) call(k * s.nq, k * s.n);
    });
    out.rows.push_back({"ulna", path, task, "one", "double", 1, ns});
  };
  add("inverse", [&](std::size_t at_q, std::size_t at) { d.inverse(&s.q[at_q], &s.v[at], &s.a[at], result.data()); });
  add("mass", [&](std::size_t at_q, std::size_t) { d.mass(&s.q[at_q], result.data()); });
  add("forward", [&](std::size_t at_q, std::size_t at) { d.forward(&s.q[at_q], &s.v[at], &s.tau[at], result.data()); });
}

}  // namespace

StudyTimings own_timing(const Analysis& robot, double seconds) {
  const Model& model = robot.model();
  StudyTimings out;
  DynamicsOptions options;
  options.threads = 1;
  const Dynamics& compiled = robot.dynamics(options);
  options.most = InstructionSet::none;
  const Dynamics& templates = robot.dynamics(options);
  TimedStates s{model.nq(), model.nv(), {}, {}, {}, {}};
  StateSampler sampler(model, 1);
  std::vector<double> q, v, a;
  for (std::size_t k = 0; k < kTimedStates; ++k) {
    sampler.next(q, v, a);
    s.q.insert(s.q.end(), q.begin(), q.end());
    s.v.insert(s.v.end(), v.begin(), v.end());
    s.a.insert(s.a.end(), a.begin(), a.end());
  }
  s.tau.resize(s.v.size());
  for (std::size_t k = 0; k < kTimedStates; ++k) templates.inverse(&s.q[k * s.nq], &s.v[k * s.n], &s.a[k * s.n], &s.tau[k * s.n]);
  if (compiled.instruction_set() != InstructionSet::none)
    time_one(out, compiled, "kernel", s, seconds);
  else
    out.notes.emplace_back("machine code may not be made here, so the templates were timed alone");
  time_one(out, templates, "template", s, seconds);
  return out;
}

}  // namespace ulna::internal
