#include "explain/comparison.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <set>

#include "explain/suspects.hpp"
#include "model/motion.hpp"
#include "spatial/rpy.hpp"
#include "text/message.hpp"

namespace ulna::internal {

namespace {

double distance(const Mat3<double>& a, const Mat3<double>& b) {
  double most = 0;
  const double x[9] = {a.xx - b.xx, a.xy - b.xy, a.xz - b.xz, a.yx - b.yx, a.yy - b.yy, a.yz - b.yz, a.zx - b.zx, a.zy - b.zy, a.zz - b.zz};
  for (const double e : x) most = std::max(most, std::abs(e));
  return most;
}
bool near(const Pose<double>& a, const Pose<double>& b) { return distance(a.R, b.R) <= kSame && length(a.p - b.p) <= kSame; }
bool is_identity(const Pose<double>& X) { return near(X, {}); }

std::vector<std::size_t> moving_joints(const Model& model) {
  std::vector<std::size_t> out;
  for (std::size_t j = 0; j < model.joints().size(); ++j)
    if (model.joints()[j].type != JointType::fixed) out.push_back(j);
  return out;
}

/// "panda_link1" and "link1", "arm/j1" and "j1".
bool same_name(const std::string& a, const std::string& b) {
  if (a == b) return true;
  const std::string &shorter = a.size() < b.size() ? a : b, &longer = a.size() < b.size() ? b : a;
  if (shorter.empty() || !longer.ends_with(shorter)) return false;
  const char before = longer[longer.size() - shorter.size() - 1];
  return before == '_' || before == '/' || before == '-' || before == ':' || before == '.';
}

std::optional<Matching> with_joints(const Model& a, const Model& b, const std::vector<std::size_t>& mine, const std::vector<std::size_t>& theirs,
                                    bool by_name) {
  Matching m;
  m.by_name = by_name;
  m.joints.assign(a.joints().size(), kNone);
  for (std::size_t i = 0; i < mine.size(); ++i) m.joints[mine[i]] = theirs[i];
  for (const std::size_t j : a.independent()) {
    const auto found = std::find(b.independent().begin(), b.independent().end(), m.joints[j]);
    if (found == b.independent().end()) return {};
    m.coordinates.push_back(static_cast<std::size_t>(found - b.independent().begin()));
  }
  return m;
}

}  // namespace

std::optional<Matching> match_by_order(const Model& a, const Model& b) {
  const std::vector<std::size_t> mine = moving_joints(a), theirs = moving_joints(b);
  if (mine.size() != theirs.size() || a.independent().size() != b.independent().size()) return {};
  return with_joints(a, b, mine, theirs, false);
}

std::optional<Matching> match(const Model& a, const Model& b) {
  const std::vector<std::size_t> mine = moving_joints(a), theirs = moving_joints(b);
  if (mine.size() != theirs.size() || a.independent().size() != b.independent().size()) return {};
  for (const bool exact : {true, false}) {
    std::vector<std::size_t> found;
    std::set<std::size_t> used;
    for (const std::size_t j : mine)
      for (const std::size_t k : theirs) {
        const std::string &one = a.joints()[j].name, &two = b.joints()[k].name;
        if (!(exact ? one == two : same_name(one, two)) || !used.insert(k).second) continue;
        found.push_back(k);
        break;
      }
    if (found.size() != mine.size()) continue;
    if (std::optional<Matching> m = with_joints(a, b, mine, found, true)) return m;
  }
  return match_by_order(a, b);
}

namespace {

/// The coordinates of one side that the other lacks: those that mimic another joint there, and the rest.
void list_missing(const Model& of, const Model& in, char side, char other, std::vector<std::string>& out) {
  std::vector<std::string> mimics, alone;
  for (const std::size_t j : of.independent()) {
    const std::string& name = of.joints()[j].name;
    const Joint* found = nullptr;
    for (const bool exact : {true, false})
      for (const Joint& joint : in.joints())
        if (found == nullptr && joint.type != JointType::fixed && (exact ? joint.name == name : same_name(joint.name, name))) found = &joint;
    if (found == nullptr || found->mimic) (found == nullptr ? alone : mimics).push_back(in_quotes(name));
  }
  const auto capital = [](char c) { return static_cast<char>(c - 'a' + 'A'); };
  const auto names = [](const std::vector<std::string>& all) {
    constexpr std::size_t kMost = 8;
    const std::vector<std::string> first(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(std::min(all.size(), kMost)));
    return all.size() > kMost ? cat(joined(first), " and ", all.size() - kMost, " more") : joined(first);
  };
  const auto joints = [](const std::vector<std::string>& all) { return all.size() == 1 ? "joint " : "joints "; };
  if (!mimics.empty())
    out.push_back(cat(joints(mimics), names(mimics), mimics.size() == 1 ? " follows another in " : " follow others in ", std::string(1, capital(other)), ": --",
                      std::string(1, other), "-mimic ignore (LoadOptions::mimic) frees ", mimics.size() == 1 ? "it" : "them"));
  if (!alone.empty())
    out.push_back(cat(joints(alone), names(alone), alone.size() == 1 ? " moves in " : " move in ", std::string(1, capital(side)), " alone: --",
                      std::string(1, side), "-lock NAME (LoadOptions::locks) holds ", alone.size() == 1 ? "it" : "each"));
}

class StructureComparison {
 public:
  StructureComparison(const Model& a, const Model& b, const Matching& matching) : a_(a), b_(b), matching_(matching) {}

