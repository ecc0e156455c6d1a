#include <algorithm>
#include <cmath>
#include <numbers>

#include <ulna/dynamics/on_plan.hpp>
#include <ulna/loop/mechanism.hpp>
#include <ulna/sim/simulate.hpp>

#include "sim/base_state.hpp"
#include "study/data.hpp"
#include "study/page_parts.hpp"
#include "text/csv.hpp"
#include "text/message.hpp"

namespace ulna::internal {

namespace {

// How far the robot moves where its limits allow it: enough to see, not so much that arms fold up.
constexpr double kRotation = 1.2, kSlide = 0.3;  // [rad], [m]
constexpr double kShareOfRange = 0.6;
constexpr double kReferenceTime = 1.5;  // [s]
constexpr std::size_t kReferenceRows = 150, kResponseRows = 250, kLeastRows = 80;
constexpr std::size_t kMostNumbers = 4000;        // joints times rows: what a page can carry
constexpr double kFrequency = 8, kDamping = 0.7;  // of each joint by itself under the law, in a motion of this time [rad/s]

const Joint& joint_of(const Model& model, std::size_t i) { return model.joints()[model.driven()[i]]; }

std::size_t rows_for(std::size_t joints, std::size_t most) { return std::min(most, std::max(kLeastRows, kMostNumbers / std::max<std::size_t>(joints, 1))); }

/// With the existing machine code of the robot.
sim::Scenario scenario_of(const Analysis& robot) {
  // A free robot is shown without gravity: else it would fall out of the picture.
  sim::Scenario scenario(robot.model().base() == RootJoint::free ? with_gravity(robot.model(), {}) : robot.model());
  scenario.dynamics = std::make_shared<const Dynamics>(robot.dynamics({.rotor = scenario.rotor, .threads = 1}));
  return scenario;
}

const sim::Trajectory& trajectory_of(const sim::Outcome& run) { return run.trajectory; }
const sim::Trajectory& trajectory_of(const sim::TorqueStudy& study) { return study.run.trajectory; }

sim::ReferenceSettings reference_of(const Model& model, const EndPoses& poses) {
  sim::ReferenceSettings reference;
  reference.kind = sim::ReferenceKind::rest_to_rest;
  reference.from = poses.from;
  reference.to = poses.to;
  double duration = kReferenceTime;
  // The speed is twice the mean half way (eq. 127 of Kane & Levinson): slower where a joint could not follow.
  for (std::size_t i = 0; i < poses.from.size(); ++i) {
    const Joint& joint = joint_of(model, i);
    const double way = std::abs(poses.to[i] - poses.from[i]) / 0.8;  // peaks use 80 % of the limits
    const auto keep = [&](double limit, double factor, double power) {
      if (std::isfinite(limit) && limit > 0) duration = std::max(duration, std::pow(factor * way / limit, 1 / power));
    };
    constexpr double kTurn = 2 * std::numbers::pi;
    keep(joint.velocity, 2, 1), keep(acceleration_limit(joint), kTurn, 2), keep(joint.jerk, kTurn * kTurn, 3);
  }
  reference.duration = std::min(std::ceil(duration * 2) / 2, 60.0);
  return reference;
}

}  // namespace

std::vector<double> with_joints(const Model& model, const std::vector<double>& joints) {
  std::vector<double> q = model.reference();
  const std::vector<std::size_t> places = internal::sim::driven_positions(model);
  for (std::size_t k = 0; k < places.size(); ++k) q[places[k]] = joints[k];
  if (model.closed()) Mechanism::of(model).assemble(q);
  return q;
}

namespace {

/// Drives to either side of the reference assembly, as far as the loops go along.
EndPoses closed_end_poses(const Model& model) {
  constexpr double kFarFromSingular = 0.05;
  constexpr int kPlaces = 8;  // on the way
  const Mechanism loops = Mechanism::of(model);
  const std::vector<double> reference = model.reference();
  const std::vector<std::size_t> places = internal::sim::driven_positions(model);
  EndPoses out;
  for (double size = 0.5; size > 0.01; size /= 2) {
    out = {};
    bool good = true;
    for (std::size_t k = 0; k < places.size(); ++k) {
      const double travel = (joint_of(model, k).type == JointType::prismatic ? kSlide / kRotation : 1) * (k % 2 == 0 ? size : -size);
      out.from.push_back(reference[places[k]] - travel);
      out.to.push_back(reference[places[k]] + travel);
    }
    for (int step = 0; step <= kPlaces && good; ++step) {
      std::vector<double> q = reference;
      for (std::size_t k = 0; k < places.size(); ++k) q[places[k]] = std::lerp(out.from[k], out.to[k], static_cast<double>(step) / kPlaces);
      const Closure closure = loops.assemble(q);
      good = closure.closed && !closure.crossed && closure.singularity > std::min(kFarFromSingular, model.singularity() / 2);
    }
    if (good) return out;
  }
  return out;
}

}  // namespace

EndPoses end_poses(const Model& model) {
  if (model.closed()) return closed_end_poses(model);
  EndPoses out;
  const std::size_t n = model.independent().size();
  for (std::size_t i = 0; i < n; ++i) {
    const Joint& joint = joint_of(model, i);
    const double usual = joint.type == JointType::prismatic ? kSlide : kRotation;
    const bool limited = std::isfinite(joint.lower) && std::isfinite(joint.upper);
    const double range = limited ? joint.upper - joint.lower : INFINITY;
    double middle = limited ? 0.5 * (joint.lower + joint.upper) : 0;
    const double travel = std::min(usual, kShareOfRange * range);
    if (std::isfinite(joint.lower)) middle = std::max(middle, joint.lower + 0.5 * travel);
    if (std::isfinite(joint.upper)) middle = std::min(middle, joint.upper - 0.5 * travel);
    // Every second joint goes the other way, so that a chain does not roll up.
    const double sign = i % 2 == 0 ? 1 : -1;
    out.from.push_back(middle - 0.5 * sign * travel);
    out.to.push_back(middle + 0.5 * sign * travel);
  }
  return out;
}

namespace {

/// How much slower the same path keeps the limits, at most 1: at the rate r speeds go with r, and what torques have beyond gravity's with r² (those of inertia,
/// of velocities, and of springs and dampers with r times the frequency). What no rate cures is left aside: positions, and links that are too heavy to hold.
double rate_within_limits(const sim::Scenario& scenario, const sim::Trajectory& t) {
  constexpr double kSlowest = 1e-3, kMargin = 0.97;
  std::vector<double> held(t.tau.size());
  if (scenario.model.base() != RootJoint::free)
    for (std::size_t row = 0; row < t.rows(); ++row) scenario.dynamics->gravity(&t.q[row * t.positions], &held[row * t.size]);
  const auto broken_at = [&](double rate) {
    std::vector<double> time = t.t, v = t.v, a = t.a, tau = held;
    for (double& x : time) x /= std::max(rate, kSlowest);
    for (double& x : v) x *= rate;
    for (double& x : a) x *= rate * rate;
    for (std::size_t k = 0; k < tau.size(); ++k) tau[k] += rate * rate * (t.tau[k] - held[k]);
    return check_motion(scenario.model, {time, t.q, v, a, tau}, {.between = false}).size();
  };
  const std::size_t unavoidable = broken_at(0);
  if (broken_at(1) <= unavoidable) return 1;
  double low = kSlowest, high = 1;
  while (high / low > 1.01) {
    const double middle = std::sqrt(low * high);
    (broken_at(middle) <= unavoidable ? low : high) = middle;
  }
  return kMargin * low;
}

/// Runs a motion between two poses, slower until it keeps the limits; `make` takes the time that the motion is given.
template <class Make, class Run>
auto run_within_limits(const Model& model, const EndPoses& poses, const Make& make, const Run& run) {
  constexpr int kTries = 3;  // the second keeps the limits, but for rounding and a base that moves
  double duration = *reference_of(model, poses).duration;
  for (int left = kTries;; --left) {
    const sim::Scenario scenario = make(duration);
    auto out = run(scenario);
    const sim::Trajectory& t = trajectory_of(out);
    const double rate = t.rows() > 0 && left > 1 ? rate_within_limits(scenario, t) : 1;
    if (rate == 1) return out;
    duration /= rate;
  }
}

}  // namespace

sim::TorqueStudy reference_torques(const Analysis& robot, const sim::RunOptions& run) {
  const Model& model = robot.model();
  const EndPoses poses = end_poses(model);
  const auto make = [&](double duration) {
    sim::Scenario scenario = scenario_of(robot);
    scenario.name = "reference";
    scenario.reference = reference_of(model, poses);
    scenario.reference.duration = scenario.duration = duration;
    scenario.law.kind = sim::LawKind::prescribed;
    if (model.base() != RootJoint::fixed) {
      // Nothing drives the base, so its motion is not known before: the joints are kept on the reference, and it goes where it goes.
      const double frequency = kFrequency * kReferenceTime / duration;
      scenario.law.kind = sim::LawKind::computed_torque;
      scenario.law.kp.assign(poses.from.size(), frequency * frequency);
      scenario.law.kd.assign(poses.from.size(), 2 * frequency);
      scenario.integrator.tolerance = 1e-8;
    }
    scenario.q = with_joints(model, poses.from);
    scenario.output_step = duration / static_cast<double>(rows_for(scenario.q.size(), kReferenceRows));
    scenario.limits = sim::LimitPolicy::ignore;
    return scenario;
  };
  return run_within_limits(model, poses, make, [&](const sim::Scenario& scenario) { return sim::study_torques(scenario, run); });
}

StudyMotion response(const Analysis& robot, const sim::RunOptions& run) {
  constexpr double kSettling = 1.5;  // of the motion's time
  constexpr double kShorter = 0.7;
  constexpr int kTries = 8;
  const Model& model = robot.model();
  EndPoses poses = end_poses(model);
  const std::size_t n = poses.from.size(), all = model.nv(), base = all - n;
  StudyMotion out;
  for (int left = kTries;; --left) {
    Workspace workspace(robot.plan());
    std::vector<double> M(all * all);
    mass_matrix(robot.plan(), workspace, with_joints(model, poses.to).data(), M.data(), true);
    // Of each joint: its own, and what the others put on it along their ways. So wrists hold out against the arm that throws them.
    std::vector<double> inertia(n);
    const auto way = [&](std::size_t i) { return std::abs(poses.to[i] - poses.from[i]); };
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t k = 0; k < n; ++k)
        inertia[i] += i == k ? M[(base + i) * all + base + i] : way(i) > 0 ? std::abs(M[(base + i) * all + base + k]) * way(k) / way(i) : 0;
    double frequency = 0;
    const auto make = [&](double duration) {
      frequency = kFrequency * kReferenceTime / duration;
      sim::Scenario scenario = scenario_of(robot);
      scenario.name = "response";
      scenario.q = with_joints(model, poses.from);
      scenario.reference = reference_of(model, poses);
      scenario.reference.duration = duration;
      scenario.law.kind = sim::LawKind::pd;
      for (std::size_t i = 0; i < n; ++i) {
        scenario.law.kp.push_back(frequency * frequency * inertia[i]);
        scenario.law.kd.push_back(2 * kDamping * frequency * inertia[i]);
      }
      scenario.duration = kSettling * duration;
      scenario.output_step = scenario.duration / static_cast<double>(rows_for(n, kResponseRows));
      scenario.integrator.tolerance = 1e-7;
      scenario.limits = sim::LimitPolicy::ignore;
      return scenario;
    };
    out.run = run_within_limits(model, poses, make, [&](const sim::Scenario& scenario) { return sim::simulate(scenario, run); });
    out.inertia = std::move(M);
    out.text =
        cat("The robot goes from rest in one pose to another. A spring and a damper pull each joint along the reference motion, sized by the inertia matrix "
            "at the goal: by itself, each joint would have at least ",
            rounded(frequency), " rad/s and a damping ratio of ", kDamping,
            ". Gravity is compensated; what else the joints do to each other is what the motion shows. It takes the time that the limits of the joints need.",
            base == 0 ? "" : " Nothing drives the base: it starts at rest at the world's origin and recoils. A free base is shown without gravity.");
    // Joints that others throw past their limits: all go a shorter way.
    const std::vector<LimitUse> broken = broken_limits(model, out.run.trajectory);
    if (left == 1 || std::none_of(broken.begin(), broken.end(), [](const LimitUse& use) { return use.kind == LimitKind::position; })) break;
    for (std::size_t i = 0; i < n; ++i) {
      const double middle = 0.5 * (poses.from[i] + poses.to[i]);
      for (double* end : {&poses.from[i], &poses.to[i]}) *end = std::lerp(middle, *end, kShorter);
    }
  }
  out.title = "Response to a motion, under springs, dampers and gravity compensation";
  const sim::Trajectory& t = out.run.trajectory;
  const std::size_t last = model.links().size() - 1;
  if (t.rows() > 0 && last > 0)
    for (const std::size_t row : {std::size_t{0}, t.rows() / 3, t.rows() - 1}) {
      const std::vector<Pose<double>> places = poses_at(robot, &t.q[row * t.positions]);
      for (const std::size_t link : {(last + 1) / 2, last})
        if (out.poses.empty() || out.poses.back().sample != row || out.poses.back().link != link) out.poses.push_back({row, link, places[link]});
    }
  return out;
}

