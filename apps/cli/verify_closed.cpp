#include "verify_closed.hpp"

#include <ulna/robot/closed_dynamics.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <random>

#include "command.hpp"
#include "effects.hpp"
#include "json.hpp"
#include "loop/multipliers.hpp"
#include "table.hpp"
#include "text/cat.hpp"
#include "text/number.hpp"
#include "text/quote.hpp"

namespace ulna::cli {

namespace {

struct Check {
  const char* id;
  const char* quantity;
  double difference = 0, allowed = 0;  // the largest difference over what is allowed in its state, and what is allowed there
  bool agree = true;
  void see(double difference_now, double allowed_now) {
    if (!(difference_now <= allowed_now)) agree = false;
    if (allowed == 0 || !(difference_now / allowed_now <= difference / allowed)) difference = difference_now, allowed = allowed_now;
  }
};

// A state this near to a singular assembly is left out: digits are lost there by everything.
constexpr double kNearSingular = 0.02;
// Of the largest torque that enters, over the distance to the nearest singularity: what some hundred roundings leave.
constexpr double kAllowed = 1e-13;

}  // namespace

int verify_closed(const Arguments& arguments, const Mechanism& robot) {
  for (const char* option : {"--out", "--against", "--proof", "--base-velocity", "--base-acceleration"})
    if (arguments.has(option))
      throw UsageError(cat("option ", option, " does not go with robot ", in_quotes(robot.tree().name()), ", which has loops (docs/loops.md)"));
  const std::size_t samples = arguments.whole_number("--samples", 1000, 1), m = robot.mobility();
  const std::size_t seed = arguments.whole_number("--seed", 1, 0);
  const std::vector<Wrench> wrenches = wrenches_of(arguments, robot.tree());
  Effects effects;
  effects.wrenches = wrenches;
  const ClosedDynamics fast(robot, {.steps = 2});
  std::mt19937_64 random(seed);
  const auto uniform = [&] { return static_cast<double>(random() >> 11) * 0x1p-52 - 1; };  // from -1 to 1, the same everywhere
  Check torque{"kane", "torque"}, speeds{"kane", "dependent velocity"}, accelerations{"kane", "dependent acceleration"}, forward{"kane", "acceleration"},
      machine{"compiled-double", "torque"}, machine_forward{"compiled-double", "acceleration"};
  std::size_t left_out = 0, used = 0, unsure = 0;
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
      ++left_out;
      continue;
    }
    ++used;
    const internal::ByMultipliers reference = internal::inverse_by_multipliers(robot, q.data(), u.data(), u_dot.data(), effects);
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
    const std::vector<long double> moved = internal::forward_by_multipliers(robot, q.data(), u.data(), tau.data(), effects);
    // Torques that cancel leave their roundings, which M⁻¹ turns into accelerations: forward dynamics is affine in the torques, so its columns are differences.
    double mobility = 0;
    for (std::size_t k = 0; k < m; ++k) {
      std::vector<double> more = tau;
      more[k] += 1 + size;
      const std::vector<long double> faster = internal::forward_by_multipliers(robot, q.data(), u.data(), more.data(), effects);
      for (std::size_t i = 0; i < m; ++i) mobility = std::max(mobility, static_cast<double>(std::abs(faster[i] - moved[i])) / (1 + size));
    }
    const double pace = reference.condition * largest(moved) + largest(reference.a) + mobility * size;
    forward.see(apart(back, moved), room * pace);
    if (!fast.compiled() || !wrenches.empty()) continue;
    std::vector<double> near = q;
    const ClosedResult done = fast.inverse(near.data(), u.data(), u_dot.data(), back.data());
    if (!done.sure) {
      ++unsure;
      continue;
    }
    machine.see(apart(back, reference.tau), 10 * room * size);  // a fixed order of elimination costs a digit
    fast.forward(near.data(), u.data(), tau.data(), back.data());
    machine_forward.see(apart(back, moved), 10 * room * pace);
  }
  std::vector<Check> checks{torque, speeds, accelerations, forward};
  if (fast.compiled() && wrenches.empty() && unsure < used) checks.insert(checks.end(), {machine, machine_forward});
  if (used == 0)
    throw UsageError(
        cat("none of ", samples, " states near the reference assembly of robot ", in_quotes(robot.tree().name()), " can be closed and is not singular"));
  const bool agree = std::all_of(checks.begin(), checks.end(), [](const Check& check) { return check.agree; });
  if (arguments.has("--json")) {
    Output out;
    Json json(out);
    json.begin_object().line().key("robot").value(robot.tree().name()).line().key("samples").value(used).line().key("seed").value(seed);
    json.line().key("left_out").value(left_out).line().key("not_sure").value(unsure).line().key("reference").value("multipliers");
    json.line().key("formulations").begin_array();
    for (const Check& check : checks)
      json.line()
          .begin_object()
          .key("id")
          .value(check.id)
          .key("quantity")
          .value(check.quantity)
          .key("applies")
          .value(true)
          .key("agree")
          .value(check.agree)
          .key("difference")
          .value(check.difference)
          .key("allowed")
          .value(check.allowed)
          .end_object();
    json.end_array().line().key("agree").value(agree);
    out.write("\n");
    json.end_object();
    json.finish();
  } else {
    std::string text = cat("robot ", robot.tree().name(), ", ", used, " closed states, seed ", seed,
                           "\nDifferences are from the tree's equations with multipliers, solved in extended precision.\n\n");
    Table table("lllrr");
    table.row({"quantity", "formulation", "", "difference", "allowed"});
    for (const Check& check : checks)
      table.row({check.quantity, check.id, check.agree ? "agrees" : "DIFFERS", scientific(check.difference), scientific(check.allowed)});
    text += table.text();
    if (left_out > 0)
      text += cat("\n", left_out, " states were left out: they cannot be closed, or are nearer to a singular assembly than ", kNearSingular, ".\n");
    if (unsure > 0) text += cat("\nIn ", unsure, " states machine code was not sure of a pivot, and said so.\n");
    text += agree ? "\nAll agree.\n" : "\nTHEY DO NOT AGREE.\n";
    std::fputs(text.c_str(), stdout);
  }
  return agree ? kDone : kAnswerNo;
}

}  // namespace ulna::cli
