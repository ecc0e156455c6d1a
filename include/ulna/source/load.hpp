// Loads a checked Model from a file, a text or a name.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <ulna/check/check.hpp>
#include <ulna/export.hpp>
#include <ulna/model/model.hpp>

namespace ulna ULNA_API {

// --- Limits on files. A file beyond a limit is refused with a message that names the limit and how to raise it.

/// Defaults are far beyond any robot, and small enough that reading stays below a few seconds and a few hundred megabytes whatever a file holds.
struct ReadLimits {
  std::size_t file_bytes = std::size_t{64} << 20;  // of a URDF file
  std::size_t yaml_bytes = std::size_t{2} << 20;   // of a DH table or a scenario: ten thousand rows; the parser needs hundreds of bytes for each hostile one
  std::size_t csv_bytes = std::size_t{64} << 20;   // of a table that is held in memory: runs of a batch, tabled torques
  std::size_t line_bytes = std::size_t{16} << 20;  // of one line of a file of states, which may itself be of any size
  std::size_t elements = 2'000'000;                // of XML: a file of '<a/>' alone would take twenty times its size
  std::size_t xml_depth = 100;                     // a URDF file has six levels
  std::size_t yaml_depth = 32;                     // a DH table has four levels, a scenario five
  std::size_t joints = 10'000;
  std::size_t coupled = 500;                      // coordinates of a robot with mimic joints or loops, whose check is cubic in them
  std::size_t entries = 100'000;                  // of an inertia matrix that are not zero, where code is generated that has all of them
  std::size_t name_bytes = 1'000;                 // of robots, links and joints
  std::size_t pipe_seconds = 30;                  // without a byte from a pipe
  std::size_t pipe_bytes = std::size_t{4} << 30;  // of states that come through a pipe: they are kept on disk, because they are read twice
};

/// The limits by their names in messages and on the command line.
struct NamedLimit {
  std::string_view name;  // "file-bytes"
  std::size_t ReadLimits::*value;
  std::string_view what;
};
const std::vector<NamedLimit>& named_limits();  // Every limit with its name.

/// "raise the limit: --limit joints=N, or ReadLimits::joints": the cure of every message about one.
std::string how_to_raise(std::size_t ReadLimits::*limit);

// --- The robots that come with Ulna.

struct BuiltinRobot {
  std::string_view id;
  std::string_view summary;
  std::string_view file;  // name of its file under models/; its ending is the format
  std::string_view text;  // the file itself
};

/// In a fixed order; `general-<types>` is not among them because it is a family.
const std::vector<BuiltinRobot>& builtin_robots();

/// The DH table of `general-RRP` and the like: a made-up arm in modified DH in which no parameter is special, except that the base frame lies
/// on the first joint's null position. The same digits on every machine. Empty when `id` is not of that form.
std::optional<std::string> general_robot(std::string_view id);

enum class MimicPolicy {  // How mimic joints are treated.
  honour,                 // q = multiplier * leader + offset, a linear coupling
  ignore                  // a free joint of its own
};

enum class LoopPolicy {  // How loops are treated.
  honour,                // closed: q is a configuration of all joints, v has as many speeds as the robot has degrees of freedom
  ignore                 // the tree without them
};

struct LoadOptions {                        // How a file is read.
  MimicPolicy mimic = MimicPolicy::honour;  // What becomes of mimic joints.
  LoopPolicy loops = LoopPolicy::honour;    // What becomes of loops.
  std::string loop_file{};                  // further loops, as YAML (docs/loops.md), where they are honoured
  std::string friction_file{};              // friction of the joints that it names, as YAML (docs/dynamics.md), in place of the robot's file's
  std::vector<std::string> independent{};   // joints whose speeds are the independent ones, all of them; instead of the file's
  std::vector<Lock> locks{};                // Joints that are held still.
  std::optional<Vec3<double>> gravity{};    // in place of the file's
  std::optional<RootJoint> base{};          // likewise: how the root link is attached to the world
  bool rotor = true;                        // see CheckOptions
  bool unchecked = false;                   // compute in spite of broken laws of mechanics (never of a broken file)
  bool advise = false;                      // add the notes of advise()
  ReadLimits limits{};                      // of what a file may ask for
  /// Of a xacro file: values of its arguments, by name.
  std::vector<std::pair<std::string, std::string>> xacro_args{};
  /// Folders of ROS packages, by name, for $(find NAME) and package://NAME; of the others, folders below which a package.xml is searched for. After both,
  /// ROS_PACKAGE_PATH and AMENT_PREFIX_PATH, where the environment has them.
  std::vector<std::pair<std::string, std::string>> packages{};
  std::vector<std::string> package_paths{};
};

/// A model, or nothing when the diagnostics hold errors.
struct LoadResult {
  std::optional<Model> model;
  std::vector<Diagnostic> diagnostics;  // in the order of the file
  std::size_t overridden = 0;           // physical errors that `unchecked` accepted
  bool found = true;                    // false: there is no such file or built-in robot, or it cannot be read
  std::vector<std::string> mimics;      // joints of the file that mimic others, honoured or not
  bool maybe_free = false;              // its base is taken as fixed because nothing says otherwise, but limbs of equal structure hang from it
};

/// `source` is a file (URDF, xacro, SDFormat, MJCF, or a DH table in YAML) or the id of a built-in robot. A name with a slash or a point, or of an existing
/// file, is a file. Never throws for a bad file.
LoadResult try_load(const std::string& source, const LoadOptions& options = {});
/// The same from text; `file` is used in messages, and its ending is the format (.urdf, .xacro, .sdf, .xml, .mjcf, .yaml, .yml), else the text decides: XML
/// begins with '<', and is MJCF when its root element is <mujoco>, SDFormat when it is <sdf>. A text that includes other files must be loaded from its file.
LoadResult try_parse(std::string_view text, const std::string& file, const LoadOptions& options = {});

/// Throws SourceError listing every problem, with lines.
Model load(const std::string& source, const LoadOptions& options = {});
Model parse(std::string_view text, const std::string& file, const LoadOptions& options = {});

// --- A model as URDF text.

/// Loads again to a model of the same motion: links, joints, masses (the root's, too), limits, friction, mimic couplings, and rotors as Drake writes
/// them. A link frame of URDF is the frame of the joint that holds the link, so frames move where the model has them elsewhere (standard DH). What URDF
/// cannot hold is a warning in `diagnostics`: gravity, inertias that are called partial, and limits that are missing. Empty when a name cannot
/// stand in XML (an error).
std::optional<std::string> write_urdf(const Model& model, Diagnostics& diagnostics);

// --- A model as MJCF text, for MuJoCo.

/// Loads again to a model of the same motion. A rotor becomes armature, gear² times its inertia; effort limits become motors with force ranges; mimics become
/// equalities. A link without mass between two joints becomes one body with both joints, because MuJoCo refuses moving bodies without mass. What MJCF
/// cannot hold is a warning in `diagnostics`: limits of speed, limits on one side only, inertias that are called partial. Empty when a name cannot
/// stand in XML (an error).
std::optional<std::string> write_mjcf(const Model& model, Diagnostics& diagnostics);

// --- A model as SDFormat text, for Gazebo and Drake.

/// Loads again to a model of the same motion, with rotors as Drake writes them. What SDFormat cannot hold is a warning in `diagnostics`: static friction,
/// limits of deceleration, inertias that are called partial. Empty, with an error, for loops and for names that cannot stand in XML.
std::optional<std::string> write_sdf(const Model& model, Diagnostics& diagnostics);

}  // namespace ULNA_API
