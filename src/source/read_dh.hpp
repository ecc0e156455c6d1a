#pragma once
#include <string_view>

#include <ulna/model/model.hpp>
#include <ulna/source/load.hpp>

namespace ulna::internal {
/// Reads a DH table in YAML. Problems go to `diagnostics`; what could be read is returned all the same, so that later checks can add theirs.
Description read_dh(std::string_view text, Diagnostics& diagnostics, const ReadLimits& limits = {});
}  // namespace ulna::internal
