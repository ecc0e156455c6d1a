#include "kdl_peer.hpp"

#include <kdl/config.h>

namespace ulna::peers {

namespace {

KDL::Frame frame_of(const Pose<double>& X) {
  const Mat3<double>& R = X.R;
  return {KDL::Rotation(R.xx, R.xy, R.xz, R.yx, R.yy, R.yz, R.zx, R.zy, R.zz), kdl_vector(X.p)};
}

KDL::Segment segment_of(const Model& model, const Joint& joint) {
  const Link& link = model.links()[joint.child];
  const Sym3<double>& I = link.inertia;
  const KDL::RigidBodyInertia inertia(link.mass, kdl_vector(link.com), KDL::RotationalInertia(I.xx, I.yy, I.zz, I.xy, I.xz, I.yz));
  const KDL::Frame X_PB = frame_of(joint.X_PF * joint.X_MB);
  if (joint.type == JointType::fixed) return KDL::Segment(link.name, KDL::Joint(joint.name, KDL::Joint::Fixed), X_PB, inertia);
  const auto type = joint.type == JointType::prismatic ? KDL::Joint::TransAxis : KDL::Joint::RotAxis;
  return KDL::Segment(link.name, KDL::Joint(joint.name, kdl_vector(joint.X_PF.p), kdl_vector(joint.X_PF.R * joint.axis), type), X_PB, inertia);
}

KDL::Tree tree_of(const Model& model) {
  if (model.base() != RootJoint::fixed) throw Refused("it knows no base that moves");
  KDL::Tree tree(model.links()[0].name);
  for (const Joint& joint : model.joints()) {
    if (joint.mimic) throw Refused("mimic joints");
    if (!tree.addSegment(segment_of(model, joint), model.links()[joint.parent].name)) throw Refused("KDL cannot add joint " + joint.name);
  }
  return tree;
}

std::optional<KDL::Chain> chain_of(const Model& model, const KDL::Tree& tree) {
  for (std::size_t j = 0; j < model.joints().size(); ++j)
    if (model.joints()[j].parent != j) return {};
  KDL::Chain chain;
  tree.getChain(model.links().front().name, model.links().back().name, chain);
  return chain;
}

}  // namespace

KDL::Vector kdl_vector(const Vec3<double>& v) { return {v.x, v.y, v.z}; }

KdlPeer::KdlPeer(const Model& model)
    : tree_(tree_of(model)), chain_(chain_of(model, tree_)), loaded_(tree_, kdl_vector(model.gravity())), unloaded_(tree_, KDL::Vector::Zero()) {
  for (const std::size_t j : model.independent()) {
    const std::size_t link = model.joints()[j].child;
    place_.push_back(GetTreeElementQNr(tree_.getSegment(model.links()[link].name)->second));
  }
}

std::string KdlPeer::version() { return KDL_VERSION_STRING; }

std::vector<double> KdlPeer::torques(const std::vector<double>& q, const std::vector<double>& v, const std::vector<double>& a) {
  return recursion(loaded_, q, v, a);
}

std::vector<double> KdlPeer::mass(const std::vector<double>& q) {
  const std::size_t n = place_.size();
  const std::vector<double> rest(n, 0.0);
  std::vector<double> unit(n, 0.0), M(n * n);
  for (std::size_t j = 0; j < n; ++j) {
    unit[j] = 1;
    const std::vector<double> column = recursion(unloaded_, q, rest, unit);
    unit[j] = 0;
    for (std::size_t i = 0; i < n; ++i) M[i * n + j] = column[i];
  }
  return M;
}

std::vector<double> KdlPeer::recursion(KDL::TreeIdSolver_RNE& solver, const std::vector<double>& q, const std::vector<double>& v,
                                       const std::vector<double>& a) const {
  KDL::JntArray tau(tree_.getNrOfJoints());
  if (solver.CartToJnt(sorted(q), sorted(v), sorted(a), {}, tau) != KDL::SolverI::E_NOERROR) throw std::runtime_error("KDL's recursion failed");
  std::vector<double> out;
  for (const unsigned k : place_) out.push_back(tau(k));
  return out;
}

KDL::JntArray KdlPeer::sorted(const std::vector<double>& x) const {
  KDL::JntArray out(tree_.getNrOfJoints());
  for (std::size_t k = 0; k < x.size(); ++k) out(place_[k]) = x[k];
  return out;
}

}  // namespace ulna::peers
