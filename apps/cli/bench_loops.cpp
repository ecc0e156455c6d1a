#include "bench_loops.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <functional>
#include <limits>
#include <numbers>
#include <sstream>

#include <ulna/loop/mechanism.hpp>
#include <ulna/robot/dynamics.hpp>
#include <ulna/version.hpp>

#include "arguments.hpp"
#include "bench_child.hpp"
#include "beside.hpp"
#include "text/cat.hpp"
#include "text/names.hpp"
#include "text/quote.hpp"
#include "verify/multipliers.hpp"

namespace ulna::cli {

namespace {

constexpr std::size_t kStates = 256;      // of the path, which ends where it begins
constexpr double kPeriod = 1e-3;          // from one state to the next [s]
constexpr double kTolerance = 1e-9;       // of the largest torque, or acceleration, that enters
constexpr std::size_t kComparedEach = 8;  // state
constexpr int kSteps = 2;                 // of Newton's method
constexpr double kClosed = 3e-5;          // before the last of them, which squares it [m, or rad]

/// Positions of all joints, closed; speeds, accelerations and torques of the independent ones.
struct Path {
  std::vector<double> q, u, u_dot, tau, tau_size, forward;
  double amplitude = 0;
};

/// Each independent joint swings about the reference with a phase of its own. None where no path of some size can be closed.
std::optional<Path> path_of(const Mechanism& robot) {
  const std::size_t n = robot.nv(), m = robot.mobility();
  const double rate = 2 * std::numbers::pi / (kPeriod * kStates);
  for (double amplitude = 0.15; amplitude > 0.005; amplitude /= 2) {
    Path path;
    path.amplitude = amplitude;
    std::vector<double> q = robot.reference();
    bool good = true;
    for (std::size_t k = 0; k < kStates && good; ++k) {
      for (std::size_t i = 0; i < m; ++i) {
        const double phase = 2 * std::numbers::pi * static_cast<double>(k) / kStates + 0.7 * static_cast<double>(i);
        q[robot.independent()[i]] = robot.reference()[robot.independent()[i]] + amplitude * std::sin(phase);
        path.u.push_back(amplitude * rate * std::cos(phase));
        path.u_dot.push_back(-amplitude * rate * rate * std::sin(phase));
      }
      const Closure closure = robot.close(q);
      good = closure.closed && !closure.crossed && closure.singularity > 0.01;
      path.q.insert(path.q.end(), q.begin(), q.end());
    }
    if (!good) continue;
    for (std::size_t k = 0; k < kStates; ++k) {
      const internal::ByMultipliers exact = internal::inverse_by_multipliers(robot, &path.q[k * n], &path.u[k * m], &path.u_dot[k * m], {.rotor = false});
      for (const long double x : exact.tau) path.tau.push_back(static_cast<double>(x));
      path.tau_size.push_back(exact.tree_torque);
    }
    return path;
  }
  return {};
}

/// The smallest time of many sweeps over the path, per state [ns].
double fastest(double seconds, const std::function<void(std::size_t)>& one) {
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
  double least = std::numeric_limits<double>::infinity();
  do {
    const auto begin = Clock::now();
    for (std::size_t k = 0; k < kStates; ++k) one(k);
    least = std::min(least, std::chrono::duration<double, std::nano>(Clock::now() - begin).count() / kStates);
  } while (Clock::now() < end);
  return least;
}

/// What is timed: a call with the state's number, its result, and what must come out.
struct Candidate {
  const char* path;
  const char* task;
  std::function<bool(std::size_t k, double* out)> call;  // false where it is not sure
};

class LoopBench {
 public:
  LoopBench(const Model& model, const Path& path, const BenchOptions& options, BenchReport& report)
      : robot_(Mechanism::of(model)),
        path_(path),
        options_(options),
        report_(report),
        fast_(model, {.rotor = false, .quantities = {Quantity::inverse, Quantity::mass, Quantity::forward}, .threads = 1}),
        slow_(model, {.rotor = false, .most = InstructionSet::none}),
        name_(model.name()),
        q_(model.nq()) {}

