// Refuses a moving base, or ball joints, where they are not supported.
#pragma once

#include <stdexcept>
#include <string_view>

#include <ulna/model/model.hpp>

#include "text/message.hpp"

namespace ulna::internal {

/// Throws std::invalid_argument; `what` does not take it: "a simulation".
inline void require_fixed_base(const Model& model, std::string_view what) {
  if (model.base() == RootJoint::fixed) return;
  throw std::invalid_argument(
      cat(what, " does not take robot ", in_quotes(model.name()), ", whose base is ", to_string(model.base()), "; bolt it down (--base fixed)"));
}

/// The same of ball joints.
inline void require_no_balls(const Model& model, std::string_view what) {
  if (!model.has_balls()) return;
  throw std::invalid_argument(cat(what, " does not take robot ", in_quotes(model.name()), ", which has ball joints; write three hinges in the place of each"));
}

}  // namespace ulna::internal
