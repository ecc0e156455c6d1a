#include <ulna/model/model.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include <ulna/spatial/spatial.hpp>

#include "model/link_named.hpp"
#include "model/why_no_body.hpp"
#include "text/cat.hpp"
#include "text/names.hpp"
#include "text/quote.hpp"

namespace ulna::internal {

BodyFault body_fault(double mass, const Vec3<double>& moments, double noise) {
  const double size = std::fabs(moments.x) + std::fabs(moments.y) + std::fabs(moments.z), slack = kGivenDigits * size + noise;
  if (mass < 0) return BodyFault::negative_mass;
  if (mass == 0) return size > noise ? BodyFault::inertia_without_mass : BodyFault::none;
  if (moments.x < -slack) return BodyFault::negative_moment;
  return moments.z > moments.x + moments.y + slack ? BodyFault::triangle : BodyFault::none;
}

std::string why_no_body(const Payload& load) {
  const Sym3<double>& J = load.inertia;
  for (const double x : {load.mass, load.com.x, load.com.y, load.com.z, J.xx, J.yy, J.zz, J.xy, J.xz, J.yz})
    if (!std::isfinite(x)) return "one of its numbers is not finite";
  const Vec3<double> moments = principal_moments(J);
  const double far = std::hypot(load.com.x, load.com.y, load.com.z);
  // What moving the tensor to the mass centre leaves of a point is rounding, too.
  switch (body_fault(load.mass, moments, 16 * std::numeric_limits<double>::epsilon() * load.mass * far * far)) {
    case BodyFault::none: return {};
    case BodyFault::negative_mass: return cat("its mass is ", load.mass, " kg");
    case BodyFault::inertia_without_mass: return "it has inertia without mass";
    case BodyFault::negative_moment: return cat("a principal moment of its inertia is ", moments.x, " kg m²");
    case BodyFault::triangle: return cat("its principal moments ", moments.x, ", ", moments.y, " and ", moments.z, " kg m² break the triangle inequality");
  }
  return {};
}

}  // namespace ulna::internal

namespace ulna ULNA_API {

using namespace internal;

Model with_payload(const Model& model, std::string_view link, const Payload& payload) {
  const std::string why = why_no_body(payload);
  if (!why.empty()) throw std::invalid_argument(cat("no body can be the load of link ", in_quotes(std::string(link)), ": ", why));
  const std::size_t found = link_named(model, link);
  Model result = model;
  Link& to = result.links_[found];
  // About the common mass centre, not about the link's origin, which may lie far from both.
  const double mass = to.mass + payload.mass, share = mass != 0 ? payload.mass / mass : 0;
  const Vec3<double> d = payload.com - to.com;
  const double reduced = to.mass * share;
  to.inertia = to.inertia + payload.inertia +
               reduced * Sym3<double>{d.y * d.y + d.z * d.z, d.x * d.x + d.z * d.z, d.x * d.x + d.y * d.y, -d.x * d.y, -d.x * d.z, -d.y * d.z};
  to.com = to.com + share * d;
  to.mass = mass;
  to.inertial = to.inertial || payload.mass > 0;
  return result;
}

}  // namespace ULNA_API
