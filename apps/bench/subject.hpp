// A library at work, as `ulna bench` asks it to be.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include <ulna/model/model.hpp>
#include <ulna/plan/plan.hpp>

#include "../peers/peer.hpp"
#include "simulated.hpp"

namespace ulna::bench {

using peers::Refused;

enum class Job { inverse, mass, forward, simulate, derivatives, forward_derivatives };
/// Those that every library is asked for. The fourth is for libraries that integrate: from each state, kSimulatedSteps steps of length kSimulatedStep by the
/// classic Runge-Kutta rule (simulated.hpp) under its torques, which stay as they are. Its result is q and v at the end.
inline constexpr Job kJobs[] = {Job::inverse, Job::mass, Job::forward};
/// For libraries that have them: of inverse dynamics by q, v and a, of forward dynamics by q, v and tau; three matrices side by side, column by column.
inline constexpr Job kDerivatives[] = {Job::derivatives, Job::forward_derivatives};
inline const char* name_of(Job job) {
  switch (job) {
    case Job::inverse: return "inverse";
    case Job::mass: return "mass";
    case Job::forward: return "forward";
    case Job::simulate: return "simulate";
    case Job::derivatives: return "derivatives";
    case Job::forward_derivatives: return "forward-derivatives";
  }
  return "";
}
inline bool is_derivative(Job job) { return job == Job::derivatives || job == Job::forward_derivatives; }
/// Numbers of a result.
inline std::size_t size_of(Job job, std::size_t n) { return is_derivative(job) ? 3 * n * n : job == Job::mass ? n * n : job == Job::simulate ? 2 * n : n; }

/// State k is column k of each: nq numbers of q, n of the others.
template <class T>
struct States {
  std::size_t nq = 0, n = 0, count = 0;
  std::vector<T> q, v, a, tau;
};

/// The first `count` states; result k goes to out + k * stride. A stride of 0 is for timing single calls: a program that calls once a cycle uses one buffer.
template <class T>
struct Span {
  std::size_t count;
  T* out;
  std::size_t stride;
};

/// One thing to time. A sweep works through all states of a span, so that the clock is read rarely and calls through pointers do not count.
struct Row {
  std::string path;  // which way through the library: "kernel", "local"
  Job job{};
  bool batch = false;
  std::size_t threads = 1;
  std::size_t lanes = 1;                             // results in blocks of so many states: number i of lane l of block b at (b * size + i) * lanes + l
  std::function<void(const Span<double>&)> sweep{};  // one of the two is set
  std::function<void(const Span<float>&)> sweep_float{};

  template <class T>
  auto& sweep_of() {
    if constexpr (std::is_same_v<T, double>)
      return sweep;
    else
      return sweep_float;
  }
};

struct Library {
  std::string name, version, compiler, flags;
  std::vector<std::string> notes{};                          // one line each
  std::vector<std::pair<std::string, std::string>> facts{};  // for the report: a word and a line
  std::vector<std::size_t> place{};                          // where it keeps each degree of freedom of the model; empty for the model's order
  std::function<void(Job, std::size_t, double*)> settle{};   // makes of its result at a state, in the model's order, what the model means; empty for nothing
  std::vector<Row> rows{};
};

struct Inputs {
  Model model;
  std::string original;  // the model before links were merged, as URDF
  States<double> states;
  std::string folder;                // where files may be made
  bool single_calls = false;         // no row is asked for but calls for one state in doubles: the others may be left out
  std::vector<std::string> tasks{};  // names of jobs that are asked for; none: all

  /// For programs that have their functions compiled first: what nobody asks for is not, nor what takes a compiler minutes.
  bool worth_compiling(Job job) const;
};

/// For libraries that take chains and trees of single joints on a base that is bolted down, one for each body of the plan: fixed joints merged, nothing snapped
/// or lumped. Says where the library keeps each degree of freedom, too. Throws Refused.
Plan merged_plan(const Inputs& inputs, Library& library);

template <class T>
States<T> cast(const States<double>& from);
/// For a library with an order of its own. A free base stands before its joints there, too, position and quaternion x, y, z, w.
States<double> placed(const States<double>& from, const std::vector<std::size_t>& place);

/// A library that has calls for single states only. One object a thread: the scratch memory of its calls is inside.
template <class T>
class Worker {
 public:
  Worker() = default;
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;
  virtual ~Worker() = default;
  /// States first to first + count; the loop over them is inside, so that what is timed is the library's call.
  virtual void run(Job job, std::size_t first, std::size_t count, T* out, std::size_t stride) = 0;
};

/// Three rows: one call; a batch, which is a loop, on one thread and on two.
template <class T>
void add_rows(Library& library, const std::string& path, Job job, const std::function<std::unique_ptr<Worker<T>>()>& make);

/// What every program ulna-bench-* does: ulna-bench-NAME FOLDER [single-calls]. FOLDER holds robot.urdf, original.urdf, gravity (three numbers), tasks (names
/// of jobs; empty: all) and states (see read_states in serve.cpp). A base that is free is a floating joint of robot.urdf. It first says what it is:
///   library, version, compiler, flags, note, fact, row, then "ready"; one line each, a word and the rest.
/// A row is "row NUMBER PATH TASK MODE REAL THREADS". Then it answers, line by line:
///   check ROW COUNT SAMPLES  the results at SAMPLES states evenly out of COUNT, one line each, in the model's order of coordinates
///   time ROW COUNT SECONDS   repeats the sweep over COUNT states for so long; the smallest time of one state (of one of its steps for simulate) [ns]
///   sweep ROW COUNT          once, then once inside ulna_bench_sweep, for a program that counts instructions
/// Exit status 0 at the end of input; 3 when the library does not take the model, with the reason on standard error; 2 when something is wrong.
int serve(int argc, char** argv, Library (*make)(const Inputs&));

/// Name and version of the compiler that reads this line.
#if defined(__clang__)
#define ULNA_BENCH_COMPILER "clang " __clang_version__
#else
#define ULNA_BENCH_COMPILER "gcc " __VERSION__
#endif

}  // namespace ulna::bench
