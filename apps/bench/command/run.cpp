#include "run.hpp"

#include <unistd.h>

#include <sstream>

#include "../simulated.hpp"
#include "child.hpp"
#include "cli/beside.hpp"
#include "count.hpp"
#include "samples.hpp"

namespace ulna::cli {

namespace {

/// A program ulna-bench-<program>. Ulna's generated C is one of its own, so that nothing of the library is near it.
struct TimedProgram {
  const char* program;
  const char* library;
};
constexpr TimedProgram kPrograms[] = {{"ulna", "ulna"},
                                      {"generated", "ulna"},
                                      {"pinocchio-clang", "pinocchio-clang"},
                                      {"pinocchio-gcc", "pinocchio-gcc"},
                                      {"pinocchio-cppadcg", "pinocchio-cppadcg"},
                                      {"rbdl", "rbdl"},
                                      {"bullet", "bullet"},
                                      {"mujoco", "mujoco"},
                                      {"kdl", "kdl"}};

constexpr std::size_t kOneCall = 256;  // states that single calls go through, over and over: enough that no branch of theirs is learnt by heart
constexpr std::size_t kLeastBatch = 64, kMostBatch = 1024, kBatchBytes = 256 * 1024;
constexpr std::size_t kMoreForThreads = 16;
constexpr std::size_t kSamples = 8;
constexpr double kSlice = 0.02;  // seconds of a library's turn
constexpr double kToleranceDouble = 1e-10;
constexpr double kToleranceFloat = 1e-4;
constexpr double kToleranceSimulated = 1e-9;             // rounding, times what 0.2 s of an arm in motion make of it
constexpr std::size_t kArms = 4, kArmsBatch = 16;        // simulated one after the other, and side by side for each thread
constexpr double kSincosDouble = 23, kSincosFloat = 17;  // multiplications of a sine with its cosine in machine code (src/jit/sincos.hpp)
constexpr std::chrono::seconds kToStart{600};            // CppADCodeGen compiles for minutes
constexpr std::chrono::seconds kToAnswer{120};

/// States of a sweep. A batch on one thread stays in the second cache with what it reads and writes; one on several threads is longer, so that waking them does
/// not count.
std::size_t states_of(const BenchOptions& options, std::size_t n, const std::string& task, const std::string& mode, std::size_t threads) {
  if (task == "simulate") return mode == "one" ? kArms : kArmsBatch * threads;
  if (mode == "one") return kOneCall;
  if (options.batch != 0) return options.batch;
  const std::size_t bytes = (task == "mass" ? n + n * n : task.ends_with("derivatives") ? 3 * n + 3 * n * n : 4 * n) * sizeof(double);
  std::size_t count = kMostBatch;
  while (count > kLeastBatch && count * bytes > kBatchBytes) count /= 2;
  return threads > 1 ? kMoreForThreads * count : count;
}

std::size_t most_states(const BenchOptions& options, std::size_t n) {
  std::size_t most = kOneCall;
  if (options.single_calls) return most;
  for (const char* task : {"inverse", "mass"}) most = std::max(most, states_of(options, n, task, "batch", 2));
  return most;
}

struct Timed {
  int number = 0;  // as the program calls it
  BenchRow row;
};

struct Subject {
  std::vector<std::string> call;  // the program with its words
  std::unique_ptr<BenchChild> child;
  BenchLibrary about;
  std::vector<Timed> rows;
};

/// What a program says of itself, to "ready".
void listen(Subject& subject, const BenchOptions& options, const std::string& robot, std::size_t n, BenchReport& report) {
  BenchLatency latency{robot};
  for (;;) {
    std::istringstream line(subject.child->hear(kToStart));
    std::string word, rest;
    line >> word >> std::ws;
    if (word == "ready") break;
    if (word == "row") {
      Timed t;
      t.row.robot = robot;
      t.row.library = subject.about.library;
      line >> t.number >> t.row.path >> t.row.task >> t.row.mode >> t.row.real >> t.row.threads;
      t.row.states = states_of(options, n, t.row.task, t.row.mode, t.row.threads);
      t.row.ns = std::numeric_limits<double>::infinity();
      const bool left_out = options.single_calls && (t.row.mode != "one" || t.row.real != "double");
      if (is_wanted(options.tasks, t.row.task) && !left_out) subject.rows.push_back(std::move(t));
      continue;
    }
    std::getline(line, rest);
    while (!rest.empty() && rest.back() == ' ') rest.pop_back();  // clang's version ends so
    if (word == "version") subject.about.version = rest;
    if (word == "compiler") subject.about.compiler = rest;
    if (word == "flags") subject.about.flags = rest;
    if (word == "note") subject.about.notes.push_back(rest);
    if (word != "fact") continue;
    std::istringstream fact(rest);
    fact >> word;
    if (word == "instruction_set") fact >> report.instruction_set;
    if (word == "memory") fact >> latency.memory;
    if (word == "latency") fact >> latency.least >> latency.first;
    if (word == "kernel") {
      BenchKernel k;
      k.robot = robot;
      fact >> k.task >> k.real >> k.lanes >> k.mul >> k.add >> k.div >> k.sincos >> k.fused >> k.instructions >> k.spills >> k.bytes >> k.seconds;
      report.kernels.push_back(k);
    }
  }
  if (latency.least > 0) report.latencies.push_back(latency);
}

/// Compares every row with the reference; what differs is told and not timed.
void compare(Subject& subject, Samples& samples, BenchReport& report) {
  std::vector<Timed> agreed;
  for (Timed& t : subject.rows) {
    subject.child->say(cat("check ", t.number, " ", t.row.states, " ", kSamples));
    const double tolerance = t.row.task == "simulate" ? kToleranceSimulated : t.row.real == "double" ? kToleranceDouble : kToleranceFloat;
    BenchComparison c{t.row, 0, tolerance, false};
    for (std::size_t s = 0; s < kSamples; ++s) {
      std::istringstream line(subject.child->hear(kToAnswer));
      std::vector<double> result;
      for (std::string word; line >> word;) result.push_back(std::strtod(word.c_str(), nullptr));
      if (result.size() != samples.numbers(t.row.task)) throw ChildFailed("its answer is not of the form agreed on");
      c.difference = std::max(c.difference, samples.difference(t.row.task, s * (t.row.states - 1) / (kSamples - 1), result));
    }
    c.agree = c.difference <= c.tolerance;
    report.comparisons.push_back(c);
    if (c.agree) agreed.push_back(std::move(t));
  }
  subject.rows = std::move(agreed);
}

void start(Subject& subject, const PrivateFolder& folder, const BenchOptions& options) {
  const std::optional<std::string> program = program_beside(cat("ulna-bench-", subject.about.program));
  if (!program) {
    subject.about.why_not = "not here; 'make bench' builds what it finds";
    return;
  }
  subject.call = {*program, folder.path()};
  if (options.single_calls) subject.call.emplace_back("single-calls");
  try {
    subject.child = std::make_unique<BenchChild>(subject.call, folder.file((subject.about.program + ".err").c_str()));
  } catch (const ChildFailed& failure) {
    subject.about.why_not = failure.what();
  }
}

/// What is in the way of timing it; empty when nothing is.
std::string get_ready(Subject& subject, const BenchOptions& options, Samples& samples, const std::string& robot, BenchReport& report) {
  try {
    listen(subject, options, robot, samples.numbers("inverse"), report);
    if (subject.rows.empty()) return "it does not have the task for this robot";
    compare(subject, samples, report);
    return subject.rows.empty() ? "its results differ" : "";
  } catch (const ChildFailed& failure) {
    subject.child.reset();
    subject.rows.clear();
    return failure.what();
  }
}

void time_in_turn(std::vector<Subject>& subjects, const BenchOptions& options, BenchReport& report, const std::string& robot) {
  const int rounds = std::max(3, static_cast<int>(std::lround(options.seconds / kSlice)));
  const double slice = options.seconds / rounds;
  for (int round = 0; round < rounds; ++round) {
    report.machine.clock = std::max(report.machine.clock, measured_clock());
    if (options.progress) std::fprintf(stderr, "\rtiming %s: round %d of %d\033[K", robot.c_str(), round + 1, rounds);
    for (Subject& subject : subjects) {
      try {
        for (Timed& t : subject.rows) {
          subject.child->say(cat("time ", t.number, " ", t.row.states, " ", slice));
          const double ns = std::strtod(subject.child->hear(kToAnswer).c_str(), nullptr);
          if (!(ns > 0)) throw ChildFailed("its answer is not of the form agreed on");
          t.row.ns = std::min(t.row.ns, ns);
        }
      } catch (const ChildFailed& failure) {
        subject.about.why_not = failure.what();
        subject.rows.clear();
      }
    }
  }
  if (options.progress) std::fprintf(stderr, "\r\033[K");
}

/// The least time for the multiplications of a kernel, at so many registers a cycle.
void add_bounds(BenchReport& report, const std::string& robot) {
  const bool widest = report.instruction_set == to_string(InstructionSet::avx512);
  report.pipes = widest && report.machine.one_wide_pipe ? 1 : 2;
  report.register_bits = widest ? 512 : report.instruction_set == to_string(InstructionSet::avx2) ? 256 : 128;
  for (BenchRow& row : report.rows) {
    if (row.robot != robot || row.library != "ulna" || !row.path.starts_with("kernel") || row.mode != "batch" || row.threads != 1) continue;
    for (const BenchKernel& k : report.kernels) {
      if (k.robot != robot || k.task != row.task || k.real != row.real || k.lanes == 1 || report.machine.clock == 0) continue;
      const double per_ns = report.register_bits / (row.real == "double" ? 64 : 32) * report.pipes * report.machine.clock;
      row.bound = k.mul / per_ns;
      row.bound_with_sincos = (k.mul + (row.real == "double" ? kSincosDouble : kSincosFloat) * k.sincos) / per_ns;
    }
  }
}

}  // namespace

const std::vector<std::string>& bench_libraries() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> out;
    for (const TimedProgram& p : kPrograms)
      if (std::find(out.begin(), out.end(), p.library) == out.end()) out.emplace_back(p.library);
    return out;
  }();
  return names;
}

