// A model as URDF text.
#pragma once

#include <optional>
#include <string>

#include <ulna/model/model.hpp>

namespace ulna {

/// Loads again to a model of the same motion: links, joints, masses (the root's, too), limits, friction, mimic couplings, and rotors as Drake writes
/// them. A link frame of URDF is the frame of the joint that holds the link, so frames move where the model has them elsewhere (standard DH). What URDF
/// cannot carry is told in `diagnostics` as a warning: gravity, inertias that are called partial, and limits that are missing. Empty when a name cannot
/// stand in XML (an error).
std::optional<std::string> write_urdf(const Model& model, Diagnostics& diagnostics);

}  // namespace ulna
