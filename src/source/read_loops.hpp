// Loops that a YAML file describes: beside a URDF, or within a DH table.
#pragma once

#include <string_view>

#include <ulna/model/model.hpp>
#include <ulna/source/load.hpp>

#include "source/yaml_tree.hpp"

namespace ulna::internal {

/// A file beside a robot's. Two forms:
///   closed_loop: [[frame, frame], …], type: [3d or 6d, …], name_mot: [joint, …]     as Gepetto's example-parallel-robots writes it
///   loops: [{name, type, predecessor, successor, axis}, …], independent: [joint, …]
/// Adds to the robot's loops, and names its independent joints where the file does.
void read_loops(std::string_view text, Diagnostics& diagnostics, const ReadLimits& limits, LoopDescription& robot);

/// The list alone: what stands at the key 'loops'.
void read_loop_list(const YamlNode& list, Diagnostics& diagnostics, const ReadLimits& limits, LoopDescription& robot);

}  // namespace ulna::internal
