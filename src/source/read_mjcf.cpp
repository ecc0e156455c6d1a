#include "source/read_mjcf.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <string>
#include <unordered_map>

#include "model/motion.hpp"
#include "source/mjcf_couplings.hpp"
#include "source/mjcf_geom.hpp"
#include "text/cat.hpp"
#include "text/names.hpp"
#include "text/quote.hpp"
#include "text/utf8.hpp"

namespace ulna::internal {

namespace {

constexpr std::string_view kWorld = "world";

/// A body, frame or geom and where it is: X_PF is the frame in which its own placement is given, in the body around it.
struct Placed {
  MjcfNode node;
  Pose<double> X_PF;
  std::string childclass;
};

/// A body that waits to be read.
struct Waiting {
  Placed placed;
  std::string parent;   // the link that it hangs on
  bool moves = false;   // something above it moves
  std::size_t top = 0;  // number of the body that stands in the world and holds it
};

class MjcfReader {
 public:
  MjcfReader(MjcfFiles& files, Diagnostics& diagnostics, const ReadLimits& limits, LoopPolicy loops)
      : files_(files), diagnostics_(diagnostics), limits_(limits), loops_(loops) {
    robot_.file = diagnostics.file();
  }

  Description read(const MjcfNode& root) {
    robot_.name = root.node.attribute("model").value();
    check_model_name(root);
    const std::vector<MjcfNode> sections = files_.children(root);
    const auto each = [&](std::string_view name, const auto& act) {
      for (const MjcfNode& section : sections)
        if (section.name() == name) act(section);
    };
    root.element("<mujoco>")
        .expect({"model"}, {"compiler", "option", "size", "visual", "statistic", "default", "asset", "custom", "extension", "worldbody", "contact", "equality",
                            "deformable", "tendon", "actuator", "sensor", "keyframe", "include"});
    for (const MjcfNode& section : sections)
      for (const std::string_view unused : {"custom", "extension", "contact", "deformable", "tendon", "sensor", "keyframe"})
        if (section.name() == unused) section.file->context.unused.add(tag_text(unused), section.line());
    each("compiler", [&](const MjcfNode& node) { settings_.read_compiler(node); });
    each("option", [&](const MjcfNode& node) { settings_.read_option(node, files_); });
    each("default", [&](const MjcfNode& node) { defaults_.read(node, files_); });
    robot_.gravity = settings_.gravity;

    Link world;
    world.name = kWorld;
    robot_.links.push_back(world);
    std::vector<Placed> in_world;
    bool any = false;
    each("worldbody", [&](const MjcfNode& node) {
      any = true;
      const std::vector<Placed> more = contents({node, {}, {}});
      in_world.insert(in_world.end(), more.begin(), more.end());
    });
    if (!any) root.element("<mujoco>").error("it has no <worldbody>", "add one, with bodies");
    collect_names(sections);
    if (!read_bodies(in_world)) return robot_;
    each("actuator", [&](const MjcfNode& node) {
      for (const MjcfNode& child : files_.children(node)) {
        if (files_.stop(child)) return;
        read_actuator(child, defaults_, joints_);
      }
    });
    limit_efforts(joints_, robot_);
    each("equality", [&](const MjcfNode& node) {
      for (const MjcfNode& child : files_.children(node)) {
        if (files_.stop(child)) return;
        read_equality(child, defaults_, joints_, loops_, robot_);
      }
    });
    set_total_mass();
    take_free_body();
    return std::move(robot_);
  }

 private:
  void check_model_name(const MjcfNode& root) {
    const XmlElement element = root.element("<mujoco>");
    if (!is_utf8(robot_.name))
      element.error_at("model", "the name is not UTF-8", "save the file as UTF-8");
    else if (has_control_character(robot_.name))
      element.error_at("model", cat("the name ", in_quotes(robot_.name), " holds a control character"), "remove it");
    else if (robot_.name.size() > limits_.name_bytes)
      element.error_at("model", cat("the name has ", robot_.name.size(), " bytes, more than ", limits_.name_bytes), how_to_raise(&ReadLimits::name_bytes));
    if (robot_.name.empty()) robot_.name = "robot";
  }

