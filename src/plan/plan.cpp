#include <ulna/plan/plan.hpp>

#include <algorithm>
#include <cmath>

#include "model/moving_tree.hpp"
#include "plan/reframe-inl.hpp"

namespace ulna ULNA_API {

using namespace internal;

namespace {

// Where articulated bodies overtake the inertia matrix on plain doubles: bench/dynamics.cpp finds them level in a chain of ten joints, whose mean depth is 5.5.
constexpr double kDeep = 5.5;

/// Where bodies are numbered depth first, a subtree is a contiguous range.
void find_behind(Plan& plan) {
  std::vector<PlanBody<double>>& bodies = plan.bodies;
  bool in_stretches = !plan.coupled;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    in_stretches = in_stretches && bodies[i].v == bodies[0].v + i;
    std::size_t branch = i == 0 ? kNone : i - 1;  // the last body but one, and those it hangs from
    while (branch != kNone && branch != bodies[i].parent) branch = bodies[branch].parent;
    in_stretches = in_stretches && branch == bodies[i].parent;
  }
  for (PlanBody<double>& body : bodies) body.behind = in_stretches ? 1 : 0;
  for (std::size_t i = bodies.size(); i-- > 0;)
    if (in_stretches && bodies[i].parent != kNone) bodies[bodies[i].parent].behind += bodies[i].behind;
}

/// The first two bodies of a ball joint; `body` comes in as the first and goes out as the third. Each has the axes of the child, in another order.
void add_first_of_ball(Plan& plan, PlanBody<double>& body) {
  constexpr Mat3<double> kOrder{0, 0, 1, 1, 0, 0, 0, 1, 0};
  body.R_PB = body.R_PB * kOrder;
  for (body.ball = 1; body.ball < 3; ++body.ball) {
    plan.bodies.push_back(body);
    body.parent = plan.bodies.size() - 1;
    body.R_PB = kOrder;
    body.p_PB = {};
    ++body.q, ++body.v;
  }
}

std::vector<std::size_t> path_to(const Plan& tree, std::size_t body) {
  std::vector<std::size_t> path;
  for (; body != kNone; body = tree.bodies[body].parent) path.push_back(body);
  std::reverse(path.begin(), path.end());
  return path;
}

/// So that a condition that holds by structure is no equation with coefficients of rounding.
void clear_rounding(Pose<double>& X, double snap) {
  if (!(snap > 0)) return;
  const double size = std::max({std::abs(X.p.x), std::abs(X.p.y), std::abs(X.p.z)});
  for (double* entry : {&X.p.x, &X.p.y, &X.p.z})
    if (std::abs(*entry) <= kEntryRounding * size) *entry = 0;
  for (double* entry : {&X.R.xx, &X.R.xy, &X.R.xz, &X.R.yx, &X.R.yy, &X.R.yz, &X.R.zx, &X.R.zy, &X.R.zz})
    if (std::abs(*entry) <= kEntryRounding) *entry = 0;
}

}  // namespace

std::size_t path_lengths(const Plan& plan) {
  std::vector<std::size_t> depth;
  std::size_t sum = 0;
  for (const PlanBody<double>& body : plan.bodies) {
    depth.push_back(body.parent == kNone ? 1 : depth[body.parent] + 1);
    sum += depth.back();
  }
  return sum;
}

std::vector<double> turning_rates(const Plan& plan) {
  std::vector<double> rates(plan.nq, 0);
  for (const PlanBody<double>& body : plan.bodies) {
    double& rate = rates[body.q];
    if (!body.prismatic && body.ball == 0) rate = std::max(rate, std::fabs(body.multiplier));
  }
  return rates;
}

void find_aligned(Plan& plan) { find_aligned_axes(plan); }

