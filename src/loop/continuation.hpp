// Paths of closed configurations that stay on one circuit.
#pragma once

#include <vector>

#include "loop/parts.hpp"

namespace ulna::internal {

/// Which conditions determine which coordinates by the others: det J_D vanishes in singular assemblies alone.
struct Determined {
  const Plan& plan;
  const std::vector<std::size_t>&rows, &dependent, &independent;

  explicit Determined(const Mechanism::Parts& parts) : plan(parts.plan), rows(parts.rows), dependent(parts.dependent), independent(parts.independent) {}
  Matrix<double> part(const Matrix<double>& J) const;  // J_D
};

/// Moves q, which is closed, along the straight line to the independent positions `to`, closed all the way. Each step is predicted by the tangent (Euler) and
/// corrected by Newton's method (E. L. Allgower, K. Georg, Numerical Continuation Methods, 1990, ch. 2), and is as long as J_D changes by less than half, as
/// its own inverse measures it: then J_D is regular between both ends, its determinant keeps its sign, and no other circuit has been reached. A singular
/// assembly is passed where the motion continues straight, as that of a parallelogram laid flat. Otherwise false; q is then the last point. `state` is at q
/// before and after. `steps` counts those of Newton's method; a path of
/// more than `most` of its own is not followed to its end.
bool follow(const Determined& d, LoopState& state, std::vector<double>& q, const std::vector<double>& to, int& steps, int most = 100'000);

/// Of each coordinate: whether the loops close after another 2π. It rotates joints of loops, each a whole number of times; other joints do not matter.
std::vector<bool> periodic(const Plan& plan);

/// From the closed configuration `q` to the independent positions `to`, reduced by whole turns: along the straight line; or, where that meets a singular
/// assembly, the other way round (one degree of freedom) or by one of a few points (several). Dependent joints that go round with an independent one keep the
/// whole turns up to 1000 rad, beyond which their last digits would not close the loops. False where no path was found.
bool reach(const Determined& d, LoopState& state, std::vector<double>& q, const std::vector<double>& to, int& steps);

}  // namespace ulna::internal
