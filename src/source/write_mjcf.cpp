#include <algorithm>
#include <cmath>

#include <ulna/source/load.hpp>
#include <ulna/spatial/spatial.hpp>

#include "model/why_no_body.hpp"
#include "source/writers.hpp"
#include "text/message.hpp"
#include "text/xml.hpp"

namespace ulna ULNA_API {

using namespace internal;

namespace {

/// Moments of a flat body, whose largest is the sum of the others: rounding may put it above that, and MuJoCo's test has no tolerance.
Vec3<double> within_triangle(Vec3<double> I) {
  const auto bound = [](double& largest, double sum) {
    if (largest > sum && largest - sum <= 16 * kEntryRounding * largest) largest = sum;
  };
  bound(I.x, I.y + I.z), bound(I.y, I.x + I.z), bound(I.z, I.x + I.y);
  return I;
}

constexpr double kAlongAxis = 0.1;  // from one point of a hinge to the other [m]

bool is_bare(const Link& link) { return link.mass == 0 && link.inertia == Sym3<double>{}; }

class MjcfWriter {
 public:
  MjcfWriter(const Model& model, Diagnostics& diagnostics) : model_(model), diagnostics_(diagnostics), below_(model.links().size()) {
    for (std::size_t j = 0; j < model.joints().size(); ++j) below_[model.joints()[j].parent].push_back(j);
  }

  std::optional<std::string> write() {
    refused_ = !check_names(diagnostics_, model_, "MJCF");
    for (const Loop& loop : model_.loops()) check_loop(loop);
    if (refused_) return {};
    rename_world();
    out_ += cat("<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<!-- Written by Ulna. SI units, radians. -->\n<mujoco model=\"", xml_text(model_.name()),
                "\">\n  <compiler angle=\"radian\" autolimits=\"true\"/>\n  <option gravity=\"", xml_numbers(model_.gravity()), "\"/>\n  <worldbody>\n");
    write_tree();
    out_ += "  </worldbody>\n";
    write_motors();
    write_equalities();
    out_ += "</mujoco>\n";
    warn_of_order(diagnostics_, model_, "MJCF");
    report_losses();
    return std::move(out_);
  }

 private:
  /// A joint that belongs to the next body that is written: M at q = 0, in the frame of the body around it.
  struct Pending {
    std::size_t joint;
    Pose<double> X_PM;
  };
  /// A body to write, or the end of one.
  struct Step {
    std::size_t link = kNone;  // kNone: an end tag
    Pose<double> X_PB;
    std::vector<Pending> joints;
    int depth = 0;
  };

  static Element label(const Loop& loop) { return cat("loop ", in_quotes(loop.name)); }

  /// MJCF closes loops by points that meet (connect) and by frames that do (weld); two points on an axis are a hinge.
  void check_loop(const Loop& loop) {
    if (!check_name(diagnostics_, label(loop), loop.name, loop.line, "MJCF")) refused_ = true;
    const auto refuse = [&](const std::string& problem, const std::string& cure) {
      diagnostics_.error(loop.line, label(loop), problem, cure), refused_ = true;
    };
    if (meeting_rows(loop.type) == 0)
      refuse(cat("it is ", to_string(loop.type), ", and equalities of MJCF hold points or frames together, not along a line or in a plane"),
             "write it as URDF, or cut the loop at another joint");
    for (const std::size_t link : {loop.predecessor, loop.successor})
      if (is_between(link))
        refuse(cat("it ends on link ", in_quotes(model_.links()[link].name), ", which has no mass between two joints, and MuJoCo has no such bodies"),
               "give the link a mass, or write URDF");
  }

  /// Points of a loop on one of its links: its origin; of a hinge, also one on its axis.
  void write_sites(const std::string& indent, std::size_t link) {
    for (const Loop& loop : model_.loops())
      for (const bool first : {true, false}) {
        if ((first ? loop.predecessor : loop.successor) != link) continue;
        const Pose<double>& X = first ? loop.X_PA : loop.X_SB;
        const char* const side = first ? "_A" : "_B";
        out_ += cat(indent, "  <site name=\"", xml_text(loop.name), side, "\"", placement(X), "/>\n");
        if (loop.type == LoopType::revolute)
          out_ += cat(indent, "  <site name=\"", xml_text(loop.name), "_axis", side, "\" pos=\"", xml_numbers(X.p + X.R * (kAlongAxis * loop.axis)), "\"/>\n");
      }
  }

