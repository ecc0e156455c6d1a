// The laws a model must obey before any number is computed from it, and advice on suspicious values.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <ulna/export.hpp>
#include <ulna/model/model.hpp>
#include <ulna/spatial/spatial.hpp>

namespace ulna ULNA_API {

struct CheckOptions {
  bool rotor = true;  // rotor inertia counts when the inertia matrix is tested for singularity
};

/// Masses and inertias of links (warnings) and of merged moving bodies (errors), and an inertia matrix that is not singular.
void check(const Model& model, Diagnostics& diagnostics, const CheckOptions& options = {});

/// A model that is built and obeys these laws, for programs: throws SourceError listing every problem.
Model build(const Description& description);

/// Reports a negative mass as check() does, for a link that is in no model yet; false when it is negative.
bool check_mass(const Link& link, Diagnostics& diagnostics);

/// Notes on suspicious values: implausible units, inertia far from mass times size squared, identical links, coarse angles.
void advise(const Model& model, Diagnostics& diagnostics);

// Whether a motion stays within the limits of a robot: of every joint, of joints that follow others, at the rows and between them. The check shares no code
// with what makes motions.

/// Rows of a motion, one after the other. v, a and tau may be empty: velocities are then the differences of positions.
struct MotionRows {
  std::span<const double> t;    // ascending [s]
  std::span<const double> q;    // nq numbers a row
  std::span<const double> v;    // nv numbers a row
  std::span<const double> a;    // likewise
  std::span<const double> tau;  // likewise: of the drives
};

struct MotionCheckOptions {  // What a motion is compared with.
  double speed = 0;          // limit of joints that the model has none for [rad/s, m/s]; 0: none
  double acceleration = 0;   // limit of every joint besides those of the model [rad/s², m/s²]; 0: none
  /// Between two rows, too, as controllers interpolate: lines through positions, cubics through positions and velocities, quintics through accelerations.
  /// Torques are then computed from the model's masses and friction, and a joint that follows another is compared with the torque that it transmits. For a
  /// fixed base.
  bool between = true;
  double snap = kSnap;  // Angles this near to a quarter turn are exact [rad].
};

enum class LimitKind { position, velocity, acceleration, effort };  // What a limit is on.
std::string_view to_string(LimitKind kind);                         // "position", "speed", "acceleration", "effort"

/// How near a motion comes to one side of a limit.
struct LimitUse {
  std::size_t joint = 0;  // of Model::joints()
  LimitKind kind = LimitKind::position;
  double limit = 0;  // with its sign
  int side = 1;      // 1: values above the limit are beyond it; -1: values below
  double value = 0;  // the nearest to the limit, or the farthest beyond
  double t = 0;      // when [s]
  double first = 0;  // when a value is beyond it first [s]; NaN: never

  bool broken() const { return first == first; }  // Whether a value is beyond the limit.
};
std::string_view unit_of(const Model& model, const LimitUse& use);  // Of its limit and value: "rad/s"
/// "joint 'elbow' reaches 8.08 rad at t = 3.2 s, beyond its upper position limit of 1 rad"
std::string to_string(const Model& model, const LimitUse& use);

/// Every limit that the model and the options have: joints in the order of the model, then kinds, then sides. Continuous joints have no limits of position; a
/// limit of 0 on speed or effort counts as none. Values within 1e-9 (1 + |limit|) of a limit keep it. Throws std::invalid_argument for sizes that do not fit
/// and times that do not ascend and, with `between`, for numbers that are not finite.
std::vector<LimitUse> limits_used(const Model& model, const MotionRows& rows, const MotionCheckOptions& options = {});

/// Those of limits_used() that are broken.
std::vector<LimitUse> check_motion(const Model& model, const MotionRows& rows, const MotionCheckOptions& options = {});

}  // namespace ULNA_API
