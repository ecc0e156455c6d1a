// Everything that makes up one simulation, as data. load_scenario() reads files; programs fill it in.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <ulna/dynamics/quantity.hpp>
#include <ulna/export.hpp>
#include <ulna/model/model.hpp>
#include <ulna/robot/dynamics.hpp>
#include <ulna/sim/law.hpp>
#include <ulna/source/load.hpp>

namespace ulna {
class Speeds;
namespace sim ULNA_API {

// How dx/dt = f(t, x) is integrated.
//
//   id                    order  evaluations a step  what for
//   rk4                   4      4                   the classic four points (Turney, Mudge & Lee 1980, sec. 7)
//   adams-bashforth-4     4      1                   Lin's choice (1991); the first three steps after every start are made by rk4
//   dormand-prince-5      5      6 (last is first)   steps chosen to keep a tolerance; dense output of order 4
//   implicit-midpoint     2      3 to 20             long unforced runs: symplectic in (q, p), p = M v, so that energy does not drift away
//
// The quaternion of a free base has unit length in every state that is computed with or written. The first three integrate its four numbers, whose rate is
// linear in them; the kernels get the unit quaternion along them, so that its length does not matter to the motion, and each method keeps its order
// (projection: Hairer, Lubich & Wanner 2006, sec. IV.4). The implicit midpoint rule goes along the screw of the midpoint's velocity, exp of SE(3), with the
// robot's momentum in the world among its momenta: what no force changes stays to rounding.
enum class IntegratorKind { rk4, adams_bashforth_4, dormand_prince_5, implicit_midpoint };
std::string_view to_string(IntegratorKind kind);
/// All four, in the order of the enumeration.
const std::vector<std::string>& integrator_names();

struct IntegratorSettings {
  IntegratorKind kind = IntegratorKind::dormand_prince_5;
  double step = 1e-3;       // [s]; dormand-prince-5: the first one tried
  double tolerance = 1e-9;  // dormand-prince-5 only: on the error of a step, absolute and relative
};

/// The run cannot go on: the state is no longer finite, a step became too short, or an iteration does not converge.
struct Diverged : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Dry friction of a joint at speed v: viscous * v + coulomb * sign(v). A joint at rest transmits what keeps it at rest, up to its static level: it sticks.
/// Smooth friction: viscous * v + coulomb * tanh(v / smooth). Nothing sticks: the jump at v = 0 is spread over the smooth speed, and a joint
/// creeps where it would stick. Derivatives need it.
struct FrictionSettings {
  bool on = false;
  double smooth = 0;         // [rad/s or m/s]; 0: dry
  double static_factor = 0;  // of dry friction: static level over coulomb, at least 1; 0: the model's levels

  bool dry() const { return on && smooth == 0; }  // Whether joints can stick.
};

/// A wrench on a link from one time to another.
struct Disturbance {
  Wrench wrench;
  double from = 0;                                      // [s]
  double to = std::numeric_limits<double>::infinity();  // [s]
};

/// How a body moves before it is caught: of its mass centre, in the world's axes.
struct Flight {
  Vec3<double> velocity{};          // [m/s]
  Vec3<double> angular_velocity{};  // [rad/s]
};

/// A rigid body that a link carries for a while. It moves with the link when it is taken, and is released without impulse: q and v do not jump. One that
/// has a velocity of its own is caught: from then on it moves with the link, and v jumps by the impulse of its momentum.
struct Payload {
  std::size_t link = 0;                                 // index into Model::links()
  double mass = 0;                                      // [kg]
  Vec3<double> com{};                                   // in the link's frame [m]
  Sym3<double> inertia{};                               // about its mass centre, in the link's axes [kg m²]
  double from = 0;                                      // [s]
  double to = std::numeric_limits<double>::infinity();  // [s]
  std::optional<Flight> flight{};
};

/// Joints that brakes hold from one time to another, independent of the law. They stop at once; momenta of what is free keep their values.
struct Brake {
  std::vector<std::size_t> joints;                      // indices into Model::driven()
  double from = 0;                                      // [s]
  double to = std::numeric_limits<double>::infinity();  // [s]
};

/// The model with the payload as a part of its link. Throws std::invalid_argument for a link that does not exist or a mass that is not positive.
Model with_payload(const Model& model, const Payload& payload);

/// Prescribed motion of the root link of a robot with a fixed base. Gravity is given in the root link's axes at t = 0; as the base rotates, it rotates the
/// other way in these axes.
struct BaseSettings {
  bool moves = false;
  Vec3<double> angular_velocity{};     // constant, root link's axes [rad/s]
  Vec3<double> linear_acceleration{};  // constant, root link's axes [m/s²]
  Vec3<double> shake{};                // amplitude of a translation, axes at t = 0 [m]
  Vec3<double> rock{};                 // amplitude of a rotation about this axis [rad]
  double frequency = 0;                // of shake and rock: sin(2 pi f t) [Hz]
};
/// At time t, with the change of gravity's direction included in the linear acceleration. `gravity` is the model's.
BaseMotion base_motion(const BaseSettings& settings, const Vec3<double>& gravity, double t);

/// A sampled controller: it measures once a period and holds its torques until the next sample; they act `delay` later.
struct ControlSettings {
  double period = 0;                     // [s]; 0: the law is continuous
  double delay = 0;                      // of torques [s]; to the nearest sample
  std::vector<double> noise_q, noise_v;  // standard deviations of what is measured, of the joints that v lists; empty for none
  std::vector<double> step_q, step_v;    // what is measured comes in multiples of this; empty, and 0, for none
  std::uint64_t seed = 1, run = 0;       // of the noise: runs have disjoint streams
};

enum class LimitPolicy {  // What happens at a joint limit.
  ignore,
  report,  // say when a joint crosses a limit
  stop     // end the run there
};

/// Dependent values are derived when a run begins, so that every number can be changed until then.
struct Scenario {
  /// At rest at its zero; with loops, at its reference assembly. References, gains and torques are of the joints that v lists; dependent positions of q are
  /// where a run is closed from.
  explicit Scenario(Model robot) : model(std::move(robot)), q(model.reference()), v(model.nv(), 0.0) {}

