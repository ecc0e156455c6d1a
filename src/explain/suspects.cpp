#include "explain/suspects.hpp"

#include <algorithm>
#include <numbers>

#include "model/motion.hpp"
#include "text/message.hpp"

namespace ulna::internal {

namespace {

constexpr double kPi = std::numbers::pi;
constexpr std::string_view kAllJoints = "all joints";
using Vector = std::vector<double>;

Sym3<double> sym(const double* x) { return {x[0], x[1], x[2], x[3], x[4], x[5]}; }

/// How other programs write a free base.
void base_slips(std::vector<Edit>& out) {
  using Base = BaseConvention;
  const auto add = [&](const Base& convention, const std::string& to, const std::string& words) {
    out.push_back(make_edit("base-frame", "base", {{}, "as Ulna has it"}, {{}, to}, words, [convention](Trial& t) { t.coordinates.base = convention; }));
  };
  for (const Base::Axes axes : {Base::Axes::local, Base::Axes::world, Base::Axes::mixed})
    for (const Base::Quaternion quaternion : {Base::Quaternion::xyzw, Base::Quaternion::wxyz})
      for (const Base::Order order : {Base::Order::angular, Base::Order::linear})
        for (const Base::Acceleration acceleration : {Base::Acceleration::classical, Base::Acceleration::spatial}) {
          const Base convention{quaternion, axes, order, acceleration};
          if (convention == Base{}) continue;
          std::vector<std::string> said;
          if (quaternion == Base::Quaternion::wxyz) said.emplace_back("the quaternion w first");
          if (axes != Base::Axes::local)
            said.emplace_back(axes == Base::Axes::world ? "velocities in the world's axes" : "linear velocity in the world's axes, angular in the link's");
          if (order == Base::Order::linear) said.emplace_back("linear before angular");
          if (acceleration == Base::Acceleration::spatial) said.emplace_back("the spatial acceleration, not the classical one");
          add(convention, joined(said), cat("take of B's base ", joined(said)));
        }
}

std::vector<std::size_t> inverse(const std::vector<std::size_t>& order) {
  std::vector<std::size_t> out(order.size());
  for (std::size_t k = 0; k < order.size(); ++k) out[order[k]] = k;
  return out;
}

/// A number of a joint's drive.
struct DriveNumber {
  const char* kind;
  double& (*of)(Joint&);
  const char *what, *left_out;  // in words

