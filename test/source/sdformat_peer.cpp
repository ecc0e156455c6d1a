#include "source/sdformat_peer.hpp"

#ifdef ULNA_HAVE_SDFORMAT
#include <sdf/Joint.hh>
#include <sdf/JointAxis.hh>
#include <sdf/Link.hh>
#include <sdf/Model.hh>
#include <sdf/Root.hh>
#include <sdf/World.hh>

namespace ulna::test {
namespace {

Pose<double> pose_of_peer(const ignition::math::Pose3d& X) {
  const auto& r = X.Rot();
  return {rotation_of({r.X(), r.Y(), r.Z(), r.W()}), {X.Pos().X(), X.Pos().Y(), X.Pos().Z()}};
}

template <class Entity>
Pose<double> resolved(const Entity& entity, const std::string& to) {
  ignition::math::Pose3d X;
  if (!entity.SemanticPose().Resolve(X, to).empty()) X = entity.RawPose();
  return pose_of_peer(X);
}

void add_poses(const sdf::Model& model, const Pose<double>& X_WM, const std::string& scope, SdfPoses& to) {
  for (std::uint64_t i = 0; i < model.LinkCount(); ++i) to.frames[scope + model.LinkByIndex(i)->Name()] = X_WM * resolved(*model.LinkByIndex(i), "__model__");
  for (std::uint64_t i = 0; i < model.JointCount(); ++i) {
    const sdf::Joint& joint = *model.JointByIndex(i);
    ignition::math::Pose3d X;
    if (!joint.SemanticPose().Resolve(X, "__model__").empty()) continue;
    to.frames[scope + joint.Name()] = X_WM * pose_of_peer(X);
    for (const unsigned int k : {0u, 1u}) {
      ignition::math::Vector3d xyz;
      if (joint.Axis(k) != nullptr && joint.Axis(k)->ResolveXyz(xyz, joint.Name()).empty())
        to.axes[scope + joint.Name() + (k == 0 ? "" : "_2")] = {xyz.X(), xyz.Y(), xyz.Z()};
    }
  }
  for (std::uint64_t i = 0; i < model.ModelCount(); ++i) {
    const sdf::Model& inner = *model.ModelByIndex(i);
    add_poses(inner, X_WM * resolved(inner, "__model__"), scope + inner.Name() + "::", to);
  }
}

}  // namespace

std::optional<SdfPoses> poses_of_libsdformat(const std::string& text) {
  sdf::Root root;
  if (!root.LoadSdfString(text).empty()) return {};
  const sdf::Model* model = root.Model();
  const sdf::World* world = root.WorldCount() > 0 ? root.WorldByIndex(0) : nullptr;
  for (std::uint64_t i = 0; world != nullptr && model == nullptr && i < world->ModelCount(); ++i)
    if (!world->ModelByIndex(i)->Static()) model = world->ModelByIndex(i);
  if (model == nullptr) return {};
  SdfPoses poses;
  add_poses(*model, resolved(*model, "world"), "", poses);
  return poses;
}

}  // namespace ulna::test
#else
namespace ulna::test {
std::optional<SdfPoses> poses_of_libsdformat(const std::string&) { return {}; }
}  // namespace ulna::test
#endif
