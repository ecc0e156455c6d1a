#pragma once
#include <string_view>

#include <ulna/model/model.hpp>
#include <ulna/source/load.hpp>

#include "source/mjcf_files.hpp"

namespace ulna::internal {
/// Reads MJCF text. Problems go to `diagnostics`; what could be read is returned all the same, so that later checks can add theirs. `read_included` may be
/// empty: then an <include> is an error. Loops go to `loops`, and joints with actuators are marked there.
Description read_mjcf(std::string_view text, Diagnostics& diagnostics, const ReadLimits& limits = {}, LoopPolicy policy = LoopPolicy::honour,
                      const ReadIncluded& read_included = {}, LoopDescription* loops = nullptr);
}  // namespace ulna::internal