  /// What a body or the world holds, <frame>s opened: each with the frame and the class that it stands in.
  std::vector<Placed> contents(const Placed& body) {
    std::vector<Placed> out, open;
    const auto push = [&](const Placed& of) {
      std::vector<MjcfNode> nodes = files_.children(of.node);
      for (auto node = nodes.rbegin(); node != nodes.rend(); ++node) open.push_back({*node, of.X_PF, of.childclass});
    };
    push({body.node, {}, body.childclass});
    while (!open.empty()) {
      const Placed next = open.back();
      open.pop_back();
      if (next.node.name() != "frame") {
        out.push_back(next);
        continue;
      }
      if (files_.stop(next.node)) break;
      const MjcfElement frame(next.node, "<frame>", defaults_, "");
      frame.own().expect(
          {"name", "childclass", "pos", "quat", "axisangle", "xyaxes", "zaxis", "euler"},
          {"frame", "body", "joint", "freejoint", "geom", "site", "camera", "light", "include", "plugin", "composite", "flexcomp", "attach", "replicate"});
      push({next.node, next.X_PF * settings_.pose(frame), childclass_of(frame.own(), next.childclass)});
    }
    return out;
  }

  std::string childclass_of(const XmlElement& element, const std::string& around) {
    const std::string name = element.node().attribute("childclass").value();
    if (name.empty()) return around;
    if (!defaults_.has(name))
      element.error_at("childclass", cat("there is no default class ", in_quotes(name)), cat("correct the name", did_you_mean(name, defaults_.names())));
    return name;
  }

  // Names. Bodies and joints need none in MJCF; here they do.

  void collect_names(const std::vector<MjcfNode>& sections) {
    links_taken_.insert(std::string(kWorld));
    struct Walker : pugi::xml_tree_walker {
      std::set<std::string>*links, *joints;
      bool for_each(pugi::xml_node& node) override {
        const std::string_view kind = node.name();
        if (kind == "body") links->insert(node.attribute("name").value());
        if (kind == "joint" || kind == "freejoint") joints->insert(node.attribute("name").value());
        return true;
      }
    } walker;
    walker.links = &links_taken_, walker.joints = &joints_taken_;
    for (const MjcfNode& section : sections) {
      pugi::xml_node whole = section.file->xml.root();
      if (section.name() == "worldbody") whole.traverse(walker);
    }
  }

  static std::string new_name(std::string wanted, std::set<std::string>& taken, std::unordered_map<std::string, int>& counts) {
    std::string name = wanted;
    while (!taken.insert(name).second) name = cat(wanted, "_", ++counts[wanted] + 1);
    return name;
  }

  std::optional<std::string> given_name(const MjcfNode& node, std::string_view kind) {
    if (!node.node.attribute("name") || *node.node.attribute("name").value() == '\0') return {};
    return node.element(tag_text(kind)).require_name("name");
  }

  // Bodies.

  bool read_bodies(const std::vector<Placed>& in_world) {
    std::vector<Waiting> open;
    std::size_t tops = 0;
    for (const Placed& placed : in_world) {
      const std::string_view kind = placed.node.name();
      if (kind == "body")
        open.push_back({placed, std::string(kWorld), false, tops++});
      else
        tell_unused(placed.node, "<worldbody>");
    }
    top_moves_.assign(tops, 0);
    std::reverse(open.begin(), open.end());
    while (!open.empty()) {
      const Waiting next = open.back();
      open.pop_back();
      if (files_.stop(next.placed.node)) return false;
      if (robot_.joints.size() >= limits_.joints) {
        next.placed.node.element("<body>").error(cat("the robot has more than ", limits_.joints, " joints"), how_to_raise(&ReadLimits::joints));
        robot_.links.clear();  // what is missing would be found, joint by joint
        return false;
      }
      read_body(next, open);
    }
    return true;
  }

