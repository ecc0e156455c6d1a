#include <ulna/formulation/formulation.hpp>

#include <algorithm>
#include <limits>
#include <numbers>
#include <set>

#include <ulna/spatial/spatial.hpp>

#include "formulation/dh_loss.hpp"
#include "formulation/frames.hpp"
#include "model/moving_tree.hpp"
#include "spatial/rpy.hpp"
#include "text/message.hpp"

namespace ulna ULNA_API {

using namespace internal;

namespace {

constexpr std::string_view kRoot = "base";  // what the reader of DH tables calls the root link

/// A word of letters, digits and _ that YAML takes for nothing else.
bool is_plain(const std::string& text) {
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  static const std::set<std::string, std::less<>> meaning_something{"null", "Null", "NULL", "true", "True", "TRUE", "false", "False", "FALSE",
                                                                    "yes",  "Yes",  "YES",  "no",   "No",   "NO",   "on",    "On",    "ON",
                                                                    "off",  "Off",  "OFF",  "y",    "Y",    "n",    "N"};
  if (text.empty() || !is_letter(text[0]) || meaning_something.count(text) > 0) return false;
  return std::all_of(text.begin(), text.end(), [&](char c) { return is_letter(c) || is_digit(c) || c == '-'; });
}

/// Plain where that is safe; else in double quotes, which can hold every character.
std::string yaml_text(const std::string& text) {
  if (is_plain(text)) return text;
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f)
      out += cat("\\x", kDigits[byte >> 4], kDigits[byte & 15]);
    else
      out += cat(c == '"' || c == '\\' ? "\\" : "", c);
  }
  return out + '"';
}

std::string number(double value) { return to_text(value + 0.0); }  // no -0

/// Right angles by name: they read back exactly either way, but people see them.
std::string angle(double value) {
  constexpr double kPi = std::numbers::pi;
  if (value == kPi) return "pi";
  if (value == -kPi) return "-pi";
  if (value == kPi / 2) return "pi/2";
  if (value == -kPi / 2) return "-pi/2";
  return number(value);
}

class DhWriter {
 public:
  /// The table is that of the robot on a fixed base; a moving base is a key of its own.
  DhWriter(const Model& model, double snap, Diagnostics& diagnostics)
      : model_(with_base(model, RootJoint::fixed)), base_(model.base()), snap_(snap), diagnostics_(diagnostics) {}

  std::optional<std::string> write(DhConvention convention) {
    if (refuse()) return {};
    tree_ = merge_fixed(model_, snap_);
    const ChainRows<double> chain = make_chain(model_, convention, snap_, snap_);
    if (refuse_loss(chain, convention)) return {};
    const std::vector<std::string> names = link_names();
    write_head(convention == DhConvention::standard ? "standard" : "modified", chain.X_W0);
    write_rows(chain.rows, names);
    warn_of_losses();
    return std::move(out_);
  }

 private:
  bool refuse() {
    const std::size_t errors_before = diagnostics_.count(Severity::error);
    for (const Joint& joint : model_.joints())
      if (joint.mimic)
        diagnostics_.error(joint.line, Element::joint(joint.name),
                           cat("it mimics joint ", in_quotes(model_.joints()[joint.mimic->leader].name), ", and a DH table has no couplings"),
                           "make it free with --mimic ignore, lock it, or convert to URDF");
    for (const Joint& joint : model_.joints())
      if (joint.type == JointType::ball)
        diagnostics_.error(joint.line, Element::joint(joint.name), "it is a ball joint, which a DH table does not have", "convert to SDF or MJCF");
    const std::string why = why_not_a_chain(model_, snap_);
    if (!why.empty()) diagnostics_.error(0, Element::robot(model_.name()), why, "lock joints, or convert to URDF");
    return diagnostics_.count(Severity::error) > errors_before;
  }