  void run() {
    BenchLibrary ulna{name_, "ulna", "ulna", ULNA_VERSION, "", ""};
    const bool compiled = fast_.instruction_set() != InstructionSet::none;
    std::vector<Candidate> candidates;
    for (const Quantity quantity : {Quantity::inverse, Quantity::mass, Quantity::forward}) {
      const char* const task = row_of(quantity).id.data();
      if (compiled) candidates.push_back({"compiled", task, [this, quantity](std::size_t k, double* out) { return call(fast_, quantity, k, out); }});
      candidates.push_back({"templates", task, [this, quantity](std::size_t k, double* out) { return call(slow_, quantity, k, out); }});
    }
    if (!compiled) ulna.notes.emplace_back("no machine code can be made here");
    for (const Candidate& c : candidates)
      if (wanted(c.task) && agrees(c)) time(c);
    for (const Quantity quantity : {Quantity::inverse, Quantity::mass, Quantity::forward})
      if (compiled && wanted(std::string(row_of(quantity).id))) time_batch(quantity);
    for (const KernelReport& r : fast_.kernels()) {
      if (r.lanes != 1) continue;
      BenchKernel kernel{.robot = name_, .task = std::string(to_string(r.quantity)), .real = "double"};
      kernel.mul = static_cast<double>(r.counts.mul), kernel.add = static_cast<double>(r.counts.add), kernel.div = static_cast<double>(r.counts.div);
      kernel.sincos = static_cast<double>(r.counts.sincos), kernel.instructions = static_cast<double>(r.instructions);
      report_.kernels.push_back(kernel);
    }
    report_.libraries.push_back(ulna);
  }

 private:
  /// Dependent positions stand where the state before left them; the independent ones are set.
  bool call(const Dynamics& dynamics, Quantity quantity, std::size_t k, double* out) {
    const std::size_t n = robot_.nv(), m = robot_.mobility();
    for (const std::size_t i : robot_.independent()) q_[i] = path_.q[k * n + i];
    const double residual = dynamics.close(q_.data(), kSteps);
    const double* last = quantity == Quantity::forward ? &path_.tau[k * m] : &path_.u_dot[k * m];
    dynamics.compute(quantity, {q_.data(), &path_.u[k * m], last}, out);
    return residual < kClosed;
  }

  /// Closed states, many to a call.
  void time_batch(Quantity quantity) {
    const std::size_t n = robot_.nv(), m = robot_.mobility(), size = quantity == Quantity::mass ? m * m : m;
    std::vector<double> out(size * kStates);
    const std::vector<double>& last = quantity == Quantity::forward ? path_.tau : path_.u_dot;
    const MatrixView<const double> in[] = {{path_.q.data(), n, kStates}, {path_.u.data(), m, kStates}, {last.data(), m, kStates}};
    const std::span<const MatrixView<const double>> inputs(in, row_of(quantity).inputs.size());
    fast_.compute_batch(quantity, inputs, {out.data(), size, kStates});
    BenchComparison comparison{name_, "ulna", "compiled", std::string(row_of(quantity).id), "batch", "double"};
    comparison.tolerance = kTolerance;
    for (std::size_t k = 0; k < kStates; k += kComparedEach)
      comparison.difference = std::max(comparison.difference, difference(comparison.task, k, &out[k * size]));
    comparison.agree = comparison.difference <= kTolerance;
    report_.comparisons.push_back(comparison);
    if (!comparison.agree) return;
    BenchRow row{name_, "ulna", "compiled", comparison.task, "batch", "double"};
    row.states = kStates;
    row.ns = fastest(options_.seconds, [&](std::size_t k) {
      if (k == 0) fast_.compute_batch(quantity, inputs, {out.data(), size, kStates});
    });
    report_.rows.push_back(row);
  }

  bool wanted(const std::string& task) const {
    return options_.tasks.empty() || std::find(options_.tasks.begin(), options_.tasks.end(), task) != options_.tasks.end();
  }

