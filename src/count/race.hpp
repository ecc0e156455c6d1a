// The race that the papers were about: every formulation on one robot, timed as its own code and as machine code that Ulna makes of it, its operations
// counted too.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <ulna/formulation/formulation.hpp>
#include <ulna/robot/analysis.hpp>

#include "text/json.hpp"

namespace ulna::internal {

/// One way to run a formulation: its own C++ on doubles, or machine code.
struct RaceTime {
  OperationCounts counts;
  std::optional<double> ns{};  // one call for one state, the smallest of many rounds
  double difference = 0;       // from the reference in extended precision, relative to the terms that enter
  std::string why_not{};       // empty when it was timed
};

struct RaceRow {
  std::string id;  // of a formulation, or "shipped": the machine code of Dynamics, which searches for the fewest operations first
  Quantity quantity{};
  bool ours = false;
  RaceTime own;       // counts as written
  RaceTime compiled;  // counts of the program
};

struct Race {
  std::string robot;
  std::size_t joints = 0;
  std::string why_not{};  // empty when it was run
  std::vector<RaceRow> rows{};
  /// Whether everything that was run gave the reference's numbers.
  bool agree() const;
};

struct RaceOptions {
  double seconds = 0.02;          // of timing, for each way of each row
  std::function<bool()> go_on{};  // called between rows; false ends the race with the rows so far
  std::vector<Quantity> only{};   // empty for all
};

/// Rotors are not in the papers' torques and are left out of the times. Rows that differ from the reference are reported, not timed. Rows are timed alternately
/// in rounds, so that they meet the same load of the machine. Not for robots with mimic joints.
Race run_race(const Analysis& robot, const RaceOptions& options = {});

/// Its equations with the robot's numbers as constants, minimised and ready() (expr/ready.hpp): what machine code is made of. Throws std::invalid_argument with
/// why_not_traced().
Program formulation_program(const Formulation& formulation, Quantity quantity, const Prepared& prepared);

/// {"formulation", "quantity", "own": {"mul", …, "ns", …}, "compiled": {…}}
void write_race(Json& json, const Race& race);

}  // namespace ulna::internal
