// Iterative LQR of swing.hpp on Ulna's derivatives.
#include "swing.hpp"

#include <iomanip>
#include <iostream>

#include <ulna/ulna.hpp>

int main() {
  ulna::DynamicsOptions options;
  options.quantities.push_back(ulna::Quantity::forward_derivatives);  // compiled, too
  const swing::Solution found = swing::solve(ulna::Dynamics(ulna::load("panda"), options));
  std::cout << "standing still costs " << std::fixed << std::setprecision(1) << found.standing << '\n'
            << "the swing costs " << found.cost << ", its largest torque is " << std::setprecision(0) << 100 * found.most << " % of the limit\n"
            << "it ends " << std::setprecision(3) << found.miss.head<swing::n>().norm() << " rad from the goal, at " << found.miss.tail<swing::n>().norm()
            << " rad/s\n";
  std::cerr << found.iterations << " iterations, " << std::setprecision(0) << 1e6 * found.seconds / found.iterations << " us each\n";
}