  /// MuJoCo keeps this name for the world itself, which a root without mass is.
  void rename_world() {
    for (const Link& link : model_.links()) names_.push_back(link.name);
    for (std::size_t i = 0; i < names_.size(); ++i) {
      if (names_[i] != "world" || (i == 0 && is_bare(model_.links()[0]) && model_.base() == RootJoint::fixed)) continue;
      while (names_[i] == "world" || model_.find_link(names_[i])) names_[i] += "_link";
      diagnostics_.warning(model_.links()[i].line, Element::link("world"), "MJCF keeps this name for the world",
                           cat("the link was renamed ", in_quotes(names_[i])));
    }
  }

  /// A link that moves and has no mass: MuJoCo refuses it as a body, but takes several joints for one.
  bool is_between(std::size_t link) const { return link != 0 && is_bare(model_.links()[link]) && below_[link].size() == 1; }

  void push_children(std::size_t link, const Pose<double>& X_PL, const std::vector<Pending>& pending, int depth, std::vector<Step>& steps) const {
    for (auto j = below_[link].rbegin(); j != below_[link].rend(); ++j) {
      const Joint* joint = &model_.joints()[*j];
      std::size_t at = *j;
      std::vector<Pending> joints = pending;
      Pose<double> X = X_PL;
      for (;;) {
        X = X * joint->X_PF;
        if (joint->type != JointType::fixed) joints.push_back({at, X});
        X = X * joint->X_MB;
        if (joints.empty() || !is_between(joint->child)) break;
        at = below_[joint->child].front();
        joint = &model_.joints()[at];
      }
      steps.push_back({joint->child, X, joints, depth});
    }
  }

  void write_tree() {
    std::vector<Step> steps;
    if (names_[0] == "world" && model_.base() == RootJoint::fixed)
      write_sites("  ", 0), push_children(0, {}, {}, 2, steps);
    else
      steps.push_back({0, {}, {}, 2});
    while (!steps.empty()) {
      const Step step = std::move(steps.back());
      steps.pop_back();
      const std::string indent(2 * static_cast<std::size_t>(step.depth), ' ');
      if (step.link == kNone) {
        out_ += cat(indent, "</body>\n");
        continue;
      }
      const Link& link = model_.links()[step.link];
      out_ += cat(indent, "<body name=\"", xml_text(names_[step.link]), "\"", placement(step.X_PB),
                  link.gravcomp != 0 ? cat(" gravcomp=\"", xml_number(link.gravcomp), "\"") : std::string(), ">\n");
      written_.push_back(step.link);
      write_inertial(indent, link);
      if (step.link == 0) write_base(indent);
      for (const Pending& pending : step.joints) write_joint(indent, pending, step.X_PB);
      warn_of_ball(step);
      write_sites(indent, step.link);
      steps.push_back({kNone, {}, {}, step.depth});
      push_children(step.link, {}, {}, step.depth + 1, steps);
    }
  }

  /// A base that moves, as a joint of the root body; MJCF has no planar joint, but two slides and a hinge are one.
  void write_base(const std::string& indent) {
    if (model_.base() == RootJoint::fixed) return;
    std::string name = "base";
    while (model_.find_joint(name) || model_.find_joint(name + "_x") || model_.find_joint(name + "_y") || model_.find_joint(name + "_yaw")) name += "_";
    if (model_.base() == RootJoint::free) {
      out_ += cat(indent, "  <freejoint name=\"", name, "\"/>\n");
      return;
    }
    out_ += cat(indent, "  <joint name=\"", name, "_x\" type=\"slide\" axis=\"1 0 0\"/>\n", indent, "  <joint name=\"", name,
                "_y\" type=\"slide\" axis=\"0 1 0\"/>\n", indent, "  <joint name=\"", name, "_yaw\" axis=\"0 0 1\"/>\n");
    diagnostics_.warning(0, Element::robot(model_.name()), "MJCF has no planar base",
                         cat("it was written as the joints ", name, "_x, ", name, "_y and ", name, "_yaw"));
  }

  static std::string rotation(const Mat3<double>& R) {
    if (R == Mat3<double>::identity()) return {};
    Quaternion r = quaternion(R);
    double* const entries[] = {&r.x, &r.y, &r.z, &r.w};
    const double largest = std::max({std::abs(r.x), std::abs(r.y), std::abs(r.z), std::abs(r.w)});
    // MuJoCo normalises: 1 1 0 0 is a right angle to the last bit, 0.7071 0.7071 0 0 is not.
    for (double* entry : entries) {
      *entry /= largest;
      if (std::abs(*entry - std::round(*entry)) <= 4 * kEntryRounding) *entry = std::round(*entry);
    }
    return cat(" quat=\"", xml_number(r.w), " ", xml_number(r.x), " ", xml_number(r.y), " ", xml_number(r.z), "\"");
  }

