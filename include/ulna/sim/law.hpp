// Torque laws: the torques of the drives as a function of time and state.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <numbers>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <ulna/export.hpp>
#include <ulna/model/model.hpp>
#include <ulna/robot/dynamics.hpp>
#include <ulna/views.hpp>

namespace ulna::sim {}
namespace ulna::internal::sim {
using namespace ulna::sim;  // internal code uses public names
}

namespace ulna {
namespace sim ULNA_API {

// --- Motions to follow: q, v and a as functions of time.

enum class ReferenceKind {
  none,          // no motion to follow
  hold,          // stays at `to`
  rest_to_rest,  // Kane & Levinson's eq. 127: s - sin(2 pi s) / (2 pi)
  quintic,       // 10 s³ - 15 s⁴ + 6 s⁵
  trapezoidal,   // constant acceleration, constant speed, constant deceleration
  waypoints      // through given positions at given times: the cubic spline that is at rest at both ends
};
std::string_view to_string(ReferenceKind kind);  // Its name in files.
/// Those that a scenario can name, from `hold` on.
const std::vector<std::string>& reference_names();

struct Waypoint {
  double t = 0;  // [s]
  std::vector<double> q;
};

struct ReferenceSettings {  // The motion to follow.
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
/// ReferenceKind::none. make_reference(const Scenario&) takes from the run what the settings leave open.
std::unique_ptr<ReferenceMotion> make_reference(const ReferenceSettings& settings, std::size_t size);

enum class LawKind {  // Torque laws.
  none,               // no torques
  constant,           // constant over time
  table,              // given at times
  pd,                 // kp (q_ref - q) + kd (v_ref - v), and gravity
  pid,                // and ki times the integral of q_ref - q
  computed_torque,    // inverse dynamics of a_ref + kd (v_ref - v) + kp (q_ref - q) at the present q, v
  feedforward,        // inverse dynamics of the reference: no feedback
  kane_levinson,      // eqs 128-133 of their paper, for the Stanford arm
  prescribed,         // no law: the motion is the reference, the torques follow by inverse dynamics
  function            // a function of the program
};
std::string_view to_string(LawKind kind);  // Its name in files.
/// Those that a scenario can name: all but `function`.
const std::vector<std::string>& law_names();

/// A law given as a function: q has nq numbers, v and tau have nv, those of a base that moves first; tau comes as zeros.
using TorqueFunction = std::function<void(double t, VectorView<const double> q, VectorView<const double> v, VectorView<double> tau)>;

struct TorqueTable {                     // Torques over time.
  std::vector<double> t;                 // ascending [s]
  std::vector<std::vector<double>> tau;  // one row a time
  bool hold = false;                     // keep a row until the next; else straight lines between them. The first and last row hold outside.
};

/// T. R. Kane, D. A. Levinson, "The use of Kane's dynamical equations in robotics", 1983: numbers below eq. 133, in the paper's order and signs.
struct KaneLevinsonSettings {
  std::array<double, 12> gains{3, 5, 1, 3, 0.3, 0.6, 0.3, 0.6, 0.25, 0.25, 30, 41};  // k_1 … k_12
  std::array<double, 6> target{std::numbers::pi / 3, std::numbers::pi / 3, std::numbers::pi / 3, std::numbers::pi / 3, std::numbers::pi / 3, 0.1};  // q*
  bool first_drive = true;  // false: tau_1 = 0, their check by a constant of the motion
};

/// The payload that a law assumes on a link, which may differ from the actual one.
struct BelievedPayload {
  std::size_t link = 0;  // index into Model::links()
  ulna::Payload body{};  // mass 0: nothing
};

struct LawSettings {  // A torque law and its numbers.
  LawKind kind = LawKind::none;
  std::vector<double> tau;         // constant; nv numbers, or those of the joints
  TorqueTable table;               // table
  std::vector<double> kp, kd, ki;  // of each joint: a moving base has no drives, and laws that follow a reference leave it free
  bool gravity = true;             // pd and pid: add the torques that hold the robot against gravity
  bool saturate = false;           // torques stop at the joints' effort limits
  // computed-torque and feedforward: how much of the Coriolis and centrifugal torques C v and of the inertia torques M a_ref the law has: 1 all, 0 none.
  // Hollerbach 1980 asks how a motion changes without the former.
  double coriolis = 1, inertia = 1;
  std::optional<BelievedPayload> payload;  // pd, pid, computed-torque and feedforward; none: the robot alone
  KaneLevinsonSettings kane_levinson;
  TorqueFunction function;
};

/// The robot model that a law uses. Throws std::invalid_argument for a link that does not exist and a payload that no body can have.
Model believed(const Model& robot, const LawSettings& law);

/// A law may have a memory of its own, which is integrated with the motion.
class Law {
 public:
  virtual ~Law() = default;
  virtual std::size_t memory() const { return 0; }                                                         // Numbers of memory that it integrates.
  virtual void torque(double t, const double* q, const double* v, const double* memory, double* tau) = 0;  // Torques at one instant.
  virtual void memory_rate(double /*t*/, const double* /*q*/, const double* /*v*/, double* /*rate*/) {}    // Rate of its memory.
  /// Times at which the torque, or a derivative of it, jumps.
  virtual std::vector<double> breaks() const { return {}; }
};

/// The model is that of the robot alone; the settings hold the payload that the controller assumes. `reference` may be null where the law needs none; it must
/// outlive the law. `like` as in ForwardModel. Throws std::invalid_argument when sizes are wrong, the reference is missing, or the robot is no Stanford arm.
/// One law per thread.
std::unique_ptr<Law> make_law(const LawSettings& settings, const Model& model, bool rotor, const ReferenceMotion* reference, const Dynamics* like = nullptr);

}  // namespace ULNA_API
}  // namespace ulna
