#include <cmath>
#include <stdexcept>

#include <ulna/spatial/spatial.hpp>

#include "formulation/common_normals.hpp"
#include "formulation/dh_loss.hpp"
#include "model/moving_tree.hpp"
#include "text/message.hpp"

namespace ulna::internal {

namespace {

std::string joint_name(const Model& model, const MovingTree& tree, std::size_t body) { return in_quotes(model.joints()[tree.bodies[body].joint].name); }

std::string why_it_branches(const Model& model, const MovingTree& tree) {
  if (tree.bodies.empty()) return "the model has no moving joint";
  for (std::size_t i = 0; i < tree.bodies.size(); ++i) {
    const std::size_t parent = tree.bodies[i].parent;
    if (parent + 1 == i) continue;  // kNone + 1 is 0
    return cat("the joints ", joint_name(model, tree, parent + 1), " and ", joint_name(model, tree, i), " both follow ",
               parent == kNone ? std::string("the base") : cat("joint ", joint_name(model, tree, parent)), ", and a chain has one tip");
  }
  return {};
}

/// Of the common normals the one that begins farthest from its joint, of those between two joints.
struct Farthest {
  std::size_t joint = 0;
  double distance = 0;
  double sine = 0;  // of the angle between the axes
};
Farthest farthest(const Model& model, const MovingTree& tree, double snap) {
  Farthest out;
  const std::vector<CommonNormal> normals = common_normals(model, tree, snap, End::far);
  for (std::size_t k = 0; k + 1 < normals.size(); ++k)
    if (const double distance = std::abs(normals[k].near.z); distance > out.distance) out = {k, distance, std::abs(normals[k].alpha.s)};
  return out;
}

std::string no_table(const Model& model, const MovingTree& tree, const Farthest& normal) {
  const double enough = std::pow(10.0, std::ceil(std::log10(normal.sine)));
  return cat("the axes of the joints ", joint_name(model, tree, normal.joint), " and ", joint_name(model, tree, normal.joint + 1), " are parallel but for ",
             rounded(normal.sine), " rad, so that their common normal lies ", rounded(normal.distance), " m away; snap angles with ", rounded(enough),
             " or write them with more digits");
}

/// Axes that are parallel but for a little have their common normal far away, and numbers in frames out there lose as many digits squared.
std::string why_ill_conditioned(const Model& model, const MovingTree& tree, double snap) {
  constexpr double kFarthest = 1e4;  // times the robot's size
  const Farthest normal = farthest(model, tree, snap);
  return normal.distance <= kFarthest * chain_size(tree) ? std::string() : no_table(model, tree, normal);
}

MovingTree chain_of(const Model& model, double snap) {
  const std::string why = why_not_a_chain(model, snap);
  if (!why.empty()) throw std::invalid_argument(why);
  return merge_fixed(model, snap);
}

/// x across z, and axes rotated about x by alpha.
Mat3<double> axes(const Vec3<double>& x, const KnownAngle& alpha) {
  return {x.x, -x.y * alpha.c, x.y * alpha.s,   //
          x.y, x.x * alpha.c,  -x.x * alpha.s,  //
          0,   alpha.s,        alpha.c};
}

DhRow<double> dh_row_of(bool prismatic, double a, const KnownAngle& alpha, double d, const KnownAngle& theta, const MassProperties& link) {
  return {prismatic, a, alpha.angle, alpha.c, alpha.s, d, theta.angle, theta.c, theta.s, link.mass, link.com, link.inertia};
}

/// What rounding left of zeros goes, relative to the vector's size.
Vec3<double> in_frame(const Mat3<double>& R, const Vec3<double>& v) {
  Vec3<double> to = tmul(R, v);
  const double size = std::hypot(v.x, v.y, v.z);
  for (double* entry : {&to.x, &to.y, &to.z})
    if (std::abs(*entry) <= kEntryRounding * size) *entry = 0;
  return to;
}

}  // namespace

std::string why_not_a_chain(const Model& model, double snap) {
  const MovingTree tree = merge_fixed(model, snap);
  const std::string why = why_it_branches(model, tree);
  return why.empty() ? why_ill_conditioned(model, tree, snap) : why;
}

std::string farthest_normal(const Model& model, double snap) {
  const MovingTree tree = merge_fixed(model, snap);
  const Farthest normal = farthest(model, tree, snap);
  return normal.sine > 0 ? no_table(model, tree, normal) : std::string();
}

ChainRows<double> make_chain(const Model& model, DhConvention convention, double snap, double angle_snap) {
  const bool standard = convention == DhConvention::standard;
  const MovingTree tree = chain_of(model, snap);
  const std::vector<MassProperties> links = mass_properties(model, tree);
  const std::vector<CommonNormal> normals = common_normals(model, tree, angle_snap, standard ? End::far : End::near);
  ChainRows<double> chain;
  // The base frame is the first normal's beginning; in the modified convention it is frame 1 at q = 0.
  const CommonNormal& first = normals.front();
  chain.X_W0 = tree.bodies[0].X_PB * (standard ? Pose<double>{axes(first.x_start, {}), first.start} : Pose<double>{axes(first.x, {}), first.near});
  chain.gravity_0 = in_frame(chain.X_W0.R, model.gravity());
  for (std::size_t k = 0; k < normals.size(); ++k) {
    const CommonNormal& normal = normals[k];
    const bool prismatic = model.joints()[tree.bodies[k].joint].type == JointType::prismatic;
    const Pose<double> X_BF = standard ? Pose<double>{axes(normal.x, normal.alpha), normal.far} : Pose<double>{axes(normal.x, {}), normal.near};
    const MassProperties link = reframed(links[k], X_BF);
    if (standard)
      chain.rows.push_back(dh_row_of(prismatic, normal.a, normal.alpha, normal.d, normal.theta, link));
    else if (k == 0)
      chain.rows.push_back(dh_row_of(prismatic, 0, {}, 0, {}, link));
    else
      chain.rows.push_back(dh_row_of(prismatic, normals[k - 1].a, normals[k - 1].alpha, normal.d, normal.theta, link));
    chain.X_BF.push_back(X_BF);
  }
  return chain;
}

DhChain<double> make_dh_chain(const Model& model, double snap) { return {make_chain(model, DhConvention::standard, snap, snap)}; }

MdhChain<double> make_mdh_chain(const Model& model, double snap) { return {make_chain(model, DhConvention::modified, snap, snap)}; }

}  // namespace ulna::internal