  static std::string placement(const Pose<double>& X) {
    return cat(X.p == Vec3<double>{} ? std::string() : cat(" pos=\"", xml_numbers(X.p), "\""), rotation(X.R));
  }

  /// By principal axes: of a full tensor MuJoCo 2 finds them itself, to 1e-8.
  void write_inertial(const std::string& indent, const Link& link) {
    if (is_bare(link)) return;
    const Sym3<double>& I = link.inertia;
    const bool diagonal = I.xy == 0 && I.xz == 0 && I.yz == 0;
    PrincipalAxes axes = diagonal ? PrincipalAxes{{I.xx, I.yy, I.zz}, Mat3<double>::identity()} : principal_axes(I);
    axes.moments = within_triangle(axes.moments);
    out_ += cat(indent, "  <inertial pos=\"", xml_numbers(link.com), "\"", rotation(axes.R), " mass=\"", xml_number(link.mass), "\" diaginertia=\"",
                xml_numbers(axes.moments), "\"/>\n");
    // Ulna's rules are about what moves as one, to the digits that it is given with; MuJoCo's are about every body, to the last bit.
    const Vec3<double>& m = axes.moments;
    const bool beyond = m.x > m.y + m.z || m.y > m.x + m.z || m.z > m.x + m.y;
    if (!link.partial && (beyond || body_fault(link.mass, principal_moments(I), 0) != BodyFault::none))
      diagnostics_.warning(link.line, Element::link(link.name), "no body can have this mass and inertia, and MuJoCo refuses such a body",
                           "correct it, or add balanceinertia=\"true\" to <compiler>, which changes torques");
    if (link.partial)
      diagnostics_.warning(link.line, Element::link(link.name), "MJCF cannot say that an inertia is partial",
                           "load the file with --unchecked if it is refused");
  }

  void write_joint(const std::string& indent, const Pending& pending, const Pose<double>& X_PB) {
    const Joint& joint = model_.joints()[pending.joint];
    const bool slides = joint.type == JointType::prismatic;
    const Pose<double> X_BM = X_PB.inverse() * pending.X_PM;
    const bool ball = joint.type == JointType::ball;
    out_ += cat(indent, "  <joint name=\"", xml_text(joint.name), "\"", slides ? " type=\"slide\"" : ball ? " type=\"ball\"" : "");
    if (!slides && X_BM.p != Vec3<double>{}) out_ += cat(" pos=\"", xml_numbers(X_BM.p), "\"");
    if (!ball) out_ += cat(" axis=\"", xml_numbers(X_BM.R * joint.axis), "\"");
    if (ball && std::max({std::abs(X_BM.R.xy), std::abs(X_BM.R.xz), std::abs(X_BM.R.yz), std::abs(1 - X_BM.R.xx)}) > kGivenDigits)
      diagnostics_.warning(joint.line, Element::joint(joint.name), "a ball joint of MJCF has the axes of its body, and this one has others",
                           "its q, v and tau are those of the same motion in other axes");
    if (joint.type != JointType::continuous && std::isfinite(joint.lower) && std::isfinite(joint.upper))
      out_ += cat(" range=\"", xml_number(joint.lower), " ", xml_number(joint.upper), "\"");
    else if (joint.type != JointType::continuous && (std::isfinite(joint.lower) || std::isfinite(joint.upper)))
      diagnostics_.warning(joint.line, Element::joint(joint.name), "MJCF has no limit on one side alone", "its limit was left out");
    const auto write = [&](const char* name, double value) {
      if (value != 0) out_ += cat(" ", name, "=\"", xml_number(value), "\"");
    };
    if (model_.closed() && !is_driven(pending.joint) && std::isfinite(joint.effort))
      out_ += cat(" actuatorfrcrange=\"-", xml_number(joint.effort), " ", xml_number(joint.effort), "\"");
    write("armature", joint.gear * joint.gear * joint.rotor);
    write("damping", joint.friction.viscous);
    write("frictionloss", joint.friction.coulomb);
    write("stiffness", joint.stiffness);
    if (joint.stiffness != 0) write("springref", joint.rest);
    out_ += "/>\n";
  }

  void warn_of_ball(const Step& step) {
    const auto type = [&](const Pending& pending) { return model_.joints()[pending.joint].type; };
    const auto turning = std::count_if(step.joints.begin(), step.joints.end(), [&](const Pending& p) { return type(p) != JointType::prismatic; });
    if (turning > 1 && std::any_of(step.joints.begin(), step.joints.end(), [&](const Pending& p) { return type(p) == JointType::ball; }))
      diagnostics_.warning(model_.links()[step.link].line, Element::link(names_[step.link]),
                           "it has a ball joint and another joint that turns, which MuJoCo refuses", "give the link between the two a mass");
  }