  /// Numbers of frames that lie far away have their digits out there. What angles lose that were to be snapped is no loss of the table.
  bool refuse_loss(const ChainRows<double>& chain, DhConvention convention) {
    const double loss = loss_of(model_, chain, convention, snap_);
    if (loss <= kKeptDigits) return false;
    const double without_snap = loss_of(model_, make_chain(model_, convention, snap_, 0), convention, snap_);
    const Element element = Element::robot(model_.name());
    if (without_snap <= kKeptDigits) {
      diagnostics_.warning(0, element,
                           cat("angles within ", rounded(snap_), " of right ones were made right, which changes torques by ", rounded(loss), " of the largest"),
                           "pass --snap 0 to keep them as they are");
      return false;
    }
    const std::string cause = farthest_normal(model_, snap_);
    diagnostics_.error(0, element,
                       cat("torques of its table would be off by ", rounded(without_snap), " of the largest, more than ", rounded(kKeptDigits), ": ",
                           cause.empty() ? "the frames of the convention lie far from its masses" : cause),
                       cause.empty() ? "convert to URDF, which keeps the frames" : "or convert to URDF, which keeps the frames");
    return true;
  }

  const Joint& joint_of(std::size_t body) const { return model_.joints()[tree_.bodies[body].joint]; }

  /// The reader keeps `base` for the root, so no other link may be called so.
  std::vector<std::string> link_names() {
    std::set<std::string, std::less<>> taken{std::string(kRoot)};
    std::vector<std::string> names;
    for (std::size_t i = 0; i < tree_.bodies.size(); ++i) {
      names.push_back(model_.links()[joint_of(i).child].name);
      taken.insert(names.back());
    }
    for (std::string& name : names) {
      if (name != kRoot) continue;
      while (taken.count(name) > 0) name += "_link";
      taken.insert(name);
      diagnostics_.warning(0, Element::link(std::string(kRoot)), "a DH table calls its root so", cat("the link was renamed ", in_quotes(name)));
    }
    return names;
  }

  void write_head(std::string_view convention, const Pose<double>& X_W0) {
    const Vec3<double>& g = model_.gravity();
    out_ += cat("# Written by Ulna. SI units, radians; inertia about the mass centre, in the link frame.\nrobot: ", yaml_text(model_.name()),
                "\nconvention: ", convention, "\n");
    out_ += cat("gravity: ", list(g), "\n");
    write_base(X_W0);
    out_ += "links:\n";
  }

  void write_base(const Pose<double>& X_W0) {
    std::string base;
    const auto add = [&](std::string_view key, const std::string& value) { base += cat(base.empty() ? "" : ", ", key, ": ", value); };
    if (base_ != RootJoint::fixed) add("joint", std::string(to_string(base_)));
    if (X_W0 != Pose<double>{}) {
      const Vec3<double> rpy = rpy_of(X_W0.R);
      add("xyz", list(X_W0.p));
      add("rpy", cat("[", angle(rpy.x), ", ", angle(rpy.y), ", ", angle(rpy.z), "]"));
    }
    if (const PseudoInertia<double>& own = tree_.base; own != PseudoInertia<double>{}) {
      add("mass", number(own.m));
      add("com", list(own.m == 0 ? Vec3<double>{} : (1 / own.m) * own.h));
      add("inertia", tensor(inertia_about_com(own)));
      if (is_partial(kNone)) add("inertia_is", "partial");
    }
    if (!base.empty()) out_ += cat("base: {", base, "}\n");
  }

  static std::string tensor(const Sym3<double>& I) {
    if (I.xy == 0 && I.xz == 0 && I.yz == 0) return list({I.xx, I.yy, I.zz});
    return cat("{ixx: ", number(I.xx), ", iyy: ", number(I.yy), ", izz: ", number(I.zz), ", ixy: ", number(I.xy), ", ixz: ", number(I.xz),
               ", iyz: ", number(I.yz), "}");
  }

  static std::string list(const Vec3<double>& v) { return cat("[", number(v.x), ", ", number(v.y), ", ", number(v.z), "]"); }