  void tell_unused(const MjcfNode& node, std::string_view where) {
    const std::string_view kind = node.name();
    if (kind == "composite" || kind == "flexcomp" || kind == "attach" || kind == "replicate")
      node.element(tag_text(kind))
          .error("it creates bodies, which Ulna does not read", "let MuJoCo save the compiled model (mj_saveLastXML) and give that file");
    else if (kind == "joint" || kind == "freejoint" || kind == "inertial")
      node.element(tag_text(kind)).error("it stands in <worldbody>, and the world cannot have it", "put it into a <body>");
    else if (kind == "site" || kind == "camera" || kind == "light" || kind == "geom")
      return;  // every file has them
    else
      node.file->context.unused.add(cat(where, ", ", tag_text(kind)), node.line());
  }

  void read_body(const Waiting& waiting, std::vector<Waiting>& open) {
    const MjcfNode& node = waiting.placed.node;
    const std::optional<std::string> given = given_name(node, "body");
    if (given && *given == kWorld) {
      node.element(Element::link(*given)).error_at("name", "this name belongs to the world", "give the body another name");
      return;
    }
    Link link;
    link.name = given ? *given : new_name(cat("body_", robot_.links.size()), links_taken_, counts_);
    link.line = node.main_line();
    const Element label = Element::link(link.name);
    const MjcfElement element(node, label, none_, "");
    element.own().expect({"name", "childclass", "mocap", "pos", "quat", "axisangle", "xyaxes", "zaxis", "euler", "gravcomp", "user", "sleep"},
                         {"inertial", "joint", "freejoint", "geom", "site", "camera", "light", "plugin", "composite", "flexcomp", "attach", "body", "frame",
                          "replicate", "include"});
    const std::string childclass = childclass_of(element.own(), waiting.placed.childclass);
    const Pose<double> X_PB = waiting.placed.X_PF * settings_.pose(element);
    link.gravcomp = element.number("gravcomp", 0);
    if (link.gravcomp != 0)
      element.own().note(cat("gravity compensation carries ", link.gravcomp, " of its weight"), "no result includes it, except that of 'ulna explain'");

    const std::vector<Placed> inside = contents({node, {}, childclass});
    std::vector<const Placed*> joints;
    const Placed* free = nullptr;
    for (const Placed& placed : inside) {
      const std::string_view kind = placed.node.name();
      if (kind == "freejoint") free = &placed;
      if (kind == "joint") joints.push_back(&placed);
    }
    const bool moves = waiting.moves || !joints.empty() || free != nullptr;
    if (moves) ++top_moves_[waiting.top];
    read_mass(element, X_PB, inside, moves, link);

    // Joints one after the other, links without mass between them.
    std::string parent = waiting.parent;
    Pose<double> X_PF = X_PB;
    std::vector<const Placed*> hinges;
    for (const Placed* joint : joints) {
      if (is_free(*joint))
        free = joint;
      else
        hinges.push_back(joint);
    }
    if (free != nullptr && !hinges.empty())
      free->node.element("<freejoint>").error(cat("body ", in_quotes(link.name), " has other joints beside its free one"), "keep the free joint alone");
    if (free != nullptr && waiting.parent != kWorld)
      free->node.element("<freejoint>")
          .error(cat("body ", in_quotes(link.name), " is free, but it does not stand in the world"), "move it to the top of <worldbody>");
    for (std::size_t i = 0; i < hinges.size(); ++i) {
      std::string child = link.name;
      if (i + 1 < hinges.size()) {
        Link between;
        const std::string_view name = hinges[i]->node.node.attribute("name").value();
        between.name = new_name(cat(link.name, "_", name.empty() ? cat(i + 1) : std::string(name)), links_taken_, counts_);
        between.line = link.line;
        child = between.name;
        robot_.links.push_back(between);
      }
      read_joint(*hinges[i], X_PF, parent, child);
      parent = child;
      X_PF = {};
    }
    if (hinges.empty()) {
      Description::JointEntry entry;
      const std::string_view name = free != nullptr ? free->node.node.attribute("name").value() : "";
      entry.joint.name = new_name(cat(link.name, free != nullptr ? "_free" : "_fixed"), joints_taken_, counts_);
      entry.joint.line = link.line;
      entry.joint.X_PF = X_PF;
      entry.parent = parent;
      entry.child = link.name;
      if (!name.empty()) joints_.try_emplace(std::string(name));
      robot_.joints.push_back(std::move(entry));
    }
    if (free != nullptr) free_bodies_.push_back({link.name, free->node.main_line(), waiting.top});
    for (auto placed = inside.rbegin(); placed != inside.rend(); ++placed) {
      const std::string_view kind = placed->node.name();
      if (kind == "body")
        open.push_back({*placed, link.name, moves, waiting.top});
      else if (kind != "inertial" && kind != "joint" && kind != "freejoint")
        tell_unused(placed->node, "<body>");
    }
    robot_.links.push_back(std::move(link));
  }

