// What every recipe builds and runs: the torque that holds a planar arm of two links, against the formula by hand.
#include <cmath>
#include <cstdio>
#include <vector>

#include <ulna/ulna.hpp>

int main() {
  const ulna::Model model = ulna::load("planar-2r");
  const ulna::Dynamics dynamics(model);
  const std::vector<double> q{0.3, 0.5};
  std::vector<double> tau(2);
  dynamics.gravity(q, tau);
  // 6 kg, mass centre 0.5 m out on a link of 1 m; 4 kg, mass centre 0.4 m out.
  const double second = 4 * 9.81 * 0.4 * std::cos(q[0] + q[1]), first = 9.81 * (6 * 0.5 + 4 * 1) * std::cos(q[0]) + second;
  std::printf("tau = %.6f, %.6f N m; by hand %.6f, %.6f\n", tau[0], tau[1], first, second);
  return std::fabs(tau[0] - first) + std::fabs(tau[1] - second) < 1e-9 ? 0 : 1;
}