  std::optional<std::vector<Edit>> edits() {
    find_bodies(a_, body_a_);
    find_bodies(b_, body_b_);
    if (!same_trees()) return {};
    match_links();
    G_.assign(a_.links().size(), {});
    compare_gravity();
    // Parents come before their children.
    for (std::size_t i = 1; i < a_.links().size(); ++i)
      if (mate_[i] != kNone) compare_placement(i);
    compare_masses();
    for (std::size_t j = 0; j < a_.joints().size(); ++j)
      if (matching_.joints[j] != kNone) compare_drive(j, b_.joints()[matching_.joints[j]]);
    call_base_frame();
    return std::move(edits_);
  }

 private:
  // Links. joints()[i - 1] holds links()[i].

  static const Joint& above(const Model& model, std::size_t link) { return model.joints()[link - 1]; }

  /// The joint that moves each link: a body is a rigid group. kNone: it is fixed.
  static void find_bodies(const Model& model, std::vector<std::size_t>& body) {
    body.assign(model.links().size(), kNone);
    for (std::size_t i = 1; i < body.size(); ++i) body[i] = above(model, i).type == JointType::fixed ? body[above(model, i).parent] : i - 1;
  }

  bool same_trees() const {
    for (std::size_t j = 0; j < a_.joints().size(); ++j) {
      const std::size_t k = matching_.joints[j];
      if (k == kNone) continue;
      const std::size_t mine = body_a_[a_.joints()[j].parent], theirs = body_b_[b_.joints()[k].parent];
      if ((mine == kNone ? kNone : matching_.joints[mine]) != theirs) return false;
    }
    return true;
  }

  std::size_t body_in_b(std::size_t link) const { return body_a_[link] == kNone ? kNone : matching_.joints[body_a_[link]]; }

  void match_links() {
    mate_.assign(a_.links().size(), kNone);
    std::vector<bool> used(b_.links().size(), false);
    const auto pair = [&](std::size_t i, std::size_t k) { mate_[i] = k, used[k] = true; };
    pair(0, 0);
    for (std::size_t j = 0; j < a_.joints().size(); ++j)
      if (matching_.joints[j] != kNone) pair(j + 1, matching_.joints[j] + 1);
    for (const bool exact : {true, false})
      for (std::size_t i = 0; i < mate_.size(); ++i) {
        if (mate_[i] != kNone) continue;
        for (std::size_t k = 0; k < used.size(); ++k) {
          const std::string &one = a_.links()[i].name, &two = b_.links()[k].name;
          if (used[k] || body_b_[k] != body_in_b(i) || !(exact ? one == two : same_name(one, two))) continue;
          pair(i, k);
          break;
        }
      }
    used_ = used;
  }