  // Masses.

  void read_mass(const MjcfElement& body, const Pose<double>& X_PB, const std::vector<Placed>& inside, bool moves, Link& link) {
    const Placed* inertial = nullptr;
    for (const Placed& placed : inside)
      if (placed.node.name() == "inertial") {
        if (inertial != nullptr)
          placed.node.element(Element::link(link.name).with("<inertial>"))
              .error(cat("it is given twice, first in line ", inertial->node.line()), "keep one of them");
        inertial = &placed;
      }
    using FromGeoms = MjcfSettings::FromGeoms;
    if (inertial != nullptr) read_inertial(*inertial, link);
    const bool from_geoms = settings_.from_geoms == FromGeoms::always || (settings_.from_geoms == FromGeoms::automatic && inertial == nullptr);
    if (from_geoms) read_geoms(inside, moves, link);
    if (!link.inertial && inertial == nullptr && !moves && !unknown_static_.count(link.name))
      body.own().note("it states no mass and does not move", "it has none here; no result of a robot that stands depends on it");
    bound(body, X_PB, link);
  }

  void read_inertial(const Placed& placed, Link& link) {
    const MjcfElement element(placed.node, Element::link(link.name).with("<inertial>"), none_, "");
    const XmlElement own = element.own();
    own.expect({"pos", "mass", "quat", "axisangle", "xyaxes", "zaxis", "euler", "diaginertia", "fullinertia"}, {});
    link.inertial = true;
    link.com = own.vector("pos", {});
    if (!own.has("pos")) own.error("attribute 'pos' is missing", "write pos=\"x y z\", the mass centre");
    link.mass = own.require_number("mass");
    const Mat3<double> R = settings_.orientation(element);
    const std::vector<double> full = own.numbers("fullinertia", 6, 6);
    if (own.has("fullinertia")) {
      if (own.has("diaginertia")) own.error("it has both diaginertia and fullinertia", "keep one of them");
      if (R != Mat3<double>::identity()) own.error("fullinertia is in the axes of the body, so no orientation may stand beside it", "remove the orientation");
      if (!full.empty()) link.inertia = {full[0], full[1], full[2], full[3], full[4], full[5]};
      return;
    }
    const std::vector<double> moments = own.numbers("diaginertia", 3, 3);
    if (moments.empty()) return;
    const Sym3<double> principal{moments[0], moments[1], moments[2], 0, 0, 0};
    link.inertia = R == Mat3<double>::identity() ? principal : congruence(R, principal);
  }

  void read_geoms(const std::vector<Placed>& inside, bool moves, Link& link) {
    PseudoInertia<double> sum;
    bool any = false;
    const Placed* unknown = nullptr;
    std::string what;
    for (const Placed& placed : inside) {
      if (placed.node.name() != "geom") continue;
      const std::string_view name = placed.node.node.attribute("name").value();
      const MjcfElement geom(placed.node, Element::link(link.name).with(name.empty() ? "<geom>" : cat("<geom> ", in_quotes(name))), defaults_,
                             placed.childclass);
      const GeomMass mass = mass_of_geom(geom, placed.X_PF, settings_);
      if (mass.verdict == GeomMass::Verdict::unknown && unknown == nullptr) unknown = &placed, what = mass.what;
      if (mass.verdict != GeomMass::Verdict::known) continue;
      any = true;
      sum = sum + mass.inertia;
    }
    if (unknown != nullptr && moves) {
      unknown->node.element(Element::link(link.name).with("<geom>"))
          .error(cat("the body states no mass, and this geom, ", what, ", would give it one that is not in the file"),
                 "add <inertial pos=\"...\" mass=\"...\" fullinertia=\"...\"/> to the body (mj_saveLastXML writes it), or give the geom mass=\"0\"");
      return;
    }
    if (unknown != nullptr) {
      unknown_static_.insert(link.name);
      unknown->node.element(Element::link(link.name))
          .note(cat("it states no mass, and its geom is ", what, "; it does not move"), "it has no mass here; no result of a robot that stands depends on it");
      return;
    }
    if (!any || !(sum.m > 0)) return;
    link.inertial = true;
    link.mass = sum.m;
    link.com = (1 / sum.m) * sum.h;
    link.inertia = inertia_about_com(sum);
  }