  /// Against multipliers in extended precision, in parts of the largest term.
  double difference(const std::string& task, std::size_t k, const double* out) const {
    const std::size_t n = robot_.nv(), m = robot_.mobility();
    double worst = 0, size = 0;
    if (task == "inverse") {
      for (std::size_t i = 0; i < m; ++i) worst = std::max(worst, std::abs(out[i] - path_.tau[k * m + i]));
      return worst / path_.tau_size[k];
    }
    if (task == "forward") {
      for (std::size_t i = 0; i < m; ++i) worst = std::max(worst, std::abs(out[i] - path_.u_dot[k * m + i]));
      for (const double a : path_.u_dot) size = std::max(size, std::abs(a));
      return worst / size;
    }
    // Columns of M are differences of torques.
    std::vector<double> u_dot(m, 0.0);
    const internal::ByMultipliers bias = internal::inverse_by_multipliers(robot_, &path_.q[k * n], &path_.u[k * m], u_dot.data(), {.rotor = false});
    for (std::size_t j = 0; j < m; ++j) {
      u_dot.assign(m, 0.0);
      u_dot[j] = 1;
      const internal::ByMultipliers column = internal::inverse_by_multipliers(robot_, &path_.q[k * n], &path_.u[k * m], u_dot.data(), {.rotor = false});
      for (std::size_t i = 0; i < m; ++i) {
        const double exact = static_cast<double>(column.tau[i] - bias.tau[i]);
        worst = std::max(worst, std::abs(out[i * m + j] - exact)), size = std::max(size, std::abs(exact));
      }
    }
    return worst / size;
  }

  bool agrees(const Candidate& c) {
    const std::size_t n = robot_.nv(), m = robot_.mobility();
    std::vector<double> out(m * m);
    BenchComparison comparison{name_, "ulna", c.path, c.task, "one", "double"};
    comparison.tolerance = kTolerance;
    comparison.agree = true;
    std::copy_n(path_.q.end() - static_cast<std::ptrdiff_t>(n), n, q_.begin());
    for (std::size_t k = 0; k < kStates; ++k) {
      comparison.agree = c.call(k, out.data()) && comparison.agree;
      if (k % kComparedEach == 0) comparison.difference = std::max(comparison.difference, difference(c.task, k, out.data()));
    }
    comparison.agree = comparison.agree && comparison.difference <= kTolerance;
    report_.comparisons.push_back(comparison);
    return comparison.agree;
  }

  void time(const Candidate& c) {
    std::vector<double> out(robot_.mobility() * robot_.mobility());
    BenchRow row{name_, "ulna", c.path, c.task, "one", "double"};
    row.states = kStates;
    row.ns = fastest(options_.seconds, [&](std::size_t k) { c.call(k, out.data()); });
    report_.rows.push_back(row);
  }