  double at(Joint joint) const { return of(joint); }
  /// Behind the gear, where it is the rotor's.
  double at_joint(const Joint& joint) const { return std::string_view(kind) == "armature" ? joint.gear * joint.gear * joint.rotor : at(joint); }
  void set(Joint& joint, double to) const {
    of(joint) = to;
    if (std::string_view(kind) == "armature") joint.gear = 1;
  }
};
constexpr DriveNumber kDriveNumbers[] = {
    {"armature", [](Joint& joint) -> double& { return joint.rotor; }, "the armature (gear² times rotor inertia)", "leave out the rotors"},
    {"damping", [](Joint& joint) -> double& { return joint.friction.viscous; }, "the damping", "leave out damping"},
    {"friction", [](Joint& joint) -> double& { return joint.friction.coulomb; }, "the Coulomb friction", "leave out Coulomb friction"},
};

/// Rounding of a fit relative to the old value: 1e-17 is 0.
double clean(double to, double from) { return std::abs(to) <= 1e-11 * std::max(1.0, std::abs(from)) ? 0 : to; }

/// Rounded to twelve digits, the accuracy of a fit.
double digits(double x) {
  if (x == 0 || !std::isfinite(x)) return x;
  const double unit = std::pow(10.0, std::floor(std::log10(std::abs(x))) - 11);
  return std::round(x / unit) * unit;
}

}  // namespace

/// Whether two of them set the same number: then only one can be meant.
bool overlap(const Family& a, const Family& b) {
  const auto of_link = [](const Family& f) { return f.kind == "mass" || f.kind == "inertia" || f.kind == "missing-link"; };
  if (of_link(a) && of_link(b)) return a.where == b.where && (a.kind == b.kind || a.kind == "missing-link" || b.kind == "missing-link");
  return a.kind == b.kind && (a.where == b.where || a.where == kAllJoints || b.where == kAllJoints);
}

std::vector<Vector> columns_of(const Comparison& comparison, const Family& family, const Trial& at, const Vector& predicted) {
  std::vector<Vector> out;
  for (std::size_t c = 0; c < family.count; ++c) {
    Trial unit = at;
    Vector x(family.count, 0.0);
    x[c] = 1;
    family.change(unit, x);
    Vector column = comparison.predict(unit);
    if (column.size() != predicted.size()) return {};
    for (std::size_t i = 0; i < column.size(); ++i) column[i] -= predicted[i];
    out.push_back(std::move(column));
  }
  return out;
}

Suspects::Suspects(const Comparison& comparison, const Model& model) : comparison_(comparison), model_(model) {
  moves_.assign(model.links().size(), model.base() != RootJoint::fixed);
  for (std::size_t i = 1; i < moves_.size(); ++i)
    moves_[i] = moves_[0] || model.joints()[i - 1].type != JointType::fixed || moves_[model.joints()[i - 1].parent];
}

std::vector<Edit> Suspects::slips(const Trial& at) const {
  std::vector<Edit> out;
  const std::size_t n = comparison_.joints();
  const Vec3<double> g = at.robot.gravity;
  const auto gravity = [&](const Vec3<double>& to, const std::string& words) {
    if (same(g, to, 0)) return;
    out.push_back(make_edit("gravity", "gravity", {numbers(g), {}}, {numbers(to), {}}, words, [to](Trial& t) { t.robot.gravity = to; }));
  };
  gravity({}, "leave gravity out");
  gravity(-g, "reverse gravity");
  const double size = std::hypot(g.x, g.y, g.z);
  if (size > 0)
    for (const double other : {9.81, 9.80665, 9.8, 9.82, 10.0}) gravity((other / size) * g, cat("make gravity ", rounded(other), " m/s²"));
  if (!comparison_.numbers().tau.empty())
    for (const double times : {0.0, 2.0, 0.5, -1.0})
      out.push_back(make_edit(
          "coriolis", "all joints", {{1.0}, {}}, {{times}, {}},
          times == 0 ? std::string("leave Coriolis and centrifugal terms out") : cat("count Coriolis and centrifugal terms ", rounded(times), " times"),
          [times](Trial& t) { t.velocity_terms = times; }));
  // Coordinates.
  for (std::size_t k = 0; k < n; ++k)
    out.push_back(make_edit("joint-sign", name_of(k), {{1.0}, {}}, {{-1.0}, {}}, cat("reverse the sign of joint ", in_quotes(name_of(k))),
                            [k](Trial& t) { t.coordinates.sign[k] *= -1; }));
  const auto order = [&](const std::vector<std::size_t>& to, const std::string& words) {
    std::vector<std::string> moved;
    for (std::size_t k = 0; k < n; ++k)
      if (to[k] != k) moved.push_back(name_of(k));
    if (moved.empty()) return;
    Vector from_numbers, to_numbers;
    for (std::size_t k = 0; k < n; ++k) from_numbers.push_back(static_cast<double>(k)), to_numbers.push_back(static_cast<double>(to[k]));
    out.push_back(make_edit("joint-order", joined(moved), {from_numbers, {}}, {to_numbers, {}}, words, [to](Trial& t) {
      std::vector<std::size_t> composed(to.size());
      for (std::size_t k = 0; k < to.size(); ++k) composed[k] = t.coordinates.order[to[k]];
      t.coordinates.order = composed;
    }));
  };
  std::vector<std::size_t> plain(n);
  for (std::size_t k = 0; k < n; ++k) plain[k] = k;
  std::vector<std::size_t> reversed(plain.rbegin(), plain.rend());
  if (n > 2) order(reversed, "list the joints from the tip to the base");
  order(breadth_first(), "list the joints breadth first");
  order(inverse(breadth_first()), "list the joints breadth first");
  if (n <= 60)
    for (std::size_t k = 0; k < n; ++k)
      for (std::size_t j = k + 1; j < n; ++j) {
        std::vector<std::size_t> swapped = plain;
        std::swap(swapped[k], swapped[j]);
        order(swapped, cat("exchange joints ", in_quotes(name_of(k)), " and ", in_quotes(name_of(j))));
      }
  for (const auto& [factor, words] : {std::pair{kPi / 180, "degrees, where A has radians"}, std::pair{180 / kPi, "radians, where A has degrees"}}) {
    const double f = factor;
    out.push_back(make_edit("units", "q", {{1.0}, {}}, {{f}, {}}, cat("take the positions q of B as ", words), [f](Trial& t) { t.coordinates.q_scale = f; }));
    out.push_back(make_edit("units", "q, v", {{1.0}, {}}, {{f}, {}}, cat("take q and v of B as ", words),
                            [f](Trial& t) { t.coordinates.q_scale = t.coordinates.v_scale = f; }));
    out.push_back(make_edit("units", "q, v, a", {{1.0}, {}}, {{f}, {}}, cat("take q, v and a of B as ", words),
                            [f](Trial& t) { t.coordinates.q_scale = t.coordinates.v_scale = t.coordinates.a_scale = f; }));
  }
  if (model_.base() == RootJoint::free) base_slips(out);
  // Ignored frames, missing links, mistaken tensors.
  for (std::size_t j = 0; j < model_.joints().size(); ++j) {
    const Joint& joint = at.robot.joints[j].joint;
    if (!moves_[j + 1] || joint.X_PF.R == Mat3<double>::identity()) continue;
    out.push_back(make_edit("joint-frame", joint.name, {{}, "as A has it"}, {{}, "not turned"},
                            cat("leave out the rotation of joint ", in_quotes(joint.name), " in its parent"),
                            [j](Trial& t) { t.robot.joints[j].joint.X_PF.R = Mat3<double>::identity(); }));
  }
  for (std::size_t i = 0; i < model_.links().size(); ++i) {
    const Link& link = at.robot.links[i];
    if (!moves_[i] || (link.mass == 0 && link.inertia == Sym3<double>{})) continue;
    out.push_back(make_edit("missing-link", link.name, {{link.mass}, {}}, {{0.0}, {}}, cat("remove link ", in_quotes(link.name)),
                            [i](Trial& t) { t.robot.links[i].mass = 0, t.robot.links[i].inertia = {}; }));
    for (const InertiaFault& fault : inertia_faults(link))
      out.push_back(make_edit(fault.kind, link.name, {numbers(link.inertia), {}}, {numbers(fault.inertia), {}},
                              cat("inertia of link ", in_quotes(link.name), " in B: ", fault.words),
                              [i, I = fault.inertia](Trial& t) { t.robot.links[i].inertia = I; }));
    if (link.com != Vec3<double>{})
      out.push_back(make_edit("mass-centre", link.name, {numbers(link.com), {}}, {{0.0, 0.0, 0.0}, {}},
                              cat("put the mass centre of link ", in_quotes(link.name), " into its origin"), [i](Trial& t) { t.robot.links[i].com = {}; }));
  }
  return out;
}

std::vector<Edit> Suspects::left_out(const Trial& at) const {
  std::vector<Edit> out;
  for (const DriveNumber& drive : kDriveNumbers) {
    std::vector<std::string> names;
    Vector from;
    for (const Description::JointEntry& entry : at.robot.joints)
      if (entry.joint.type != JointType::fixed && drive.at(entry.joint) != 0) names.push_back(entry.joint.name), from.push_back(drive.at(entry.joint));
    if (names.empty()) continue;
    if (std::all_of(from.begin(), from.end(), [&](double x) { return x == from[0]; })) from = {from[0]};
    out.push_back(make_edit(drive.kind, joined(names), {from, {}}, {{0.0}, {}}, drive.left_out, [drive](Trial& t) {
      for (Description::JointEntry& entry : t.robot.joints) drive.of(entry.joint) = 0;
    }));
  }
  const auto& joints = at.robot.joints;
  if (std::any_of(joints.begin(), joints.end(), [](const auto& e) { return e.joint.stiffness != 0; }) && !at.springs)
    out.push_back(make_edit("other", "springs", {{0.0}, {}}, {{1.0}, {}}, "let the springs of the file act", [](Trial& t) { t.springs = true; }));
  const auto& links = at.robot.links;
  if (std::any_of(links.begin(), links.end(), [](const Link& l) { return l.gravcomp != 0; }) && !at.gravcomp)
    out.push_back(make_edit("other", "gravity compensation", {{0.0}, {}}, {{1.0}, {}}, "let the gravity compensation (gravcomp) of the file act",
                            [](Trial& t) { t.gravcomp = true; }));
  return out;
}

std::vector<std::size_t> Suspects::breadth_first() const {
  std::vector<std::size_t> depth(model_.links().size(), 0), order(comparison_.joints());
  for (std::size_t i = 1; i < depth.size(); ++i) depth[i] = depth[model_.joints()[i - 1].parent] + 1;
  for (std::size_t k = 0; k < order.size(); ++k) order[k] = k;
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return depth[model_.independent()[a] + 1] < depth[model_.independent()[b] + 1]; });
  return order;
}