  /// boundmass, boundinertia, balanceinertia.
  void bound(const MjcfElement& body, const Pose<double>& X_PB, Link& link) {
    if (settings_.boundmass > link.mass) {
      if (link.mass != 0) body.own().note(cat("its mass ", link.mass, " was raised to boundmass ", settings_.boundmass), "");
      // MuJoCo puts the mass centre of a body that states nothing where the body's origin lies in its parent: not sensible, but what it computes.
      if (!link.inertial) link.com = X_PB.p;
      link.mass = settings_.boundmass;
      link.inertial = true;
    }
    const bool bounded = settings_.boundinertia > 0;
    if (!bounded && !settings_.balance) return;
    const PrincipalAxes axes = principal_axes(link.inertia);
    Vec3<double> I = axes.moments;
    for (double* moment : {&I.x, &I.y, &I.z}) *moment = std::max(*moment, settings_.boundinertia);
    if (settings_.balance && I.x + I.y < I.z) {
      const double mean = (I.x + I.y + I.z) / 3;
      body.own().warning(cat("its principal moments ", rounded(I.x), ", ", rounded(I.y), ", ", rounded(I.z),
                             " break the triangle inequality: balanceinertia sets all to their mean"),
                         "give moments that a body can have");
      I = {mean, mean, mean};
    }
    if (I != axes.moments) link.inertia = congruence(axes.R, Sym3<double>{I.x, I.y, I.z, 0, 0, 0});
  }

  void set_total_mass() {
    if (!settings_.total_mass) return;
    double sum = 0;
    for (const Link& link : robot_.links) sum += link.mass;
    if (!unknown_static_.empty() || !(sum > 0)) {
      diagnostics_.error(settings_.total_mass_line, "<compiler>",
                         unknown_static_.empty()
                             ? std::string("settotalmass needs a robot that has mass")
                             : cat("settotalmass scales by the mass of all bodies, and that of ", in_quotes(*unknown_static_.begin()), " is not in the file"),
                         "state every mass, or remove settotalmass");
      return;
    }
    const double factor = *settings_.total_mass / sum;
    for (Link& link : robot_.links) link.mass *= factor, link.inertia = factor * link.inertia;
    diagnostics_.note(settings_.total_mass_line, "<compiler>", cat("settotalmass scales every mass and inertia by ", rounded(factor)), "");
  }

  // Joints.

  /// Without a word about a class that is not there: read_joint has one.
  bool is_free(const Placed& placed) const {
    const std::string named = placed.node.node.attribute("class").value();
    for (const MjcfNode& node : defaults_.chain(placed.node, named.empty() ? placed.childclass : named))
      if (const pugi::xml_attribute type = node.node.attribute("type")) return std::string_view(type.value()) == "free";
    return false;
  }

