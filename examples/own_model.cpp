// A model made in C++ instead of read from a file: a pendulum of 2 kg on a massless rod of 0.5 m.
#include <cmath>
#include <cstdio>
#include <vector>

#include <ulna/ulna.hpp>

int main() {
  ulna::Description description;
  description.name = "pendulum";
  description.links.resize(2);
  description.links[0].name = "ceiling";
  description.links[1].name = "rod";
  description.links[1].mass = 2;
  description.links[1].com = {0, 0, -0.5};
  description.links[1].inertial = true;
  ulna::Description::JointEntry hinge;
  hinge.parent = "ceiling";
  hinge.child = "rod";
  hinge.joint.name = "hinge";
  hinge.joint.type = ulna::JointType::continuous;
  hinge.joint.axis = {0, 1, 0};
  description.joints.push_back(hinge);

  const ulna::Model model = ulna::build(description);  // the same checks as for a file
  const ulna::Plan plan = ulna::make_plan(model);
  ulna::Workspace workspace(plan);
  std::vector<double> q{0.3}, gravity(1);
  ulna::gravity_forces(plan, workspace, q, gravity);
  std::printf("torque %.12f N m, m g l sin(q) = %.12f N m\n", gravity[0], 2 * 9.81 * 0.5 * std::sin(0.3));
}
