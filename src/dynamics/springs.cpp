#include "dynamics/springs.hpp"

#include <algorithm>
#include <cmath>

#include "model/describe.hpp"

namespace ulna::internal {

Springs::Springs(const Model& model, const Acting& acting)
    : tree_(without_loops(model)), places_(tree_.places()), springs_(acting.springs), held_(tree_.nv(), 0.0) {
  const std::vector<Link>& links = tree_.links();
  if (!acting.compensation || std::all_of(links.begin(), links.end(), [](const Link& link) { return link.gravcomp == 0; })) return;
  Description points = describe(tree_);  // what is carried, as points where the mass centres are
  for (Link& link : points.links) link.mass *= link.gravcomp, link.inertia = {};
  Diagnostics ignored;
  const std::optional<Model> carried = build(points, ignored);
  if (!carried) return;
  carried_ = make_plan(*carried, {.snap = 0, .lumping = Lumping::none});
  ws_.emplace(*carried_);
}

void Springs::add_to(const double* q, double* tau) {
  if (carried_) {
    gravity_forces(*carried_, *ws_, {q, tree_.nq()}, held_);
    for (std::size_t k = 0; k < held_.size(); ++k) tau[k] -= held_[k];
  }
  if (!springs_) return;
  const std::size_t base = base_nv(tree_.base());
  const std::vector<std::size_t>& independent = tree_.independent();
  for (std::size_t k = 0; k < independent.size(); ++k) {
    const Joint& joint = tree_.joints()[independent[k]];
    if (joint.stiffness == 0) continue;
    const double* at = q + places_[k];
    if (joint.type != JointType::ball) {
      tau[base + k] += joint.stiffness * (*at - joint.rest);
      continue;
    }
    const double s = std::hypot(at[0], std::hypot(at[1], at[2])), rotated = s > 0 ? 2 * std::atan2(at[3] < 0 ? -s : s, std::abs(at[3])) / s : 2;
    for (std::size_t i = 0; i < 3; ++i) tau[base + k + i] += joint.stiffness * rotated * at[i];
    k += 2;
  }
  for (const Joint& joint : tree_.joints())  // what follows another has its spring there
    if (joint.mimic && joint.stiffness != 0)
      for (std::size_t k = 0; k < independent.size(); ++k)
        if (independent[k] == joint.mimic->leader)
          tau[base + k] += joint.mimic->multiplier * joint.stiffness * (joint.mimic->multiplier * q[places_[k]] + joint.mimic->offset - joint.rest);
}

}  // namespace ulna::internal
