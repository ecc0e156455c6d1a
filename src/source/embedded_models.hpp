// The files under models/ and scenarios/, as the build put them into the library (cmake/embed_models.cmake writes the other half).
#pragma once

#include <string_view>
#include <vector>

#include <ulna/export.hpp>

namespace ulna::internal {

struct EmbeddedModel {
  std::string_view file;
  std::string_view text;
};

const std::vector<EmbeddedModel>& embedded_models();
const std::vector<EmbeddedModel>& embedded_scenarios();

}  // namespace ulna::internal