Plan make_plan(const Model& model, const PlanOptions& options) {
  if (model.base() == RootJoint::planar) {
    Plan plan = make_plan(with_base_as_joints(model), options);
    constexpr std::size_t kBefore = base_nv(RootJoint::planar);
    plan.links.erase(plan.links.begin(), plan.links.begin() + kBefore);
    for (std::size_t& joint : plan.snapped) joint -= kBefore;
    for (PlanBody<double>& body : plan.bodies) body.link = body.link == kNone || body.link < kBefore ? kNone : body.link - kBefore;
    return plan;
  }
  const MovingTree tree = merge_fixed(model, options.snap);
  Plan plan;
  plan.name = model.name();
  plan.nq = model.nq();
  plan.nv = model.nv_tree();
  plan.free = model.base() == RootJoint::free;
  plan.quaternions = model.quaternions();
  plan.gravity = model.gravity();
  plan.base = tree.base;
  plan.snapped = tree.snapped;
  plan.largest_snap = tree.largest_snap;

  std::vector<std::size_t> place_of_joint(model.joints().size(), kNone), coordinate_of_joint = place_of_joint;
  const std::size_t first_v = base_nv(model.base());
  const std::vector<std::size_t> places = model.places();
  for (std::size_t k = places.size(); k-- > 0;) place_of_joint[model.independent()[k]] = places[k], coordinate_of_joint[model.independent()[k]] = first_v + k;
  std::vector<std::size_t> body_of;  // the last one of each moving body
  plan.bodies.reserve(tree.bodies.size());
  const auto number_of = [&](std::size_t moving) { return moving == kNone ? kNone : body_of[moving]; };
  for (const MovingBody& moving : tree.bodies) {
    const Joint& joint = model.joints()[moving.joint];
    PlanBody<double> body;
    body.parent = number_of(moving.parent);
    body.prismatic = joint.type == JointType::prismatic;
    body.multiplier = joint.mimic ? joint.mimic->multiplier : 1;
    body.offset = joint.mimic ? joint.mimic->offset : 0;
    const std::size_t leader = joint.mimic ? joint.mimic->leader : moving.joint;
    body.q = place_of_joint[leader];
    body.v = coordinate_of_joint[leader];
    body.R_PB = moving.X_PB.R;
    body.p_PB = moving.X_PB.p;
    body.rotor = joint.gear * joint.gear * joint.rotor;
    body.friction = joint.friction;
    plan.loaded = plan.loaded || joint.friction.load != 0;
    plan.coupled = plan.coupled || joint.mimic.has_value();
    if (joint.type == JointType::ball) add_first_of_ball(plan, body);
    body.inertia = moving.inertia;
    body.link = joint.child;
    body_of.push_back(plan.bodies.size());
    plan.bodies.push_back(body);
  }
  for (std::size_t i = 0; i < model.links().size(); ++i) plan.links.push_back({number_of(tree.body_of_link[i]), tree.X_BL[i]});
  // With couplings a row of the inertia matrix may be full; without, it is non-zero along the path to the base only, whose own rows are full.
  for (std::size_t k = 0; k < first_v; ++k) plan.mass_parent.push_back(k - 1);
  for (std::size_t k = first_v; k < plan.nv; ++k) {
    const std::size_t parent = plan.coupled ? kNone : plan.bodies[k - first_v].parent;
    plan.mass_parent.push_back(plan.coupled ? k - 1 : parent == kNone ? first_v - 1 : plan.bodies[parent].v);
  }
  find_aligned(plan);
  find_behind(plan);
  plan.deep = plan.nbody() > 0 && static_cast<double>(path_lengths(plan)) >= kDeep * static_cast<double>(plan.nbody());
  lump(plan, options.lumping);
  if (!model.closed()) return plan;
  plan = with_conditions(std::move(plan), model.loops(), options);
  plan.order = model.order();
  plan.tests += plan.pivots();
  return plan;
}

Plan with_conditions(Plan plan, const std::vector<Loop>& loops, const PlanOptions& options) {
  for (const Loop& loop : loops) {
    const PlanLink<double>&P = plan.links[loop.predecessor], &S = plan.links[loop.successor];
    const Pose<double> axis{rotation_z_to(loop.axis), {}};
    LoopRowsOf<double> rows{loop.type, plan.conditions, path_to(plan, P.body),     path_to(plan, S.body),
                            P.body,    S.body,          P.X_BL * loop.X_PA * axis, S.X_BL * loop.X_SB * axis};
    std::size_t common = 0;
    while (common < rows.to_A.size() && common < rows.to_B.size() && rows.to_A[common] == rows.to_B[common]) ++common;
    rows.to_A.erase(rows.to_A.begin(), rows.to_A.begin() + static_cast<std::ptrdiff_t>(common));
    rows.to_B.erase(rows.to_B.begin(), rows.to_B.begin() + static_cast<std::ptrdiff_t>(common));
    clear_rounding(rows.X_A, options.snap);
    clear_rounding(rows.X_B, options.snap);
    plan.conditions += loop_rows(loop.type);
    plan.tests += loop_rows(loop.type) + opposed_rows(loop.type);
    plan.loops.push_back(std::move(rows));
  }
  return plan;
}

}  // namespace ULNA_API
