#include "loop/dyads.hpp"

#include "loop/parts.hpp"

namespace ulna::internal {

namespace {

using V = Vec3<double>;

double length(const V& x) { return std::sqrt(dot(x, x)); }

/// The current configuration of a loop: the pin on either side, axes and places of its joints in scratch.
struct Placed {
  V A, B, z;  // the pin on both sides; the first joint's axis
};

Placed placed(const Plan& plan, const Dyad& dyad, LoopState& state, const std::vector<double>& q) {
  const double* none = nullptr;
  kernel::place(plan, state.ws, q.data());
  const LoopRowsOf<double>& loop = plan.loops[dyad.loop];
  const kernel::LoopEndOf<double> A = kernel::follow(plan, state.ws, loop.to_A, loop.X_A, none, state.ws.closed);
  const kernel::LoopEndOf<double> B = kernel::follow(plan, state.ws, loop.to_B, loop.X_B, none, state.ws.closed);
  return {A.X.p, B.X.p, state.ws.closed.z[dyad.first]};
}

bool on(const std::vector<std::size_t>& path, std::size_t body) { return std::find(path.begin(), path.end(), body) != path.end(); }

/// Known points of a dyad: the first joint, the pin as seen from the first joint, and from the other side.
struct Sides {
  V first, mine, other;
};

Sides sides(const Plan& plan, const Dyad& dyad, const LoopState& state, const Placed& at) {
  const bool in_A = on(plan.loops[dyad.loop].to_A, dyad.first);
  return {state.ws.closed.p[dyad.first], in_A ? at.A : at.B, in_A ? at.B : at.A};
}

V in_plane(const V& x, const V& n) { return x - dot(x, n) * n; }

/// From x to y about n.
double angle(const V& x, const V& y, const V& n) { return std::atan2(dot(n, cross(x, y)), dot(x, y)); }

int sign_of(double x) { return x < 0 ? -1 : 1; }

/// 1 or -1: how it is bent as it stands.
int bend(const Plan& plan, const Dyad& dyad, const LoopState& state, const Placed& at) {
  const Sides s = sides(plan, dyad, state, at);
  const V second = state.ws.closed.p[dyad.second];
  if (plan.bodies[dyad.second].prismatic) {
    const V along = state.ws.closed.z[dyad.second];
    if (dyad.apart) return sign_of(dot(along, V(s.mine - s.first)));
    return sign_of(dot(along, V(s.mine - s.first)));
  }
  if (dyad.apart) return sign_of(dot(at.z, cross(V(second - s.first), V(s.mine - s.first))));
  return sign_of(dot(at.z, cross(V(second - s.first), V(s.mine - second))));
}

/// λ of |from + λ along|² = radius², the larger one (side 1) or the smaller. The nearest where there is none.
bool reach(const V& from, const V& along, double radius, int side, double& lambda) {
  const double a = dot(along, along), b = dot(from, along), c = dot(from, from) - radius * radius, D = b * b - a * c;
  lambda = (-b + side * std::sqrt(std::max(D, 0.0))) / a;
  return D >= 0;
}

void turn(const Plan& plan, std::size_t body, std::vector<double>& q, double by) { q[plan.bodies[body].v] += by; }

bool solve(const Plan& plan, const Dyad& dyad, int branch, LoopState& state, std::vector<double>& q) {
  Placed at = placed(plan, dyad, state, q);
  const V n = at.z;
  const bool slides = plan.bodies[dyad.second].prismatic;
  bool reached = true;
  const auto flat = [&](const V& x) { return in_plane(x, n); };
  Sides s = sides(plan, dyad, state, at);
  if (slides) {
    // On the other side the pin slides to the circle; on this one, beyond the joint, the arm grows until it is as long as it must be.
    const V along = flat(state.ws.closed.z[dyad.second]);
    double lambda = 0;
    if (dyad.apart)
      reached = reach(flat(s.other - s.first), along, length(flat(s.mine - s.first)), branch, lambda);
    else
      reached = reach(flat(s.mine - s.first), along, length(flat(s.other - s.first)), branch, lambda);
    turn(plan, dyad.second, q, lambda);
    at = placed(plan, dyad, state, q);
    s = sides(plan, dyad, state, at);
    turn(plan, dyad.first, q, angle(flat(s.mine - s.first), flat(s.other - s.first), n));
    return reached;
  }
  const V second = state.ws.closed.p[dyad.second];
  const double way = sign_of(dot(n, state.ws.closed.z[dyad.second]));
  // Two circles: about the first joint, and about the second (apart) or the pin.
  const V centre = flat((dyad.apart ? second : s.other) - s.first);
  const double near = length(flat((dyad.apart ? s.mine : second) - s.first));
  const double far = dyad.apart ? length(flat(s.other - second)) : length(flat(s.mine - second));
  const double d = length(centre);
  if (!(d > 0)) return false;
  const double x = (d * d + near * near - far * far) / (2 * d), y2 = near * near - x * x;
  reached = y2 >= 0;
  // Apart the pin lies to the left of the line between the joints where it is bent to 1; on one side the elbow lies to the right of the line to the pin.
  const double y = (dyad.apart ? branch : -branch) * std::sqrt(std::max(y2, 0.0));
  const V e = (1 / d) * centre, meeting = x * e + y * cross(n, e);
  turn(plan, dyad.first, q, angle(flat((dyad.apart ? s.mine : second) - s.first), meeting, n));
  at = placed(plan, dyad, state, q);
  s = sides(plan, dyad, state, at);
  const V pivot = state.ws.closed.p[dyad.second];
  if (dyad.apart)
    turn(plan, dyad.second, q, way * angle(flat(s.other - pivot), flat(s.mine - pivot), n));
  else
    turn(plan, dyad.second, q, way * angle(flat(s.mine - pivot), flat(s.other - pivot), n));
  return reached;
}

/// Whether all joints of a loop slide in one plane, or rotate about its normal.
bool plane(const Plan& plan, const Dyad& dyad, LoopState& state, const std::vector<double>& q) {
  constexpr double kParallel = 1e-9;
  const LoopRowsOf<double>& loop = plan.loops[dyad.loop];
  const Placed at = placed(plan, dyad, state, q);
  const auto fits = [&](std::size_t body) {
    const V& z = state.ws.closed.z[body];
    return plan.bodies[body].prismatic ? std::abs(dot(z, at.z)) < kParallel : length(cross(z, at.z)) < kParallel;
  };
  return std::all_of(loop.to_A.begin(), loop.to_A.end(), fits) && std::all_of(loop.to_B.begin(), loop.to_B.end(), fits);
}

}  // namespace

std::vector<Dyad> find_dyads(const Plan& plan, const std::vector<std::size_t>& dependent, const std::vector<double>& reference) {
  if (plan.coupled) return {};  // joints that move together
  LoopState state(plan);
  std::vector<std::size_t> unknown = dependent, open(plan.loops.size());
  for (std::size_t l = 0; l < open.size(); ++l) open[l] = l;
  std::vector<Dyad> dyads;
  for (bool found = true; found;) {
    found = false;
    for (const std::size_t l : open) {
      const LoopRowsOf<double>& loop = plan.loops[l];
      if (loop.type != LoopType::revolute && loop.type != LoopType::spherical) return {};
      std::vector<std::size_t> free;
      for (const std::vector<std::size_t>* path : {&loop.to_A, &loop.to_B})
        for (const std::size_t body : *path)
          if (std::find(unknown.begin(), unknown.end(), plan.bodies[body].v) != unknown.end()) free.push_back(body);
      if (free.size() != 2) continue;
      Dyad dyad{l, free[0], free[1], on(loop.to_A, free[0]) != on(loop.to_A, free[1])};
      const auto slides = [&](std::size_t body) { return plan.bodies[body].prismatic; };
      if (slides(dyad.first) && slides(dyad.second)) return {};
      // A prismatic joint before the revolute one moves its circle, as one on the other side moves the pin: left to Newton's method.
      if (slides(dyad.first) && !dyad.apart) return {};
      if (slides(dyad.first)) std::swap(dyad.first, dyad.second);
      if (!plane(plan, dyad, state, reference)) return {};
      dyads.push_back(dyad);
      for (const std::size_t body : {dyad.first, dyad.second}) std::erase(unknown, plan.bodies[body].v);
      std::erase(open, l);
      found = true;
      break;
    }
  }
  return unknown.empty() && open.empty() ? dyads : std::vector<Dyad>{};
}

std::vector<int> branches(const Plan& plan, const std::vector<Dyad>& dyads, LoopState& state, const std::vector<double>& q) {
  std::vector<int> out;
  for (const Dyad& dyad : dyads) {
    const Placed at = placed(plan, dyad, state, q);
    out.push_back(bend(plan, dyad, state, at));
  }
  return out;
}

bool solve_dyads(const Plan& plan, const std::vector<Dyad>& dyads, const std::vector<int>& branch, LoopState& state, std::vector<double>& q) {
  bool reached = true;
  for (std::size_t k = 0; k < dyads.size(); ++k) reached = solve(plan, dyads[k], branch[k], state, q) && reached;
  state.at(plan, q.data());
  return reached;
}

}  // namespace ulna::internal
