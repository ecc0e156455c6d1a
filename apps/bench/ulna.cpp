// Ulna: the machine code made at load time, in its three ways of being called, and the templates that serve where no code can be made.
#include <algorithm>
#include <chrono>
#include <limits>
#include <span>
#include <sstream>

#include <ulna/robot/dynamics.hpp>
#include <ulna/source/load.hpp>
#include <ulna/version.hpp>

#include "aligned.hpp"
#include "subject.hpp"
#include "ulna_simulate.hpp"

namespace ulna::bench {

namespace {

/// What a row reads stays alive with it.
template <class T>
struct Robot {
  DynamicsOf<T> dynamics;
  States<T> states;
};

Quantity quantity_of(Job job) {
  constexpr Quantity kQuantities[] = {
      Quantity::inverse, Quantity::mass, Quantity::forward, Quantity::forward, Quantity::inverse_derivatives, Quantity::forward_derivatives};
  return kQuantities[static_cast<std::size_t>(job)];
}
bool is_driven(Job job) { return job == Job::forward || job == Job::forward_derivatives; }  // takes torques, not accelerations

template <class T>
std::function<void(const Span<T>&)> single_calls(std::shared_ptr<const Robot<T>> robot, Job job) {
  return [robot, job](const Span<T>& span) {
    const DynamicsOf<T>& d = robot->dynamics;
    const States<T>& s = robot->states;
    T* out = span.out;
    for (std::size_t k = 0; k < span.count; ++k, out += span.stride) {
      const std::size_t at = k * s.n, at_q = k * s.nq;
      d.compute(quantity_of(job), s.q.data() + at_q, s.v.data() + at, (is_driven(job) ? s.tau : s.a).data() + at, out);
    }
  };
}

template <class T>
std::function<void(const Span<T>&)> batches(std::shared_ptr<const Robot<T>> robot, Job job) {
  return [robot, job](const Span<T>& span) {
    const DynamicsOf<T>& d = robot->dynamics;
    const States<T>& s = robot->states;
    const auto view = [&](const std::vector<T>& x) { return MatrixView<const T>(x.data(), &x == &s.q ? s.nq : s.n, span.count); };
    const MatrixView<const T> in[] = {view(s.q), view(s.v), view(is_driven(job) ? s.tau : s.a)};
    d.compute_batch(quantity_of(job), std::span(in, job == Job::mass ? 1 : 3), MatrixView<T>(span.out, size_of(job, s.n), span.count));
  };
}

template <class T>
std::function<void(const Span<T>&)> lanes(std::shared_ptr<const Robot<T>> robot, Job job) {
  const std::size_t width = robot->dynamics.lanes();
  const States<T>& s = robot->states;
  return [robot, job, width, q = blocked(s.q, s.nq, width), v = blocked(s.v, s.n, width),
          last = blocked(is_driven(job) ? s.tau : s.a, s.n, width)](const Span<T>& span) {
    robot->dynamics.compute_lanes(quantity_of(job), {q.data(), v.data(), last.data()}, span.out, span.count / width);
  };
}

template <class T>
void add_path(Library& library, const char* path, const Inputs& inputs, InstructionSet most) {
  DynamicsOptions options;
  options.most = most;
  options.threads = 1;
  for (const Quantity more : {Quantity::inverse_derivatives, Quantity::forward_derivatives}) options.quantities.push_back(more);
  const auto robot = std::make_shared<const Robot<T>>(Robot<T>{DynamicsOf<T>(inputs.model, options), cast<T>(inputs.states)});
  const auto pair = std::make_shared<const Robot<T>>(Robot<T>{robot->dynamics.with_threads(2), robot->states});
  if (most != InstructionSet::none && robot->dynamics.instruction_set() == InstructionSet::none) return;
  for (const Job job : {Job::inverse, Job::mass, Job::forward, Job::derivatives, Job::forward_derivatives}) {
    const auto add = [&](const std::string& by, bool batch, std::size_t threads, std::size_t width, auto sweep) {
      library.rows.push_back({by, job, batch, threads, width});
      library.rows.back().sweep_of<T>() = std::move(sweep);
    };
    add(path, false, 1, 1, single_calls<T>(robot, job));
    add(path, true, 1, 1, batches<T>(robot, job));
    add(path, true, 2, 1, batches<T>(pair, job));
    if (most != InstructionSet::none) add(std::string(path) + "-lanes", true, 1, robot->dynamics.lanes(), lanes<T>(robot, job));
  }
  if (most == InstructionSet::none) return;
  for (const KernelReport& k : robot->dynamics.kernels()) {
    std::ostringstream text;
    const char* task = k.quantity == Quantity::inverse_derivatives   ? name_of(Job::derivatives)
                       : k.quantity == Quantity::forward_derivatives ? name_of(Job::forward_derivatives)
                                                                     : to_string(k.quantity).data();
    text << task << " " << (sizeof(T) == sizeof(double) ? "double" : "float") << " " << k.lanes << " " << k.counts.mul << " " << k.counts.add << " "
         << k.counts.div << " " << k.counts.sincos << " " << k.fused << " " << k.instructions << " " << k.spills << " " << k.bytes << " " << k.seconds;
    library.facts.emplace_back("kernel", text.str());
  }
  if (sizeof(T) == sizeof(double)) library.facts.emplace_back("memory", std::to_string(robot->dynamics.memory()));
}

/// From the text of the model to the first torque: reading, checking, planning, searching, compiling, calling. The smallest of a few, and the first of all.
void add_latency(Library& library, const Inputs& inputs) {
  using Clock = std::chrono::steady_clock;
  constexpr int kTimes = 10;
  double first = 0, least = std::numeric_limits<double>::infinity();
  std::vector<double> tau(inputs.states.n);
  LoadOptions options;
  options.unchecked = true;
  for (int k = 0; k < kTimes; ++k) {
    const Clock::time_point start = Clock::now();
    const Dynamics dynamics(parse(inputs.original, "robot.urdf", options));
    dynamics.inverse(inputs.states.q.data(), inputs.states.v.data(), inputs.states.a.data(), tau.data());
    const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
    if (k == 0) first = seconds;
    least = std::min(least, seconds);
  }
  std::ostringstream text;
  text << least << " " << first;
  library.facts.emplace_back("latency", text.str());
}

Library make(const Inputs& inputs) {
  Library library{"ulna", ULNA_VERSION, ULNA_BENCH_COMPILER, ULNA_BENCH_FLAGS};
  if (!inputs.single_calls) add_latency(library, inputs);
  const InstructionSet best = best_instruction_set();
  library.facts.emplace_back("instruction_set", std::string(to_string(best)));
  if (best == InstructionSet::none) library.notes.emplace_back("machine code may not be made here (another processor, a hardened system, or ULNA_JIT=off)");
  add_path<double>(library, "kernel", inputs, best);
  if (!inputs.single_calls) add_path<float>(library, "kernel", inputs, best);
  add_path<double>(library, "template", inputs, InstructionSet::none);
  if (!inputs.single_calls) add_path<float>(library, "template", inputs, InstructionSet::none);
  if (inputs.model.base() == RootJoint::fixed) add_simulations(library, inputs);
  return library;
}

}  // namespace

}  // namespace ulna::bench

int main(int argc, char** argv) { return ulna::bench::serve(argc, argv, ulna::bench::make); }