  void write_rows(const std::vector<DhRow<double>>& rows, const std::vector<std::string>& names) {
    constexpr double kInfinite = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const DhRow<double>& row = rows[i];
      const Joint& joint = joint_of(i);
      out_ += cat("  - joint: ", to_string(joint.type), "\n    name: ", yaml_text(joint.name), "\n    link: ", yaml_text(names[i]), "\n    a: ", number(row.a),
                  "\n    alpha: ", angle(row.alpha), "\n    d: ", number(row.d), "\n    theta: ", angle(row.theta), "\n    mass: ", number(row.mass), "\n");
      write_inertia(row, is_partial(i));
      write_if("rotor", joint.rotor, 0);
      write_if("gear", joint.gear, 1);
      for (const FrictionField& field : kFrictionFields) write_if(field.name, joint.friction.*field.number, field.none);
      if (joint.type != JointType::continuous) {
        write_if("lower", joint.lower, -kInfinite);
        write_if("upper", joint.upper, kInfinite);
      }
      write_if("effort", joint.effort, kInfinite);
      write_if("velocity", joint.velocity, kInfinite);
      for (const RateLimit& limit : kRateLimits) write_if(limit.name, joint.*limit.number, kInfinite);
    }
  }

  void write_if(std::string_view key, double value, double otherwise) {
    if (value != otherwise) out_ += cat("    ", key, ": ", number(value), "\n");
  }

  void write_inertia(const DhRow<double>& row, bool partial) {
    const Sym3<double>& I = row.inertia;
    if (row.mass == 0 && I == Sym3<double>{}) return;
    out_ += cat("    com: ", list(row.com), "\n    inertia: ", tensor(I), "\n");
    if (partial) out_ += "    inertia_is: partial\n";
  }

  bool is_partial(std::size_t body) const {
    for (std::size_t i = 0; i < model_.links().size(); ++i)
      if (tree_.body_of_link[i] == body && model_.links()[i].partial) return true;
    return false;
  }

  void warn_of_losses() {
    std::string merged;
    for (std::size_t i = 0; i < model_.links().size(); ++i) {
      const std::size_t body = tree_.body_of_link[i];
      const std::size_t head = body == kNone ? 0 : joint_of(body).child;
      if (i != head) merged += cat(merged.empty() ? "" : ", ", in_quotes(model_.links()[i].name));
    }
    if (!merged.empty())
      diagnostics_.warning(0, "fixed joints", cat("these links were merged into the ones that hold them: ", merged), "convert to URDF to keep them");
    for (const Joint& joint : model_.joints())
      if (joint.type != JointType::fixed && joint.stiffness != 0)
        diagnostics_.warning(joint.line, Element::joint(joint.name), "a DH table has no springs",
                             "it was left out; results depend on it with --springs on alone");
    for (const Link& link : model_.links())
      if (link.gravcomp != 0)
        diagnostics_.warning(link.line, Element::link(link.name), "a DH table has no gravity compensation",
                             "it was left out; results depend on it with --springs on alone");
  }

  const Model model_;
  const RootJoint base_;
  double snap_;
  Diagnostics& diagnostics_;
  MovingTree tree_;
  std::string out_;
};

}  // namespace

std::optional<std::string> write_dh(const Model& model, DhConvention convention, Diagnostics& diagnostics, double snap) {
  if (model.closed()) {
    diagnostics.error(0, Element::robot(model.name()), "it has loops, and the frames that they close between are not those of a DH table",
                      "convert to URDF, or open the loops (--loops ignore)");
    return {};
  }
  // Readers refuse them, so a file that holds them is of no use.
  const auto check = [&](ElementKind kind, const std::string& name, int line) {
    if (has_control_character(name)) diagnostics.error(line, Element(kind, name), "the name holds a control character", "give it another name");
  };
  check(ElementKind::robot, model.name(), 0);
  for (const Link& link : model.links()) check(ElementKind::link, link.name, link.line);
  for (const Joint& joint : model.joints()) check(ElementKind::joint, joint.name, joint.line);
  if (diagnostics.has_errors()) return {};
  return DhWriter(model, snap, diagnostics).write(convention);
}

}  // namespace ULNA_API
