#include <ulna/model/model.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <numeric>
#include <unordered_map>

#include "model/motion.hpp"
#include "text/message.hpp"

namespace ulna ULNA_API {

using namespace internal;

namespace {

constexpr const char* kComponents[] = {".x", ".y", ".z", ".w"};

}  // namespace

std::string_view to_string(JointType type) {
  constexpr std::string_view kNames[] = {"fixed", "revolute", "continuous", "prismatic", "ball"};
  return kNames[static_cast<std::size_t>(type)];
}

std::string_view to_string(RootJoint base) { return base == RootJoint::fixed ? "fixed" : base == RootJoint::planar ? "planar" : "free"; }

std::optional<RootJoint> root_joint_named(std::string_view name) {
  for (const RootJoint base : {RootJoint::fixed, RootJoint::planar, RootJoint::free})
    if (name == to_string(base)) return base;
  return {};
}

double Model::mass() const {
  double sum = 0;
  for (const Link& link : links_) sum += link.mass;
  return sum;
}

std::vector<std::string> Model::names_of(const std::vector<std::size_t>& joints) const {
  std::vector<std::string> names;
  names.reserve(joints.size());
  std::size_t part = 0;
  for (const std::size_t j : joints) {
    const bool ball = joints_[j].type == JointType::ball;
    names.push_back(ball ? cat(joints_[j].name, kComponents[part]) : joints_[j].name);
    part = ball ? (part + 1) % 3 : 0;
  }
  return names;
}
std::vector<std::string> Model::coordinate_names() const { return names_of(independent_); }
std::vector<std::string> Model::driven_names() const { return names_of(driven()); }

namespace {

std::vector<std::string> behind(RootJoint base, std::initializer_list<const char*> free, std::vector<std::string> joints) {
  std::vector<std::string> names;
  if (base == RootJoint::planar) names = {"base.x", "base.y", "base.yaw"};
  if (base == RootJoint::free)
    for (const char* name : free) names.push_back(cat("base.", name));
  names.insert(names.end(), std::make_move_iterator(joints.begin()), std::make_move_iterator(joints.end()));
  return names;
}

}  // namespace

std::vector<std::string> Model::position_names() const {
  std::vector<std::string> names = behind(base_, {"x", "y", "z", "qx", "qy", "qz", "qw"}, coordinate_names());
  for (const std::size_t at : quaternions())
    if (at >= base_nq(base_)) names.insert(names.begin() + static_cast<std::ptrdiff_t>(at) + 3, cat(names[at].substr(0, names[at].size() - 2), kComponents[3]));
  return names;
}
std::vector<std::string> Model::velocity_names() const { return behind(base_, {"wx", "wy", "wz", "vx", "vy", "vz"}, driven_names()); }
std::vector<std::string> Model::effort_names() const { return behind(base_, {"nx", "ny", "nz", "fx", "fy", "fz"}, driven_names()); }

Sizes Model::sizes() const {
  std::size_t tests = pivot_count(order().rows.size());
  for (const Loop& loop : loops()) tests += loop_rows(loop.type) + opposed_rows(loop.type);
  return {nq(), nv(), base_bodies(base_) + moving_, tests, motion_size(nv_tree(), loops().size())};
}

const std::vector<Loop>& Model::loops() const {
  static const std::vector<Loop> none;
  return closed_ == nullptr ? none : closed_->loops;
}

EliminationOrder Model::order() const {
  if (closed_ != nullptr) return closed_->order;
  EliminationOrder all;
  for (std::size_t k = 0; k < nv_tree(); ++k) all.independent.push_back(k);
  return all;
}

std::vector<std::size_t> Model::places() const {
  std::vector<std::size_t> places;
  std::size_t at = base_nq(base_), part = 0;
  for (const std::size_t j : independent_) {
    places.push_back(at++);
    part = joints_[j].type == JointType::ball ? part + 1 : 0;
    if (part == 3) ++at, part = 0;
  }
  return places;
}

std::vector<std::size_t> Model::quaternions() const {
  std::vector<std::size_t> quaternions;
  if (base_ == RootJoint::free) quaternions.push_back(3);
  const std::vector<std::size_t> all = places();
  for (std::size_t k = 0; k < all.size(); k += joint_nv(joints_[independent_[k]].type))
    if (joints_[independent_[k]].type == JointType::ball) quaternions.push_back(all[k]);
  return quaternions;
}

std::vector<double> Model::reference() const { return closed_ == nullptr ? neutral(*this) : closed_->reference; }

std::vector<std::size_t> Model::dependent() const {
  std::vector<std::size_t> coordinates = order().columns;
  std::sort(coordinates.begin(), coordinates.end());
  return coordinates;
}

std::vector<std::size_t> Model::driven() const {
  if (closed_ == nullptr) return independent_;
  std::vector<std::size_t> joints;
  for (const std::size_t k : closed_->order.independent)
    if (k >= base_nv(base_)) joints.push_back(independent_[k - base_nv(base_)]);
  return joints;
}

std::vector<std::size_t> Model::independent_positions() const {
  std::vector<std::size_t> positions(closed() ? base_nq(base_) : nq());
  std::iota(positions.begin(), positions.end(), std::size_t{0});
  if (!closed()) return positions;
  for (const std::size_t k : order().independent)
    if (k >= base_nv(base_)) positions.push_back(k + base_nq(base_) - base_nv(base_));
  return positions;
}

std::optional<std::size_t> Model::find_link(std::string_view name) const {
  for (std::size_t i = 0; i < links_.size(); ++i)
    if (links_[i].name == name) return i;
  return {};
}

std::optional<std::size_t> Model::find_joint(std::string_view name) const {
  for (std::size_t j = 0; j < joints_.size(); ++j)
    if (joints_[j].name == name) return j;
  return {};
}

void Model::list_independent() {
  moving_ = balls_ = 0;
  independent_.clear();
  for (std::size_t j = 0; j < joints_.size(); ++j) {
    const std::size_t coordinates = joint_nv(joints_[j].type);
    moving_ += coordinates;
    if (joints_[j].mimic) continue;
    independent_.insert(independent_.end(), coordinates, j);
    if (joints_[j].type == JointType::ball) ++balls_;
  }
}

namespace {

using NameIndex = std::unordered_map<std::string, std::size_t>;

template <class Items, class NameOf, class LineOf>
NameIndex index_names(const Items& items, ElementKind kind, NameOf name_of, LineOf line_of, Diagnostics& diagnostics) {
  NameIndex index;
  for (std::size_t i = 0; i < items.size(); ++i) {
    const auto [found, is_new] = index.try_emplace(name_of(items[i]), i);
    if (!is_new) {
      const int first = line_of(items[found->second]);
      diagnostics.error(line_of(items[i]), Element(kind, name_of(items[i])),
                        first > 0 ? cat("this name is already taken in line ", first) : "this name is already taken", "give every one a name of its own");
    }
  }
  return index;
}

std::vector<std::string> names_of(const NameIndex& index) {
  std::vector<std::string> names;
  for (const auto& [name, unused] : index) names.push_back(name);
  std::sort(names.begin(), names.end());
  return names;
}

/// Which joints hang from each link, and which joint holds it; kNone for none.
struct Topology {
  std::vector<std::vector<std::size_t>> joints_below;
  std::vector<std::size_t> joint_above;
  bool complete = true;  // false: some joint could not be placed, so roots and cycles cannot be judged
};

Topology connect(const Description& d, const NameIndex& link_index, Diagnostics& diagnostics) {
  Topology t{std::vector<std::vector<std::size_t>>(d.links.size()), std::vector<std::size_t>(d.links.size(), kNone), true};
  const std::vector<std::string> link_names = names_of(link_index);
  int hints = 0;
  const auto resolve = [&](const Description::JointEntry& entry, const char* role, const std::string& name) {
    const auto found = link_index.find(name);
    if (found != link_index.end()) return found->second;
    constexpr int kMostHints = 100;  // each looks at every name
    const std::string hint = ++hints <= kMostHints ? did_you_mean(name, link_names) : std::string();
    diagnostics.error(entry.joint.line, Element::joint(entry.joint.name), cat("its ", role, " link ", in_quotes(name), " does not exist"),
                      cat("add that link or correct the name", hint));
    return kNone;
  };
  for (std::size_t j = 0; j < d.joints.size(); ++j) {
    const Description::JointEntry& entry = d.joints[j];
    if (entry.parent.empty() || entry.child.empty()) {  // the reader has said so
      t.complete = false;
      continue;
    }
    const Element element = Element::joint(entry.joint.name);
    const std::size_t parent = resolve(entry, "parent", entry.parent);
    const std::size_t child = resolve(entry, "child", entry.child);
    if (parent == kNone || child == kNone) continue;
    if (parent == child) {
      diagnostics.error(entry.joint.line, element, cat("link ", in_quotes(entry.child), " is its own parent"), "correct the parent or the child");
      continue;
    }
    std::size_t& above = t.joint_above[child];
    if (above != kNone) {
      const Joint& other = d.joints[above].joint;
      diagnostics.error(entry.joint.line, element,
                        cat("link ", in_quotes(entry.child), " has two parents: it is the child of joint ", in_quotes(other.name),
                            other.line > 0 ? cat(" (line ", other.line, ")") : "", " too"),
                        "Ulna takes trees; cut the loop at one joint");
      continue;
    }
    above = j;
    t.joints_below[parent].push_back(j);
  }
  return t;
}

/// Follows mimic chains to a joint that leads; reports unknown leaders and circles. O(joints): a chain is followed to the first joint that is resolved.
class MimicResolver {
 public:
  MimicResolver(const Description& d, const NameIndex& joint_index, std::vector<Joint>& joints, std::vector<std::optional<Mimic>>& couplings,
                Diagnostics& diagnostics)
      : d_(d),
        joints_(joints),
        couplings_(couplings),
        diagnostics_(diagnostics),
        leader_(d.joints.size(), kNone),
        state_(d.joints.size(), State::open),
        total_(d.joints.size()) {
    const std::vector<std::string> joint_names = names_of(joint_index);
    constexpr int kMostHints = 100;  // each looks at every name
    int hints = 0;
    for (std::size_t j = 0; j < d.joints.size(); ++j) {
      const Description::JointEntry& entry = d.joints[j];
      if (!entry.joint.mimic) continue;
      const auto found = joint_index.find(entry.leader);
      if (found != joint_index.end())
        leader_[j] = found->second;
      else
        error(j, cat("it mimics joint ", in_quotes(entry.leader), ", which does not exist"),
              cat("correct the name", ++hints <= kMostHints ? did_you_mean(entry.leader, joint_names) : std::string()));
    }
    for (std::size_t j = 0; j < d.joints.size(); ++j)
      if (d.joints[j].joint.mimic) resolve(j);
  }

