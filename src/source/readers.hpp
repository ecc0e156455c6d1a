// The readers of each format. Problems go to `diagnostics`; what could be read is returned all the same, so that later checks can add theirs. Loops are added
// to `loops`; where it is null they are left out.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <ulna/model/model.hpp>
#include <ulna/source/load.hpp>

#include "model/why_no_body.hpp"
#include "source/mjcf_files.hpp"
#include "source/yaml.hpp"

namespace ulna::internal {

/// Where the rotor of a joint spins: by its gear ratio about an axis of a link, which holds its mass and inertia. Its inertia and ratio are the joint's.
struct RotorAxis {
  std::string joint, link{};  // empty: the joint's parent
  Vec3<double> axis{};        // in the link's axes
  std::string file{};         // where it stands; empty: in the robot's
  int line = 0;
};
/// Makes these rotors bodies on joints that follow. `bolted`: the root link cannot move.
void turn_rotors(const std::vector<RotorAxis>& rotors, Description& robot, bool bolted, Diagnostics& diagnostics);

/// A DH table in YAML.
Description read_dh(std::string_view text, Diagnostics& diagnostics, const ReadLimits& limits = {}, LoopDescription* loops = nullptr,
                    std::vector<RotorAxis>* rotors = nullptr);
Description read_urdf(std::string_view text, Diagnostics& diagnostics, const ReadLimits& limits = {}, LoopDescription* loops = nullptr,
                      std::vector<RotorAxis>* rotors = nullptr);
/// `read_included` may be empty: then an <include> is an error. Joints with actuators are marked in `loops`.
Description read_mjcf(std::string_view text, Diagnostics& diagnostics, const ReadLimits& limits = {}, LoopPolicy policy = LoopPolicy::honour,
                      const ReadIncluded& read_included = {}, LoopDescription* loops = nullptr);

/// SDFormat 1.4 to 1.11: one model, or a world with one that moves. `options` say where packages are.
Description read_sdf(std::string_view text, Diagnostics& diagnostics, const LoadOptions& options, const ReadIncluded& read_included);

/// Friction and rotors of a file separate from a robot's, `friction: {joint: {viscous: 1, …}}` and `rotors: {joint: {inertia: 1, gear: 1, axis: [0, 0, 1]}}`:
/// all of the joints that it names.
void read_friction_file(std::string_view text, Diagnostics& diagnostics, const ReadLimits& limits, Description& robot, std::vector<RotorAxis>& rotors);
/// Of the keys at hand, which are friction_names() and maybe others.
Friction read_friction(YamlFields& fields);
std::vector<std::string> friction_names();
/// The axis of a rotor and the link that holds it, at these keys; nothing where neither stands.
std::optional<RotorAxis> read_rotor_axis(YamlFields& fields, const char* axis, const char* link, const std::string& joint, const ReadLimits& limits);

/// Loops of a file separate from a robot's. Two forms:
///   closed_loop: [[frame, frame], …], type: [3d or 6d, …], name_mot: [joint, …]     as Gepetto's example-parallel-robots writes it
///   loops: [{name, type, predecessor, successor, axis}, …], independent: [joint, …]
/// Adds to the robot's loops, and names its independent joints where the file does.
void read_loops(std::string_view text, Diagnostics& diagnostics, const ReadLimits& limits, LoopDescription& robot);
/// The cure of a type that is none.
std::string write_loop_type(const std::string& type);
/// The list alone: what stands at the key 'loops', there or in a DH table.
void read_loop_list(const YamlNode& list, Diagnostics& diagnostics, const ReadLimits& limits, LoopDescription& robot);

}  // namespace ulna::internal
