#include "sim/torques.hpp"

#include <algorithm>

#include "sim/formulation_forward.hpp"
#include "sim/system.hpp"

namespace ulna::internal::sim {

std::string_view to_string(Share share) {
  constexpr std::string_view kNames[] = {"inertia", "coriolis", "gravity", "rotor", "friction", "external"};
  return kNames[static_cast<std::size_t>(share)];
}

namespace {

/// Sums of squares first; see finish().
void add(Extent& extent, double value) {
  extent.peak = std::max(extent.peak, std::abs(value));
  extent.rms += value * value;
}
void finish(Extent& extent, std::size_t rows) { extent.rms = std::sqrt(extent.rms / static_cast<double>(rows)); }

}  // namespace

TorqueStudy study_torques(const Scenario& given, const RunOptions& options) {
  Scenario scenario = given;
  if (given.reference.kind != ReferenceKind::none) scenario.control = {};  // along the reference no law acts
  TorqueStudy study;
  // A free or planar base moves freely, so that limits are checked after the whole motion is computed.
  study.along_reference = scenario.reference.kind != ReferenceKind::none && scenario.model.base() == RootJoint::fixed;
  if (study.along_reference) {
    scenario.law.kind = LawKind::prescribed;
    if (!gives_torques(formulation_named(scenario.formulation))) scenario.formulation = production_path().id;
  }
  study.run = simulate(scenario, options);
  const Trajectory& r = study.run.trajectory;
  const std::size_t base = base_nv(scenario.model.base()), all = r.size, n = all - base;
  const std::vector<std::size_t> driven = scenario.model.driven();
  for (std::size_t i = 0; i < n; ++i) {
    const Joint& joint = scenario.model.joints()[driven[i]];
    study.joints.emplace_back();
    study.joints.back().joint = joint.name;
    study.joints.back().effort_limit = joint.effort;
    study.joints.back().speed_limit = joint.velocity;
  }

  System system(scenario);
  study.shares.resize(r.rows() * kShares * n);
  std::array<std::vector<double>, kShares> shares;  // with those of a base that moves
  for (std::vector<double>& share : shares) share.resize(all);
  std::vector<double> plain(all), with_rotor(all), links(all);
  for (std::size_t row = 0; row < r.rows(); ++row) {
    const double *q = &r.q[row * r.positions], *v = &r.v[row * all], *a = &r.a[row * all];
    double* out = &study.shares[row * kShares * n];
    const auto part = [&](Share which) { return shares[static_cast<std::size_t>(which)].data(); };
    system.enter_at(r.t[row]);
    ForwardModel& robot = system.robot();
    robot.inertia_torques(q, a, part(Share::inertia), false);
    robot.inertia_torques(q, a, with_rotor.data(), true);
    robot.gravity_torques(q, part(Share::gravity));
    robot.torques(q, v, nullptr, plain.data());
    std::copy_n(system.friction_at(q, v), all, part(Share::friction));
    system.bias(r.t[row], q, v, part(Share::external));
    for (std::size_t i = 0; i < all; ++i) links[i] = with_rotor[i] + part(Share::external)[i];
    system.add_load(v, links.data(), a, part(Share::friction));
    for (std::size_t i = 0; i < all; ++i) {
      // Of a sticking joint it is the rest of its torque.
      if (scenario.friction.dry() && !study.along_reference && v[i] == 0)
        part(Share::friction)[i] = r.tau[row * all + i] - with_rotor[i] - part(Share::external)[i];
      part(Share::rotor)[i] = with_rotor[i] - part(Share::inertia)[i];
      part(Share::coriolis)[i] = plain[i] - part(Share::gravity)[i];
      part(Share::external)[i] -= plain[i];
    }
    for (std::size_t k = 0; k < kShares; ++k) std::copy(shares[k].begin() + static_cast<std::ptrdiff_t>(base), shares[k].end(), out + k * n);
    for (std::size_t i = 0; i < n; ++i) {
      JointTorques& joint = study.joints[i];
      add(joint.total, r.tau[row * all + base + i]);
      add(joint.speed, v[base + i]);
      for (std::size_t k = 0; k < kShares; ++k) add(joint.share[k], out[k * n + i]);
    }
  }
  for (JointTorques& joint : study.joints) {
    finish(joint.total, r.rows());
    finish(joint.speed, r.rows());
    for (Extent& share : joint.share) finish(share, r.rows());
  }
  return study;
}

}  // namespace ulna::internal::sim
