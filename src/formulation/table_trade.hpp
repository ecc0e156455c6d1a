// Hollerbach's trade of space for time, measured: how large the three tables of a robot are, what they leave to compute, how far they are off, and what a load
// in the hand does to them.
#pragma once

#include <string>
#include <vector>

#include <ulna/formulation/formulation.hpp>

#include "formulation/torque_table.hpp"

namespace ulna::internal {

/// One table with so many nodes on each axis. Errors are the largest of random states, in parts of the largest torque.
struct TableMeasure {
  int nodes = 0;
  double bytes = 0;
  double fill_seconds = 0;
  double interpolated = 0;  // error as it is read between nodes,
  double indexed = 0;       // and of the nearest node alone
  double loaded = 0;        // error when the robot has picked up a load that is not in the table
};

struct TableTrade {
  const TableMethod* method = nullptr;
  OperationCounts counts;          // behind the look-up
  std::string why_not{};           // empty: measured
  std::vector<TableMeasure> at{};  // in the order of nodes
};

/// A point mass of a tenth of what moves, at the mass centre of the last link.
Payload tenth_of(const Model& model);

/// Of the three, each with the requested nodes as long as its table has at most `most_bytes`. The robot must have a form in DH frames.
std::vector<TableTrade> table_trades(const Prepared& prepared, const std::vector<int>& nodes, double most_bytes);

}  // namespace ulna::internal
