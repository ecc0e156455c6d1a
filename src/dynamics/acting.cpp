#include "dynamics/acting.hpp"

#include "model/moving_tree.hpp"

namespace ulna::internal {

Acting on_bodies(const Model& model, double snap, std::span<const Wrench> wrenches, const BaseMotion& base) {
  Acting acting{{}, base};
  if (wrenches.empty()) return acting;
  const MovingTree tree = merge_fixed(model, snap);
  for (const Wrench& wrench : wrenches)
    if (const std::size_t body = tree.body_of_link[wrench.link]; body != kNone || model.base() == RootJoint::free)
      acting.loads.push_back({body, tree.X_BL[wrench.link], wrench.axes, wrench.force, wrench.moment});
  return acting;
}

}  // namespace ulna::internal
