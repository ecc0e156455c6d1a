// A pendulum by hand: nothing but ulna::core and the standard library.
#include <cmath>
#include <cstdio>
#include <optional>
#include <vector>

#include <ulna/check/check.hpp>
#include <ulna/dynamics/on_plan.hpp>

int main() {
  ulna::Description d;
  d.name = "pendulum";
  ulna::Link base, bob;
  base.name = "base";
  bob.name = "bob";
  bob.mass = 2;
  bob.com = {0.5, 0, 0};
  bob.inertial = true;
  d.links = {base, bob};
  ulna::Description::JointEntry pivot;
  pivot.joint.name = "pivot";
  pivot.joint.type = ulna::JointType::revolute;
  pivot.joint.axis = {0, 1, 0};
  pivot.parent = "base";
  pivot.child = "bob";
  d.joints = {pivot};
  ulna::Diagnostics diagnostics("by hand");
  const std::optional<ulna::Model> model = ulna::build(d, diagnostics);
  if (!model) return 1;
  const ulna::Plan plan = ulna::make_plan(*model);
  ulna::Workspace workspace(plan);
  const std::vector<double> q{0.3}, v{1.0}, a{2.0};
  std::vector<double> tau(1);
  ulna::inverse_dynamics(plan, workspace, q, v, a, tau);
  const double expected = 2 * 0.5 * 0.5 * 2.0 - 2 * 9.81 * 0.5 * std::cos(0.3);  // m l² a - m g l cos q
  if (std::abs(tau[0] - expected) < 1e-12 * 10) return 0;
  std::fprintf(stderr, "%.17g for %.17g\n", tau[0], expected);
  return 1;
}
