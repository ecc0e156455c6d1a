// One state by every formulation of the papers that takes the robot: the same torques, at different prices.
//   one_formulation [MODEL]
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>
#include <vector>

#include <ulna/formulation/formulation.hpp>
#include <ulna/ulna.hpp>

int main(int argc, char** argv) {
  try {
    const ulna::Model model = ulna::load(argc > 1 ? argv[1] : "puma560");
    const ulna::Prepared prepared(model);  // the robot in every form that a paper may ask for
    const std::size_t n = model.nv();
    const std::vector<double> q(n, 0.3), v(n, 0.2), a(n, 0.1);
    std::vector<double> first, tau(n);
    double worst = 0;
    for (const ulna::Formulation& formulation : ulna::formulations()) {
      if (!formulation.gives(ulna::Quantity::inverse) || !ulna::why_not(formulation, ulna::Quantity::inverse, prepared).empty()) continue;
      if (formulation.valid_at == ulna::ValidAt::table_nodes) continue;  // a table over q
      ulna::FormulationOnModel on_model(formulation, ulna::Quantity::inverse, prepared);
      on_model.compute(ulna::Quantity::inverse, {q.data(), v.data(), a.data()}, tau.data());
      if (first.empty()) first = tau;
      for (std::size_t i = 0; i < n; ++i) worst = std::max(worst, std::abs(tau[i] - first[i]));
      const ulna::OperationCounts cost = ulna::count_as_written(formulation, ulna::Quantity::inverse, prepared).total;
      std::printf("%-24s tau[0] = %11.7f   %6ld multiplications, %6ld additions\n", std::string(formulation.id).c_str(), tau[0], cost.mul, cost.add);
    }
    std::printf("largest difference between any two: %.0e N m\n", worst);
    return worst < 1e-9 ? 0 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  }
}
