#include "study/closed_check.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>

#include <ulna/robot/closed_dynamics.hpp>

#include "loop/continuation.hpp"
#include "loop/multipliers.hpp"

namespace ulna::internal {

namespace {

// Of the largest torque that enters, over the distance to the nearest singularity: what some hundred roundings leave.
constexpr double kAllowed = 1e-13;
// One in this many states is followed in small steps, too.
constexpr std::size_t kFollowed = 40;

/// Dependent positions at the independent ones of `to`, less whole turns, by Newton's method from the reference: nothing but small steps keeps it on its
/// circuit. Empty where it does not close on the way.
std::vector<double> in_small_steps(const Mechanism& robot, const std::vector<bool>& turns, const std::vector<double>& to) {
  constexpr double kStep = 0.01;
  const std::vector<double>& from = robot.reference();
  std::vector<double> way = from, q = from;
  double longest = 0;
  for (const std::size_t k : robot.independent()) {
    way[k] = turns[k] ? std::remainder(to[k] - from[k], 2 * std::numbers::pi) : to[k] - from[k];
    longest = std::max(longest, std::abs(way[k]));
  }
  const int steps = 1 + static_cast<int>(longest / kStep);
  for (int step = 1; step <= steps; ++step) {
    for (const std::size_t k : robot.independent()) q[k] = from[k] + way[k] * step / steps;
    const Closure closure = robot.close(q);
    if (!closure.closed || closure.crossed) return {};
  }
  return q;
}

}  // namespace

void ClosedCheckRow::see(double difference_now, double allowed_now) {
  if (!(difference_now <= allowed_now)) agree = false;
  if (allowed == 0 || !(difference_now / allowed_now <= difference / allowed)) difference = difference_now, allowed = allowed_now;
}

bool ClosedCheck::agree() const {
  return std::all_of(rows.begin(), rows.end(), [](const ClosedCheckRow& row) { return row.agree; });
}

ClosedCheck check_closed(const Mechanism& robot, std::size_t samples, std::uint64_t seed, const Effects& effects) {
  const std::size_t m = robot.mobility();
  const ClosedDynamics fast(robot, {.steps = 2});
  std::mt19937_64 random(seed);
  const auto uniform = [&] { return static_cast<double>(random() >> 11) * 0x1p-52 - 1; };  // from -1 to 1, the same everywhere
  ClosedCheckRow torque{"kane", "torque"}, speeds{"kane", "dependent velocity"}, accelerations{"kane", "dependent acceleration"},
      forward{"kane", "acceleration"}, positions{"continuation", "dependent position"}, machine{"compiled-double", "torque"},
      machine_forward{"compiled-double", "acceleration"};
  ClosedCheck result;
  const std::vector<bool> turns = periodic(robot.parts().plan);
  std::vector<double> reference_q = robot.reference();
  const int side = fast.close(reference_q.data(), 0).side;
  std::vector<double> u(m), u_dot(m), tau(m), back(m), v(robot.nv()), a(robot.nv());
  for (std::size_t sample = 0; sample < samples; ++sample) {
    const bool far = sample % 2 == 1, guessed = sample % 4 >= 2;
    std::vector<double> q = robot.reference();
    for (std::size_t k = 0; k < m; ++k) {
      const std::size_t coordinate = robot.independent()[k];
      const Joint& joint = robot.tree().joints()[robot.tree().independent()[coordinate]];
      double& at = q[coordinate];
      at += (joint.type == JointType::prismatic ? 0.05 : 0.7) * uniform();
      if (joint.lower < joint.upper) at = std::clamp(at, joint.lower, joint.upper);
      if (far && turns[coordinate]) at += 2 * std::numbers::pi * std::round(kWholeTurns * uniform());
      u[k] = 2 * uniform(), u_dot[k] = 5 * uniform();
    }
    if (guessed)
      for (const std::size_t k : robot.dependent()) q[k] += turns[k] ? std::numbers::pi * uniform() : 0;
    Closure closure = guessed ? robot.close(q) : robot.assemble(q);
    if (guessed) closure.crossed = false;  // a random guess stands for no circuit
    if (!closure.closed || closure.crossed || closure.singularity < kNearSingular) {
      ++result.left_out;
      continue;
    }
    ++result.used;
    result.far += far ? 1 : 0;
    std::vector<double> same = q;
    result.elsewhere += fast.close(same.data(), 0).side != side ? 1 : 0;
    if (!guessed && sample % kFollowed < 2) {
      const std::vector<double> stepped = in_small_steps(robot, turns, q);
      double apart = 0;
      for (const std::size_t k : robot.dependent())
        if (!stepped.empty()) apart = std::max(apart, std::abs(turns[k] ? std::remainder(q[k] - stepped[k], 2 * std::numbers::pi) : q[k] - stepped[k]));
      if (!stepped.empty()) positions.see(apart, 1e-10 / closure.singularity);
    }
    const ByMultipliers reference = inverse_by_multipliers(robot, q.data(), u.data(), u_dot.data(), effects);
    robot.inverse(q, u, u_dot, tau, effects);
    robot.velocities(q, u, v);
    robot.accelerations(q, u, u_dot, a);
    robot.forward(q, u, tau, back, effects);
    const auto largest = [](const auto& x) {
      double most = 0;
      for (const auto& value : x) most = std::max(most, std::abs(static_cast<double>(value)));
      return most;
    };
    const auto apart = [](const std::vector<double>& x, const auto& y) {
      double most = 0;
      for (std::size_t k = 0; k < x.size(); ++k) most = std::max(most, std::abs(x[k] - static_cast<double>(y[k])));
      return most;
    };
    const double room = kAllowed / closure.singularity;
    const double size = reference.tree_torque;
    torque.see(apart(tau, reference.tau), room * size);
    speeds.see(apart(v, reference.v), room * largest(reference.v));
    accelerations.see(apart(a, reference.a), room * largest(reference.a));
    const std::vector<long double> moved = forward_by_multipliers(robot, q.data(), u.data(), tau.data(), effects);
    // Torques that cancel leave their roundings, which M⁻¹ turns into accelerations: forward dynamics is affine in the torques, so its columns are differences.
    double mobility = 0;
    for (std::size_t k = 0; k < m; ++k) {
      std::vector<double> more = tau;
      more[k] += 1 + size;
      const std::vector<long double> faster = forward_by_multipliers(robot, q.data(), u.data(), more.data(), effects);
      for (std::size_t i = 0; i < m; ++i) mobility = std::max(mobility, static_cast<double>(std::abs(faster[i] - moved[i])) / (1 + size));
    }
    const double pace = reference.condition * largest(moved) + largest(reference.a) + mobility * size;
    forward.see(apart(back, moved), room * pace);
    if (!fast.compiled() || !effects.wrenches.empty()) continue;
    std::vector<double> near = q;
    const ClosedResult done = fast.inverse(near.data(), u.data(), u_dot.data(), back.data());
    if (!done.sure) {
      ++result.unsure;
      continue;
    }
    machine.see(apart(back, reference.tau), 10 * room * size);  // a fixed order of elimination costs a digit
    fast.forward(near.data(), u.data(), tau.data(), back.data());
    machine_forward.see(apart(back, moved), 10 * room * pace);
  }
  result.rows = {torque, speeds, accelerations, forward, positions};
  if (fast.compiled() && effects.wrenches.empty() && result.unsure < result.used) result.rows.insert(result.rows.end(), {machine, machine_forward});
  return result;
}

}  // namespace ulna::internal
