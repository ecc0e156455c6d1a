#include <ulna/model/model.hpp>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "model/unit_quaternion.hpp"
#include "text/message.hpp"

namespace ulna ULNA_API {

using namespace internal;

namespace {

using Vec = Vec3<double>;

double length(const Vec& v) { return std::hypot(v.x, v.y, v.z); }

Quaternion quaternion_at(const double* q) { return {q[0], q[1], q[2], q[3]}; }
Vec three(const double* x) { return {x[0], x[1], x[2]}; }
void put(double* to, const Vec& x) { to[0] = x.x, to[1] = x.y, to[2] = x.z; }
void put(double* to, const Quaternion& q) { to[0] = q.x, to[1] = q.y, to[2] = q.z, to[3] = q.w; }

Quaternion product(const Quaternion& a, const Quaternion& b) {
  return {a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y, a.w * b.y + a.y * b.w + a.z * b.x - a.x * b.z, a.w * b.z + a.z * b.w + a.x * b.y - a.y * b.x,
          a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z};
}

double length(const Quaternion& q) { return std::sqrt(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w); }

Vec rotated(const Quaternion& q, const Vec& v) {
  const Vec u{q.x, q.y, q.z}, t = 2.0 * cross(u, v);
  return v + q.w * t + cross(u, t);
}
Vec rotated_back(const Quaternion& q, const Vec& v) { return rotated({-q.x, -q.y, -q.z, q.w}, v); }

/// sin(x) / x
double sinc(double x) { return std::fabs(x) < 1e-4 ? 1 - x * x / 6 : std::sin(x) / x; }

/// `at` rotated by the rotation vector phi, in its own axes; of unit length.
Quaternion turned_by(const Quaternion& at, const Vec& phi) {
  const double half = length(phi) / 2, scale = sinc(half) / 2;
  const Quaternion next = product(at, {scale * phi.x, scale * phi.y, scale * phi.z, std::cos(half)});
  const double size = length(next);
  return {next.x / size, next.y / size, next.z / size, next.w / size};
}
/// Inverse: the rotation vector, shorter than half a turn, that leads from one to the other.
Vec turn_between(const Quaternion& from, const Quaternion& to) {
  Quaternion by = product({-from.x, -from.y, -from.z, from.w}, to);
  if (by.w < 0) by = {-by.x, -by.y, -by.z, -by.w};
  const Vec axis{by.x, by.y, by.z};
  const double sine = length(axis), half = std::atan2(sine, by.w);
  return (sine > 0 ? 2 * half / sine : 2 / by.w) * axis;
}

/// The linear part of exp of SE(3): V u = u + (1 - cos θ)/θ² φ x u + (θ - sin θ)/θ³ φ x (φ x u), θ = |φ|. Half angles keep the first factor's digits.
Vec along_screw(const Vec& phi, const Vec& u) {
  const double angle = length(phi), half = sinc(angle / 2);
  const double cubic = angle < 1e-2 ? (1 - angle * angle / 20 * (1 - angle * angle / 42)) / 6 : (angle - std::sin(angle)) / (angle * angle * angle);
  const Vec once = cross(phi, u);
  return u + (half * half / 2) * once + cubic * cross(phi, once);
}

/// And back: V⁻¹ u = u - φ x u / 2 + (1 - (θ/2) cot(θ/2))/θ² φ x (φ x u).
Vec back_along_screw(const Vec& phi, const Vec& u) {
  const double angle = length(phi), half = angle / 2;
  const double factor = angle < 1e-2 ? (1 + angle * angle / 60) / 12 : (1 - half * std::cos(half) / std::sin(half)) / (angle * angle);
  const Vec once = cross(phi, u);
  return u - 0.5 * once + factor * cross(phi, once);
}

void require(const Model& model, const char* name, std::size_t got, std::size_t wanted, const char* what) {
  if (got != wanted) throw std::invalid_argument(cat(name, " has ", got, " entries, but robot ", in_quotes(model.name()), " has ", what, " = ", wanted));
}

/// Speeds of all joints of the tree, or those of a robot with loops that are independent.
void require_speeds(const Model& model, const char* name, std::size_t size) {
  if (size != model.nv_tree()) require(model, name, size, model.nv(), "nv");
}

/// Places of q behind a free base's seven numbers, and of `speeds` numbers behind its six, that belong together: f(place, speed) of a number,
/// turns(place, speed) of the quaternion of a ball joint and its three speeds.
template <class F, class Turns>
void for_each_position(const Model& model, std::size_t speeds, F f, Turns turns) {
  const std::size_t first = model.base() == RootJoint::free ? 6 : 0, more = model.nq() - model.nv_tree();
  if (model.has_balls()) {  // such a robot has no loops
    const std::size_t base = base_nv(model.base());
    for (std::size_t k = first; k < base; ++k) f(k, k);  // a planar base
    const std::vector<std::size_t> places = model.places();
    for (std::size_t k = 0; k < places.size();) {
      const JointType type = model.joints()[model.independent()[k]].type;
      if (type == JointType::ball)
        turns(places[k], base + k);
      else
        f(places[k], base + k);
      k += joint_nv(type);
    }
    return;
  }
  if (speeds == model.nv_tree()) {
    for (std::size_t k = first; k < speeds; ++k) f(k + more, k);
    return;
  }
  const EliminationOrder order = model.order();
  for (std::size_t k = first; k < order.independent.size(); ++k) f(order.independent[k] + more, k);
}

}  // namespace

std::vector<double> neutral(const Model& model) {
  std::vector<double> q(model.nq(), 0.0);
  for (const std::size_t at : model.quaternions()) q[at + 3] = 1;
  return q;
}

void integrate(const Model& model, VectorView<const double> q, VectorView<const double> v, double dt, VectorView<double> to) {
  require(model, "q", q.size(), model.nq(), "nq");
  require_speeds(model, "v", v.size());
  require(model, "the result", to.size(), model.nq(), "nq");
  internal::require_unit(model, q.data(), "q: ");
  for (std::size_t k = 0; k < q.size(); ++k) to[k] = q[k];
  for_each_position(
      model, v.size(), [&](std::size_t at, std::size_t k) { to[at] = q[at] + v[k] * dt; },
      [&](std::size_t at, std::size_t k) { put(&to[at], turned_by(quaternion_at(&q[at]), dt * three(&v[k]))); });
  if (model.base() != RootJoint::free) return;
  const Vec phi = dt * three(v.data()), u = dt * three(v.data() + 3);
  const Quaternion at = quaternion_at(&q[3]);
  const Quaternion next = turned_by(at, phi);
  put(to.data(), three(q.data()) + rotated(at, along_screw(phi, u)));
  put(&to[3], next);
}

void difference(const Model& model, VectorView<const double> q0, VectorView<const double> q1, VectorView<double> v) {
  require(model, "q0", q0.size(), model.nq(), "nq");
  require(model, "q1", q1.size(), model.nq(), "nq");
  require_speeds(model, "the result", v.size());
  internal::require_unit(model, q0.data(), "q0: ");
  internal::require_unit(model, q1.data(), "q1: ");
  for_each_position(
      model, v.size(), [&](std::size_t at, std::size_t k) { v[k] = q1[at] - q0[at]; },
      [&](std::size_t at, std::size_t k) { put(&v[k], turn_between(quaternion_at(&q0[at]), quaternion_at(&q1[at]))); });
  if (model.base() != RootJoint::free) return;
  const Quaternion from = quaternion_at(&q0[3]);
  const Vec phi = turn_between(from, quaternion_at(&q1[3]));
  put(v.data(), phi);
  put(v.data() + 3, back_along_screw(phi, rotated_back(from, three(q1.data()) - three(q0.data()))));
}

double normalize(const Model& model, VectorView<double> q) {
  require(model, "q", q.size(), model.nq(), "nq");
  double furthest = 1;
  for (const std::size_t at : model.quaternions()) {
    const double size = internal::quaternion_length(&q[at]);
    if (!(std::fabs(size - 1) <= std::fabs(furthest - 1))) furthest = size;
    if (!std::isfinite(size) || size == 0 || size == 1) continue;
    for (std::size_t k = at; k < at + 4; ++k) q[k] /= size;
  }
  return furthest;
}

void to_ulna(const BaseConvention& from, double* q, double* v, double* a, double* tau) {
  if (from.quaternion == BaseConvention::Quaternion::wxyz && q != nullptr) std::rotate(q + 3, q + 4, q + 7);
  if (from.order == BaseConvention::Order::linear)
    for (double* x : {v, a, tau})
      if (x != nullptr) std::swap_ranges(x, x + 3, x + 3);
  if (from.axes != BaseConvention::Axes::local) {
    const Quaternion at = quaternion_at(q + 3);
    const auto turn = [&](double* x) {
      if (x == nullptr) return;
      if (from.axes == BaseConvention::Axes::world) put(x, rotated_back(at, three(x)));
      put(x + 3, rotated_back(at, three(x + 3)));
    };
    turn(v);
    turn(tau);
    turn(a);
  }
  if (from.acceleration == BaseConvention::Acceleration::spatial && a != nullptr && v != nullptr) put(a + 3, three(a + 3) + cross(three(v), three(v + 3)));
}

}  // namespace ULNA_API
