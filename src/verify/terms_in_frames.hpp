// The size of a robot's terms in the frames of each form of formulations.
#pragma once

#include <optional>

#include <ulna/formulation/formulation.hpp>
#include <ulna/model/model.hpp>

#include "dynamics/terms.hpp"

namespace ulna::internal {

class TermsInFrames {
 public:
  /// `merged`: the model with fixed joints merged, see snapped_model(). `acting` on its bodies.
  TermsInFrames(const Model& merged, const Prepared& prepared, const Acting& acting = {});
  const Terms& in(Frames frames) const;

 private:
  Terms tree_;
  std::optional<Terms> dh_, mdh_;
};

}  // namespace ulna::internal
