// The numbers of a base that moves, at the head of q, v and tau, and of ball joints, of states that lie side by side: number i of lane l at [i * lanes + l].
#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

#include <ulna/model/model.hpp>
#include <ulna/spatial/spatial.hpp>

namespace ulna::internal::sim {

/// How many numbers stand before the joints'.
struct BaseState {
  explicit BaseState(RootJoint base) : free(base == RootJoint::free), q(base_nq(base)), v(base_nv(base)) {}
  bool free;
  std::size_t q, v;
};

/// Where q has the positions of the joints that v lists behind the base.
inline std::vector<std::size_t> driven_positions(const Model& model) {
  if (!model.closed()) return model.places();
  std::vector<std::size_t> places;
  for (const std::size_t k : model.order().independent)
    if (k >= base_nv(model.base())) places.push_back(k + model.nq() - model.nv_tree());
  return places;
}

/// The unit quaternion that begins at q[at], of all lanes. One that is zero or not finite is left unchanged: the run will diverge.
inline void make_unit(double* q, std::size_t at, std::size_t lanes) {
  for (std::size_t l = at * lanes; l < (at + 1) * lanes; ++l) {
    double &x = q[l], &y = q[lanes + l], &z = q[2 * lanes + l], &w = q[3 * lanes + l];
    const double length = std::sqrt(x * x + y * y + z * z + w * w);
    if (!(length > 0) || length == 1) continue;
    x /= length, y /= length, z /= length, w /= length;
  }
}

/// The rate of the quaternion at q[at], whose angular velocity is v[first] and the next two: q (w, 0) / 2, linear in the numbers of q as they are.
inline void quaternion_rates(const double* q, std::size_t at, const double* v, std::size_t first, double* rate, std::size_t lanes) {
  for (std::size_t l = 0; l < lanes; ++l) {
    const auto number = [&](const double* numbers, std::size_t i) { return numbers[i * lanes + l]; };
    const double x = number(q, at), y = number(q, at + 1), z = number(q, at + 2), w = number(q, at + 3), wx = number(v, first), wy = number(v, first + 1),
                 wz = number(v, first + 2);
    rate[at * lanes + l] = 0.5 * (w * wx + y * wz - z * wy);
    rate[(at + 1) * lanes + l] = 0.5 * (w * wy + z * wx - x * wz);
    rate[(at + 2) * lanes + l] = 0.5 * (w * wz + x * wy - y * wx);
    rate[(at + 3) * lanes + l] = -0.5 * (x * wx + y * wy + z * wz);
  }
}

/// dq/dt of a free base. `unit` is q with its quaternion of unit length.
inline void base_rates(const double* q, const double* unit, const double* v, double* rate, std::size_t lanes) {
  for (std::size_t l = 0; l < lanes; ++l) {
    const auto at = [&](const double* numbers, std::size_t i) { return numbers[i * lanes + l]; };
    const Vec3<double> u{at(unit, 3), at(unit, 4), at(unit, 5)}, linear{at(v, 3), at(v, 4), at(v, 5)};
    const Vec3<double> twice = 2.0 * cross(u, linear), moves = linear + at(unit, 6) * twice + cross(u, twice);
    rate[l] = moves.x;
    rate[lanes + l] = moves.y;
    rate[2 * lanes + l] = moves.z;
  }
  quaternion_rates(q, 3, v, 0, rate, lanes);
}

/// Rates of v: from the classical acceleration of a free base to the rate of the numbers of its linear velocity, which is less by w x v.
inline void classical_to_numbers(const double* v, double* a, std::size_t lanes) {
  for (std::size_t l = 0; l < lanes; ++l) {
    const auto at = [&](std::size_t i) { return v[i * lanes + l]; };
    const Vec3<double> transport = cross(Vec3<double>{at(0), at(1), at(2)}, Vec3<double>{at(3), at(4), at(5)});
    a[3 * lanes + l] -= transport.x;
    a[4 * lanes + l] -= transport.y;
    a[5 * lanes + l] -= transport.z;
  }
}

/// And back, of one state.
inline void numbers_to_classical(const double* v, double* a) {
  const Vec3<double> transport = cross(Vec3<double>{v[0], v[1], v[2]}, Vec3<double>{v[3], v[4], v[5]});
  a[3] += transport.x, a[4] += transport.y, a[5] += transport.z;
}

/// A wrench on a free base, in its axes at its origin, to one in the world's at its origin. `q` has unit quaternions.
inline void wrench_to_world(const double* q, double* wrench, std::size_t lanes) {
  for (std::size_t l = 0; l < lanes; ++l) {
    const auto at = [&](const double* numbers, std::size_t i) { return numbers[i * lanes + l]; };
    const Vec3<double> u{at(q, 3), at(q, 4), at(q, 5)}, p{at(q, 0), at(q, 1), at(q, 2)};
    const auto rotated = [&](const Vec3<double>& x) {
      const Vec3<double> twice = 2.0 * cross(u, x);
      return x + at(q, 6) * twice + cross(u, twice);
    };
    const Vec3<double> force = rotated({at(wrench, 3), at(wrench, 4), at(wrench, 5)});
    const Vec3<double> moment = rotated({at(wrench, 0), at(wrench, 1), at(wrench, 2)}) + cross(p, force);
    const double numbers[] = {moment.x, moment.y, moment.z, force.x, force.y, force.z};
    for (std::size_t i = 0; i < 6; ++i) wrench[i * lanes + l] = numbers[i];
  }
}

}  // namespace ulna::internal::sim