std::vector<Pose<double>> poses_at(const Analysis& robot, const double* q) {
  const Plan& plan = robot.plan();
  Workspace workspace(plan);
  std::vector<Pose<double>> poses(robot.model().links().size());
  link_poses(plan, workspace, VectorView<const double>(q, plan.nq), VectorView<Pose<double>>(poses.data(), poses.size()));
  return poses;
}

namespace {

/// Names of the columns q, v, a and tau, and one row of them.
std::string motion_names(const Model& model) {
  std::string out;
  for (const std::string& name : model.position_names()) out += cat(",", csv_cell("q." + name));
  for (const char* quantity : {"v.", "a."})
    for (const std::string& name : model.velocity_names()) out += cat(",", csv_cell(quantity + name));
  for (const std::string& name : model.effort_names()) out += cat(",", csv_cell("tau." + name));
  return out;
}

std::string motion_row(const sim::Trajectory& r, std::size_t row) {
  std::string out = to_text(r.t[row]);
  for (std::size_t i = 0; i < r.positions; ++i) out += cat(",", r.q[row * r.positions + i]);
  for (const std::vector<double>* part : {&r.v, &r.a, &r.tau})
    for (std::size_t i = 0; i < r.size; ++i) out += cat(",", (*part)[row * r.size + i]);
  return out;
}

}  // namespace

std::string motion_csv(const Model& model, const sim::Trajectory& r) {
  std::string out = cat("t", motion_names(model), ",kinetic,potential,work\n");
  for (std::size_t k = 0; k < r.rows(); ++k) out += cat(motion_row(r, k), ",", r.kinetic[k], ",", r.potential[k], ",", r.work[k], "\n");
  return out;
}

std::string torques_csv(const Model& model, const sim::TorqueStudy& study) {
  const sim::Trajectory& r = study.run.trajectory;
  std::string out = cat("t", motion_names(model));
  for (std::size_t s = 0; s < sim::kShares; ++s)
    for (const sim::JointTorques& joint : study.joints) out += cat(",", csv_cell(cat(to_string(static_cast<sim::Share>(s)), ".", joint.joint)));
  out += "\n";
  for (std::size_t k = 0; k < r.rows(); ++k) {
    out += motion_row(r, k);
    for (std::size_t s = 0; s < sim::kShares; ++s)
      for (std::size_t i = 0; i < study.joints.size(); ++i) out += cat(",", study.share(k, static_cast<sim::Share>(s))[i]);
    out += "\n";
  }
  return out;
}

}  // namespace ulna::internal
