#pragma once

#include <ulna/model/model.hpp>

namespace ulna::internal {

/// Every field of a model, to be changed and built again. Links and joints keep their numbers.
Description describe(const Model& model);

}  // namespace ulna::internal
