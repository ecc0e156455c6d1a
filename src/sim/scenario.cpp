#include <cmath>
#include <numbers>
#include <stdexcept>

#include <ulna/formulation/formulation.hpp>
#include <ulna/model/model.hpp>
#include <ulna/sim/scenario.hpp>

#include "sim/system.hpp"
#include "text/message.hpp"

namespace ulna {
namespace sim ULNA_API {

using namespace internal;
using namespace internal::sim;

namespace {

double norm(const Vec3<double>& x) { return std::sqrt(dot(x, x)); }

}  // namespace

// R rotates vectors from the base's axes to those at t = 0. A vector that is constant in the latter is Rᵀ times itself in the former.
BaseMotion base_motion(const BaseSettings& s, const Vec3<double>& gravity, double t) {
  BaseMotion motion;
  if (!s.moves) return motion;
  const double rate = 2 * std::numbers::pi * s.frequency, phase = rate * t;
  Mat3<double> R = Mat3<double>::identity();
  if (const double size = norm(s.rock); size > 0) {
    const Vec3<double> axis = (1 / size) * s.rock;
    R = rotation_about(axis, size * std::sin(phase));
    motion.angular_velocity = rate * std::cos(phase) * s.rock;
    motion.angular_acceleration = -rate * rate * std::sin(phase) * s.rock;
  } else if (const double speed = norm(s.angular_velocity); speed > 0) {
    R = rotation_about((1 / speed) * s.angular_velocity, speed * t);
    motion.angular_velocity = s.angular_velocity;
  }
  const Vec3<double> shaking = -rate * rate * std::sin(phase) * s.shake;
  // The kernels have gravity as it was at t = 0; its rotation since then goes into the acceleration of the base.
  motion.linear_acceleration = s.linear_acceleration + tmul(R, shaking) + gravity - tmul(R, gravity);
  return motion;
}

Model with_payload(const Model& model, const Payload& payload) {
  if (payload.link >= model.links().size())
    throw std::invalid_argument(
        cat("payload: link index ", payload.link, " is out of range: robot ", in_quotes(model.name()), " has ", model.links().size(), " links"));
  if (!(payload.mass > 0) || !std::isfinite(payload.mass)) throw std::invalid_argument(cat("payload: its mass must be positive, but it is ", payload.mass));
  return ulna::with_payload(model, model.links()[payload.link].name, {payload.mass, payload.com, payload.inertia});
}

Scenario with_formulation(const Scenario& scenario, const std::string& id, std::shared_ptr<const Speeds> speeds) {
  Scenario changed = scenario;
  changed.speeds = std::move(speeds);
  changed.formulation = formulation_named(id).id;
  // A test with the templates: the machine code is compiled when the scenario runs.
  changed.dynamics = std::make_shared<const Dynamics>(changed.model, DynamicsOptions{.rotor = changed.rotor, .threads = 1, .most = InstructionSet::none});
  System system(changed);
  changed.dynamics = scenario.dynamics;
  return changed;
}

const std::vector<std::string>& integrator_names() {
  static const std::vector<std::string> names{"rk4", "adams-bashforth-4", "dormand-prince-5", "implicit-midpoint"};
  return names;
}

std::string_view to_string(IntegratorKind kind) { return integrator_names()[static_cast<std::size_t>(kind)]; }

}  // namespace ULNA_API
}  // namespace ulna
