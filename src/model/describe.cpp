#include "model/describe.hpp"

namespace ulna::internal {

Description describe(const Model& model) {
  Description d;
  d.name = model.name();
  d.file = model.file();
  d.base = model.base();
  d.gravity = model.gravity();
  d.links = model.links();
  for (std::size_t j = 0; j < model.joints().size(); ++j) {
    const Joint& joint = model.joints()[j];
    Description::JointEntry entry{joint, model.links()[joint.parent].name, model.links()[joint.child].name, {}};
    entry.joint.mimic = model.coupling(j);
    if (entry.joint.mimic) entry.leader = model.joints()[entry.joint.mimic->leader].name;
    d.joints.push_back(std::move(entry));
  }
  return d;
}

}  // namespace ulna::internal