  void read_joint(const Placed& placed, const Pose<double>& X_PB, const std::string& parent, const std::string& child) {
    Description::JointEntry entry;
    Joint& joint = entry.joint;
    const std::optional<std::string> given = given_name(placed.node, "joint");
    joint.name = given ? *given : new_name(cat(child, "_joint"), joints_taken_, counts_);
    joint.line = placed.node.main_line();
    const MjcfElement element(placed.node, Element::joint(joint.name), defaults_, placed.childclass);
    const XmlElement own = element.own();
    own.expect({"name",
                "class",
                "type",
                "group",
                "pos",
                "axis",
                "springdamper",
                "limited",
                "actuatorfrclimited",
                "solreflimit",
                "solimplimit",
                "solreffriction",
                "solimpfriction",
                "stiffness",
                "range",
                "actuatorfrcrange",
                "actuatorgravcomp",
                "margin",
                "ref",
                "springref",
                "armature",
                "damping",
                "frictionloss",
                "user"},
               {"plugin"});
    MjcfJoint& known = joints_[joint.name];
    const std::string type = element.word("type", {"hinge", "slide", "ball", "free"});
    if (type == "ball") {
      element.holder("type").error_at("type", cat("joint ", in_quotes(joint.name), " is a ball joint, of three degrees of freedom"),
                                      "write three hinges about x, y and z in its place, or remove it to fix the body");
    }
    const bool slides = type == "slide";
    const double unit = slides ? 1 : settings_.angle;
    known.ref = unit * element.number("ref", 0);

    const Vec3<double> axis = placed.X_PF.R * element.vector("axis", {0, 0, 1});
    const double length = std::hypot(axis.x, axis.y, axis.z);
    if (!(length > 0))
      element.holder("axis").error_at("axis", "the axis is zero", "write the direction of the joint's axis, such as 0 0 1");
    else
      joint.axis = {axis.x / length, axis.y / length, axis.z / length};
    const Vec3<double> anchor = slides ? Vec3<double>{} : placed.X_PF.p + placed.X_PF.R * element.vector("pos", {});
    read_limits(element, unit, slides, joint);
    // The body stands as stated where q is `ref`: X_PB · at(anchor) · motion(q - ref) · at(-anchor).
    joint.X_PF = X_PB * Pose<double>{Mat3<double>::identity(), anchor};
    if (known.ref != 0) joint.X_PF = joint.X_PF * joint_motion(joint, -known.ref);
    joint.X_MB = {Mat3<double>::identity(), -anchor};
    joint.rotor = element.not_negative("armature", 0);
    joint.viscous = first_of(element, "damping");
    joint.coulomb = element.not_negative("frictionloss", 0);
    joint.stiffness = first_of(element, "stiffness");
    joint.rest = unit * element.number("springref", 0);
    if (joint.stiffness != 0)
      own.note(cat("a spring of ", joint.stiffness, slides ? " N/m" : " N m/rad", " acts at it, at rest at ", joint.rest),
               "no result includes it, except that of 'ulna explain'");
    if (element.has("springdamper"))
      if (const std::vector<double> v = element.numbers("springdamper", 2, 2); !v.empty() && (v[0] != 0 || v[1] != 0))
        element.holder("springdamper")
            .warning("springdamper is not read: MuJoCo makes stiffness and damping of it from the inertia of the model", "write stiffness and damping");
    entry.parent = parent;
    entry.child = child;
    known.entry = robot_.joints.size();
    robot_.joints.push_back(std::move(entry));
  }

  /// MuJoCo takes further coefficients of a polynomial; the linear one is used here.
  static double first_of(const MjcfElement& element, const char* attribute) {
    const std::vector<double> values = element.numbers(attribute, 1, 8);
    if (values.empty()) return 0;
    const XmlElement holder = element.holder(attribute);
    if (values[0] < 0) {
      holder.error_at(attribute, cat(attribute, " ", values[0], " is negative"), "write a positive number");
      return 0;
    }
    if (std::any_of(values.begin() + 1, values.end(), [](double v) { return v != 0; }))
      holder.warning(cat(attribute, " has terms of higher order, which are not used"), "only its first number is used");
    return values[0];
  }

