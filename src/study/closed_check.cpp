#include "study/closed_check.hpp"

#include <algorithm>
#include <cmath>
#include <random>

#include <ulna/robot/closed_dynamics.hpp>

#include "loop/multipliers.hpp"

namespace ulna::internal {

namespace {

// Of the largest torque that enters, over the distance to the nearest singularity: what some hundred roundings leave.
constexpr double kAllowed = 1e-13;

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
      forward{"kane", "acceleration"}, machine{"compiled-double", "torque"}, machine_forward{"compiled-double", "acceleration"};
  ClosedCheck result;
  std::vector<double> u(m), u_dot(m), tau(m), back(m), v(robot.nv()), a(robot.nv());
  for (std::size_t sample = 0; sample < samples; ++sample) {
    std::vector<double> q = robot.reference();
    for (std::size_t k = 0; k < m; ++k) {
      const std::size_t coordinate = robot.independent()[k];
      const Joint& joint = robot.tree().joints()[robot.tree().independent()[coordinate]];
      double& at = q[coordinate];
      at += (joint.type == JointType::prismatic ? 0.05 : 0.7) * uniform();
      if (joint.lower < joint.upper) at = std::clamp(at, joint.lower, joint.upper);
      u[k] = 2 * uniform(), u_dot[k] = 5 * uniform();
    }
    const Closure closure = robot.assemble(q);
    if (!closure.closed || closure.singularity < kNearSingular) {
      ++result.left_out;
      continue;
    }
    ++result.used;
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
  result.rows = {torque, speeds, accelerations, forward};
  if (fast.compiled() && effects.wrenches.empty() && result.unsure < result.used) result.rows.insert(result.rows.end(), {machine, machine_forward});
  return result;
}

}  // namespace ulna::internal
