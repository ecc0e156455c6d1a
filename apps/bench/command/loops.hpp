// Timing of robots with loops.
#pragma once

#include "run.hpp"

namespace ulna::cli {

/// Where a peer's program reads the robot from.
struct LoopSource {
  std::string robot, loop_file;
  std::vector<std::string> independent;
};

/// Adds what is measured on one robot with loops: single calls along a smooth path, each closed from where the one before left the dependent joints, as a
/// controller would. Ulna's in this process, others' forward dynamics in processes of their own.
void run_loop_bench(const Model& robot, const LoopSource& source, const BenchOptions& options, BenchReport& report);

}  // namespace ulna::cli
