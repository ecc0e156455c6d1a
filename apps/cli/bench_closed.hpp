// Timing of robots with loops.
#pragma once

#include <ulna/loop/mechanism.hpp>

#include "bench_run.hpp"

namespace ulna::cli {

/// Where a peer's program reads the robot from.
struct ClosedSource {
  std::string robot, loop_file;
  std::vector<std::string> independent;
};

/// Adds what is measured on one robot with loops: single calls along a smooth path, each closed from where the one before left the dependent joints, as a
/// controller would. Ulna's in this process, others' forward dynamics in processes of their own.
void run_closed_bench(const Mechanism& robot, const ClosedSource& source, const BenchOptions& options, BenchReport& report);

}  // namespace ulna::cli