bool BenchReport::agree() const {
  return std::all_of(comparisons.begin(), comparisons.end(), [](const BenchComparison& c) { return c.agree; });
}

std::optional<double> BenchReport::yardstick(const std::string& robot, const std::string& task) const {
  return fastest([&](const BenchRow& r) {
    return r.robot == robot && r.task == task && r.library == (task == "simulate" ? "mujoco" : "pinocchio-clang") && r.mode == "one" && r.real == "double";
  });
}

void run_bench(const Model& asked, const BenchOptions& options, BenchReport& report) {
  // Not every library has rotors, and not every one merges links that are fixed to each other: all are given the robot in the form that suits them.
  const Model model = snapped_model(without_rotors(asked), PlanOptions{}.snap);
  const std::string& robot = model.name();
  Diagnostics told;
  const std::optional<std::string> urdf = write_urdf(model, told), original = write_urdf(asked, told);
  if (!urdf || !original) throw std::runtime_error("a name of the model cannot stand in URDF, in which the libraries are given it");
  const PrivateFolder folder;
  const Vec3<double>& g = model.gravity();
  write_file(folder.file("robot.urdf"), *urdf);
  write_file(folder.file("original.urdf"), *original);
  write_file(folder.file("gravity"), cat(g.x, " ", g.y, " ", g.z, "\n"));
  write_file(folder.file("tasks"), joined(options.tasks, " ") + "\n");
  Samples samples(model, most_states(options, model.nv()));
  samples.write(folder.file("states"));

  std::vector<Subject> subjects;
  for (const TimedProgram& p : kPrograms)
    if (is_wanted(options.libraries, p.library)) subjects.emplace_back().about = {robot, p.library, p.program, "", "", ""};
  // Programs get ready side by side, compilers among them; but one that times how long it takes has the machine for itself.
  if (options.single_calls)
    for (Subject& subject : subjects) start(subject, folder, options);
  for (Subject& subject : subjects) {
    if (options.progress) std::fprintf(stderr, "\rcomparing %s: %s\033[K", robot.c_str(), subject.about.program.c_str());
    if (!options.single_calls) start(subject, folder, options);
    if (subject.child != nullptr) subject.about.why_not = get_ready(subject, options, samples, robot, report);
  }
  time_in_turn(subjects, options, report, robot);
  for (Subject& subject : subjects) {
    subject.child.reset();
    if (options.instructions && !subject.rows.empty()) {
      if (options.progress) std::fprintf(stderr, "\rcounting instructions of %s: %s\033[K", robot.c_str(), subject.about.program.c_str());
      std::vector<CountedRow> counted;
      for (Timed& t : subject.rows)
        if (t.row.threads == 1) counted.push_back({t.number, t.row.states, &t.row.instructions});
      const std::string why_not = count_instructions(subject.call, folder, counted);
      for (Timed& t : subject.rows)
        if (t.row.task == "simulate" && t.row.instructions) *t.row.instructions /= bench::kSimulatedSteps;
      if (!why_not.empty()) subject.about.notes.push_back(cat("instructions not counted: ", why_not));
    }
    for (const Timed& t : subject.rows) report.rows.push_back(t.row);
    report.libraries.push_back(subject.about);
  }
  if (options.progress) std::fprintf(stderr, "\r\033[K");
  add_bounds(report, robot);
}

}  // namespace ulna::cli
