// Pinocchio, from its headers alone, so that compiler and flags are those of this file and not of the library's package.
#pragma once

#include <pinocchio/multibody.hpp>

#include "subject.hpp"

namespace ulna::bench {

/// Links that move with a joint are its bodies; those that are fixed to the root do not matter.
inline pinocchio::Model pinocchio_model(const Model& model) {
  const auto pose = [](const Pose<double>& X) {
    Eigen::Matrix3d R;
    R << X.R.xx, X.R.xy, X.R.xz, X.R.yx, X.R.yy, X.R.yz, X.R.zx, X.R.zy, X.R.zz;
    return pinocchio::SE3(R, Eigen::Vector3d(X.p.x, X.p.y, X.p.z));
  };
  pinocchio::Model out;
  const Vec3<double>& g = model.gravity();
  out.gravity.linear() = Eigen::Vector3d(g.x, g.y, g.z);
  std::vector<pinocchio::JointIndex> body(model.links().size(), 0);  // the joint that moves a link
  std::vector<pinocchio::SE3> X_BL(model.links().size(), pinocchio::SE3::Identity());
  if (model.base() == RootJoint::planar) throw Refused("a planar base");
  const auto inertia_of = [](const Link& link) {
    const Sym3<double>& I = link.inertia;
    Eigen::Matrix3d tensor;
    tensor << I.xx, I.xy, I.xz, I.xy, I.yy, I.yz, I.xz, I.yz, I.zz;
    return pinocchio::Inertia(link.mass, Eigen::Vector3d(link.com.x, link.com.y, link.com.z), tensor);
  };
  if (model.base() == RootJoint::free) {
    body[0] = out.addJoint(0, pinocchio::JointModelFreeFlyer(), pinocchio::SE3::Identity(), "base of the robot");
    if (model.links().front().mass != 0) out.appendBodyToJoint(body[0], inertia_of(model.links().front()), pinocchio::SE3::Identity());
  }
  for (const Joint& joint : model.joints()) {
    if (joint.mimic) throw Refused("mimic joints");
    const auto parent = joint.parent, child = joint.child;
    const pinocchio::SE3 X_BF = X_BL[parent] * pose(joint.X_PF);
    if (joint.type == JointType::fixed) {
      body[child] = body[parent];
      X_BL[child] = X_BF * pose(joint.X_MB);
    } else {
      const Eigen::Vector3d axis(joint.axis.x, joint.axis.y, joint.axis.z);
      const bool slides = joint.type == JointType::prismatic;
      // As Pinocchio's own URDF reader does: the joints along an axis of the frame are the fast ones.
      const auto add = [&](const auto& type) { return out.addJoint(body[parent], type, X_BF, joint.name); };
      using namespace pinocchio;
      if (axis == Eigen::Vector3d::UnitX())
        body[child] = slides ? add(JointModelPX()) : add(JointModelRX());
      else if (axis == Eigen::Vector3d::UnitY())
        body[child] = slides ? add(JointModelPY()) : add(JointModelRY());
      else if (axis == Eigen::Vector3d::UnitZ())
        body[child] = slides ? add(JointModelPZ()) : add(JointModelRZ());
      else
        body[child] = slides ? add(JointModelPrismaticUnaligned(axis)) : add(JointModelRevoluteUnaligned(axis));
      X_BL[child] = pose(joint.X_MB);
    }
    const Link& link = model.links()[child];
    if (body[child] != 0 && link.mass != 0) out.appendBodyToJoint(body[child], inertia_of(link), X_BL[child]);
  }
  return out;
}

/// Its free flyer: linear numbers before angular ones, in the root link's axes, and spatial accelerations.
inline constexpr BaseConvention kFreeFlyer{.order = BaseConvention::Order::linear, .acceleration = BaseConvention::Acceleration::spatial};

/// Where it keeps each number of our model's v.
inline std::vector<std::size_t> pinocchio_places(const Model& model, const pinocchio::Model& theirs) {
  std::vector<std::size_t> place;
  if (model.base() == RootJoint::free) place = {3, 4, 5, 0, 1, 2};
  for (const std::string& name : model.coordinate_names()) place.push_back(theirs.joints[theirs.getJointId(name)].idx_v());
  return place;
}

}  // namespace ulna::bench