  /// The nearest link above that is in both, and the placement of `link` in it where its joint stands at zero.
  template <class Has>
  static std::pair<std::size_t, Pose<double>> placement(const Model& model, std::size_t link, const Has& has) {
    Pose<double> X = above(model, link).X_PF * above(model, link).X_MB;
    std::size_t parent = above(model, link).parent;
    while (!has(parent)) {
      X = above(model, parent).X_PF * above(model, parent).X_MB * X;
      parent = above(model, parent).parent;
    }
    return {parent, X};
  }

  struct Line {
    Vec3<double> direction, point;
    bool slides;
  };
  /// A joint's axis in the frame of its child link, where it stands at zero.
  static Line axis_in_child(const Joint& joint) {
    const Pose<double> X_BM = joint.X_MB.inverse();
    return {X_BM.R * joint.axis, X_BM.p, joint.type == JointType::prismatic};
  }
  static Line moved(const Line& line, const Pose<double>& X) { return {X.R * line.direction, X.p + X.R * line.point, line.slides}; }
  static bool same_direction(const Line& a, const Line& b) { return length(a.direction - b.direction) <= kSame; }
  static bool same_line(const Line& a, const Line& b) { return a.slides || b.slides || length(cross(a.point - b.point, a.direction)) <= kSame; }

  static bool massless(const Link& link) { return link.mass == 0 && link.inertia == Sym3<double>{}; }
  static Link moved(const Link& link, const Pose<double>& X) {
    Link out = link;
    if (is_identity(X)) return out;
    out.com = X.p + X.R * link.com;
    out.inertia = congruence(X.R, link.inertia);
    return out;
  }

  /// Number of differences between a link of A and its mate, with the mate's frame at G in A's. A frame is a convention: where everything that the
  /// link carries agrees for another G, the two files have other frames for the same link.
  int mismatches(std::size_t i, const Pose<double>& G) const {
    const std::size_t k = mate_[i];
    int count = 0;
    const Link &mine = a_.links()[i], theirs = moved(b_.links()[k], G);
    if (!massless(mine) && !massless(theirs)) {
      count += same(mine.com, theirs.com, 1e-3) ? 0 : 2;
      count += same(mine.inertia, theirs.inertia) ? 0 : 2;
    }
    if (above(a_, i).type != JointType::fixed) {
      const Line one = axis_in_child(above(a_, i)), two = moved(axis_in_child(above(b_, k)), G);
      count += same_direction(one, two) || same_direction(one, {-two.direction, two.point, two.slides}) ? 0 : 2;
      count += same_line(one, two) ? 0 : 2;
    }
    for (std::size_t c = 1; c < a_.links().size(); ++c) {
      if (mate_[c] == kNone) continue;
      const auto [parent, P_A] = placement(a_, c, [&](std::size_t l) { return mate_[l] != kNone; });
      if (parent != i) continue;
      const auto [other, P_B] = placement(b_, mate_[c], [&](std::size_t l) { return used_[l]; });
      if (other != k) continue;
      const Pose<double> P = G * P_B;
      if (above(a_, c).type != JointType::fixed) {
        const Line one = moved(axis_in_child(above(a_, c)), P_A), two = moved(axis_in_child(above(b_, mate_[c])), P);
        count += same_direction(one, two) || same_direction(one, {-two.direction, two.point, two.slides}) ? 0 : 2;
        count += same_line(one, two) ? 0 : 2;
      } else {
        count += near(P_A, P) ? 0 : 1;
      }
    }
    return count;
  }

  // Edits.

  void add(std::string kind, std::string where, CauseValue from, CauseValue to, std::string words, std::function<void(Trial&)> apply) {
    edits_.push_back(make_edit(std::move(kind), std::move(where), std::move(from), std::move(to), std::move(words), std::move(apply)));
  }

