#include "check/stands_free.hpp"

#include <map>
#include <string>

#include "model/moving_tree.hpp"

namespace ulna::internal {

bool may_stand_free(const Model& model) {
  const Link& root = model.links().front();
  if (model.base() != RootJoint::fixed || root.name.find("world") != std::string::npos || root.name.find("ground") != std::string::npos) return false;
  const MovingTree tree = merge_fixed(model, 0);
  if (!(tree.base.m > 0)) return false;
  // A limb is the joints behind one that hangs from the base, depth first: types, and how many joints back the parent is.
  std::vector<std::string> structure(tree.bodies.size());
  std::vector<std::size_t> limb(tree.bodies.size());
  for (std::size_t i = 0; i < tree.bodies.size(); ++i) {
    const MovingBody& body = tree.bodies[i];
    limb[i] = body.parent == kNone ? i : limb[body.parent];
    structure[limb[i]] +=
        (model.joints()[body.joint].type == JointType::prismatic ? "P" : "R") + (body.parent == kNone ? std::string() : std::to_string(i - body.parent));
  }
  std::map<std::string, int> limbs;
  for (std::size_t i = 0; i < tree.bodies.size(); ++i)
    if (limb[i] == i && ++limbs[structure[i]] >= 2) {
      const bool single = structure[i].size() == 1;  // a propeller, or a finger of a gripper: four make a craft
      if (!single || limbs[structure[i]] >= 4) return true;
    }
  return false;
}

}  // namespace ulna::internal