std::vector<Family> Suspects::families(const Trial& at) const {
  std::vector<Family> out;
  // Of one joint, or of several: one number for all of them, or each its own.
  const auto drives = [&](const DriveNumber& drive, std::string where, const std::vector<std::size_t>& joints, bool alike) {
    const auto fitted = [drive, alike](const Joint& joint, const Vector& x, std::size_t i) { return drive.at_joint(joint) + x[alike ? 0 : i]; };
    out.push_back({drive.kind, std::move(where), alike ? 1 : joints.size(),
                   [drive, joints, fitted](Trial& t, const Vector& x) {
                     for (std::size_t i = 0; i < joints.size(); ++i) {
                       Joint& joint = t.robot.joints[joints[i]].joint;
                       drive.set(joint, fitted(joint, x, i));
                     }
                   },
                   [drive, joints, fitted](const Trial& t, const Vector& x) {
                     std::vector<Edit> edits;
                     for (std::size_t i = 0; i < joints.size(); ++i) {
                       const Joint& joint = t.robot.joints[joints[i]].joint;
                       const double from = drive.at_joint(joint), found = fitted(joint, x, i), shown = clean(found, from);
                       const bool alone = joints.size() == 1;
                       const double to = alone ? shown : digits(shown);
                       if (!alone && std::abs(to - from) <= 1e-9 * std::max(std::abs(from), std::abs(to))) continue;
                       edits.push_back(make_edit(drive.kind, joint.name, {{from}, {}}, {{to}, {}},
                                                 cat("set ", drive.what, " of joint ", in_quotes(joint.name), " to ", rounded(to)),
                                                 [drive, j = joints[i], set = alone ? found : to](Trial& u) { drive.set(u.robot.joints[j].joint, set); }));
                     }
                     return edits;
                   }});
  };
  for (const DriveNumber& drive : kDriveNumbers)
    for (const bool alike : {true, false})
      if (comparison_.joints() > 1) drives(drive, std::string(kAllJoints), model_.independent(), alike);
  for (const DriveNumber& drive : kDriveNumbers)
    for (const std::size_t joint : model_.independent()) drives(drive, model_.joints()[joint].name, {joint}, true);
  out.push_back({"gravity", "gravity", 3,
                 [](Trial& t, const Vector& x) {
                   t.robot.gravity = t.robot.gravity + Vec3<double>{x[0], x[1], x[2]};
                 },
                 [](const Trial& t, const Vector& x) {
                   const Vec3<double> from = t.robot.gravity, to = from + Vec3<double>{x[0], x[1], x[2]};
                   Edit e = make_edit("gravity", "gravity", {numbers(from), {}}, {numbers(to), {}}, cat("set gravity to ", text_of(to), " m/s²"),
                                      [to](Trial& u) { u.robot.gravity = to; });
                   e.cause.also.push_back("base-frame: the base is turned");
                   return std::vector<Edit>{e};
                 }});
  if (!comparison_.numbers().tau.empty())
    out.push_back({"coriolis", "all joints", 1, [](Trial& t, const Vector& x) { t.velocity_terms += x[0]; },
                   [](const Trial& t, const Vector& x) {
                     const double to = t.velocity_terms + x[0];
                     return std::vector<Edit>{make_edit("coriolis", "all joints", {{t.velocity_terms}, {}}, {{to}, {}},
                                                        cat("count Coriolis and centrifugal terms ", rounded(to), " times"),
                                                        [to](Trial& u) { u.velocity_terms = to; })};
                   }});
  for (std::size_t i = 0; i < model_.links().size(); ++i) {
    if (!moves_[i]) continue;
    const Link& link = at.robot.links[i];
    const bool bare = link.mass == 0 && link.inertia == Sym3<double>{};
    if (!bare) {
      out.push_back({"mass", link.name, 1, [i](Trial& t, const Vector& x) { t.robot.links[i].mass += x[0]; },
                     [i](const Trial& t, const Vector& x) {
                       const Link& l = t.robot.links[i];
                       const double to = l.mass + x[0];
                       return std::vector<Edit>{make_edit("mass", l.name, {{l.mass}, {}}, {{to}, {}},
                                                          cat("set the mass of link ", in_quotes(l.name), " to ", rounded(to), " kg"),
                                                          [i, to](Trial& u) { u.robot.links[i].mass = to; })};
                     }});
      out.push_back({"inertia", link.name, 6, [i](Trial& t, const Vector& x) { t.robot.links[i].inertia = t.robot.links[i].inertia + sym(x.data()); },
                     [i](const Trial& t, const Vector& x) {
                       const Link& l = t.robot.links[i];
                       const Sym3<double> to = l.inertia + sym(x.data());
                       Link other = l;
                       other.inertia = to;
                       std::vector<Edit> named = compare_link(i, l, other);
                       if (named.size() == 1) return named;
                       return std::vector<Edit>{make_edit("inertia", l.name, {numbers(l.inertia), {}}, {numbers(to), {}},
                                                          cat("set the inertia of link ", in_quotes(l.name), " to ", text_of(to), " kg m²"),
                                                          [i, to](Trial& u) { u.robot.links[i].inertia = to; })};
                     }});
    }
    if (i > 0 && model_.joints()[i - 1].type == JointType::fixed) continue;
    // A load on a body, in the frame of the link that its joint holds: mass, first and second moments.
    const auto load = [i](Trial& t, const Vector& x) {
      Link& l = t.robot.links[i];
      PseudoInertia<double> sum = pseudo_inertia(l.mass, l.com, l.inertia);
      sum = sum + PseudoInertia<double>{x[0], {x[1], x[2], x[3]}, {x[4], x[5], x[6], x[7], x[8], x[9]}};
      l.mass = sum.m;
      if (sum.m != 0) l.com = (1 / sum.m) * sum.h;
      l.inertia = inertia_about_com(sum);
    };
    out.push_back({"missing-link", link.name, 10, load, [i, load](const Trial& t, const Vector& x) {
                     const Link& l = t.robot.links[i];
                     const PseudoInertia<double> added{x[0], {x[1], x[2], x[3]}, {x[4], x[5], x[6], x[7], x[8], x[9]}};
                     // Without mass it is no load, but another mass centre or inertia of the body.
                     if (std::abs(added.m) <= 1e-8 * l.mass) {
                       Trial changed = t;
                       load(changed, x);
                       Link other = changed.robot.links[i];
                       other.mass = l.mass;
                       const Vec3<double> one = principal_moments(l.inertia), two = principal_moments(other.inertia - l.inertia);
                       if (std::max(std::abs(two.x), std::abs(two.z)) <= 1e-6 * one.z) other.inertia = l.inertia;
                       return compare_link(i, l, other);
                     }
                     const Vec3<double> com = added.m != 0 ? (1 / added.m) * added.h : Vec3<double>{};
                     return std::vector<Edit>{
                         make_edit("missing-link", l.name, {{0.0}, {}}, {{added.m, com.x, com.y, com.z}, {}},
                                   cat(added.m >= 0 ? "add a load to link " : "take a load off link ", in_quotes(l.name), ": ", rounded(std::abs(added.m)),
                                       " kg, mass centre ", text_of(com), " m, inertia about it ", text_of(inertia_about_com(added)), " kg m²"),
                                   [load, x](Trial& u) { load(u, x); })};
                   }});
  }
  return out;
}

