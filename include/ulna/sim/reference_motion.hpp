// Motions to follow: q, v and a as functions of time.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ulna::sim {

enum class ReferenceKind {
  none,
  hold,          // stays at `to`
  rest_to_rest,  // Kane & Levinson's eq. 127: s - sin(2 pi s) / (2 pi)
  quintic,       // 10 s³ - 15 s⁴ + 6 s⁵
  trapezoidal,   // constant acceleration, constant speed, constant deceleration
  waypoints      // through given positions at given times: the cubic spline that is at rest at both ends
};
std::string_view to_string(ReferenceKind kind);
/// Those that a scenario can ask for, from `hold` on.
const std::vector<std::string>& reference_names();

struct Waypoint {
  double t = 0;  // [s]
  std::vector<double> q;
};

struct ReferenceSettings {
  ReferenceKind kind = ReferenceKind::none;
  std::vector<double> from{};  // empty: the run's initial q
  std::vector<double> to{};
  double start = 0;                  // [s]
  std::optional<double> duration{};  // [s]; none: to the end of the run
  double blend = 0.25;               // trapezoidal: the share of the duration that is spent on speeding up, and again on slowing down; up to 0.5
  std::vector<Waypoint> waypoints{};
};

/// At rest before it starts and after it ends.
class ReferenceMotion {
 public:
  virtual ~ReferenceMotion() = default;
  /// `size` numbers each; all three must be there.
  virtual void at(double t, double* q, double* v, double* a) const = 0;
  /// Times at which the acceleration (or a derivative of it) jumps: integrators start anew there.
  virtual std::vector<double> breaks() const = 0;
  virtual double end() const = 0;
};

/// Throws std::invalid_argument when sizes differ from `size`, a time is missing or not positive, or waypoints are out of order. Null for
/// ReferenceKind::none. What the settings leave to the run, make_reference(const Scenario&) takes from there.
std::unique_ptr<ReferenceMotion> make_reference(const ReferenceSettings& settings, std::size_t size);

}  // namespace ulna::sim
