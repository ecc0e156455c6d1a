#include <ulna/model/payload.hpp>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "model/text.hpp"

namespace ulna {

namespace {

/// Empty when a body can have it.
std::string why_not(const Payload& load) {
  const Sym3<double>& J = load.inertia;
  for (const double x : {load.mass, load.com.x, load.com.y, load.com.z, J.xx, J.yy, J.zz, J.xy, J.xz, J.yz})
    if (!std::isfinite(x)) return "one of its numbers is not finite";
  if (load.mass < 0) return cat("its mass is ", load.mass, " kg");
  const Vec3<double> moments = principal_moments(J);
  const double rounding = 1e-12 * std::fabs(moments.z);
  if (load.mass == 0 && moments.z > 0) return "it has inertia without mass";
  if (moments.x < -rounding) return cat("a principal moment of its inertia is ", moments.x, " kg m²");
  if (moments.x + moments.y < moments.z - rounding)
    return cat("its principal moments ", moments.x, ", ", moments.y, " and ", moments.z, " kg m² break the triangle inequality");
  return {};
}

}  // namespace

Model with_payload(const Model& model, std::string_view link, const Payload& payload) {
  const std::string why = why_not(payload);
  if (!why.empty()) throw std::invalid_argument(cat("no body can be the load of link ", in_quotes(std::string(link)), ": ", why));
  const std::optional<int> found = model.find_link(link);
  if (!found) {
    std::vector<std::string> names;
    for (const Link& other : model.links()) names.push_back(other.name);
    throw std::invalid_argument(cat("robot ", in_quotes(model.name()), " has no link ", in_quotes(std::string(link)), did_you_mean(std::string(link), names)));
  }
  Model result = model;
  Link& to = result.links_[static_cast<std::size_t>(*found)];
  const PseudoInertia<double> sum = pseudo_inertia(to.mass, to.com, to.inertia) + pseudo_inertia(payload.mass, payload.com, payload.inertia);
  if (sum.m > 0) to.com = (1 / sum.m) * sum.h;
  to.mass = sum.m;
  to.inertia = inertia_about_com(sum);
  to.inertial = to.inertial || payload.mass > 0;
  return result;
}

}  // namespace ulna