 private:
  enum class State : std::uint8_t { open, under_way, resolved, bad };

  void error(std::size_t j, const std::string& problem, const std::string& cure) {
    diagnostics_.error(d_.joints[j].joint.line, Element::joint(d_.joints[j].joint.name), problem, cure);
  }

  /// A fixed joint ends a chain: followers are held where it stands.
  bool leads(std::size_t j) const { return !d_.joints[j].joint.mimic || d_.joints[j].joint.type == JointType::fixed; }

  void resolve(std::size_t j) {
    path_.clear();
    std::size_t at = j;
    while (at != kNone && state_[at] == State::open && (at == j || !leads(at))) {
      state_[at] = State::under_way;
      path_.push_back(at);
      at = leader_[at];
    }
    const bool circle = at != kNone && state_[at] == State::under_way;
    const bool bad = at == kNone || circle || state_[at] == State::bad;
    for (std::size_t k = path_.size(); k-- > 0;) {
      const std::size_t joint = path_[k];
      state_[joint] = bad ? State::bad : State::resolved;
      if (circle) error(joint, "its mimic chain is a circle", "let one joint of the circle move by itself");
      if (!bad) finish(joint);
    }
  }

  /// q = step.multiplier * q_leader + step.offset, and the leader may follow another one.
  void finish(std::size_t j) {
    const Mimic& step = *d_.joints[j].joint.mimic;
    const std::size_t leader = leader_[j];
    const bool last = leads(leader);
    const Mimic before = last ? Mimic{leader, 1, 0} : total_[leader];
    total_[j] = {before.leader, step.multiplier * before.multiplier, step.multiplier * before.offset + step.offset};
    const Joint& joint = d_.joints[j].joint;
    const Element element = Element::joint(joint.name);
    if (!std::isfinite(total_[j].multiplier) || !std::isfinite(total_[j].offset)) {
      error(j, "the multipliers or offsets along its mimic chain overflow", "use smaller multipliers and offsets");
    } else if (joint.type == JointType::fixed) {
      diagnostics_.warning(joint.line, element, "a fixed joint cannot mimic another", "the coupling is ignored");
      joints_[j].mimic.reset();
      return;
    }
    const Joint& first = d_.joints[before.leader].joint;
    if (joint.type == JointType::ball || first.type == JointType::ball)
      error(j,
            cat("it mimics joint ", in_quotes(first.name), ", and ", in_quotes(joint.type == JointType::ball ? joint.name : first.name),
                " is a ball joint, which has no angle that could be followed"),
            "remove the mimic");
    if (first.type == JointType::fixed)
      diagnostics_.warning(joint.line, element, cat("it mimics joint ", in_quotes(first.name), ", which is fixed"),
                           "it is held at its offset; remove the mimic if it should move");
    joints_[j].mimic = total_[j];
    couplings_[j] = {leader, step.multiplier, step.offset};
  }

