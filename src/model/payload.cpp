#include <ulna/model/payload.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "check/why_no_body.hpp"
#include "text/text.hpp"

namespace ulna {

std::string why_no_body(const Payload& load) {
  const Sym3<double>& J = load.inertia;
  for (const double x : {load.mass, load.com.x, load.com.y, load.com.z, J.xx, J.yy, J.zz, J.xy, J.xz, J.yz})
    if (!std::isfinite(x)) return "one of its numbers is not finite";
  if (load.mass < 0) return cat("its mass is ", load.mass, " kg");
  const Vec3<double> moments = principal_moments(J);
  const double size = std::fabs(moments.x) + std::fabs(moments.y) + std::fabs(moments.z), far = std::hypot(load.com.x, load.com.y, load.com.z);
  if (load.mass == 0 && size > 0) return "it has inertia without mass";
  // What moving the tensor to the mass centre leaves of a point is rounding, too.
  const double rounding = kInertiaDigits * size + 16 * std::numeric_limits<double>::epsilon() * load.mass * far * far;
  if (moments.x < -rounding) return cat("a principal moment of its inertia is ", moments.x, " kg m²");
  if (moments.x + moments.y < moments.z - rounding)
    return cat("its principal moments ", moments.x, ", ", moments.y, " and ", moments.z, " kg m² break the triangle inequality");
  return {};
}

Model with_payload(const Model& model, std::string_view link, const Payload& payload) {
  const std::string why = why_no_body(payload);
  if (!why.empty()) throw std::invalid_argument(cat("no body can be the load of link ", in_quotes(std::string(link)), ": ", why));
  const std::optional<std::size_t> found = model.find_link(link);
  if (!found) {
    std::vector<std::string> names;
    for (const Link& other : model.links()) names.push_back(other.name);
    throw std::invalid_argument(cat("robot ", in_quotes(model.name()), " has no link ", in_quotes(std::string(link)), did_you_mean(std::string(link), names)));
  }
  Model result = model;
  Link& to = result.links_[*found];
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

}  // namespace ulna