  bool is_driven(std::size_t joint) const { return std::find(driven_.begin(), driven_.end(), joint) != driven_.end(); }

  /// Of a robot with loops, motors mark the independent joints, limited or not.
  void write_motors() {
    std::string motors;
    for (std::size_t j = 0; j < model_.joints().size(); ++j) {
      const Joint& joint = model_.joints()[j];
      const bool limited = std::isfinite(joint.effort) && joint.effort != 0;
      if (joint.type == JointType::fixed || !(model_.closed() ? is_driven(j) : limited)) continue;
      const std::string name = xml_text(joint.name), range = cat("-", xml_number(joint.effort), " ", xml_number(joint.effort));
      motors += cat("    <motor name=\"", name, "\" joint=\"", name, "\"",
                    limited ? cat(" ctrlrange=\"", range, "\" forcerange=\"", range, "\"") : std::string(), "/>\n");
    }
    if (!motors.empty()) out_ += cat("  <actuator>\n", motors, "  </actuator>\n");
  }

  void write_equalities() {
    std::string equalities;
    for (std::size_t j = 0; j < model_.joints().size(); ++j)
      if (const std::optional<Mimic>& coupling = model_.coupling(j))
        equalities += cat("    <joint joint1=\"", xml_text(model_.joints()[j].name), "\" joint2=\"", xml_text(model_.joints()[coupling->leader].name),
                          "\" polycoef=\"", xml_number(coupling->offset), " ", xml_number(coupling->multiplier), " 0 0 0\"/>\n");
    for (const Loop& loop : model_.loops()) {
      const std::string name = xml_text(loop.name);
      const auto add = [&](const char* kind, const std::string& site) {
        equalities += cat("    <", kind, " name=\"", site, "\" site1=\"", site, "_A\" site2=\"", site, "_B\"/>\n");
      };
      add(loop.type == LoopType::fixed ? "weld" : "connect", name);
      if (loop.type == LoopType::revolute) add("connect", name + "_axis");
    }
    if (!equalities.empty()) out_ += cat("  <equality>\n", equalities, "  </equality>\n");
  }

  void report_losses() {
    std::string speeds, gears, levels, further, dropped;
    const auto add = [](std::string& list, const std::string& name) { list += cat(list.empty() ? "" : ", ", in_quotes(name)); };
    for (const Joint& joint : model_.joints()) {
      if (joint.type == JointType::fixed) continue;
      if (std::isfinite(joint.velocity) || std::isfinite(acceleration_limit(joint)) || std::isfinite(joint.jerk)) add(speeds, joint.name);
      if (joint.rotor != 0 && joint.gear != 1) add(gears, joint.name);
      if (joint.friction.static_level != 0) add(levels, joint.name);
      if (has_further(joint.friction)) add(further, joint.name);
    }
    std::vector<bool> there(model_.links().size(), false);
    if (names_[0] == "world") there[0] = true;
    for (const std::size_t link : written_) there[link] = true;
    for (std::size_t i = 0; i < there.size(); ++i)
      if (!there[i]) add(dropped, model_.links()[i].name);
    if (!speeds.empty()) diagnostics_.warning(0, cat("joints ", speeds), "MJCF has no limits of speed, acceleration and jerk", "they were left out");
    if (!gears.empty())
      diagnostics_.warning(0, cat("joints ", gears), "MJCF has no gear ratio of a rotor",
                           "armature is gear² times the rotor's inertia, which gives the same torques");
    if (!levels.empty())
      diagnostics_.warning(0, cat("joints ", levels), "MJCF has no level of static friction", "it was left out: they break away at frictionloss");
    if (!further.empty()) diagnostics_.warning(0, cat("joints ", further), kViscousAndCoulomb, kFurtherLeftOut);
    if (!dropped.empty())
      diagnostics_.warning(0, cat("links ", dropped), "they have no mass, and MuJoCo refuses moving bodies without mass",
                           "their joints were moved to the next link");
  }

  const Model& model_;
  Diagnostics& diagnostics_;
  std::vector<std::vector<std::size_t>> below_;
  std::vector<std::string> names_;
  std::vector<std::size_t> written_;
  const std::vector<std::size_t> driven_ = model_.driven();
  bool refused_ = false;
  std::string out_;
};

}  // namespace

std::optional<std::string> write_mjcf(const Model& model, Diagnostics& diagnostics) { return MjcfWriter(model, diagnostics).write(); }

}  // namespace ULNA_API
