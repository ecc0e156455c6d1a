#include "study/page_parts.hpp"

#include <algorithm>

namespace ulna::internal {

std::vector<LimitUse> broken_limits(const Model& model, const sim::Trajectory& t) {
  return check_motion(model, {t.t, t.q, t.v, t.a, t.tau}, {.between = false});
}

bool has_limits(const Model& model) {
  const std::vector<double> none(model.nq(), 0.0);  // one row, of which only the number of limits counts
  return !limits_used(without_loops(model), {std::vector<double>{0}, none, {}, {}, std::vector<double>(model.nv_tree(), 0.0)}, {.between = false}).empty();
}

}  // namespace ulna::internal
