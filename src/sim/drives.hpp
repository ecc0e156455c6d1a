// Motors, and their load along a motion: torque and current against their limits, heat, and the most used point of the torque-speed curve.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <ulna/model/diagnostics.hpp>
#include <ulna/source/load.hpp>

#include "sim/torques.hpp"

namespace ulna::internal::sim {

/// Of a joint, on the motor's side: its torque is the joint's over the gear ratio, its speed the joint's times that. 0 and infinity for what is not known.
struct Drive {
  std::size_t joint = kNone;                       // as v lists the joints
  double constant = 0;                             // torque of a current [N m/A]
  double resistance = 0;                           // of the windings, hot [ohm]
  double continuous = 0, peak = 0;                 // limits of the current: of its RMS, and of each moment [A]
  std::vector<std::pair<double, double>> curve{};  // the largest torque at a speed [rad/s, N m], speeds rising, straight in between; none beyond the last

  double available(double speed) const;
};

struct DriveUse {
  Extent torque, current;  // [N m], [A]
  double heat = 0;         // in the windings, on average [W]
  double share = 0;        // of the curve, where it is largest; infinite where the curve has ended
  double time = 0, at_speed = 0, at_torque = 0;
};

/// `drives: {JOINT: {constant, resistance, continuous, peak, curve: [[speed, torque], …]}}`
std::vector<Drive> read_drives(std::string_view text, Diagnostics& diagnostics, const ReadLimits& limits, const Model& model);

DriveUse use_of(const Drive& drive, const Model& model, const Trajectory& run);

}  // namespace ulna::internal::sim
