#include <algorithm>
#include <cmath>

#include <ulna/spatial/spatial.hpp>

#include "formulation/common_normals.hpp"
#include "model/moving_tree.hpp"

namespace ulna::internal {

namespace {

void clear_below(double threshold, std::initializer_list<double*> entries) {
  for (double* entry : entries)
    if (std::abs(*entry) <= threshold) *entry = 0;
}

/// m (d² E - d dᵀ): what a mass at distance d adds to the inertia.
Sym3<double> point_mass(double m, const Vec3<double>& d) {
  return {m * (d.y * d.y + d.z * d.z), m * (d.x * d.x + d.z * d.z), m * (d.x * d.x + d.y * d.y), -m * d.x * d.y, -m * d.x * d.z, -m * d.y * d.z};
}

}  // namespace

double chain_size(const MovingTree& tree) {
  double size = 0;
  for (std::size_t i = 1; i < tree.bodies.size(); ++i) {  // where the base stands does not count
    const Vec3<double>& p = tree.bodies[i].X_PB.p;
    size += std::hypot(p.x, p.y, p.z);
  }
  if (size > 0) return size;
  for (const MovingBody& body : tree.bodies) {
    const Vec3<double>& h = body.inertia.h;
    if (body.inertia.m > 0) size = std::max(size, std::hypot(h.x, h.y, h.z) / body.inertia.m);
  }
  return size;
}

std::vector<MassProperties> mass_properties(const Model& model, const MovingTree& tree) {
  std::vector<std::vector<std::size_t>> links_of(tree.bodies.size());
  for (std::size_t i = 0; i < model.links().size(); ++i) {
    const Link& link = model.links()[i];
    if (tree.body_of_link[i] != kNone && (link.mass != 0 || link.inertia != Sym3<double>{})) links_of[tree.body_of_link[i]].push_back(i);
  }
  std::vector<MassProperties> bodies;
  for (const std::vector<std::size_t>& links : links_of) {
    MassProperties body;
    const auto com_of = [&](std::size_t i) { return tree.X_BL[i].p + tree.X_BL[i].R * model.links()[i].com; };
    Vec3<double> h;
    for (const std::size_t i : links) {
      body.mass += model.links()[i].mass;
      h = h + model.links()[i].mass * com_of(i);
    }
    if (body.mass != 0) body.com = links.size() == 1 ? com_of(links[0]) : (1 / body.mass) * h;
    for (const std::size_t i : links) {
      body.inertia = body.inertia + congruence(tree.X_BL[i].R, model.links()[i].inertia);
      if (links.size() > 1) body.inertia = body.inertia + point_mass(model.links()[i].mass, com_of(i) - body.com);
    }
    bodies.push_back(body);
  }
  return bodies;
}

MassProperties reframed(const MassProperties& body, const Pose<double>& X_BF) {
  MassProperties to;
  to.mass = body.mass;
  if (body.mass != 0) to.com = tmul(X_BF.R, body.com - X_BF.p);
  to.inertia = congruence(X_BF.R.transposed(), body.inertia);
  const Vec3<double>&c = body.com, &p = X_BF.p;
  clear_below(kLengthRounding * (std::hypot(c.x, c.y, c.z) + std::hypot(p.x, p.y, p.z)), {&to.com.x, &to.com.y, &to.com.z});
  clear_below(kEntryRounding * std::abs(to.inertia.trace()), {&to.inertia.xy, &to.inertia.xz, &to.inertia.yz});
  return to;
}

namespace {

TreeLoops<double> make_tree_loops(const Model& model, const MovingTree& moving) {
  TreeLoops<double> out;
  out.coordinates = model.nv_tree();
  out.order = model.order();
  for (const Loop& loop : model.loops()) {
    const Pose<double> rotated{rotation_z_to(loop.axis), {}};  // conditions are numbered in these axes
    const std::size_t A = moving.body_of_link[loop.predecessor], B = moving.body_of_link[loop.successor];
    std::vector<bool> carries_A(moving.bodies.size());
    for (std::size_t i = A; i != kNone; i = moving.bodies[i].parent) carries_A[i] = true;
    std::size_t C = B;
    while (C != kNone && !carries_A[C]) C = moving.bodies[C].parent;
    out.loops.push_back({loop.type, A, B, C, moving.X_BL[loop.predecessor] * loop.X_PA * rotated, moving.X_BL[loop.successor] * loop.X_SB * rotated});
  }
  for (const MovingBody& body : moving.bodies) {
    const std::optional<Mimic>& mimic = model.joints()[body.joint].mimic;
    const std::size_t leader = mimic ? mimic->leader : body.joint;
    out.coordinate.push_back(static_cast<std::size_t>(std::find(model.independent().begin(), model.independent().end(), leader) - model.independent().begin()));
    out.multiplier.push_back(mimic ? mimic->multiplier : 1);
  }
  return out;
}

}  // namespace

BodyTree<double> make_body_tree(const Model& model, double snap) {
  const MovingTree moving = merge_fixed(model, snap);
  const std::vector<MassProperties> masses = mass_properties(model, moving);
  BodyTree<double> tree;
  tree.gravity = model.gravity();
  for (std::size_t i = 0; i < moving.bodies.size(); ++i) {
    const MovingBody& from = moving.bodies[i];
    const Joint& joint = model.joints()[from.joint];
    const MassProperties mass = reframed(masses[i], {});
    tree.bodies.push_back(
        {from.parent, joint.type == JointType::prismatic, from.X_PB.R, from.X_PB.p, mass.mass, mass.com, mass.inertia, joint.gear * joint.gear * joint.rotor});
  }
  if (model.closed()) tree.loops = make_tree_loops(model, moving);
  return tree;
}

}  // namespace ulna::internal
