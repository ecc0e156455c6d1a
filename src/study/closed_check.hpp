// A robot with loops two ways: Kane's method, and as machine code, against the tree's equations with Lagrange's multipliers in extended precision.
#pragma once

#include <cstdint>
#include <vector>

#include <ulna/loop/mechanism.hpp>

namespace ulna::internal {

/// States nearer to a singular assembly are left out: digits are lost there by everything.
inline constexpr double kNearSingular = 0.02;

inline constexpr double kWholeTurns = 100;

struct ClosedCheckRow {
  const char* id;
  const char* quantity;
  double difference = 0, allowed = 0;  // the largest difference over what is allowed in its state, and what is allowed there
  bool agree = true;
  void see(double difference_now, double allowed_now);
};

struct ClosedCheck {
  std::vector<ClosedCheckRow> rows;
  std::size_t used = 0, left_out = 0;  // states
  std::size_t far = 0;                 // of those used: drives turned by up to kWholeTurns
  std::size_t elsewhere = 0;           // of those used: beyond a singular assembly from the reference, on another branch or circuit
  std::size_t unsure = 0;              // in which machine code was not sure of a pivot, and said so
  bool agree() const;
};

/// At random states near the reference assembly; half of them with drives that have turned many times, half of them assembled from random guesses. Positions
/// that continuation found (loop/continuation.hpp) are compared with those of Newton's method in many small steps.
ClosedCheck check_closed(const Mechanism& robot, std::size_t samples, std::uint64_t seed, const Effects& effects = {});

}  // namespace ulna::internal
