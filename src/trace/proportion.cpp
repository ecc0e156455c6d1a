#include "trace/proportion.hpp"

#include <cmath>

namespace ulna {

namespace {

double length(const Vec3<double>& v) { return std::hypot(v.x, v.y, v.z); }  // not by squares: they overflow where lengths do not

}  // namespace

Proportion::Proportion(const Plan& plan) : reach_(0), mass_(0) {
  for (const PlanBody<double>& body : plan.bodies) {
    reach_ += length(body.p_PB);
    if (body.inertia.m > 0) reach_ += std::sqrt(std::fabs(body.inertia.S.trace()) / body.inertia.m);
    mass_ += std::fabs(body.inertia.m);
  }
}

bool Proportion::keeps(const Plan& plan) const {
  constexpr double kGrowth = 100;  // results lose as many digits as its square has
  for (const PlanBody<double>& body : plan.bodies) {
    const PseudoInertia<double>& I = body.lumped;
    if (!(length(body.p_PB) <= kGrowth * reach_)) return false;  // so written, NaN is refused
    if (!(std::fabs(I.m) <= kGrowth * mass_ && length(I.h) <= kGrowth * mass_ * reach_)) return false;
  }
  return true;
}

}  // namespace ulna