  std::string name = "scenario";
  std::string description;
  Model model;
  double duration = 1;       // [s]
  std::vector<double> q, v;  // of the base, then of the joints (ulna/model/model.hpp)
  IntegratorSettings integrator;
  std::string formulation = "ulna";      // of the accelerations; of a prescribed motion, of the torques
  std::shared_ptr<const Speeds> speeds;  // of a formulation that takes them: what is integrated in place of v
  bool rotor = true;
  FrictionSettings friction;
  LimitPolicy limits = LimitPolicy::report;
  LawSettings law;
  ReferenceSettings reference;
  std::vector<Disturbance> disturbances;
  std::vector<Payload> payloads;
  std::vector<Brake> brakes;
  std::shared_ptr<const Dynamics> dynamics;  // machine code that runs share (see ForwardModel); each makes its own where there is none
  std::shared_ptr<const Dynamics> believed;  // the law's model of the robot; the robot itself where there is none
  ControlSettings control;
  BaseSettings base;
  double output_step = 0.01;   // [s]
  bool paper_columns = false;  // also tau1 … tau5 and sigma in Kane and Levinson's signs
};

/// The scenario by another formulation. Throws std::invalid_argument, with cause and cure, when there is none of this id, when it does not take the robot, or
/// when it does not give what the scenario needs.
Scenario with_formulation(const Scenario& scenario, const std::string& id, std::shared_ptr<const Speeds> speeds = {});

/// The scenario's reference, with what it leaves open taken from the run: `from` from the initial q of the joints, `duration` from the end.
std::unique_ptr<ReferenceMotion> make_reference(const Scenario& scenario);

// --- From a file, a text or a name to a checked Scenario. The format: docs/simulate.md.

/// The scenarios that come with Ulna.
struct BuiltinScenario {
  std::string_view id;
  std::string_view summary;
  std::string_view file;  // its name under scenarios/
  std::string_view text;
};
const std::vector<BuiltinScenario>& builtin_scenarios();  // The scenarios that come with Ulna.

/// A scenario, or nothing when the diagnostics hold errors. Those of its robot's file are among them.
struct ScenarioResult {
  std::optional<Scenario> scenario;
  std::vector<Diagnostic> diagnostics;
  bool found = true;  // false: there is no such file or built-in scenario, or it cannot be read
};

/// `source` is a YAML file or the id of a built-in scenario, distinguished as by ulna::try_load. Paths inside a file are relative to it. Never throws for a bad
/// file. `base`, where it is given, replaces the file's.
/// So do the loops and independent joints of `robot`.
ScenarioResult try_load_scenario(const std::string& source, const ReadLimits& limits = {}, std::optional<RootJoint> base = {}, const LoadOptions& robot = {});
/// The same from text; `file` is used in messages, and its folder for relative paths.
ScenarioResult try_parse_scenario(std::string_view text, const std::string& file, const ReadLimits& limits = {}, std::optional<RootJoint> base = {},
                                  const LoadOptions& robot = {});

/// Throws SourceError listing every problem, with lines.
Scenario load_scenario(const std::string& source);

}  // namespace ULNA_API
}  // namespace ulna

namespace ulna::internal::sim {
using ulna::sim::Payload;  // not ulna::Payload
}
