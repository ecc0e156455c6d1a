// The columns of an identification that was made before, and their values.
#pragma once

#include "identify/columns.hpp"
#include "identify/regressors.hpp"

namespace ulna::internal {

struct Found {
  Regressors regressors;
  Columns columns;
  std::vector<double> x;

  Found(const Identification& found, const IdentifyOptions& options)
      : regressors(found.model, options.snap),
        columns(found.model, regressors.plan(), found.structure, {found.friction_model}, options.fit_rotors, found.speed),
        x(found.structure.of(found.parameters)) {
    x.insert(x.end(), found.consistent_friction.begin(), found.consistent_friction.end());
  }
};

}  // namespace ulna::internal
