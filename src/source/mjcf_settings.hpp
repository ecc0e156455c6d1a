// What a MJCF file says about how it is to be read: <compiler> and <option>.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <ulna/spatial/spatial.hpp>

#include "source/mjcf_defaults.hpp"

namespace ulna::internal {

/// The attributes that orient an element, of which it may have one.
inline const std::vector<const char*> kMjcfOrientations{"quat", "axisangle", "xyaxes", "zaxis", "euler"};

/// The body that holds all others.
inline constexpr std::string_view kMjcfWorld = "world";

/// An element of a body, out of the <frame>s around it: its placement is given in F, which has the pose X_BF in the body (or world) that holds it.
struct MjcfPlaced {
  MjcfNode node;
  Pose<double> X_BF;
  std::string childclass;
};

/// Of any length, order w, x, y, z. Entries are quotients by the length squared, so that quat="1 -1 0 0" turns by a right angle exactly.
Mat3<double> rotation_of_quaternion(double w, double x, double y, double z);
/// The smallest rotation that takes z to the direction of v.
Mat3<double> rotation_from_z(const Vec3<double>& v);

struct MjcfSettings {
  enum class FromGeoms { automatic, always, never };

  double angle = 0.017453292519943295;  // of one unit of angle in the file [rad]: degrees unless it says radians
  std::string eulerseq = "xyz";
  bool autolimits = true;
  bool fusestatic = false;  // MuJoCo merges bodies without joints into their parents
  bool alignfree = false;   // a free body without children gets the axes of its inertia, unless its joint says otherwise
  FromGeoms from_geoms = FromGeoms::automatic;
  double least_group = 0, most_group = 5;  // groups of geoms that give mass
  double boundmass = 0, boundinertia = 0;
  bool balance = false;
  std::optional<double> total_mass;
  int total_mass_line = 0, fusestatic_line = 0;
  Vec3<double> gravity{0, 0, -9.81};
  MjcfNode gravity_flag;                                                   // the last one
  bool no_gravity = false, no_constraints = false, no_equalities = false;  // by <flag>: the last one counts, whatever stands between

  void read_compiler(const MjcfNode& node);
  void read_option(const MjcfNode& node, MjcfFiles& files);

  /// The rotation that one of quat, axisangle, xyaxes, zaxis and euler gives; identity when there is none.
  Mat3<double> orientation(const MjcfElement& element) const;
  /// That, and `pos`.
  Pose<double> pose(const MjcfElement& element) const;
};

}  // namespace ulna::internal
