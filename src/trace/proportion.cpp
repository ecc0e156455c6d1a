#include "trace/proportion.hpp"

#include <algorithm>
#include <cmath>

namespace ulna {

namespace {

double length(const Vec3<double>& v) { return std::hypot(v.x, v.y, v.z); }  // not by squares: they overflow where lengths do not

}  // namespace

Proportion::Proportion(const Plan& plan) {
  double reach = 0, mass = 0, first = 0;
  for (const PlanBody<double>& body : plan.bodies) {
    reach += length(body.p_PB);
    if (body.inertia.m > 0) reach += std::sqrt(std::fabs(body.inertia.S.trace()) / body.inertia.m);
    mass += std::fabs(body.inertia.m);
    first = std::max(first, length(body.inertia.h));  // at most mass times reach, for bodies that can exist
  }
  constexpr double kGrowth = 2;  // results lose as many digits as its square has
  length_ = kGrowth * reach;
  mass_ = kGrowth * mass;
  first_ = std::max(kGrowth * mass * reach, first);
}

bool Proportion::keeps(const Plan& plan) const {
  for (const PlanBody<double>& body : plan.bodies) {
    const PseudoInertia<double>& I = body.lumped;
    if (!(length(body.p_PB) <= length_ && std::fabs(I.m) <= mass_ && length(I.h) <= first_)) return false;  // so written, NaN is refused
  }
  return true;
}

}  // namespace ulna