std::vector<Curved> Suspects::curved(const Trial& at) const {
  std::vector<Curved> out;
  for (std::size_t k = 0; k < comparison_.joints(); ++k) {
    const Joint& joint = model_.joints()[model_.independent()[k]];
    const bool slides = joint.type == JointType::prismatic;
    Curved c{"joint-offset",
             name_of(k),
             {},
             [k](Trial& t, const Vector& x) { t.coordinates.offset[k] += x[0]; },
             [this, k, slides](const Vector& x) {
               const double turn = slides ? x[0] : std::remainder(x[0], 2 * kPi);
               return make_edit("joint-offset", name_of(k), {{0.0}, {}}, {{turn}, {}},
                                cat("add ", rounded(turn), slides ? " m" : " rad", " to joint ", in_quotes(name_of(k)), " of B"),
                                [k, turn](Trial& t) { t.coordinates.offset[k] += turn; });
             }};
    if (slides)
      c.starts = {{0.01}};
    else
      for (int s = 0; s < 8; ++s) c.starts.push_back({kPi / 4 * s + 0.02});
    out.push_back(std::move(c));
  }
  for (std::size_t i = 0; i < model_.links().size(); ++i) {
    const Link& link = at.robot.links[i];
    if (!moves_[i] || link.mass == 0) continue;
    out.push_back({"mass-centre",
                   link.name,
                   {numbers(link.com)},
                   [i](Trial& t, const Vector& x) {
                     t.robot.links[i].com = {x[0], x[1], x[2]};
                   },
                   [i, link](const Vector& x) {
                     const Vec3<double> to{x[0], x[1], x[2]};
                     return make_edit("mass-centre", link.name, {numbers(link.com), {}}, {numbers(to), {}},
                                      cat("set the mass centre of link ", in_quotes(link.name), " to ", text_of(to), " m"),
                                      [i, to](Trial& t) { t.robot.links[i].com = to; });
                   }});
  }
  return out;
}

}  // namespace ulna::internal
