#include <algorithm>
#include <cmath>
#include <numbers>

#include <ulna/dynamics/on_plan.hpp>
#include <ulna/loop/mechanism.hpp>
#include <ulna/sim/simulate.hpp>

#include "sim/base_state.hpp"
#include "study/data.hpp"
#include "text/csv.hpp"
#include "text/message.hpp"

namespace ulna::internal {

namespace {

// How far the robot moves where its limits allow it: enough to see, not so much that arms fold up.
constexpr double kRotation = 1.2, kSlide = 0.3;  // [rad], [m]
constexpr double kShareOfRange = 0.6;
constexpr double kReferenceTime = 1.5, kResponseTime = 2.5;  // [s]
constexpr std::size_t kReferenceRows = 150, kResponseRows = 250, kLeastRows = 80;
constexpr std::size_t kMostNumbers = 4000;        // joints times rows: what a page can carry
constexpr double kFrequency = 5, kDamping = 0.7;  // of each joint by itself under the law [rad/s]

const Joint& joint_of(const Model& model, std::size_t i) { return model.joints()[model.driven()[i]]; }

std::size_t rows_for(std::size_t joints, std::size_t most) { return std::min(most, std::max(kLeastRows, kMostNumbers / std::max<std::size_t>(joints, 1))); }

/// With the existing machine code of the robot.
sim::Scenario scenario_of(const Analysis& robot) {
  // A free robot is shown without gravity: else it would fall out of the picture.
  sim::Scenario scenario(robot.model().base() == RootJoint::free ? with_gravity(robot.model(), {}) : robot.model());
  scenario.dynamics = std::make_shared<const Dynamics>(robot.dynamics({.rotor = scenario.rotor, .threads = 1}));
  return scenario;
}

sim::ReferenceSettings reference_of(const Model& model) {
  const EndPoses poses = end_poses(model);
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

sim::TorqueStudy reference_torques(const Analysis& robot, const sim::RunOptions& run) {
  const Model& model = robot.model();
  sim::Scenario scenario = scenario_of(robot);
  scenario.name = "reference";
  scenario.reference = reference_of(model);
  scenario.law.kind = sim::LawKind::prescribed;
  if (model.base() != RootJoint::fixed) {
    // Nothing drives the base, so its motion is not known before: the joints follow the reference, and the base moves freely.
    scenario.law.kind = sim::LawKind::computed_torque;
    scenario.law.kp.assign(scenario.reference.from.size(), kFrequency * kFrequency);
    scenario.law.kd.assign(scenario.reference.from.size(), 2 * kFrequency);
    scenario.integrator.tolerance = 1e-8;
  }
  scenario.q = with_joints(model, scenario.reference.from);
  scenario.duration = *scenario.reference.duration;
  scenario.output_step = scenario.duration / static_cast<double>(rows_for(scenario.q.size(), kReferenceRows));
  scenario.limits = sim::LimitPolicy::ignore;
  return sim::study_torques(scenario, run);
}

StudyMotion step_response(const Analysis& robot, const sim::RunOptions& run) {
  const Model& model = robot.model();
  const EndPoses poses = end_poses(model);
  const std::size_t n = poses.from.size(), all = model.nv(), base = all - n;
  Workspace workspace(robot.plan());
  std::vector<double> M(all * all);
  mass_matrix(robot.plan(), workspace, with_joints(model, poses.to).data(), M.data(), true);
  sim::Scenario scenario = scenario_of(robot);
  scenario.name = "response";
  scenario.q = with_joints(model, poses.from);
  scenario.reference.kind = sim::ReferenceKind::hold;
  scenario.reference.to = poses.to;
  scenario.law.kind = sim::LawKind::pd;
  for (std::size_t i = 0; i < n; ++i) {
    const double inertia = M[(base + i) * all + base + i];
    scenario.law.kp.push_back(kFrequency * kFrequency * inertia);
    scenario.law.kd.push_back(2 * kDamping * kFrequency * inertia);
  }
  scenario.duration = kResponseTime;
  scenario.output_step = kResponseTime / static_cast<double>(rows_for(n, kResponseRows));
  scenario.integrator.tolerance = 1e-7;
  scenario.limits = sim::LimitPolicy::ignore;
  StudyMotion out;
  out.title = "Response to a step, under springs, dampers and gravity compensation";
  out.text =
      cat("The robot starts at rest in one pose. A spring and a damper pull each joint to another pose (", kFrequency, " rad/s, damping ratio ", kDamping,
          ", sized by the joint's own inertia at the goal), and gravity is compensated. If the joints did not act on each other, each would make a clean step.",
          base == 0 ? "" : " Nothing drives the base: it starts at rest at the world's origin and recoils. A free base is shown without gravity.");
  out.run = sim::simulate(scenario, run);
  out.inertia = std::move(M);
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
