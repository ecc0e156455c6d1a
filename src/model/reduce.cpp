#include <ulna/model/model.hpp>
#include <ulna/spatial/spatial.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "model/describe.hpp"
#include "model/link_named.hpp"
#include "model/motion.hpp"
#include "model/moving_tree.hpp"
#include "model/why_no_body.hpp"
#include "text/message.hpp"

namespace ulna ULNA_API {

using namespace internal;

Model with_gravity(const Model& model, const Vec3<double>& gravity) {
  Model result = model;
  result.gravity_ = gravity;
  return result;
}

Model with_lines(const Model& model, const std::function<int(int)>& line) {
  Model result = model;
  for (Link& link : result.links_) link.line = line(link.line);
  for (Joint& joint : result.joints_) joint.line = line(joint.line);
  if (model.closed_ == nullptr) return result;
  ClosedLoops loops = *model.closed_;
  for (Loop& loop : loops.loops)
    if (loop.file == model.file()) loop.line = line(loop.line);
  result.closed_ = std::make_shared<const ClosedLoops>(std::move(loops));
  return result;
}

Model with_friction(const Model& model, const std::vector<Friction>& friction) {
  if (friction.size() != model.joints().size())
    throw std::invalid_argument(cat("friction of ", friction.size(), " joints was given, but robot ", in_quotes(model.name()), " has ", model.joints().size()));
  Model result = model;
  for (std::size_t j = 0; j < friction.size(); ++j) result.joints_[j].friction = friction[j];
  return result;
}

namespace {

/// Loops are closed when all else is settled.
void require_open(const Model& model, const char* before) {
  if (model.closed())
    throw std::invalid_argument(cat("robot ", in_quotes(model.name()), " has loops, which are closed when all else is settled: ", before,
                                    " when it is loaded (LoadOptions), or take without_loops()"));
}

}  // namespace

Model without_loops(const Model& model) {
  Model result = model;
  result.closed_.reset();
  return result;
}

Model with_closed(const Model& tree, ClosedLoops loops) {
  Model result = tree;
  result.closed_ = std::make_shared<const ClosedLoops>(std::move(loops));
  return result;
}

Model with_base(const Model& model, RootJoint base) {
  if (base == model.base()) return model;
  require_open(model, "choose the base");
  Model result = model;
  result.base_ = base;
  return result;
}

Model with_base_as_joints(const Model& model) {
  if (model.base() == RootJoint::fixed) return model;
  Model result = model;
  result.base_ = RootJoint::fixed;
  struct BaseJoint {
    const char* name;
    bool slides;
    Vec3<double> axis;
  };
  const Vec3<double> x{1, 0, 0}, y{0, 1, 0}, z{0, 0, 1};
  const std::vector<BaseJoint> steps = model.base() == RootJoint::planar
                                           ? std::vector<BaseJoint>{{"base.x", true, x}, {"base.y", true, y}, {"base.yaw", false, z}}
                                           : std::vector<BaseJoint>{{"base.x", true, x},   {"base.y", true, y},   {"base.z", true, z},
                                                                    {"base.rx", false, x}, {"base.ry", false, y}, {"base.rz", false, z}};
  const std::size_t count = steps.size();
  std::vector<Link> links(count);
  std::vector<Joint> joints(count);
  for (std::size_t k = 0; k < count; ++k) {
    links[k].name = k == 0 ? "world" : steps[k - 1].name;
    while (model.find_link(links[k].name)) links[k].name += "'";
    Joint& joint = joints[k];
    joint.name = steps[k].name;
    while (model.find_joint(joint.name)) joint.name += "'";
    joint.type = steps[k].slides ? JointType::prismatic : JointType::continuous;
    joint.parent = k;
    joint.child = k + 1;
    joint.axis = steps[k].axis;
  }
  for (Joint& joint : result.joints_) {
    joint.parent += count;
    joint.child += count;
    if (joint.mimic) joint.mimic->leader += count;
  }
  for (std::optional<Mimic>& coupling : result.couplings_)
    if (coupling) coupling->leader += count;
  result.links_.insert(result.links_.begin(), links.begin(), links.end());
  result.joints_.insert(result.joints_.begin(), joints.begin(), joints.end());
  result.couplings_.insert(result.couplings_.begin(), count, std::nullopt);
  result.list_independent();
  if (model.closed()) {  // coordinates of a planar base are the same; a free one has others, which stand at zero
    ClosedLoops loops = *model.closed_;
    if (model.base() == RootJoint::free) {
      loops.reference.erase(loops.reference.begin(), loops.reference.begin() + base_nq(RootJoint::free));
      loops.reference.insert(loops.reference.begin(), count, 0.0);
    }
    for (Loop& loop : loops.loops) loop.predecessor += count, loop.successor += count;
    result.closed_ = std::make_shared<const ClosedLoops>(std::move(loops));
  }
  return result;
}

Model with_free_mimics(const Model& model) {
  if (std::any_of(model.joints().begin(), model.joints().end(), [](const Joint& joint) { return joint.mimic.has_value(); }))
    require_open(model, "release mimic joints");
  Model result = model;
  for (Joint& joint : result.joints_) joint.mimic.reset();
  for (std::optional<Mimic>& coupling : result.couplings_) coupling.reset();
  result.list_independent();
  return result;
}

std::optional<Model> with_locked(const Model& model, const std::vector<Lock>& locks, Diagnostics& diagnostics) {
  if (!locks.empty()) require_open(model, "lock joints");
  const std::size_t errors_before = diagnostics.count(Severity::error);
  std::vector<std::string> movable;
  for (const Joint& joint : model.joints_)
    if (joint.type != JointType::fixed) movable.push_back(joint.name);

  std::vector<std::optional<double>> held(model.joints_.size());
  std::vector<std::size_t> open;  // joints that are held and whose followers are not yet
  for (const Lock& lock : locks) {
    const Element element = Element::lock(lock.joint);
    const std::optional<std::size_t> found = model.find_joint(lock.joint);
    if (!found) {
      diagnostics.error(0, element, "the model has no such joint", cat("name a joint that 'ulna info' lists", did_you_mean(lock.joint, movable)));
      continue;
    }
    const std::size_t j = *found;
    const Joint& joint = model.joints_[j];
    if (joint.type == JointType::fixed) {
      diagnostics.error(0, element, "this joint is fixed already", "remove the lock");
      continue;
    }
    if (joint.type == JointType::ball) {
      diagnostics.error(0, element, "this is a ball joint, which a single value cannot lock", "lock joints that turn about an axis or slide");
      continue;
    }
    if (held[j]) {
      diagnostics.error(0, element, "this joint is locked twice", "keep one of the locks");
      continue;
    }
    if (!std::isfinite(lock.value)) {
      diagnostics.error(0, element, cat("the value ", lock.value, " is not finite"), "give a number within the joint's limits");
      continue;
    }
    if (lock.value < joint.lower || lock.value > joint.upper)
      diagnostics.warning(joint.line, element, cat("the value ", lock.value, " is outside the joint's limits ", joint.lower, " to ", joint.upper),
                          "the joint is locked there all the same");
    held[j] = lock.value;
    open.push_back(j);
  }
  if (diagnostics.count(Severity::error) > errors_before) return {};

  // Followers of a joint that is held are held where the coupling puts them, from step to step of a chain.
  const std::vector<std::size_t> locked = open;
  std::vector<std::vector<std::size_t>> followers(model.joints_.size());
  for (std::size_t j = 0; j < model.joints_.size(); ++j)
    if (const std::optional<Mimic>& coupling = model.couplings_[j]) followers[coupling->leader].push_back(j);
  while (!open.empty()) {
    const std::size_t leader = open.back();
    open.pop_back();
    for (const std::size_t j : followers[leader]) {
      if (held[j]) continue;  // a lock of its own
      held[j] = model.couplings_[j]->multiplier * *held[leader] + model.couplings_[j]->offset;
      open.push_back(j);
      if (!std::isfinite(*held[j]))
        diagnostics.error(model.joints_[j].line, Element::joint(model.joints_[j].name),
                          cat("it mimics ", in_quotes(model.joints_[leader].name), ", and its own position overflows where that joint is locked"),
                          "lock that joint at a smaller value");
    }
  }
  if (diagnostics.count(Severity::error) > errors_before) return {};
  for (const std::size_t j : locked) {
    const std::optional<Mimic>& coupling = model.couplings_[j];
    if (!coupling || held[coupling->leader]) continue;
    diagnostics.warning(model.joints_[j].line, Element::lock(model.joints_[j].name),
                        cat("this joint mimics ", in_quotes(model.joints_[coupling->leader].name), ", which stays free"),
                        "the coupling is dropped; lock the other joint, too, if the mechanism binds them");
  }

  Model result = model;
  for (std::size_t j = 0; j < model.joints_.size(); ++j) {
    if (!held[j]) continue;
    hold(result.joints_[j], *held[j]);
    result.couplings_[j].reset();
  }
  result.list_independent();
  return result;
}

Model with_payload(const Model& model, std::string_view link, const Payload& payload) {
  const std::string why = why_no_body(payload);
  if (!why.empty()) throw std::invalid_argument(cat("no body can be the load of link ", in_quotes(std::string(link)), ": ", why));
  const std::size_t found = link_named(model, link);
  Model result = model;
  Link& to = result.links_[found];
  // About the common mass centre, not about the link's origin, which may lie far from both.
  const double mass = to.mass + payload.mass, share = mass != 0 ? payload.mass / mass : 0;
  const Vec3<double> d = payload.com - to.com;
  const double reduced = to.mass * share;
  to.inertia = to.inertia + payload.inertia +
               reduced * Sym3<double>{d.y * d.y + d.z * d.z, d.x * d.x + d.z * d.z, d.x * d.x + d.y * d.y, -d.x * d.y, -d.x * d.z, -d.y * d.z};
  to.com = to.com + share * d;
  to.mass = mass;
  to.inertial = to.inertial || payload.mass > 0;
  return result;
}

}  // namespace ULNA_API

