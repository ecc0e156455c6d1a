// What a name of MJCF refers to, and by what settings an element is read. A model that <attach> takes in keeps its own settings, classes and assets. Each copy
// that <attach> and <replicate> make has names of its own.
#pragma once

#include <list>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <ulna/model/model.hpp>

#include "source/mesh.hpp"
#include "source/mjcf_defaults.hpp"

namespace ulna::internal {

/// The meshes of <asset>. A file is read when a mass needs it.
class MjcfMeshes {
 public:
  MjcfMeshes(MjcfFiles& files, const MjcfDefaults& defaults, const MjcfSettings& settings) : files_(files), defaults_(defaults), settings_(settings) {}

  void add(const MjcfNode& mesh);

  struct Entry {
    MjcfNode node{};
    std::optional<MeshSolid> solid{};
    std::string problem{}, cure{};  // why there is none
    bool read = false;
  };
  const Entry& find(const std::string& name);

 private:
  void read(Entry& entry) const;
  std::optional<Mesh> mesh_of(const MjcfElement& element, Entry& entry) const;

  MjcfFiles& files_;
  const MjcfDefaults& defaults_;
  const MjcfSettings& settings_;
  std::map<std::string, Entry> meshes_;
};

/// One model: what its elements are read by.
struct MjcfScope {
  explicit MjcfScope(MjcfFiles& of) : files(of) {}
  MjcfScope(const MjcfScope&) = delete;
  MjcfScope& operator=(const MjcfScope&) = delete;

  MjcfFiles& files;
  std::vector<MjcfNode> sections{};
  MjcfDefaults defaults{};
  MjcfSettings settings{};
  MjcfMeshes meshes{files, defaults, settings};
  std::map<std::string, MjcfScope*> models{};  // by the names that <attach> calls them by
};

/// Data of each joint for the rest of the file.
struct MjcfJoint {
  std::string name{};         // the robot's name of it
  std::size_t entry = kNone;  // in Description::joints; none of a free joint
  double ref = 0;             // q of the placement that the file states [rad or m]
  double force_limit = 0;     // of all actuators that have one, at the joint; 0: none
  bool unlimited_force = false;
  bool actuated = false;  // an actuator moves it, or a tendon that it is the first joint of
};
using MjcfJoints = std::map<std::string, MjcfJoint, std::less<>>;

/// A tendon, of which the inertia along its length matters here, and what couples it to others.
struct MjcfTendon {
  MjcfNode node;
  bool fixed = false;                                  // a linear combination of joints; else a path through sites
  double armature = 0;                                 // its own, and that of its actuators [kg, or kg m² where the length is an angle]
  std::vector<std::pair<std::string, double>> joints;  // of a fixed one, with their coefficients
};

/// Names, as the file writes them, in one copy.
struct MjcfContext {
  MjcfScope& scope;
  std::string prefix{}, suffix{};  // of the robot's names

  struct Body {
    std::string link;   // the robot's name of it
    Pose<double> X_WB;  // where it stands in the configuration that the file states, MuJoCo's qpos0
  };
  struct Site {
    MjcfPlaced placed;
    std::string link;  // that holds it
  };
  MjcfJoints joints{};
  std::map<std::string, Body, std::less<>> bodies{};  // and the world, but where it is a copy
  std::map<std::string, Site, std::less<>> sites{};
  std::map<std::string, MjcfTendon, std::less<>> tendons{};

  /// The robot's name of what the file calls so; empty where it does not.
  std::string named(const MjcfNode& node) const {
    const std::string_view name = node.node.attribute("name").value();
    return name.empty() ? std::string() : prefix + std::string(name) + suffix;
  }
};

}  // namespace ulna::internal
