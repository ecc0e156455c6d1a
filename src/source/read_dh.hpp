#pragma once
#include <string_view>

#include <ulna/model/model.hpp>
#include <ulna/source/load.hpp>

namespace ulna::internal {
/// Reads a DH table in YAML. Problems go to `diagnostics`; what could be read is returned all the same, so that later checks can add theirs.
/// Loops are added to `loops`; where it is null they are left out.
Description read_dh(std::string_view text, Diagnostics& diagnostics, const ReadLimits& limits = {}, LoopDescription* loops = nullptr);
}  // namespace ulna::internal
