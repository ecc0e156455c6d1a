// What a MJCF file says about how it is to be read: <compiler> and <option>.
#pragma once

#include <optional>
#include <string>

#include <ulna/spatial/pose.hpp>

#include "source/mjcf_defaults.hpp"

namespace ulna::internal {

struct MjcfSettings {
  enum class FromGeoms { automatic, always, never };

  double angle = 0.017453292519943295;  // of one unit of angle in the file [rad]: degrees unless it says radians
  std::string eulerseq = "xyz";
  bool autolimits = true;
  FromGeoms from_geoms = FromGeoms::automatic;
  double least_group = 0, most_group = 5;  // groups of geoms that give mass
  double boundmass = 0, boundinertia = 0;
  bool balance = false;
  std::optional<double> total_mass;
  int total_mass_line = 0;
  Vec3<double> gravity{0, 0, -9.81};

  void read_compiler(const MjcfNode& node);
  void read_option(const MjcfNode& node, MjcfFiles& files);

  /// The rotation that one of quat, axisangle, xyaxes, zaxis and euler gives; identity when there is none.
  Mat3<double> orientation(const MjcfElement& element) const;
  /// That, and `pos`.
  Pose<double> pose(const MjcfElement& element) const;
};

}  // namespace ulna::internal