namespace ulna::internal {

namespace {

using Rows = double* const[3][3];

/// Makes three rows a rotation again, after a few entries were set to 0 and some to ±1: all of these stay, but for zeros that no rotation has together.
void make_orthogonal(Rows& rows) {
  const auto zeros = [&](std::size_t i) { return (*rows[i][0] == 0) + (*rows[i][1] == 0) + (*rows[i][2] == 0); };
  std::size_t first = 0, second = 1;  // the rows with most zeros
  for (std::size_t i = 1; i < 3; ++i)
    if (zeros(i) > zeros(first)) first = i;
  if (first == second) second = 0;
  const std::size_t third = 3 - first - second, better = zeros(third) > zeros(second) ? third : second;
  second = better;
  const auto row = [&](std::size_t i) { return Vec3<double>{*rows[i][0], *rows[i][1], *rows[i][2]}; };
  const auto unit = [](const Vec3<double>& v) { return (1 / std::hypot(v.x, v.y, v.z)) * v; };
  const auto set = [&](std::size_t i, const Vec3<double>& v) { *rows[i][0] = v.x, *rows[i][1] = v.y, *rows[i][2] = v.z; };
  const Vec3<double> a = unit(row(first)), given = row(second);
  const Vec3<double> b = unit(given - dot(given, a) * a);
  set(first, a), set(second, b);
  const Vec3<double> c = cross(a, b);
  set(3 - first - second, (second == (first + 1) % 3) ? c : -c);
}

/// Makes small entries 0, and an entry near ±1 exact where it stands alone in its row and column. The result is a rotation. Returns the largest change made.
double snap_rotation(Mat3<double>& R, double tolerance) {
  double largest = 0;
  if (tolerance <= 0) return largest;
  Rows rows = {{&R.xx, &R.xy, &R.xz}, {&R.yx, &R.yy, &R.yz}, {&R.zx, &R.zy, &R.zz}};
  const auto set = [&](double& entry, double target) {
    largest = std::max(largest, std::abs(entry - target));
    entry = target;
  };
  for (const auto& row : rows)
    for (double* entry : row)
      if (std::abs(*entry) <= tolerance) set(*entry, 0);
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) {
      const double target = *rows[i][j] > 0 ? 1 : -1;
      bool alone = std::abs(*rows[i][j] - target) <= tolerance;
      for (std::size_t k = 0; k < 3; ++k) alone = alone && (k == j || *rows[i][k] == 0) && (k == i || *rows[k][j] == 0);
      if (alone) set(*rows[i][j], target);
    }
  if (largest > kEntryRounding) make_orthogonal(rows);
  return largest;
}

/// Removes what rounding left of an offset that should vanish, so that a structural zero stays one.
void clear_rounding(Vec3<double>& p) {
  const double size = std::max({std::abs(p.x), std::abs(p.y), std::abs(p.z)});
  for (double* entry : {&p.x, &p.y, &p.z})
    if (std::abs(*entry) <= kEntryRounding * size) *entry = 0;
}

}  // namespace