  void compare_gravity() {
    const Vec3<double> mine = a_.gravity(), theirs = b_.gravity();
    if (same(mine, theirs, 0)) return;
    add("gravity", "gravity", {numbers(mine), {}}, {numbers(theirs), {}}, cat("set gravity to ", text_of(theirs), " m/s²"),
        [theirs](Trial& trial) { trial.robot.gravity = theirs; });
    if (same(length(mine), length(theirs), 0)) edits_.back().cause.also.push_back("base-frame: the base is turned");
  }

  static std::string text_of_pose(const Pose<double>& X) { return cat("xyz ", text_of(X.p), " m, rpy ", text_of(rpy_of(X.R)), " rad"); }

  /// Whether the angles of one rotation, times 180/π or its inverse, give the other. Two triples of angles make a rotation, and a file may have either.
  static bool degrees_for_radians(const Mat3<double>& from, const Mat3<double>& to) {
    constexpr double kDigits = 1e-4;  // files write 1.5708, and degrees in radians magnify the missing digits
    const Vec3<double> one = rpy_of(from),
                       two{one.x > 0 ? one.x - std::numbers::pi : one.x + std::numbers::pi, one.y > 0 ? std::numbers::pi - one.y : -std::numbers::pi - one.y,
                           one.z > 0 ? one.z - std::numbers::pi : one.z + std::numbers::pi};
    for (const Vec3<double>& rpy : {one, two})
      for (int signs = 0; signs < 8; ++signs) {  // π and -π are one angle, but not 180 and -180 radians
        const auto other = [&](double angle, int bit) { return (signs & bit) != 0 && std::abs(std::abs(angle) - std::numbers::pi) < 1e-9 ? -angle : angle; };
        for (const double f : {180 / std::numbers::pi, std::numbers::pi / 180})
          if (length(rpy) > 1e-6 && distance(rotation_rpy(f * other(rpy.x, 1), f * other(rpy.y, 2), f * other(rpy.z, 4)), to) <= kDigits) return true;
      }
    return false;
  }

  /// Degrees mistaken for radians, or vice versa, in the angles of a placement; millimetres for metres.
  static std::string wrong_unit(const Pose<double>& from, const Pose<double>& to) {
    if (length(from.p - to.p) <= kSame && (degrees_for_radians(from.R, to.R) || degrees_for_radians(to.R, from.R))) return "degrees and radians";
    if (distance(from.R, to.R) <= kSame && length(from.p) > 0)
      for (const double f : {1000.0, 1e-3})
        if (length(to.p - f * from.p) <= 1e-9 * length(to.p)) return "millimetres and metres";
    return {};
  }

  void compare_placement(std::size_t i) {
    const std::size_t k = mate_[i];
    const auto in_both_a = [&](std::size_t l) { return mate_[l] != kNone; };
    const auto in_both_b = [&](std::size_t l) { return used_[l]; };
    const auto [parent, P_A] = placement(a_, i, in_both_a);
    const auto [other_parent, P_B] = placement(b_, k, in_both_b);
    const Joint &joint = above(a_, i), &other = above(b_, k);
    // B's mates of the two parents may differ where links stand between them in one file only: both are of one body, so go by the frame of A's.
    const Pose<double> G_P = other_parent == mate_[parent] ? G_[parent] : frame_between(parent, other_parent);
    const Pose<double> D = P_A.inverse() * G_P * P_B;
    if (!is_identity(D)) G_[i] = mismatches(i, D) <= mismatches(i, {}) ? D : Pose<double>{};
    const Pose<double> E = D * G_[i].inverse();
    if (!is_identity(E)) report_placement(i, P_A, P_A * E, E);
    if (joint.type != JointType::fixed && other.type != JointType::fixed) compare_axis(i, joint, other);
  }

