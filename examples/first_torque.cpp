// The first thing to do with a robot file: load it, and ask for torques.
//   first_torque [MODEL]
#include <cstdio>
#include <exception>
#include <vector>

#include <ulna/ulna.hpp>

int main(int argc, char** argv) {
  try {
    const ulna::Model model = ulna::load(argc > 1 ? argv[1] : "stanford");  // throws ulna::SourceError, which lists every problem with its line
    const ulna::Dynamics dynamics(model);                                   // compiles machine code for this robot, once; share it between threads

    const std::vector<double> q(model.nq()), v(model.nv()), a(model.nv());  // all joints at zero, at rest
    std::vector<double> tau(model.nv());
    dynamics.inverse(q, v, a, tau);  // allocates nothing

    for (std::size_t i = 0; i < tau.size(); ++i) std::printf("%-10s %8.3f\n", model.coordinate_names()[i].c_str(), tau[i]);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  }
}
