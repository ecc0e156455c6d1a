#include "plan/limbs.hpp"

#include <cmath>
#include <cstdint>

namespace ulna::internal {

namespace {

/// Whether entries are 0 or ±1 in both or in none.
bool same_pattern(const Mat3<double>& A, const Mat3<double>& B) {
  const auto same = [](double a, double b) {
    const auto kind = [](double x) { return x == 0 ? 0 : std::fabs(x) == 1 ? 1 : 2; };
    return kind(a) == kind(b);
  };
  return same(A.xx, B.xx) && same(A.xy, B.xy) && same(A.xz, B.xz) && same(A.yx, B.yx) && same(A.yy, B.yy) && same(A.yz, B.yz) && same(A.zx, B.zx) &&
         same(A.zy, B.zy) && same(A.zz, B.zz);
}

/// Size of the subtree, the body included, where its bodies are consecutive; else 0.
std::size_t branch(const Plan& plan, std::size_t a) {
  const auto hangs = [&](std::size_t k, std::size_t end) {
    return plan.bodies[k].parent != kNone && plan.bodies[k].parent >= a && plan.bodies[k].parent < end;
  };
  std::size_t end = a + 1;
  while (end < plan.bodies.size() && hangs(end, end)) ++end;
  for (std::size_t k = end; k < plan.bodies.size(); ++k)
    if (hangs(k, end)) return 0;
  return end - a;
}

bool alike(const Plan& plan, std::size_t a, std::size_t b, std::size_t size) {
  if (size == 0 || branch(plan, b) != size) return false;
  for (std::size_t k = 0; k < size; ++k) {
    const PlanBody<double>&x = plan.bodies[a + k], &y = plan.bodies[b + k];
    if (k > 0 && x.parent - a != y.parent - b) return false;
    if (x.prismatic != y.prismatic || x.still != y.still || x.ball != y.ball || (k > 0 && !same_pattern(x.R_PB, y.R_PB))) return false;
  }
  return true;
}

}  // namespace

std::vector<std::pair<std::size_t, std::size_t>> limbs_alike(const Plan& plan) {
  const std::size_t n = plan.bodies.size();
  std::vector<std::pair<std::size_t, std::size_t>> pairs;
  std::vector<std::uint8_t> taken(n, 0);
  for (std::size_t a = 0; a < n; ++a) {
    if (taken[a] != 0) continue;
    const std::size_t size = branch(plan, a);
    for (std::size_t b = a + 1; b < n; ++b) {
      if (taken[b] != 0 || plan.bodies[b].parent != plan.bodies[a].parent || !alike(plan, a, b, size)) continue;
      for (std::size_t k = 0; k < size; ++k) pairs.emplace_back(a + k, b + k), taken[a + k] = taken[b + k] = 1;
      break;
    }
  }
  return pairs;
}

}  // namespace ulna::internal
