// Logs of a robot that is known: what identification has to find again.
#pragma once

#include <cmath>
#include <vector>

#include <ulna/dynamics/on_plan.hpp>
#include <ulna/identify/identify.hpp>

#include "support/random.hpp"

namespace ulna::test {

/// The same tree with other masses, mass centres, inertias and friction; all of them a body's.
inline Model altered(const Model& model, std::uint64_t seed, bool friction = true) {
  Random random(seed);
  Description d;
  d.name = model.name(), d.file = model.file(), d.gravity = model.gravity(), d.links = model.links();
  for (Link& link : d.links) {
    if (link.mass == 0) continue;
    link.mass *= random.uniform(0.7, 1.4);
    link.com = link.com + random.vector(0.02);
    const double size = random.uniform(0.8, 1.5), round = 0.02 * link.mass * 0.01;
    link.inertia = size * link.inertia + Sym3<double>{round, round, round, 0, 0, 0};
  }
  for (std::size_t j = 0; j < model.joints().size(); ++j) {
    Description::JointEntry entry;
    entry.joint = model.joints()[j];
    entry.parent = model.links()[entry.joint.parent].name;
    entry.child = model.links()[entry.joint.child].name;
    if (const auto& mimic = model.coupling(j)) entry.joint.mimic = mimic, entry.leader = model.joints()[mimic->leader].name;
    const bool own = friction && entry.joint.type != JointType::fixed && !entry.joint.mimic;
    entry.joint.friction.viscous = own ? random.uniform(0.1, 2) : 0;
    entry.joint.friction.coulomb = own ? random.uniform(0.1, 3) : 0;
    d.joints.push_back(entry);
  }
  Diagnostics problems;
  return *build(d, problems);
}

struct Simulated {
  double seconds = 20, rate = 100;
  double noise = 0;  // standard deviation of torques
  bool v = true, a = true;
  double speed = 1;  // of the motion
  std::uint64_t motion = 1;
  int bits = 0;         // of the encoders, a turn; 0: exact
  double part = 0;      // standard deviation of torques over their root mean square
  double stribeck = 0;  // what it takes to break away beyond Coulomb friction, as a part of it; it fades as exp(-(v / 0.1)²)
  double delay = 0;     // of the torques [s]
};

/// Sums of sines, joint by joint, as an experiment has them.
inline Log simulated_log(const Model& robot, const Simulated& how, std::uint64_t noise_seed = 1) {
  const std::size_t n = robot.nv();
  Random random(how.motion), noise(noise_seed + 1000);
  constexpr int kWaves = 5;
  std::vector<double> amplitude(n * kWaves), frequency(n * kWaves), phase(n * kWaves);
  for (std::size_t i = 0; i < amplitude.size(); ++i)
    amplitude[i] = random.uniform(0.2, 0.6), frequency[i] = how.speed * random.uniform(0.3, 3.5), phase[i] = random.uniform(0, 6.28);
  const Plan plan = make_plan(robot, {.lumping = Lumping::none});
  Workspace ws(plan);
  Log log("simulated", n, {how.v, how.a, true});
  std::vector<double> q(n), v(n), a(n), tau(n);
  std::vector<double> coulomb(n), size(n, how.noise);
  for (std::size_t k = 0; k < n; ++k) coulomb[k] = robot.joints()[robot.driven()[k]].friction.coulomb;
  const auto normal = [&] { return std::sqrt(-2 * std::log(1 - noise.uniform(0, 1))) * std::cos(6.283185307179586 * noise.uniform(0, 1)); };
  const auto at = [&](double t) {
    for (std::size_t k = 0; k < n; ++k) {
      q[k] = v[k] = a[k] = 0;
      for (std::size_t w = 0; w < kWaves; ++w) {
        const std::size_t i = k * kWaves + w;
        const double x = frequency[i] * t + phase[i];
        q[k] += amplitude[i] * std::sin(x), v[k] += amplitude[i] * frequency[i] * std::cos(x), a[k] -= amplitude[i] * frequency[i] * frequency[i] * std::sin(x);
      }
    }
    inverse_dynamics(plan, ws, q, v, a, tau, Effects{.friction = true});
    for (std::size_t k = 0; k < n && how.stribeck != 0; ++k) tau[k] += how.stribeck * coulomb[k] * (v[k] > 0 ? 1 : -1) * std::exp(-100 * v[k] * v[k]);
  };
  const std::size_t rows = static_cast<std::size_t>(how.seconds * how.rate);
  std::vector<double> squares(n, 0), late(n);
  for (std::size_t s = 0; s < rows && how.part > 0; ++s) {
    at(static_cast<double>(s) / how.rate);
    for (std::size_t k = 0; k < n; ++k) squares[k] += tau[k] * tau[k];
  }
  for (std::size_t k = 0; k < n && how.part > 0; ++k) size[k] = how.part * std::sqrt(squares[k] / static_cast<double>(rows));
  const double step = how.bits > 0 ? 6.283185307179586 / std::exp2(how.bits) : 0;
  for (std::size_t s = 0; s < rows; ++s) {
    const double t = static_cast<double>(s) / how.rate;
    if (how.delay != 0) at(t - how.delay), late = tau;
    at(t);
    if (how.delay != 0) tau = late;
    for (std::size_t k = 0; k < n; ++k) tau[k] += size[k] * normal();
    for (std::size_t k = 0; k < n && step > 0; ++k) q[k] = step * std::round(q[k] / step);
    log.add(t, q.data(), v.data(), a.data(), tau.data());
  }
  return log;
}

}  // namespace ulna::test
