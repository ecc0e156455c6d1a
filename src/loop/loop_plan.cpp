#include "loop/equations.hpp"

#include <algorithm>

#include <ulna/spatial/rounding.hpp>

namespace ulna::internal {

namespace {

std::vector<std::size_t> path_to(const Plan& tree, std::size_t body) {
  std::vector<std::size_t> path;
  for (; body != kNone; body = tree.bodies[body].parent) path.push_back(body);
  std::reverse(path.begin(), path.end());
  return path;
}

/// So that a condition that holds by structure is no equation with coefficients of rounding.
void clear_rounding(Pose<double>& X, double snap) {
  if (!(snap > 0)) return;
  const double size = std::max({std::abs(X.p.x), std::abs(X.p.y), std::abs(X.p.z)});
  for (double* entry : {&X.p.x, &X.p.y, &X.p.z})
    if (std::abs(*entry) <= kEntryRounding * size) *entry = 0;
  for (double* entry : {&X.R.xx, &X.R.xy, &X.R.xz, &X.R.yx, &X.R.yy, &X.R.yz, &X.R.zx, &X.R.zy, &X.R.zz})
    if (std::abs(*entry) <= kEntryRounding) *entry = 0;
}

}  // namespace

LoopPlan make_loop_plan(const Model& tree, const std::vector<Loop>& loops, const PlanOptions& options) {
  LoopPlan plan{make_plan(tree, options), {}, 0};
  for (const Loop& loop : loops) {
    const PlanLink<double>&P = plan.tree.links[loop.predecessor], &S = plan.tree.links[loop.successor];
    const Pose<double> axis{rotation_z_to(loop.axis), {}};
    LoopRowsOf<double> rows{loop.type, plan.rows, path_to(plan.tree, P.body), path_to(plan.tree, S.body), P.X_BL * loop.X_PA * axis, S.X_BL * loop.X_SB * axis};
    std::size_t common = 0;
    while (common < rows.to_A.size() && common < rows.to_B.size() && rows.to_A[common] == rows.to_B[common]) ++common;
    rows.to_A.erase(rows.to_A.begin(), rows.to_A.begin() + static_cast<std::ptrdiff_t>(common));
    rows.to_B.erase(rows.to_B.begin(), rows.to_B.begin() + static_cast<std::ptrdiff_t>(common));
    clear_rounding(rows.X_A, options.snap);
    clear_rounding(rows.X_B, options.snap);
    plan.rows += loop_rows(loop.type);
    plan.loops.push_back(std::move(rows));
  }
  return plan;
}

}  // namespace ulna::internal
