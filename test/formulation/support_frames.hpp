// What tests of frames need: chains of every arrangement of axes, and the dynamics of a DH chain in world axes, by d'Alembert's principle.
#pragma once

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "formulation/frames.hpp"

#include "support/arm.hpp"
#include "support/oracle.hpp"
#include "support/random_model.hpp"
#include "support/tolerance.hpp"

namespace ulna::test {

inline Pose<double> rows_pose(const DhChain<double>&, const DhRow<double>& r, double q) {
  const Pose<double> turn{rotation_z(r.theta + (r.prismatic ? 0 : q)), {}}, slide{Mat3<double>::identity(), {r.a, 0, r.d + (r.prismatic ? q : 0)}};
  return turn * slide * Pose<double>{Mat3<double>{1, 0, 0, 0, r.cos_alpha, -r.sin_alpha, 0, r.sin_alpha, r.cos_alpha}, {}};
}
inline Pose<double> rows_pose(const MdhChain<double>&, const DhRow<double>& r, double q) {
  const Pose<double> across{Mat3<double>{1, 0, 0, 0, r.cos_alpha, -r.sin_alpha, 0, r.sin_alpha, r.cos_alpha}, {r.a, 0, 0}};
  return across * Pose<double>{rotation_z(r.theta + (r.prismatic ? 0 : q)), {}} * Pose<double>{Mat3<double>::identity(), {0, 0, r.d + (r.prismatic ? q : 0)}};
}

/// Frames 0 to n in the root link.
template <class Chain>
std::vector<Pose<double>> chain_poses(const Chain& chain, const std::vector<double>& q) {
  std::vector<Pose<double>> X_WF{chain.X_W0};
  for (std::size_t i = 0; i < chain.size(); ++i) X_WF.push_back(X_WF.back() * rows_pose(chain, chain.rows[i], q[i]));
  return X_WF;
}

/// The frame whose z is the axis of joint i (counted from 0), before the joint has moved it (standard) or after (modified).
inline std::size_t axis_frame(const DhChain<double>&, std::size_t i) { return i; }
inline std::size_t axis_frame(const MdhChain<double>&, std::size_t i) { return i + 1; }

template <class Chain>
std::vector<double> chain_torques(const Chain& chain, const State& s) {
  const std::size_t n = chain.size();
  const std::vector<Pose<double>> X_WF = chain_poses(chain, s.q);
  const Vec3<double> g = chain.X_W0.R * chain.gravity_0;
  std::vector<Vec3<double>> axis(n), point(n), com(n), force(n), moment(n);
  Vec3<double> w{}, alpha{}, p = X_WF[0].p, v{}, a{};  // v, a: of the body's point that is at p
  for (std::size_t i = 0; i < n; ++i) {
    const DhRow<double>& row = chain.rows[i];
    const Pose<double>& X = X_WF[i + 1];
    axis[i] = X_WF[axis_frame(chain, i)].R.column_z();
    point[i] = X_WF[axis_frame(chain, i)].p;
    // To a point that lies on the axis, then over the joint.
    const auto carry = [&](const Vec3<double>& to) {
      const Vec3<double> r = to - p;
      a = a + cross(alpha, r) + cross(w, cross(w, r));
      v = v + cross(w, r);
      p = to;
    };
    carry(point[i]);
    if (row.prismatic) {
      a = a + s.a[i] * axis[i] + 2 * s.v[i] * cross(w, axis[i]);
      v = v + s.v[i] * axis[i];
    } else {
      alpha = alpha + s.a[i] * axis[i] + cross(w, s.v[i] * axis[i]);
      w = w + s.v[i] * axis[i];
    }
    com[i] = X.p + X.R * row.com;
    const Vec3<double> r = com[i] - p;
    const Vec3<double> a_com = a + cross(alpha, r) + cross(w, cross(w, r));
    const Sym3<double> I = congruence(X.R, row.inertia);
    force[i] = row.mass * (a_com - g);
    moment[i] = I * alpha + cross(w, I * w);
  }
  std::vector<double> tau(n);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = i; j < n; ++j)
      tau[i] += chain.rows[i].prismatic ? dot(axis[i], force[j]) : dot(axis[i], moment[j] + cross(com[j] - point[i], force[j]));
  return tau;
}

/// How far the frames lie from the bodies they belong to, in sizes of the robot, squared: what numbers in them lose.
template <class Chain>
double frame_condition(const Chain& chain, const Model& model) {
  double size = 0, reach = 0;
  for (std::size_t j = 0; j < model.joints().size(); ++j) {
    const Vec3<double> p = model.joints()[j].X_PF.p, c = model.links()[j + 1].com;
    size = std::max({size, std::hypot(p.x, p.y, p.z), std::hypot(c.x, c.y, c.z)});
  }
  for (const DhRow<double>& row : chain.rows) reach = std::max({reach, std::abs(row.a), std::abs(row.d), std::hypot(row.com.x, row.com.y, row.com.z)});
  return size > 0 ? std::max(1.0, reach / size) * std::max(1.0, reach / size) : 1;
}

/// A chain whose neighbouring axes are by turns skew, parallel, anti-parallel, intersecting, coincident or across, in frames as a file may have them.
inline Description arranged_chain(std::uint64_t seed, std::size_t n, const std::vector<bool>& prismatic = {}) {
  Random random(seed);
  Description d;
  d.name = "arranged";
  d.gravity = random.vector(10);
  d.links.push_back(frame("link0"));
  constexpr double kQuarter = std::numbers::pi / 2;
  for (std::size_t i = 0; i < n; ++i) {
    Description::JointEntry entry;
    Joint& joint = entry.joint;
    const bool slides = prismatic.empty() ? random.chance(0.3) : prismatic[i];
    joint.type = slides ? JointType::prismatic : JointType::revolute;
    // In the parent's frame z is the last axis. A turn of the axis about x, an offset, and a turn about the new axis that nobody sees.
    const int directions = random.integer(0, 3), places = random.integer(0, 3);
    const double tilt = directions == 0 ? 0 : directions == 1 ? 2 * kQuarter : directions == 2 ? kQuarter : random.uniform(0.3, 2.8);
    const double spin = random.chance(0.5) ? kQuarter * random.integer(0, 3) : random.uniform(-3, 3);
    joint.X_PF.R = rotation_z(spin) * rotation_x(tilt);
    if (places == 1) joint.X_PF.p = {0, 0, random.uniform(-0.5, 0.5)};  // axes meet or coincide
    if (places == 2) joint.X_PF.p = {random.uniform(0.1, 0.5), 0, 0};
    if (places == 3) joint.X_PF.p = random.vector(0.5);
    const Mat3<double> unseen = random.chance(0.5) ? rotation_z(kQuarter * random.integer(0, 3)) : rotation_z(random.uniform(-3, 3));
    joint.X_PF.R = joint.X_PF.R * unseen;
    Link link = random_link({}, random);
    if (random.chance(0.15) && i + 1 < n) link = frame({});
    append(d, entry, link, i);
  }
  return d;
}

inline Effects rigid_bodies_only() {
  Effects effects;
  effects.rotor = false;
  return effects;
}

}  // namespace ulna::test
