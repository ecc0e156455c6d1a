// Operation counts of every formulation on one robot, with what the papers print for such a robot: measured once, for `ulna count` and for studies.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <ulna/formulation/formulation.hpp>
#include <ulna/robot/analysis.hpp>
#include <ulna/spatial/spatial.hpp>
#include <ulna/trace/best.hpp>

#include "text/json.hpp"

namespace ulna::internal {

/// A formulation and a quantity on the robot.
struct CountRow {
  const Formulation* formulation;
  Quantity quantity;
  std::string why_not{};  // it does not take the robot
  AsWritten as_written{};
  std::optional<OperationCounts> minimal{};
  std::string why_not_minimal{};
};

struct PrintedCount {
  std::string source, entry, quantity;
  double mul = 0, add = 0;  // some printed polynomials are no whole numbers
  std::string polynomials{};
  Quantity of{};
  const Formulation* formulation = nullptr;  // the counted formulation; null: we do not have it
};

struct CountReport {
  std::string robot;
  std::size_t joints = 0;  // that move
  std::vector<CountRow> rows;
  std::map<Quantity, Best> best;
  std::map<Quantity, std::string> left_out;  // of the best programs, and why
  std::vector<std::string> bodies;           // links behind the moving joints, in the order of Best::links
  std::vector<PrintedCount> published;
  bool rotor = false;  // rotor inertias are in the best programs
  /// Of a robot with loops: its independent joints, and every program that has loops in it, a step of closure the first.
  std::vector<std::string> independent;
  std::vector<std::pair<std::string, OperationCounts>> of_loops;
};

struct CountOptions {
  double snap = kSnap;
  bool rotor = true;
  bool single = false;  // best programs for floats
  std::optional<Quantity> only{};
  const Formulation* formulation = nullptr;  // this one only
  std::shared_ptr<const Speeds> speeds{};    // of a formulation that takes them: Prepared::speeds
  bool reduce = true;                        // false: as written, and the best programs
};

/// With equal expressions shared, constants folded and common factors taken out.
OperationCounts minimal_counts(const Formulation& formulation, Quantity quantity, const Prepared& prepared);
/// Empty where its operations are counted.
std::string why_not_counted(const Formulation& formulation, Quantity quantity, const Prepared& prepared);

CountReport count_all(const Analysis& robot, const CountOptions& options);

/// {"mul", "add", "div", "sincos"}
void write_counts(Json& json, const OperationCounts& counts);
/// What `ulna count --json` prints.
void write_count_report(Json& json, const CountReport& report);

}  // namespace ulna::internal
