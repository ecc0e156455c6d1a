// Torques of the drives along a motion, and the share of each effect.
#pragma once

#include <string>
#include <vector>

#include <ulna/sim/simulate.hpp>

namespace ulna::internal::sim {

/// tau is their sum: M_links a + Coriolis and centrifugal + gravity + rotors + friction + external (wrenches and the base's motion, less).
enum class Share { inertia, coriolis, gravity, rotor, friction, external };
inline constexpr std::size_t kShares = 6;
std::string_view to_string(Share share);

/// Over all rows.
struct Extent {
  double peak = 0;  // largest |x|
  double rms = 0;
};

struct JointTorques {
  std::string joint;
  Extent total;
  Extent share[kShares];
  Extent speed;
  double effort_limit = 0;  // infinite where the model has none
  double speed_limit = 0;
};

struct TorqueStudy {
  bool along_reference = false;  // else along the simulated motion
  Outcome run;                   // t, q, v, a, tau
  std::vector<double> shares;    // row by row; of each row, share by share, of each share, joint by joint
  std::vector<JointTorques> joints;

  const double* share(std::size_t row, Share which) const { return &shares[(row * kShares + static_cast<std::size_t>(which)) * joints.size()]; }
};

/// Along the scenario's reference, or along the motion that its law makes when it has none. Torques by the scenario's formulation where it gives them; shares,
/// and all else, by the production path. Throws as simulate() does.
TorqueStudy study_torques(const Scenario& scenario, const RunOptions& options = {});

}  // namespace ulna::internal::sim
