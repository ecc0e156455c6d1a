// Timing: every library in a process of its own, all of them in turn, so that they see the same moods of the machine.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include <ulna/model/model.hpp>

#include "cli/machine.hpp"

namespace ulna::cli {

struct BenchOptions {
  double seconds = 0.5;              // for each row, in all
  std::size_t batch = 0;             // states of a batch, a multiple of 16; 0: see docs/benchmarks.md
  std::vector<std::string> tasks{};  // empty for all
  std::vector<std::string> libraries{};
  bool single_calls = false;  // only calls for one state in doubles
  bool instructions = false;  // count them, too
  bool progress = false;      // on standard error
};

/// What is timed, and how.
struct BenchWay {
  std::string robot, library, path, task, mode, real;
  std::size_t threads = 1;
};

struct BenchRow : BenchWay {
  double ns = 0;                         // per state; per step of one arm for simulate
  std::optional<double> instructions{};  // per state
  std::size_t states = 0;                // of a sweep
  // Of machine code in batches: the least time in which the processor can multiply so often [ns]; what sine and cosine multiply left out, and with it.
  std::optional<double> bound{}, bound_with_sincos{};
};

/// Results of a row at some states against the reference in extended precision, relative to the largest terms that enter.
struct BenchComparison : BenchWay {
  double difference = 0, tolerance = 0;
  bool agree = false;
};

struct BenchLibrary {
  std::string robot, library, program, version, compiler, flags;
  std::vector<std::string> notes{};
  std::string why_not{};  // empty when it was timed
};

/// A piece of machine code; see KernelReport.
struct BenchKernel {
  std::string robot, task, real;
  std::size_t lanes = 1;
  double mul = 0, add = 0, div = 0, sincos = 0, fused = 0, instructions = 0, spills = 0, bytes = 0, seconds = 0;
};

struct BenchLatency {
  std::string robot;
  double least = 0, first = 0;  // from URDF text to the first torque [s]
  double memory = 0;            // code and constants in doubles [bytes]
};

struct BenchReport {
  Machine machine;
  std::string instruction_set;     // of the machine code
  double pipes = 0;                // registers that it is taken to multiply in a cycle
  double register_bits = 0;        // of such a register
  std::vector<std::string> notes;  // about the robots
  std::vector<BenchLibrary> libraries;
  std::vector<BenchComparison> comparisons;
  std::vector<BenchRow> rows;
  std::vector<BenchKernel> kernels;
  std::vector<BenchLatency> latencies;
  bool agree() const;
  /// The least time of rows that are `of` what is asked for [ns].
  template <class Of>
  std::optional<double> fastest(const Of& of) const {
    std::optional<double> least;
    for (const BenchRow& row : rows)
      if (of(row) && !(least && *least <= row.ns)) least = row.ns;
    return least;
  }
  /// One call of Pinocchio in doubles, built by clang, the better of its conventions: what times are compared with. Simulations: MuJoCo with one arm.
  std::optional<double> yardstick(const std::string& robot, const std::string& task) const;
};

/// An empty list asks for all.
inline bool is_wanted(const std::vector<std::string>& names, std::string_view name) {
  return names.empty() || std::find(names.begin(), names.end(), name) != names.end();
}

/// Names for --library.
const std::vector<std::string>& bench_libraries();

/// Adds what is measured on one robot.
void run_bench(const Model& model, const BenchOptions& options, BenchReport& report);

}  // namespace ulna::cli
