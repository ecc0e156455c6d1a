// Pinocchio, from its headers alone, so that compiler and flags are those of this file and not of the library's package.
#pragma once

#include <pinocchio/multibody.hpp>

#include "subject.hpp"

namespace ulna::bench {

/// Links that move with a joint are its bodies; those that are fixed to a root that is bolted down do not matter. A free root hangs from a free flyer.
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
  const auto add_body = [&](std::size_t index) {
    const Link& link = model.links()[index];
    const Sym3<double>& I = link.inertia;
    Eigen::Matrix3d tensor;
    tensor << I.xx, I.xy, I.xz, I.xy, I.yy, I.yz, I.xz, I.yz, I.zz;
    if (body[index] != 0 && link.mass != 0)
      out.appendBodyToJoint(body[index], pinocchio::Inertia(link.mass, Eigen::Vector3d(link.com.x, link.com.y, link.com.z), tensor), X_BL[index]);
  };
  if (model.base() == RootJoint::free) {
    body[0] = out.addJoint(0, pinocchio::JointModelFreeFlyer(), pinocchio::SE3::Identity(), "free flyer");
    add_body(0);
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
    add_body(child);
  }
  return out;
}

/// Where it keeps each degree of freedom of our model: a free flyer's linear velocity stands first.
inline std::vector<std::size_t> pinocchio_places(const Model& model, const pinocchio::Model& theirs) {
  std::vector<std::size_t> place;
  if (model.base() == RootJoint::free) place = {3, 4, 5, 0, 1, 2};
  for (const std::string& name : model.coordinate_names()) place.push_back(theirs.joints[theirs.getJointId(name)].idx_v());
  return place;
}

/// A free flyer's linear acceleration is the spatial one, which is less by w x v. `sign` is -1 on the way there, 1 on the way back; six numbers each, angular
/// first.
inline void add_w_cross_v(double sign, const double* v, double* a) {
  a[3] += sign * (v[1] * v[5] - v[2] * v[4]);
  a[4] += sign * (v[2] * v[3] - v[0] * v[5]);
  a[5] += sign * (v[0] * v[4] - v[1] * v[3]);
}

/// States as it takes them, and its results as ours.
inline States<double> pinocchio_states(const Inputs& inputs, Library& library) {
  if (inputs.model.base() == RootJoint::fixed) return placed(inputs.states, library.place);
  States<double> spatial = inputs.states;
  for (std::size_t k = 0; k < spatial.count; ++k) add_w_cross_v(-1, &spatial.v[k * spatial.n], &spatial.a[k * spatial.n]);
  library.settle = [v = inputs.states.v, n = inputs.states.n](Job job, std::size_t k, double* result) {
    if (job == Job::forward) add_w_cross_v(1, &v[k * n], result);
  };
  return placed(spatial, library.place);
}

}  // namespace ulna::bench