MovingTree merge_fixed(const Model& model, double snap) {
  MovingTree tree;
  const std::size_t nlinks = model.links().size();
  tree.body_of_link.assign(nlinks, kNone);
  tree.X_BL.assign(nlinks, {});
  const auto inertia_in_body = [&](std::size_t link) {
    const Link& l = model.links()[link];
    return moved(pseudo_inertia(l.mass, l.com, l.inertia), tree.X_BL[link].R, tree.X_BL[link].p);
  };
  tree.base = inertia_in_body(0);
  for (std::size_t j = 0; j < model.joints().size(); ++j) {
    const Joint& joint = model.joints()[j];
    const std::size_t parent_link = joint.parent;
    const std::size_t child_link = joint.child;
    const std::size_t parent_body = tree.body_of_link[parent_link];
    const Pose<double> X_PF = tree.X_BL[parent_link] * joint.X_PF;  // in the parent body's frame
    double largest = 0;
    if (joint.type == JointType::fixed) {
      tree.body_of_link[child_link] = parent_body;
      tree.X_BL[child_link] = X_PF * joint.X_MB;
    } else {
      const Mat3<double> R_FB = rotation_z_to(joint.axis);
      MovingBody body;
      body.joint = j;
      body.parent = parent_body;
      body.X_PB = X_PF * Pose<double>{R_FB, {}};
      if (snap > 0) clear_rounding(body.X_PB.p);
      largest = snap_rotation(body.X_PB.R, snap);
      tree.body_of_link[child_link] = tree.bodies.size();
      tree.X_BL[child_link] = Pose<double>{R_FB.transposed(), {}} * joint.X_MB;
      tree.bodies.push_back(body);
    }
    Pose<double>& X_BL = tree.X_BL[child_link];
    largest = std::max(largest, snap_rotation(X_BL.R, snap));
    if (snap > 0) clear_rounding(X_BL.p);
    if (largest > kEntryRounding) {
      tree.snapped.push_back(j);
      tree.largest_snap = std::max(tree.largest_snap, largest);
    }
    const std::size_t body = tree.body_of_link[child_link];
    PseudoInertia<double>& total = body == kNone ? tree.base : tree.bodies[body].inertia;
    total = total + inertia_in_body(child_link);
  }
  return tree;
}

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