  /// Pose of B's frame `theirs` in A's frame `mine`, both of one body, by the nearest link that both have.
  Pose<double> frame_between(std::size_t mine, std::size_t theirs) const {
    for (std::size_t i = 0; i < mate_.size(); ++i)
      if (mate_[i] == theirs && body_a_[i] == body_a_[mine]) {
        const auto in_body = [&](std::size_t link) {
          Pose<double> X;
          while (link != 0 && above(a_, link).type == JointType::fixed) X = above(a_, link).X_PF * above(a_, link).X_MB * X, link = above(a_, link).parent;
          return X;
        };
        return in_body(mine).inverse() * in_body(i) * G_[i];
      }
    return G_[mine];
  }

  void report_placement(std::size_t i, const Pose<double>& from, const Pose<double>& to, const Pose<double>& E) {
    const Joint& joint = above(a_, i);
    const std::size_t j = i - 1;
    const std::string name = in_quotes(joint.name);
    // In the joint's frame M.
    const Pose<double> E_M = joint.X_MB * E * joint.X_MB.inverse();
    if (joint.type != JointType::fixed) {
      const double along = dot(E_M.p, joint.axis);
      const Vec3<double> w{E_M.R.zy - E_M.R.yz, E_M.R.xz - E_M.R.zx, E_M.R.yx - E_M.R.xy};  // 2 sin · axis
      const double turn = std::atan2(dot(w, joint.axis), E_M.R.xx + E_M.R.yy + E_M.R.zz - 1);
      const bool slides = joint.type == JointType::prismatic;
      const Pose<double> motion = slides ? Pose<double>{Mat3<double>::identity(), along * joint.axis} : Pose<double>{rotation_about(joint.axis, turn), {}};
      const Vec3<double> beside = E_M.p - along * joint.axis;
      const bool offset = slides ? near(E_M, motion) : distance(E_M.R, motion.R) <= kSame && length(beside) <= kSame;
      if (offset) {
        const double c = slides ? along : turn;
        const std::string unit = wrong_unit(from, to);
        // A hinge may have any position along its axis.
        add(unit.empty() ? "joint-offset" : "units", joint.name, {{0.0}, {}}, {{c}, {}},
            cat(unit.empty() ? "" : unit + ": ", "add ", rounded(c), slides ? " m" : " rad", " to the zero of joint ", name),
            [j, motion, E_M, slides](Trial& trial) {
              Joint& edited = trial.robot.joints[j].joint;
              edited.X_PF = edited.X_PF * (slides ? motion : E_M);
            });
        if (!unit.empty()) edits_.back().cause.also.push_back(cat("joint-offset of ", joint.name));
        return;
      }
    }
    const std::string unit = wrong_unit(from, to);
    add(unit.empty() ? "joint-frame" : "units", joint.name, {numbers(from), {}}, {numbers(to), {}},
        cat("place joint ", name, " at ", text_of_pose(to), unit.empty() ? "" : cat(": ", unit)), [j, E](Trial& trial) {
          Joint& edited = trial.robot.joints[j].joint;
          edited.X_PF = edited.X_PF * edited.X_MB * E * edited.X_MB.inverse();
        });
    displaced_.push_back({edits_.size() - 1, i, to * from.inverse()});
  }

  void compare_axis(std::size_t i, const Joint& joint, const Joint& other) {
    const std::size_t j = i - 1;
    const std::string name = in_quotes(joint.name);
    const Line mine = axis_in_child(joint), theirs = moved(axis_in_child(other), G_[i]);
    const bool line = same_line(mine, theirs), kind = mine.slides == theirs.slides;
    if (line && kind && same_direction(mine, theirs)) return;
    // The child stays at its zero placement; its axis becomes that of B.
    const auto change = [j, theirs, type = kind ? joint.type : other.type](Trial& trial) {
      Joint& edited = trial.robot.joints[j].joint;
      const Pose<double> P = edited.X_PF * edited.X_MB;
      edited.X_MB = {Mat3<double>::identity(), -theirs.point};
      edited.X_PF = P * edited.X_MB.inverse();
      edited.axis = theirs.direction;
      edited.type = type;
    };
    const bool opposite = line && kind && length(mine.direction + theirs.direction) <= kSame;
    if (opposite)
      add("joint-sign", joint.name, {numbers(mine.direction), {}}, {numbers(theirs.direction), {}}, cat("reverse the axis of joint ", name), change);
    else if (!kind)
      add("joint-axis", joint.name, {{}, std::string(to_string(joint.type))}, {{}, std::string(to_string(other.type))},
          cat("make joint ", name, " ", to_string(other.type), " along ", text_of(theirs.direction)), change);
    else if (!same_direction(mine, theirs))
      add("joint-axis", joint.name, {numbers(mine.direction), {}}, {numbers(theirs.direction), {}},
          cat("turn the axis of joint ", name, " to ", text_of(theirs.direction)), change);
    else
      add("joint-frame", joint.name, {numbers(mine.point), {}}, {numbers(theirs.point), {}},
          cat("put the axis of joint ", name, " through ", text_of(theirs.point), " m of its link"), change);
  }

