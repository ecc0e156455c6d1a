#include <cmath>
#include <numbers>

#include <ulna/sim/scenario.hpp>

namespace ulna {
namespace sim ULNA_API {

using namespace internal;
using namespace internal::sim;

namespace {

double norm(const Vec3<double>& x) { return std::sqrt(dot(x, x)); }

}  // namespace

// R turns vectors of the base's axes to those that it had at t = 0. A vector that stands still in the latter is Rᵀ times itself in the former.
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
  // The kernels know gravity as it was at t = 0; what it has turned since goes into the acceleration of the base.
  motion.linear_acceleration = s.linear_acceleration + tmul(R, shaking) + gravity - tmul(R, gravity);
  return motion;
}

}  // namespace ULNA_API
}  // namespace ulna
