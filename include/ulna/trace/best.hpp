// The program with the fewest operations for one quantity of one robot: a search over frames and parameters that give the same torques.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <ulna/dynamics/quantity.hpp>
#include <ulna/export.hpp>
#include <ulna/expr/program.hpp>
#include <ulna/plan/plan.hpp>
#include <ulna/spatial/spatial.hpp>

namespace ulna ULNA_API {

struct SearchOptions {
  double snap = kSnap;  // Angles this near to a quarter turn are exact [rad].
  bool rotor = true;    // rotor inertias are part of torque, mass and acceleration
  bool single = false;  // the program will be run in floats; else in doubles. It keeps the digits that these have

  friend bool operator==(const SearchOptions&, const SearchOptions&) = default;
};

/// One step of the search and where it led.
struct SearchStep {
  std::string what;        // "frame origins slid along their axes"
  OperationCounts counts;  // after it
};

/// A cheaper variant that the search did not take, because rounding would have cost its results digits.
struct Refused {
  OperationCounts counts;
  std::string what;   // the step that led to it
  double growth = 0;  // of the bound of some result's rounding, over that of the robot's own frames and parameters; infinite outside the range of numbers
};

struct Best {  // The best program that the search found.
  Quantity quantity{};
  OperationCounts counts;
  OperationCounts guards;           // what generated code adds so that every result is NaN where an input is,
  OperationCounts angle_sums;       // and so that angles far from zero keep their digits where frames are rotated
  OperationCounts short_rotations;  // of the same program with rotations of three multiplications; see with_short_rotations()
  Program program;                  // inputs and outputs in the model's independent coordinates; their names are those of the quantity's row
  std::vector<SearchStep> steps;    // from the parameters as they are to the program
  std::vector<std::string> links;   // what was done to each moving link, in plain words, in the order of the plan's bodies; empty for nothing
  std::string method;               // of acceleration: "inertia matrix" or "articulated bodies"; else empty
  std::optional<Refused> refused;   // cheaper than `steps` led to, before common factors are taken out
};

/// Minimises multiplications plus additions (divisions counting as multiplications), fewer multiplications on a tie. Deterministic. Friction is not part of it.
Best find_best(const Model& model, Quantity quantity, const SearchOptions& options = {});

}  // namespace ULNA_API