  // Masses, body by body: rigidly connected links act as one.

  void compare_masses() {
    std::map<std::size_t, std::vector<std::size_t>> mine, theirs;
    for (std::size_t i = 0; i < a_.links().size(); ++i) mine[body_a_[i]].push_back(i);
    for (std::size_t k = 0; k < b_.links().size(); ++k) theirs[body_b_[k]].push_back(k);
    for (const auto& [body, links] : mine) {
      const std::size_t other = body == kNone ? kNone : matching_.joints[body];
      const std::size_t first = edits_.size();
      PseudoInertia<double> difference;
      double m = 0;
      for (const std::size_t i : links) {
        if (mate_[i] != kNone) {
          const Link theirs_here = moved(b_.links()[mate_[i]], G_[i]);
          for (Edit& edit : compare_link(i, a_.links()[i], theirs_here)) edits_.push_back(std::move(edit));
          difference = difference + in_body(i, theirs_here) - in_body(i, a_.links()[i]);
        } else if (!massless(a_.links()[i])) {
          add("missing-link", a_.links()[i].name, {{a_.links()[i].mass}, {}}, {{0.0}, {}},
              cat("remove link ", in_quotes(a_.links()[i].name), ", which B does not have"),
              [i](Trial& trial) { trial.robot.links[i].mass = 0, trial.robot.links[i].inertia = {}; });
          difference = difference - in_body(i, a_.links()[i]);
        }
        m += a_.links()[i].mass;
      }
      for (const std::size_t k : theirs[other])
        if (!used_[k] && !massless(b_.links()[k])) difference = difference + add_link(k);
      // A program that merges links has other links for the same body.
      const Sym3<double> J = difference.J();
      const double most = std::max(
          {std::abs(difference.m), length(difference.h), std::abs(J.xx), std::abs(J.yy), std::abs(J.zz), std::abs(J.xy), std::abs(J.xz), std::abs(J.yz)});
      if (most <= 1e-11 * std::max(m, 1e-6)) edits_.resize(first);
    }
  }

  /// A's link pose in its body, as the edits of placements leave it.
  Pose<double> place_in_body(std::size_t link) const {
    Pose<double> X;
    while (link != 0 && above(a_, link).type == JointType::fixed) {
      Pose<double> step = above(a_, link).X_PF * above(a_, link).X_MB;
      for (const Displaced& d : displaced_)
        if (d.link == link) step = d.by * step;
      X = step * X;
      link = above(a_, link).parent;
    }
    return X;
  }
  PseudoInertia<double> in_body(std::size_t i, const Link& link) const {
    const Pose<double> X = place_in_body(i);
    return ulna::moved(pseudo_inertia(link.mass, link.com, link.inertia), X.R, X.p);
  }

