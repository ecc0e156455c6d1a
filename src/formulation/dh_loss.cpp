#include "formulation/dh_loss.hpp"
#include "model/moving_tree.hpp"

#include <algorithm>
#include <cmath>

#include <ulna/dynamics/on_plan.hpp>
#include <ulna/plan/plan.hpp>

#include "text/message.hpp"

namespace ulna::internal {

namespace {

Pose<double> turn_x(double angle) { return {rotation_x(angle), {}}; }
Pose<double> turn_z(double angle) { return {rotation_z(angle), {}}; }
Pose<double> shift(double x, double z) { return {Mat3<double>::identity(), {x, 0, z}}; }

/// The robot that a reader makes of the table.
Model model_of(const Model& model, const MovingTree& tree, const ChainRows<double>& table, DhConvention convention) {
  Description d;
  d.gravity = model.gravity();
  d.links.emplace_back();
  d.links[0].name = "0";
  for (std::size_t i = 0; i < table.size(); ++i) {
    const DhRow<double>& row = table.rows[i];
    Link link;
    link.name = cat(i + 1);
    link.mass = row.mass;
    link.com = row.com;
    link.inertia = row.inertia;
    d.links.push_back(link);
    Description::JointEntry entry{model.joints()[tree.bodies[i].joint], cat(i), cat(i + 1), {}};
    entry.joint.axis = {0, 0, 1};
    entry.joint.X_PF = entry.joint.X_MB = {};
    entry.joint.mimic.reset();
    if (convention == DhConvention::standard)
      entry.joint.X_MB = turn_z(row.theta) * shift(row.a, row.d) * turn_x(row.alpha);
    else
      entry.joint.X_PF = turn_x(row.alpha) * shift(row.a, 0) * turn_z(row.theta) * shift(0, row.d);
    if (i == 0) entry.joint.X_PF = table.X_W0 * entry.joint.X_PF;
    d.joints.push_back(std::move(entry));
  }
  Diagnostics ignored;
  return *build(d, ignored);
}

}  // namespace

double loss_of(const Model& model, const ChainRows<double>& table, DhConvention convention, double snap) {
  const MovingTree tree = merge_fixed(model, snap);
  const Plan given = make_plan(model, {.snap = snap}), made = make_plan(model_of(model, tree, table, convention), {.snap = 0});
  Workspace one(given), two(made);
  const std::size_t n = given.nv;
  std::vector<double> q(n), v(n), a(n), tau(n), again(n);
  constexpr int kStates = 8;
  constexpr double kGolden = 0.6180339887498949;  // multiples of it fill the unit interval evenly
  double largest = 0, difference = 0, at = 0;
  const auto next = [&] {
    at += kGolden;
    return 2 * (at - std::floor(at)) - 1;
  };
  for (int k = 0; k < kStates; ++k) {
    for (std::size_t i = 0; i < n; ++i) q[i] = (given.bodies[i].prismatic ? 0.3 : 3) * next(), v[i] = next(), a[i] = next();
    inverse_dynamics(given, one, q, v, a, tau);
    inverse_dynamics(made, two, q, v, a, again);
    for (std::size_t i = 0; i < n; ++i) {
      largest = std::max(largest, std::abs(tau[i]));
      const double off = std::abs(tau[i] - again[i]);
      if (!(off <= difference)) difference = off;  // NaN, too
    }
  }
  return difference == 0 ? 0 : difference / largest;
}

}  // namespace ulna::internal
