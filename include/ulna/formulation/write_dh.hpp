// A serial arm as a DH table in YAML.
#pragma once

#include <optional>
#include <string>

#include <ulna/model/model.hpp>
#include <ulna/spatial/rounding.hpp>

namespace ulna {

enum class DhConvention { standard, modified };

/// Loads again to an arm of the same motion, in frames by common normals; own frames of that convention are kept (see frames.hpp). Fixed joints are
/// merged: a row holds everything that moves as one, under the name of the link that its joint holds. What a table cannot carry is told in
/// `diagnostics` as a warning: the root link's mass and name, the names of merged links. Empty when the model is no chain, has mimic joints, or
/// would lose more than 1e-12 of its torques in such a table, because nearly parallel axes put frames far away (an error that says what to do).
std::optional<std::string> write_dh(const Model& model, DhConvention convention, Diagnostics& diagnostics, double snap = kSnap);

}  // namespace ulna