  /// A link that only B has.
  PseudoInertia<double> add_link(std::size_t k) {
    const auto [parent_b, P_B] = placement(b_, k, [&](std::size_t l) { return used_[l]; });
    std::size_t parent = 0;
    for (std::size_t i = 0; i < mate_.size(); ++i)
      if (mate_[i] == parent_b) parent = i;
    const Link placed = moved(b_.links()[k], G_[parent] * P_B);
    const Link& link = b_.links()[k];
    const std::string parent_name = a_.links()[parent].name;
    add("missing-link", link.name, {{0.0}, {}}, {{link.mass}, {}},
        cat("add link ", in_quotes(link.name), " to link ", in_quotes(parent_name), ": ", rounded(placed.mass), " kg, mass centre ", text_of(placed.com),
            " m, inertia ", text_of(placed.inertia), " kg m²"),
        [placed, parent_name](Trial& trial) {
          Link more = placed;
          while (std::any_of(trial.robot.links.begin(), trial.robot.links.end(), [&](const Link& l) { return l.name == more.name; })) more.name += "_of_B";
          Description::JointEntry entry;
          entry.joint.name = more.name + " (fixed)";
          entry.parent = parent_name;
          entry.child = more.name;
          trial.robot.links.push_back(more);
          trial.robot.joints.push_back(entry);
        });
    return in_body(parent, placed);
  }

  // Drives.

  void compare_drive(std::size_t j, const Joint& other) {
    const Joint& joint = a_.joints()[j];
    const std::string name = in_quotes(joint.name);
    const double mine = joint.gear * joint.gear * joint.rotor, theirs = other.gear * other.gear * other.rotor;
    if (!same(mine, theirs, 0))
      add("armature", joint.name, {{mine}, {}}, {{theirs}, {}},
          cat("set the armature (gear² times rotor inertia) of joint ", name, " to ", rounded(theirs), " kg m²"),
          [j, theirs](Trial& trial) { trial.robot.joints[j].joint.rotor = theirs, trial.robot.joints[j].joint.gear = 1; });
    const auto compare_friction = [&](const char* kind, const char* what, double Friction::*number) {
      const double from = joint.friction.*number, to = other.friction.*number;
      if (same(from, to, 0)) return;
      add(kind, joint.name, {{from}, {}}, {{to}, {}}, cat("set the ", what, " of joint ", name, " to ", rounded(to)),
          [j, to, number](Trial& trial) { trial.robot.joints[j].joint.friction.*number = to; });
    };
    compare_friction("damping", "damping", &Friction::viscous);
    compare_friction("friction", "Coulomb friction", &Friction::coulomb);
    for (const FrictionField& field : further_friction()) compare_friction("friction", field.name, field.number);
    const std::optional<Mimic>&one = joint.mimic, &two = other.mimic;
    if (one && two && (!same(one->multiplier, two->multiplier, 0) || !same(one->offset, two->offset, 1e-3)))
      add("other", joint.name, {{one->multiplier, one->offset}, {}}, {{two->multiplier, two->offset}, {}},
          cat("let joint ", name, " follow with multiplier ", rounded(two->multiplier), " and offset ", rounded(two->offset)),
          [j, m = *two, leader = a_.joints()[one->leader].name](Trial& trial) {
            trial.robot.joints[j].joint.mimic = Mimic{kNone, m.multiplier, m.offset};
            trial.robot.joints[j].leader = leader;
          });
    const auto differ = [](double x, double y) { return !(x == y || same(x, y, 1e-9)); };
    if (differ(joint.lower, other.lower) || differ(joint.upper, other.upper) || differ(joint.effort, other.effort) || differ(joint.velocity, other.velocity))
      add("other", joint.name, {{joint.lower, joint.upper, joint.effort, joint.velocity}, {}}, {{other.lower, other.upper, other.effort, other.velocity}, {}},
          cat("set the limits of joint ", name, " (lower, upper, effort, velocity)"), [](Trial&) {});
    for (const RateLimit& limit : kRateLimits)
      if (differ(joint.*limit.number, other.*limit.number))
        add("other", joint.name, {{joint.*limit.number}, {}}, {{other.*limit.number}, {}}, cat("set the limit of ", limit.name, " of joint ", name),
            [](Trial&) {});
    if (differ(joint.stiffness, other.stiffness) || differ(joint.rest, other.rest))
      add("other", joint.name, {{joint.stiffness, joint.rest}, {}}, {{other.stiffness, other.rest}, {}},
          cat("set the spring of joint ", name, " (stiffness, rest)"), [](Trial&) {});
  }

