#include "loops.hpp"

#include <sstream>

#include "child.hpp"
#include "cli/arguments.hpp"
#include "cli/beside.hpp"
#include "programs/interface.hpp"

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
double fastest(double seconds, const std::function<void()>& sweep) {
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
  double least = std::numeric_limits<double>::infinity();
  do {
    const auto begin = Clock::now();
    sweep();
    least = std::min(least, std::chrono::duration<double, std::nano>(Clock::now() - begin).count() / kStates);
  } while (Clock::now() < end);
  return least;
}

/// Goes along the path; the result of state k goes to out + k * stride. False where it is not sure.
using Sweep = std::function<bool(double* out, std::size_t stride)>;

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
    constexpr Quantity kQuantities[] = {Quantity::inverse, Quantity::mass, Quantity::forward};
    const bool compiled = fast_.instruction_set() != InstructionSet::none;
    if (!compiled) ulna.notes.emplace_back("no machine code can be made here");
    for (const Quantity quantity : kQuantities) {
      if (compiled) measure("compiled", quantity, "one", [&](double* out, std::size_t stride) { return call_each(fast_, quantity, out, stride); });
      measure("templates", quantity, "one", [&](double* out, std::size_t stride) { return call_each(slow_, quantity, out, stride); });
    }
    for (const Quantity quantity : kQuantities)
      if (compiled) measure("compiled", quantity, "batch", [&](double* out, std::size_t) { return call_batch(quantity, out); });
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
  std::size_t size_of(Quantity quantity) const { return quantity == Quantity::mass ? robot_.mobility() * robot_.mobility() : robot_.mobility(); }

  /// One call a state. Dependent positions stand where the state before left them; the independent ones are set.
  bool call_each(const Dynamics& dynamics, Quantity quantity, double* out, std::size_t stride) {
    const std::size_t n = robot_.nv(), m = robot_.mobility();
    const std::vector<double>& last = quantity == Quantity::forward ? path_.tau : path_.u_dot;
    bool sure = true;
    for (std::size_t k = 0; k < kStates; ++k, out += stride) {
      for (const std::size_t i : robot_.independent()) q_[i] = path_.q[k * n + i];
      sure = dynamics.close(q_.data(), kSteps) < kClosed && sure;
      dynamics.compute(quantity, {q_.data(), &path_.u[k * m], &last[k * m]}, out);
    }
    return sure;
  }

  /// Closed states, many to a call.
  bool call_batch(Quantity quantity, double* out) const {
    const std::size_t n = robot_.nv(), m = robot_.mobility();
    const std::vector<double>& last = quantity == Quantity::forward ? path_.tau : path_.u_dot;
    const MatrixView<const double> in[] = {{path_.q.data(), n, kStates}, {path_.u.data(), m, kStates}, {last.data(), m, kStates}};
    fast_.compute_batch(quantity, std::span(in, row_of(quantity).inputs.size()), {out, size_of(quantity), kStates});
    return true;
  }

  /// Compares, and if that is well, times.
  void measure(const char* path, Quantity quantity, const char* mode, const Sweep& sweep) {
    const std::string task(row_of(quantity).id);
    if (!is_wanted(options_.tasks, task)) return;
    const std::size_t size = size_of(quantity);
    std::vector<double> out(size * kStates);
    BenchComparison comparison{{name_, "ulna", path, task, mode, "double"}, 0, kTolerance};
    std::copy_n(path_.q.end() - static_cast<std::ptrdiff_t>(q_.size()), q_.size(), q_.begin());
    const bool sure = sweep(out.data(), size);
    for (std::size_t k = 0; k < kStates; k += kComparedEach) comparison.difference = std::max(comparison.difference, difference(task, k, &out[k * size]));
    comparison.agree = sure && comparison.difference <= kTolerance;
    report_.comparisons.push_back(comparison);
    if (!comparison.agree) return;
    BenchRow row{comparison};
    row.states = kStates;
    row.ns = fastest(options_.seconds, [&] { sweep(out.data(), 0); });  // single calls into one buffer, as a program that calls once a cycle
    report_.rows.push_back(row);
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
    BenchChild child({*program, source.robot, source.loop_file, joined(source.independent, ","), folder.file("states")}, folder.file("errors"));
    about.version = child.hear(std::chrono::seconds(60));
    const bool at_rest = child.hear(std::chrono::seconds(60)) == "at rest";
    BenchComparison comparison{{name, peer.library, peer.path, "forward", "one", "double"}};
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
    BenchRow row{{name, peer.library, peer.path, "forward", "one", "double"}};
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
  const auto asked = [&](std::string_view library) { return is_wanted(options.libraries, library); };
  if (asked("ulna")) LoopBench(model, *path, options, report).run();
  for (const LoopPeer& peer : kLoopPeers)
    if (is_wanted(options.tasks, "forward") && (asked(peer.library) || (std::string_view(peer.library) == "pinocchio" && asked("pinocchio-clang"))))
      ask_peer(peer, robot, source, *path, options, report);
}

}  // namespace ulna::cli
