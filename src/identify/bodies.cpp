#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "identify/condensed.hpp"
#include "model/link_named.hpp"
#include "text/message.hpp"

namespace ulna::internal {

namespace {

constexpr double kMargin = 0.03;       // [m]: beyond the frames of joints, at least
constexpr double kOfSize = 0.1;        // of the longest side, likewise
constexpr double kSolid = 2.236;       // the radius of a solid ellipsoid over its radius of gyration: the root of 5
constexpr double kAroundABox = 1.732;  // the radius of the ellipsoid through its corners over half of a side: the root of 3

/// The smallest box around points.
struct Box {
  double low[3] = {HUGE_VAL, HUGE_VAL, HUGE_VAL}, high[3] = {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL};
  void take(const Vec3<double>& p, const double* radius = nullptr) {
    const double at[] = {p.x, p.y, p.z};
    for (int i = 0; i < 3; ++i) {
      const double r = radius == nullptr ? 0 : radius[i];
      low[i] = std::min(low[i], at[i] - r), high[i] = std::max(high[i], at[i] + r);
    }
  }
  double longest() const { return std::max({high[0] - low[0], high[1] - low[1], high[2] - low[2]}); }
};

}  // namespace

Bodies known_bodies(const Model& model, const Plan& plan, const std::vector<Parameter>& parameters, const IdentifyOptions& options) {
  const std::size_t count = parameters.size() / kBodyParameters;
  Bodies out;
  for (const Parameter& one : parameters) out.given.push_back(one.value);
  std::vector<double> others(count, 0);  // masses of links that were not weighed, in bodies of which one was
  out.weighed.assign(count, 0);
  double fixed = 0, all = 0;  // of links that do not move, and of all
  for (const KnownMass& one : options.masses) {
    const std::size_t link = link_named(model, one.link), body = plan.links[link].body;
    if (!(one.mass > 0 && std::isfinite(one.mass))) throw std::invalid_argument(cat("the mass of link ", in_quotes(one.link), " must be above 0 kg"));
    if (body == kNone) throw std::invalid_argument(cat("link ", in_quotes(one.link), " does not move: no torque depends on its mass"));
    out.weighed[body] += one.mass;
  }
  for (std::size_t l = 0; l < plan.links.size(); ++l) {
    const std::size_t body = plan.links[l].body;
    const Link& link = model.links()[l];
    const bool weighed = std::any_of(options.masses.begin(), options.masses.end(), [&](const KnownMass& one) { return one.link == link.name; });
    if (body == kNone)
      fixed += link.mass;
    else if (out.weighed[body] > 0 && !weighed)
      others[body] += link.mass;
  }
  double known = 0, open = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (out.weighed[i] > 0)
      out.weighed[i] += others[i], known += out.weighed[i];
    else
      open += std::max(0.0, out.given[kBodyParameters * i]);
    all += std::max(0.0, out.given[kBodyParameters * i]);
  }
  if (options.total_mass != 0) {
    out.total = options.total_mass - fixed;
    if (!(out.total > known && std::isfinite(out.total)))
      throw std::invalid_argument(cat("the robot is said to weigh ", rounded(options.total_mass), " kg, but ", rounded(fixed),
                                      " kg of links that do not move and ", rounded(known), " kg of links that were weighed leave nothing for the others"));
  }
  for (std::size_t i = 0; i < count; ++i) {  // the file's bodies, made as heavy as they are
    double* own = out.given.data() + kBodyParameters * i;
    const double factor = out.weighed[i] > 0 ? (own[0] > 0 ? out.weighed[i] / own[0] : 1) : out.total > 0 && open > 0 ? (out.total - known) / open : 1;
    for (std::size_t k = 0; k < kBodyParameters; ++k) own[k] *= factor;
  }

  std::vector<Box> frames(count), masses(count);
  std::vector<char> seen(count, 0);
  const auto place = [&](std::size_t link, const Vec3<double>& p) {  // in the axes of the link behind the body's joint
    const PlanBody<double>& body = plan.bodies[plan.links[link].body];
    const Pose<double> X = plan.links[body.link].X_BL.inverse() * plan.links[link].X_BL;
    return X.R * p + X.p;
  };
  for (std::size_t j = 0; j < model.joints().size(); ++j) {
    const Joint& joint = model.joints()[j];
    if (joint.type == JointType::fixed) continue;
    if (plan.links[joint.parent].body != kNone) frames[plan.links[joint.parent].body].take(place(joint.parent, joint.X_PF.p));
    frames[plan.links[joint.child].body].take(place(joint.child, joint.X_MB.inverse().p));
  }
  for (std::size_t i = 0; i < count; ++i) {
    const double* p = out.given.data() + kBodyParameters * i;
    const PseudoInertia<double> body = body_of(p);
    double radius[3] = {0, 0, 0};
    frames[i].take({});
    if (p[0] > 0) {
      const Vec3<double> c = (1 / body.m) * body.h;
      const double second[] = {body.S.xx / body.m - c.x * c.x, body.S.yy / body.m - c.y * c.y, body.S.zz / body.m - c.z * c.z};
      for (int k = 0; k < 3; ++k) radius[k] = std::sqrt(std::max(0.0, second[k]));
      frames[i].take(c);
    }
    Box solid = frames[i];
    for (double& r : radius) r *= kSolid;
    if (p[0] > 0) solid.take((1 / body.m) * body.h, radius);
    Room room{};
    const double margin = std::max(kMargin, kOfSize * frames[i].longest());
    for (int k = 0; k < 3; ++k) {
      const double own = std::max(margin, radius[k] / kSolid);
      room.low[k] = frames[i].low[k] - own, room.high[k] = frames[i].high[k] + own;
      room.centre[k] = 0.5 * (solid.low[k] + solid.high[k]);
      room.radius[k] = kAroundABox * (0.5 * (solid.high[k] - solid.low[k]) + margin);
    }
    out.rooms.push_back(room);
  }
  return out;
}

}  // namespace ulna::internal