  /// A placement common to all moving bodies is that of the base.
  void call_base_frame() {
    std::vector<std::size_t> first;  // moving joints on fixed links
    for (std::size_t j = 0; j < a_.joints().size(); ++j)
      if (matching_.joints[j] != kNone && body_a_[a_.joints()[j].parent] == kNone) first.push_back(j);
    for (const Displaced& d : displaced_) {
      Cause& cause = edits_[d.edit].cause;
      if (cause.kind != "joint-frame") continue;
      const Joint& joint = above(a_, d.link);
      if (body_a_[joint.parent] != kNone) continue;
      const bool above_all = std::all_of(first.begin(), first.end(), [&](std::size_t j) {
        std::size_t link = j + 1;
        while (link != 0 && link != d.link) link = above(a_, link).parent;
        return link == d.link;
      });
      if (!above_all) continue;
      if (joint.type == JointType::fixed) {
        cause.kind = "base-frame";
        cause.also.push_back(cat("joint-frame of ", joint.name));
      } else {
        cause.also.push_back("base-frame: the base is displaced or turned");
      }
    }
    // Several limbs, all displaced alike.
    if (first.size() < 2) return;
    std::vector<const Displaced*> limbs;
    for (const std::size_t j : first)
      for (const Displaced& d : displaced_)
        if (d.link == j + 1) limbs.push_back(&d);
    if (limbs.size() != first.size() || !std::all_of(limbs.begin(), limbs.end(), [&](const Displaced* d) { return near(d->by, limbs[0]->by); })) return;
    Edit whole = edits_[limbs[0]->edit];
    std::vector<std::function<void(Trial&)>> parts;
    for (const Displaced* d : limbs) parts.push_back(edits_[d->edit].apply), edits_[d->edit].cause.kind.clear();
    whole.cause.kind = "base-frame";
    whole.cause.where = a_.links()[0].name;
    whole.cause.from = {numbers(Pose<double>{}), {}};
    whole.cause.to = {numbers(limbs[0]->by), {}};
    whole.cause.edit = cat("place the base at ", text_of_pose(limbs[0]->by));
    whole.apply = [parts](Trial& trial) {
      for (const auto& part : parts) part(trial);
    };
    edits_.push_back(whole);
    std::erase_if(edits_, [](const Edit& e) { return e.cause.kind.empty(); });
  }

  struct Displaced {
    std::size_t edit, link;
    Pose<double> by;
  };

  const Model &a_, &b_;
  const Matching& matching_;
  std::vector<std::size_t> body_a_, body_b_;
  std::vector<std::size_t> mate_;  // of each link of A, in B; kNone: none
  std::vector<bool> used_;         // links of B that have a mate
  std::vector<Pose<double>> G_;    // of each link of A: pose of its mate's frame in its own
  std::vector<Edit> edits_;
  std::vector<Displaced> displaced_;
};

}  // namespace

std::string unequal_coordinates(const Model& a, const Model& b) {
  std::vector<std::string> reasons;
  if (a.base() != b.base()) {
    const bool held = b.base() == RootJoint::fixed;
    reasons.push_back(cat("the base of A is ", to_string(a.base()), " and that of B ", to_string(b.base()), ": ",
                          held ? cat("--b-base ", to_string(a.base())) : cat("--a-base ", to_string(b.base())), " (LoadOptions::base) makes both alike"));
  }
  if (a.independent().size() != b.independent().size()) list_missing(a, b, 'a', 'b', reasons), list_missing(b, a, 'b', 'a', reasons);
  return reasons.empty() ? std::string()
                         : cat("A has ", a.nv(), a.nv() == 1 ? " coordinate" : " coordinates", " and B has ", b.nv(), "; ", joined(reasons, "; "));
}

std::optional<std::vector<Edit>> compare_structure(const Model& a, const Model& b, const Matching& matching) {
  return StructureComparison(a, b, matching).edits();
}

}  // namespace ulna::internal