BodyFault body_fault(double mass, const Vec3<double>& moments, double noise) {
  const double size = std::fabs(moments.x) + std::fabs(moments.y) + std::fabs(moments.z), slack = kGivenDigits * size + noise;
  if (mass < 0) return BodyFault::negative_mass;
  if (mass == 0) return size > noise ? BodyFault::inertia_without_mass : BodyFault::none;
  if (moments.x < -slack) return BodyFault::negative_moment;
  return moments.z > moments.x + moments.y + slack ? BodyFault::triangle : BodyFault::none;
}

std::string why_no_body(const Payload& load) {
  const Sym3<double>& J = load.inertia;
  for (const double x : {load.mass, load.com.x, load.com.y, load.com.z, J.xx, J.yy, J.zz, J.xy, J.xz, J.yz})
    if (!std::isfinite(x)) return "one of its numbers is not finite";
  const Vec3<double> moments = principal_moments(J);
  const double far = std::hypot(load.com.x, load.com.y, load.com.z);
  // What moving the tensor to the mass centre leaves of a point is rounding, too.
  switch (body_fault(load.mass, moments, 16 * std::numeric_limits<double>::epsilon() * load.mass * far * far)) {
    case BodyFault::none: return {};
    case BodyFault::negative_mass: return cat("its mass is ", load.mass, " kg");
    case BodyFault::inertia_without_mass: return "it has inertia without mass";
    case BodyFault::negative_moment: return cat("a principal moment of its inertia is ", moments.x, " kg m²");
    case BodyFault::triangle: return cat("its principal moments ", moments.x, ", ", moments.y, " and ", moments.z, " kg m² break the triangle inequality");
  }
  return {};
}

}  // namespace ulna::internal