  const Description& d_;
  std::vector<Joint>& joints_;
  std::vector<std::optional<Mimic>>& couplings_;
  Diagnostics& diagnostics_;
  std::vector<std::size_t> leader_;
  std::vector<State> state_;
  std::vector<Mimic> total_;
  std::vector<std::size_t> path_;
};

bool finite(const Vec3<double>& v) { return std::isfinite(v.x) && std::isfinite(v.y) && std::isfinite(v.z); }
bool finite(const Sym3<double>& s) { return finite(Vec3<double>{s.xx, s.yy, s.zz}) && finite(Vec3<double>{s.xy, s.xz, s.yz}); }
bool finite(const Pose<double>& X) {
  return finite(X.p) && finite(X.R * Vec3<double>{1, 0, 0}) && finite(X.R * Vec3<double>{0, 1, 0}) && finite(X.R.column_z());
}

/// Deviation of the columns from orthonormal.
double off_orthonormal(const Mat3<double>& R) {
  const Mat3<double> E = R.transposed() * R;
  return std::abs(E.xy) + std::abs(E.xz) + std::abs(E.yz) + std::abs(E.xx - 1) + std::abs(E.yy - 1) + std::abs(E.zz - 1);
}
bool orthonormal(const Mat3<double>& R) {
  const Vec3<double> x{R.xx, R.yx, R.zx}, y{R.xy, R.yy, R.zy};
  return off_orthonormal(R) < kGivenDigits && dot(cross(x, y), R.column_z()) > 0;
}

/// The nearest rotation to one that is nearly one: R (3 E - RᵀR) / 2, whose error is the square of R's, twice.
void make_rotation(Mat3<double>& R) {
  for (int round = 0; round < 2 && off_orthonormal(R) > kDirectionRounding; ++round) {
    const Mat3<double> E = R.transposed() * R;
    R = R * Mat3<double>{1.5 - E.xx / 2, -E.xy / 2, -E.xz / 2, -E.yx / 2, 1.5 - E.yy / 2, -E.yz / 2, -E.zx / 2, -E.zy / 2, 1.5 - E.zz / 2};
  }
}
void make_unit(Vec3<double>& axis) {
  const double length = std::hypot(axis.x, axis.y, axis.z);
  if (std::abs(length - 1) > kDirectionRounding) axis = (1 / length) * axis;
}

/// Readers refuse nan and inf in files; a description made by a program obeys the same rule.
void refuse_non_finite(const Description& d, Diagnostics& diagnostics) {
  constexpr const char* kCure = "give finite numbers";
  if (!finite(d.gravity)) diagnostics.error(0, "gravity", "it is not finite", kCure);
  for (const Link& link : d.links)
    if (!std::isfinite(link.mass) || !finite(link.com) || !finite(link.inertia))
      diagnostics.error(link.line, Element::link(link.name), "its mass, mass centre or inertia is not finite", kCure);
  for (const Description::JointEntry& entry : d.joints) {
    const Joint& joint = entry.joint;
    const Element element = Element::joint(joint.name);
    if (!finite(joint.X_PF) || !finite(joint.X_MB))
      diagnostics.error(joint.line, element, "its origin is not finite", kCure);
    else if (!orthonormal(joint.X_PF.R) || !orthonormal(joint.X_MB.R))
      diagnostics.error(joint.line, element, "its origin has an invalid rotation matrix", "give an orthonormal, right-handed matrix");
    if (std::isnan(joint.lower) || std::isnan(joint.upper) || std::isnan(joint.effort) || std::isnan(joint.velocity) ||
        std::any_of(std::begin(kRateLimits), std::end(kRateLimits), [&](const RateLimit& limit) { return std::isnan(joint.*limit.number); }))
      diagnostics.error(joint.line, element, "one of its limits is not a number", "use infinity where there is no limit");
    if (!std::isfinite(joint.rotor) || !std::isfinite(joint.gear) ||
        std::any_of(std::begin(kFrictionFields), std::end(kFrictionFields),
                    [&](const FrictionField& field) { return !std::isfinite(joint.friction.*field.number); }))
      diagnostics.error(joint.line, element, "its rotor inertia, gear ratio or friction is not finite", kCure);
    if (joint.mimic && (!std::isfinite(joint.mimic->multiplier) || !std::isfinite(joint.mimic->offset)))
      diagnostics.error(joint.line, element, "its mimic multiplier or offset is not finite", kCure);
    if (joint.type == JointType::ball && !(joint.axis == Vec3<double>{0, 0, 1}))
      diagnostics.error(joint.line, element, "it is a ball joint, which has no axis", "leave its axis at 0 0 1");
    const double length = std::sqrt(dot(joint.axis, joint.axis));
    if (joint.type != JointType::fixed && !(std::abs(length - 1) < kGivenDigits))
      diagnostics.error(joint.line, element, cat("its axis has length ", length), "give a unit vector");
  }
}

}  // namespace

std::optional<Model> build(const Description& d, Diagnostics& diagnostics) {
  const std::size_t errors_before = diagnostics.count(Severity::error);
  refuse_non_finite(d, diagnostics);
  if (d.links.empty()) {
    diagnostics.error(0, "robot", "it has no links", "add at least one link");
    return {};
  }
  const auto link_name = [](const Link& l) -> const std::string& { return l.name; };
  const auto link_line = [](const Link& l) { return l.line; };
  const auto joint_name = [](const Description::JointEntry& e) -> const std::string& { return e.joint.name; };
  const auto joint_line = [](const Description::JointEntry& e) { return e.joint.line; };
  const NameIndex link_index = index_names(d.links, ElementKind::link, link_name, link_line, diagnostics);
  const NameIndex joint_index = index_names(d.joints, ElementKind::joint, joint_name, joint_line, diagnostics);
  const Topology t = connect(d, link_index, diagnostics);
  std::vector<Joint> joints;
  joints.reserve(d.joints.size());
  for (const Description::JointEntry& entry : d.joints) joints.push_back(entry.joint);
  std::vector<std::optional<Mimic>> couplings(d.joints.size());
  const MimicResolver mimics(d, joint_index, joints, couplings, diagnostics);
  if (diagnostics.count(Severity::error) > errors_before || !t.complete) return {};

  // One root, or say which.
  std::size_t root = kNone;
  std::string others;
  for (std::size_t i = 0; i < d.links.size(); ++i) {
    if (t.joint_above[i] != kNone) continue;
    if (root == kNone) {
      root = i;
    } else {
      diagnostics.error(d.links[i].line, Element::link(d.links[i].name),
                        cat("it has no parent, but link ", in_quotes(d.links[root].name), " is the root already"),
                        "a robot is one tree: connect them by a joint, or remove one");
    }
  }
  if (root == kNone) {
    diagnostics.error(d.links[0].line, Element::link(d.links[0].name), "every link has a parent, so the joints form a cycle and there is no root",
                      "Ulna takes trees; cut the loop at one joint");
  }
  if (diagnostics.count(Severity::error) > errors_before) return {};

  // Depth first in document order, without recursion: a file may hold a chain of any length.
  Model model;
  model.name_ = d.name;
  model.file_ = d.file;
  model.base_ = d.base;
  model.gravity_ = d.gravity;
  std::vector<std::size_t> new_link(d.links.size(), kNone);
  std::vector<std::size_t> new_joint(d.joints.size(), kNone);
  std::vector<std::size_t> stack;
  const auto visit = [&](std::size_t link) {
    new_link[link] = model.links_.size();
    model.links_.push_back(d.links[link]);
    const std::vector<std::size_t>& below = t.joints_below[link];
    stack.insert(stack.end(), below.rbegin(), below.rend());
  };
  visit(root);
  while (!stack.empty()) {
    const auto j = stack.back();
    stack.pop_back();
    Joint joint = joints[j];
    make_rotation(joint.X_PF.R);
    make_rotation(joint.X_MB.R);
    if (joint.type != JointType::fixed) make_unit(joint.axis);
    joint.parent = new_link[link_index.at(d.joints[j].parent)];
    joint.child = model.links_.size();
    new_joint[j] = model.joints_.size();
    model.joints_.push_back(std::move(joint));
    model.couplings_.push_back(couplings[j]);
    visit(link_index.at(d.joints[j].child));
  }
  if (model.links_.size() != d.links.size()) {
    for (std::size_t i = 0; i < d.links.size(); ++i) {
      if (new_link[i] != kNone) continue;
      diagnostics.error(d.links[i].line, Element::link(d.links[i].name),
                        cat("it is not connected to the root ", in_quotes(model.links_[0].name), ": its joints form a cycle"),
                        "Ulna takes trees; cut the loop at one joint");
      break;
    }
    return {};
  }
  const auto renumber = [&](std::optional<Mimic>& mimic) {
    if (mimic) mimic->leader = new_joint[mimic->leader];
  };
  for (Joint& joint : model.joints_) renumber(joint.mimic);
  for (std::optional<Mimic>& coupling : model.couplings_) renumber(coupling);
  // A follower of a fixed joint does not move: leader coordinate 0 leaves its offset.
  for (std::size_t j = 0; j < model.joints_.size(); ++j) {
    Joint& joint = model.joints_[j];
    if (!joint.mimic || model.joints_[joint.mimic->leader].type != JointType::fixed) continue;
    hold(joint, joint.mimic->offset);
    model.couplings_[j].reset();
  }
  model.list_independent();
  return model;
}

}  // namespace ULNA_API
