// The first thing to do with a robot file: load it, and ask for torques.
//   first_torque [MODEL]
#include <cstdio>
#include <exception>
#include <vector>

#include <ulna/ulna.hpp>

int main(int argc, char** argv) {
  try {
    const ulna::Model model = ulna::load(argc > 1 ? argv[1] : "stanford");  // throws ulna::SourceError listing every problem, with lines
    const ulna::Plan plan = ulna::make_plan(model);                         // immutable: share it between threads
    ulna::Workspace workspace(plan);                                        // one per thread; nothing allocates after this line

    const std::vector<double> q(plan.nq, 0.1), v(plan.nv, 0.2), a(plan.nv, 0.3);
    std::vector<double> tau(v.size()), back(v.size());
    ulna::inverse_dynamics(plan, workspace, q, v, a, tau);
    ulna::forward_dynamics(plan, workspace, q, v, tau, back);

    for (std::size_t i = 0; i < tau.size(); ++i)
      std::printf("%-12s tau = %12.6f   acceleration back from it = %.15f\n", model.coordinate_names()[i].c_str(), tau[i], back[i]);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  }
}
