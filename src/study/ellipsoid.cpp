#include <algorithm>
#include <cmath>

#include <ulna/spatial/spatial.hpp>

#include "study/data.hpp"

namespace ulna::internal {

std::optional<Ellipsoid> equal_inertia_ellipsoid(const Link& link) {
  if (!(link.mass > 0)) return {};
  const PrincipalAxes principal = principal_axes(link.inertia);
  const double moments[3] = {principal.moments.x, principal.moments.y, principal.moments.z};
  // I_1 = m (b² + c²) / 5 and so on: a² = 5 (I_2 + I_3 - I_1) / (2 m).
  const double sum = moments[0] + moments[1] + moments[2], rounding = kGivenDigits * std::abs(sum);
  double axes[3];
  for (int k = 0; k < 3; ++k) {
    const double rest = sum - 2 * moments[k];
    if (!(rest >= -rounding)) return {};  // NaN, too
    axes[k] = std::sqrt(std::max(0.0, 2.5 * rest / link.mass));
  }
  return Ellipsoid{{axes[0], axes[1], axes[2]}, principal.R};
}

}  // namespace ulna::internal
