#include "verify/symbolic_chain.hpp"

#include <tuple>

namespace ulna::internal::proof {

SymbolicChain::SymbolicChain(const std::vector<bool>& prismatic) : graph(std::make_unique<Graph>()) {
  const auto symbol = [&](const char* name) { return graph->parameters(name, 1).front(); };
  const auto angle = [&](const char* name) {  // its cosine and sine
    const std::size_t first = graph->parameter_count();
    circles.emplace_back(first, first + 1);
    const std::vector<Expr> both = graph->parameters(name, 2);
    return std::pair(both[0], both[1]);
  };
  for (const bool slides : prismatic) {
    DhRow<Expr> row;
    row.prismatic = slides;
    row.a = symbol("a");
    row.d = symbol("d");
    std::tie(row.cos_alpha, row.sin_alpha) = angle("alpha");
    if (slides) std::tie(row.cos_theta, row.sin_theta) = angle("theta");
    row.mass = symbol("m");
    row.com = {symbol("x"), symbol("y"), symbol("z")};
    row.inertia = {symbol("Ixx"), symbol("Iyy"), symbol("Izz"), symbol("Ixy"), symbol("Ixz"), symbol("Iyz")};
    chain.rows.push_back(row);
  }
  chain.gravity_0 = {symbol("gx"), symbol("gy"), symbol("gz")};
  q = graph->inputs("q", prismatic.size());
  v = graph->inputs("v", prismatic.size());
  a = graph->inputs("a", prismatic.size());
}

}  // namespace ulna::internal::proof