  void read_limits(const MjcfElement& element, double unit, bool slides, Joint& joint) const {
    const std::vector<double> range = element.numbers("range", 2, 2);
    const std::string limited = element.word("limited", {"auto", "true", "false"});
    const bool given = !range.empty() && (range[0] != 0 || range[1] != 0);
    bool bounded = limited == "true" || (limited == "auto" && given && settings_.autolimits);
    if (limited == "auto" && given && !settings_.autolimits)
      element.holder("range").warning("range is given, but limited is not, and autolimits is off",
                                      "the joint is unlimited here; write limited=\"true\" to use the range");
    if (bounded && range.empty()) {
      if (!element.has("range")) element.own().error("it is limited, but range is missing", "write range=\"lower upper\"");
      bounded = false;
    }
    joint.type = slides ? JointType::prismatic : bounded ? JointType::revolute : JointType::continuous;
    if (bounded) {
      joint.lower = unit * range[0];
      joint.upper = unit * range[1];
      if (joint.lower > joint.upper)
        element.holder("range").error_at("range", cat("the lower limit ", range[0], " is above the upper limit ", range[1]), "swap or correct them");
    }
    const std::vector<double> force = element.numbers("actuatorfrcrange", 2, 2);
    if (!force.empty() && element.word("actuatorfrclimited", {"auto", "true", "false"}) != "false" && (force[0] != 0 || force[1] != 0))
      joint.effort = std::max(std::abs(force[0]), std::abs(force[1]));
  }

  // A body with a free joint is the root of the robot; what stands in the world beside it does not belong to it.

  struct FreeBody {
    std::string link;
    int line = 0;
    std::size_t top = 0;
  };

  void take_free_body() {
    if (free_bodies_.empty()) return;
    const FreeBody& free = free_bodies_.front();
    for (std::size_t i = 1; i < free_bodies_.size(); ++i)
      diagnostics_.error(free_bodies_[i].line, Element::link(free_bodies_[i].link),
                         cat("it is free, and so is ", in_quotes(free.link), ": two robots in one file"),
                         "keep one of them, or give the robot's own file in place of the scene");
    for (std::size_t top = 0; top < top_moves_.size(); ++top) {
      const bool also_free = std::any_of(free_bodies_.begin(), free_bodies_.end(), [&](const FreeBody& f) { return f.top == top; });
      if (top_moves_[top] == 0 || also_free) continue;
      diagnostics_.error(free.line, Element::link(free.link), "it is free, and something else in the world moves, too: two robots in one file",
                         "keep one of them, or give the robot's own file in place of the scene");
      return;
    }
    if (free_bodies_.size() > 1) return;
    // Parents come before their children in both lists but for links between joints, so one pass finds all that hangs on it.
    std::set<std::string, std::less<>> kept{free.link};
    std::vector<Description::JointEntry> joints;
    for (Description::JointEntry& entry : robot_.joints)
      if (kept.count(entry.parent) > 0) {
        kept.insert(entry.child);
        joints.push_back(std::move(entry));
      }
    robot_.joints = std::move(joints);
    std::erase_if(robot_.links, [&](const Link& link) { return kept.count(link.name) == 0; });
    robot_.base = RootJoint::free;
  }

  MjcfFiles& files_;
  Diagnostics& diagnostics_;
  const ReadLimits& limits_;
  LoopPolicy loops_;
  MjcfSettings settings_;
  MjcfDefaults defaults_;
  const MjcfDefaults none_{};  // of elements that classes do not speak for
  Description robot_;
  MjcfJoints joints_;
  std::set<std::string> links_taken_, joints_taken_;
  std::unordered_map<std::string, int> counts_;
  std::set<std::string> unknown_static_;  // bodies that stand and whose mass is not in the file
  std::vector<int> top_moves_;            // of each body in the world: how many bodies of its tree move
  std::vector<FreeBody> free_bodies_;
};

}  // namespace

Description read_mjcf(std::string_view text, Diagnostics& diagnostics, const ReadLimits& limits, LoopPolicy loops, const ReadIncluded& read_included) {
  Description nothing;
  nothing.file = diagnostics.file();
  if (!check_text(text, diagnostics)) return nothing;
  MjcfFiles files(text, diagnostics.file(), limits, read_included);
  const MjcfNode root = files.root();
  Description robot = root.node ? MjcfReader(files, diagnostics, limits, loops).read(root) : std::move(nothing);
  files.report(diagnostics);
  return robot;
}

}  // namespace ulna::internal
