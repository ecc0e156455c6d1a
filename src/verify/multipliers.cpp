#include "verify/multipliers.hpp"

#include <algorithm>
#include <cmath>

#include "loop/parts.hpp"
#include "verify/reference.hpp"

namespace ulna::internal {

namespace {

using Real = Reference::Real;
using Numbers = std::vector<Real>;

/// The reference on the model's own links, under what acts.
Reference reference_of(const Model& given, const Effects& effects) {
  const Model robot = given.base() == RootJoint::planar ? with_base_as_joints(given) : given;
  Acting acting{{}, effects.base, effects.friction, effects.rotor};
  for (const Wrench& wrench : effects.wrenches)
    acting.loads.push_back({wrench.link + (robot.links().size() - given.links().size()) - 1, {}, wrench.axes, wrench.force, wrench.moment});
  return Reference(robot, acting);
}

Numbers numbers(const double* x, std::size_t count) { return x == nullptr ? Numbers(count, 0) : Numbers(x, x + count); }

Model closed_model(const Mechanism& robot) {
  if (robot.loops().empty()) return robot.tree();
  return with_closed(robot.tree(), {robot.loops(), elimination_order(robot.parts()), robot.reference(), robot.singularity()});
}

}  // namespace

ByMultipliers inverse_by_multipliers(const Model& robot, const double* at, const double* speeds, const double* accelerations, const Effects& effects) {
  const Reference reference = reference_of(robot, effects), tree = reference_of(without_loops(robot), effects);
  const Numbers q = numbers(at, robot.nq()), v = numbers(speeds, robot.nv()), a = numbers(accelerations, robot.nv());
  ByMultipliers out{{}, reference.speeds(q, v), reference.accelerations(q, v, a)};
  reference.torque(q, v, a, out.tau);
  Numbers M, h;
  tree.mass(q, M);
  tree.torque(q, out.v, Numbers(robot.nv_tree(), 0), h);
  const std::size_t n = h.size();
  for (std::size_t i = 0; i < n; ++i) {
    Real torque = std::abs(h[i]);
    for (std::size_t j = 0; j < n; ++j) torque += std::abs(M[i * n + j] * out.a[j]);
    out.tree_torque = std::max(out.tree_torque, static_cast<double>(torque));
  }
  return out;
}

std::vector<long double> forward_by_multipliers(const Model& robot, const double* at, const double* speeds, const double* tau, const Effects& effects) {
  const Reference reference = reference_of(robot, effects);
  const std::size_t n = robot.nv();
  const Numbers q = numbers(at, robot.nq()), v = numbers(speeds, n);
  Numbers M, a;
  reference.mass(q, M);
  reference.torque(q, v, Numbers(n, 0), a);
  for (std::size_t i = 0; i < n; ++i) a[i] = (tau == nullptr ? 0 : tau[i]) - a[i];
  Matrix<Real> A(n, n);
  A.entries = std::move(M);
  return Lu<Real>(std::move(A)).solve(a);
}

EnergyOf<long double> energy_by_multipliers(const Model& robot, const double* at, const double* speeds, const Effects& effects) {
  const Reference reference = reference_of(robot, effects);
  const Numbers q = numbers(at, robot.nq());
  return {reference.kinetic(q, numbers(speeds, robot.nv())), reference.potential(q)};
}

ByMultipliers inverse_by_multipliers(const Mechanism& robot, const double* q, const double* u, const double* u_dot, const Effects& effects) {
  return inverse_by_multipliers(closed_model(robot), q, u, u_dot, effects);
}
std::vector<long double> forward_by_multipliers(const Mechanism& robot, const double* q, const double* u, const double* tau, const Effects& effects) {
  return forward_by_multipliers(closed_model(robot), q, u, tau, effects);
}
EnergyOf<long double> energy_by_multipliers(const Mechanism& robot, const double* q, const double* u, const Effects& effects) {
  return energy_by_multipliers(closed_model(robot), q, u, effects);
}

}  // namespace ulna::internal