  Mechanism robot_;
  const Path& path_;
  const BenchOptions& options_;
  BenchReport& report_;
  Dynamics fast_, slow_;
  std::string name_;
  std::vector<double> q_;
};

/// Programs ulna-bench-loops-<name>: see apps/bench/loops.hpp for what they are told and answer.
struct LoopPeer {
  const char* library;
  const char* program;
  const char* path;
  double tolerance;  // of the largest acceleration
};
constexpr LoopPeer kLoopPeers[] = {
    {"pinocchio", "loops-pinocchio", "constraint dynamics", 1e-6}, {"mujoco", "loops-mujoco", "equality constraints", 1e-2},  // its constraints are soft
};

void ask_peer(const LoopPeer& peer, const Mechanism& robot, const LoopSource& source, const Path& path, const BenchOptions& options, BenchReport& report) {
  const std::size_t n = robot.nv(), m = robot.mobility();
  const std::string& name = robot.tree().name();
  BenchLibrary about{name, peer.library, peer.program, "", "", ""};
  const std::optional<std::string> program = program_beside(cat("ulna-bench-", peer.program));
  if (!program) {
    about.why_not = "its program was not built";
    report.libraries.push_back(about);
    return;
  }
  std::string text = cat(kStates, " ", options.seconds, "\n");
  for (std::size_t k = 0; k < kStates; ++k) {
    const std::vector<long double> v = internal::inverse_by_multipliers(robot, &path.q[k * n], &path.u[k * m], &path.u_dot[k * m], {.rotor = false}).v;
    for (std::size_t i = 0; i < n; ++i) text += cat(path.q[k * n + i], " ");
    for (std::size_t i = 0; i < n; ++i) text += cat(static_cast<double>(v[i]), " ");
    for (std::size_t i = 0; i < m; ++i) text += cat(path.tau[k * m + i], " ");
    text += "\n";
  }
  const PrivateFolder folder;
  write_file(folder.file("states"), text);
  try {
    BenchChild child({*program, source.robot, source.loop_file, joined(source.independent, ","), folder.file("states")}, {}, folder.file("errors"));
    about.version = child.hear(std::chrono::seconds(60));
    const bool at_rest = child.hear(std::chrono::seconds(60)) == "at rest";
    BenchComparison comparison{name, peer.library, peer.path, "forward", "one", "double"};
    comparison.tolerance = peer.tolerance;
    std::vector<double> u(m, 0.0);
    for (std::size_t k = 0; k < kStates; k += kComparedEach) {
      std::istringstream line(child.hear(std::chrono::seconds(60)));
      const std::vector<long double> exact =
          internal::forward_by_multipliers(robot, &path.q[k * n], at_rest ? u.data() : &path.u[k * m], &path.tau[k * m], {.rotor = false});
      double worst = 0, size = 0;
      for (const double a : path.u_dot) size = std::max(size, std::abs(a));
      for (std::size_t i = 0; i < m; ++i) {
        double got = std::numeric_limits<double>::quiet_NaN();
        line >> got;
        const double off = std::abs(got - static_cast<double>(exact[i]));
        worst = off <= worst ? worst : off, size = std::max(size, std::abs(static_cast<double>(exact[i])));
      }
      if (!(worst / size <= comparison.difference)) comparison.difference = worst / size;
    }
    comparison.agree = comparison.difference <= comparison.tolerance;
    if (at_rest) about.notes.emplace_back("compared at rest: it leaves out the velocity terms of the loops, and its constraints are slightly soft");
    report.comparisons.push_back(comparison);
    BenchRow row{name, peer.library, peer.path, "forward", "one", "double"};
    row.states = kStates;
    const std::string took = child.hear(std::chrono::seconds(60 + static_cast<long>(options.seconds)));
    row.ns = std::stod(took);
    if (comparison.agree) report.rows.push_back(row);
  } catch (const ChildFailed& problem) {
    about.why_not = problem.what();
  }
  report.libraries.push_back(about);
}

}  // namespace

void run_loop_bench(const Model& model, const LoopSource& source, const BenchOptions& options, BenchReport& report) {
  const Mechanism robot = Mechanism::of(model);
  const std::optional<Path> path = path_of(robot);
  if (!path)
    throw UsageError(cat("robot ", in_quotes(robot.tree().name()), ": no path about its reference assembly can be closed, so that there is nothing to time"));
  report.notes.push_back(cat(robot.tree().name(), ": loops; single calls a millisecond apart along a path of ", path->amplitude,
                             " rad, each closed from where the one before left the dependent joints, two steps of Newton's method; rotors left out; "
                             "compared with multipliers in extended precision"));
  const auto asked = [&](const char* library) {
    return options.libraries.empty() || std::find(options.libraries.begin(), options.libraries.end(), library) != options.libraries.end();
  };
  if (asked("ulna")) LoopBench(model, *path, options, report).run();
  const bool forward = options.tasks.empty() || std::find(options.tasks.begin(), options.tasks.end(), "forward") != options.tasks.end();
  for (const LoopPeer& peer : kLoopPeers)
    if (forward && (asked(peer.library) || (std::string_view(peer.library) == "pinocchio" && asked("pinocchio-clang"))))
      ask_peer(peer, robot, source, *path, options, report);
}

}  // namespace ulna::cli
