#include "source/readers.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <unordered_map>

#include "source/mjcf_couplings.hpp"
#include "source/mjcf_defaults.hpp"
#include "source/mjcf_inertia.hpp"
#include "text/cat.hpp"
#include "text/names.hpp"
#include "text/quote.hpp"

namespace ulna::internal {

namespace {

/// A body that waits to be read.
struct Waiting {
  MjcfPlaced placed;
  std::string parent;   // the link that it hangs on
  Pose<double> X_WP{};  // where that stands
  bool moves = false;   // something above it moves
  std::size_t top = 0;  // number of the body that stands in the world and holds it
};

class MjcfReader {
 public:
  MjcfReader(MjcfFiles& files, Diagnostics& diagnostics, const ReadLimits& limits, LoopPolicy policy, LoopDescription& loops)
      : files_(files), diagnostics_(diagnostics), limits_(limits), policy_(policy), loops_(loops) {
    robot_.file = diagnostics.file();
  }

  Description read(const MjcfNode& root) {
    robot_.name = root.node.attribute("model").value();
    root.element("<mujoco>").check_robot_name("model");
    if (robot_.name.empty()) robot_.name = "robot";
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
    robot_.gravity = settings_.no_gravity ? Vec3<double>{} : settings_.gravity;
    if (settings_.no_gravity)
      settings_.gravity_flag.element("<option> <flag>").warning("gravity is switched off in this file", "it is taken as 0; --gravity sets another value");

    Link world;
    world.name = kMjcfWorld;
    robot_.links.push_back(world);
    frames_.bodies.emplace(kMjcfWorld, Pose<double>{});
    std::vector<MjcfPlaced> in_world;
    bool any = false;
    each("worldbody", [&](const MjcfNode& node) {
      any = true;
      expect_known(node.element(), "worldbody");
      const std::vector<MjcfPlaced> more = contents({node, {}, {}});
      in_world.insert(in_world.end(), more.begin(), more.end());
    });
    if (!any) root.element("<mujoco>").error("it has no <worldbody>", "add one, with bodies");
    collect_names(sections);
    if (!read_bodies(in_world)) return robot_;
    const auto each_in = [&](std::string_view name, const auto& act) {
      each(name, [&](const MjcfNode& section) {
        expect_known(section.element(), tag_text(name));
        for (const MjcfNode& child : files_.children(section)) {
          if (files_.stop(child)) return;
          act(child);
        }
      });
    };
    MjcfTendons tendons;
    each_in("tendon", [&](const MjcfNode& node) { tendons.push_back(read_tendon(node, defaults_, files_)); });
    each_in("actuator", [&](const MjcfNode& node) { read_actuator(node, defaults_, joints_, tendons, robot_); });
    limit_efforts(joints_, robot_);
    add_tendons(tendons, joints_, robot_);
    MjcfEqualities equalities{defaults_, settings_, joints_, frames_, policy_, robot_, loops_};
    each_in("equality", [&](const MjcfNode& node) { equalities.read(node); });
    mark_motors();
    check_fusestatic();
    set_total_mass();
    take_free_body();
    return std::move(robot_);
  }

 private:
  /// What a body or the world holds, <frame>s opened: each with the frame and the class that it stands in.
  std::vector<MjcfPlaced> contents(const MjcfPlaced& body) {
    std::vector<MjcfPlaced> out, open;
    const auto push = [&](const MjcfPlaced& of) {
      std::vector<MjcfNode> nodes = files_.children(of.node);
      for (auto node = nodes.rbegin(); node != nodes.rend(); ++node) open.push_back({*node, of.X_BF, of.childclass});
    };
    push({body.node, {}, body.childclass});
    while (!open.empty()) {
      const MjcfPlaced next = open.back();
      open.pop_back();
      if (next.node.name() != "frame") {
        out.push_back(next);
        if (next.node.name() == "geom") expect_known(next.node.element(), "geom");  // also of a body that has an <inertial>
        continue;
      }
      if (files_.stop(next.node)) break;
      const MjcfElement frame(next.node, "<frame>", defaults_, "");
      expect_known(frame.own(), "frame");
      for (const char* scale : {"scale", "massscale"})
        for (const double factor : frame.numbers(scale, 1, 3))
          if (factor != 1 && (factor != 0 || std::string_view(scale) == "scale")) {
            frame.own().error_at(scale, cat(scale, " is ", factor, ", and Ulna does not resize what a frame holds"),
                                 "let MuJoCo save the compiled model (mj_saveLastXML) and give that file");
            break;
          }
      push({next.node, next.X_BF * settings_.pose(frame), childclass_of(frame.own(), next.childclass)});
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
    links_taken_.insert(std::string(kMjcfWorld));
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

  bool read_bodies(const std::vector<MjcfPlaced>& in_world) {
    std::vector<Waiting> open;
    std::size_t tops = 0;
    for (const MjcfPlaced& placed : in_world) {
      const std::string_view kind = placed.node.name();
      if (kind == "body")
        open.push_back({placed, std::string(kMjcfWorld), {}, false, tops++});
      else
        tell_unused(placed, kMjcfWorld);
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

  /// Sites are kept for loops; the rest is told.
  void tell_unused(const MjcfPlaced& placed, std::string_view body) {
    const MjcfNode& node = placed.node;
    const std::string_view kind = node.name();
    if (kind == "site") frames_.sites.try_emplace(node.node.attribute("name").value(), MjcfFrames::Site{placed, std::string(body)});
    if (kind == "composite" || kind == "flexcomp" || kind == "attach" || kind == "replicate")
      node.element(tag_text(kind))
          .error("it creates bodies, which Ulna does not read", "let MuJoCo save the compiled model (mj_saveLastXML) and give that file");
    else if (kind == "joint" || kind == "freejoint" || kind == "inertial")
      node.element(tag_text(kind)).error("it stands in <worldbody>, and the world cannot have it", "put it into a <body>");
    else if (kind == "site" || kind == "camera" || kind == "light" || kind == "geom")
      return;  // every file has them
    else
      node.file->context.unused.add(cat(body == kMjcfWorld ? "<worldbody>" : "<body>", ", ", tag_text(kind)), node.line());
  }

  void read_body(const Waiting& waiting, std::vector<Waiting>& open) {
    const MjcfNode& node = waiting.placed.node;
    const std::optional<std::string> given = given_name(node, "body");
    if (given && *given == kMjcfWorld) {
      node.element(Element::link(*given)).error_at("name", "this name belongs to the world", "give the body another name");
      return;
    }
    Link link;
    link.name = given ? *given : new_name(cat("body_", robot_.links.size()), links_taken_, counts_);
    link.line = node.main_line();
    const Element label = Element::link(link.name);
    const MjcfElement element(node, label, none_, "");
    expect_known(element.own(), "body");
    const std::string childclass = childclass_of(element.own(), waiting.placed.childclass);
    const Pose<double> X_PB = waiting.placed.X_BF * settings_.pose(element), X_WB = waiting.X_WP * X_PB;
    frames_.bodies.try_emplace(link.name, X_WB);
    link.gravcomp = element.number("gravcomp", 0);
    if (link.gravcomp != 0)
      element.own().note(cat("gravity compensation carries ", link.gravcomp, " of its weight"), "no result includes it, except that of 'ulna explain'");

    const std::vector<MjcfPlaced> inside = contents({node, {}, childclass});
    std::vector<const MjcfPlaced*> hinges;
    const MjcfPlaced* free = nullptr;
    bool parent_of_others = false;
    for (const MjcfPlaced& placed : inside) {
      const std::string_view kind = placed.node.name();
      parent_of_others = parent_of_others || kind == "body";
      if (kind == "freejoint" || (kind == "joint" && is_free(placed, defaults_)))
        free = &placed;
      else if (kind == "joint")
        hinges.push_back(&placed);
    }
    const bool moves = waiting.moves || !hinges.empty() || free != nullptr;
    if (moves) ++top_moves_[waiting.top];
    if (element.is("mocap")) element.own().note("it is a mocap body, which MuJoCo moves by data from outside", "it stands where the file puts it");
    const MjcfMass mass = mass_of_body(element, inside, defaults_, settings_);
    take_mass(element, mass, moves, link);
    fused_ = fused_ || (waiting.moves && hinges.empty());
    if (settings_.fusestatic && waiting.moves && hinges.empty() && link.mass == 0 && link.inertia != Sym3<double>{})
      element.own().error("it has inertia without mass, which fusestatic drops if nothing in the file refers to the body",
                          "remove fusestatic, or give it mass");

    // Joints one after the other, links without mass between them.
    std::string parent = waiting.parent;
    Pose<double> X_PF = X_PB;
    if (free != nullptr && !hinges.empty())
      free->node.element("<freejoint>").error(cat("body ", in_quotes(link.name), " has other joints beside its free one"), "keep the free joint alone");
    if (free != nullptr && waiting.parent != kMjcfWorld)
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
      Description::JointEntry entry;
      entry.parent = parent;
      entry.child = child;
      const std::optional<std::string> stated = given_name(hinges[i]->node, "joint");
      entry.joint.name = stated ? *stated : new_name(cat(child, "_joint"), joints_taken_, counts_);
      entry.joint.line = hinges[i]->node.main_line();
      MjcfJoint& known = joints_[entry.joint.name];
      known.ref = read_joint(*hinges[i], X_PF, defaults_, settings_, entry.joint);
      known.entry = robot_.joints.size();
      robot_.joints.push_back(std::move(entry));
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
    if (free != nullptr) {
      const bool align = read_free_joint(*free, link.name, defaults_, settings_);
      free_bodies_.push_back({link.name, free->node.main_line(), waiting.top, align && parent_of_others && settings_.fusestatic});
      if (align && !parent_of_others) {
        link.com = {};
        link.inertia = in_principal_axes(mass).inertia;
        free->node.element(Element::link(link.name))
            .note("its frame is aligned with its inertia: q and v are those of its mass centre and principal axes, as in MuJoCo",
                  "write align=\"false\" in the free joint to keep the frame that the file states");
      }
    }
    for (auto placed = inside.rbegin(); placed != inside.rend(); ++placed) {
      const std::string_view kind = placed->node.name();
      if (kind == "body")
        open.push_back({*placed, link.name, X_WB, moves, waiting.top});
      else if (kind != "inertial" && kind != "joint" && kind != "freejoint")
        tell_unused(*placed, link.name);
    }
    robot_.links.push_back(std::move(link));
  }

  // Masses.

  void take_mass(const MjcfElement& body, const MjcfMass& mass, bool moves, Link& link) {
    if (mass.unknown != nullptr && moves) {
      mass.unknown->node.element(Element::link(link.name).with("<geom>"))
          .error(cat("the body states no mass, and this geom, ", mass.what, ", would give it one that is not in the file"),
                 "add <inertial pos=\"...\" mass=\"...\" fullinertia=\"...\"/> to the body (mj_saveLastXML writes it), or give the geom mass=\"0\"");
      return;
    }
    if (mass.unknown != nullptr) {
      unknown_static_.insert(link.name);
      mass.unknown->node.element(Element::link(link.name))
          .note(cat("it states no mass, and its geom is ", mass.what, "; it does not move"),
                "it has no mass here; no result of a robot that stands depends on it");
      return;
    }
    link.inertial = mass.stated || mass.mass > 0;
    link.mass = mass.mass;
    link.com = link.inertial ? mass.com : Vec3<double>{};
    link.inertia = mass.R == Mat3<double>::identity() ? mass.inertia : congruence(mass.R, mass.inertia);
    if (!link.inertial && !moves) body.own().note("it states no mass and does not move", "it has none here; no result of a robot that stands depends on it");
    static_mass_ = static_mass_ || (!moves && link.mass > 0);
    stated_mass_ = stated_mass_ || (moves && mass.by_inertial);
  }

  /// Fusing leaves M as it is, but for these settings. What refers to a body keeps it from being fused, and would have to be known.
  void check_fusestatic() {
    if (!settings_.fusestatic) return;
    const auto refuse = [&](const char* problem, const char* cure) { diagnostics_.error(settings_.fusestatic_line, "<compiler>", problem, cure); };
    if (settings_.total_mass && static_mass_)
      refuse("settotalmass scales by the mass of all bodies, and fusestatic leaves out those that stand and that nothing in the file refers to",
             "remove fusestatic or settotalmass");
    if (settings_.from_geoms == MjcfSettings::FromGeoms::always && fused_ && stated_mass_)
      refuse("fusestatic and inertiafromgeom=\"true\" together drop the <inertial> of bodies that are fused", "remove one of them");
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

  /// Joints with actuators are to be the independent ones; of a joint that follows another, that one.
  void mark_motors() {
    std::set<std::string> marked;
    for (const auto& [name, joint] : joints_) {
      if (!joint.actuated || joint.entry == kNone) continue;
      const Description::JointEntry& entry = robot_.joints[joint.entry];
      if (const std::string& driven = entry.joint.mimic ? entry.leader : name; marked.insert(driven).second) loops_.marks.emplace_back(driven, true);
    }
  }

  // A body with a free joint is the root of the robot; what stands in the world beside it does not belong to it.

  struct FreeBody {
    std::string link;
    int line = 0;
    std::size_t top = 0;
    bool doubtful = false;  // alignment depends on whether MuJoCo fuses the bodies that it holds
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
    if (free.doubtful && std::all_of(robot_.joints.begin(), robot_.joints.end(), [](const auto& entry) { return entry.joint.type == JointType::fixed; }))
      diagnostics_.error(free.line, Element::link(free.link),
                         "its frame is to be aligned with its inertia, which depends on the bodies that fusestatic merges with it",
                         "write align=\"false\" in the free joint, or remove fusestatic");
    std::erase_if(robot_.links, [&](const Link& link) { return kept.count(link.name) == 0; });
    robot_.base = RootJoint::free;
    for (LoopDescription::Entry& entry : loops_.loops) {  // bodies that stand in the world are the world
      if (kept.count(entry.predecessor) == 0) entry.loop.X_PA = frames_.bodies.at(entry.predecessor) * entry.loop.X_PA, entry.predecessor = kMjcfWorld;
      if (kept.count(entry.successor) == 0) entry.loop.X_SB = frames_.bodies.at(entry.successor) * entry.loop.X_SB, entry.successor = kMjcfWorld;
    }
  }

  MjcfFiles& files_;
  Diagnostics& diagnostics_;
  const ReadLimits& limits_;
  LoopPolicy policy_;
  LoopDescription& loops_;
  MjcfSettings settings_;
  MjcfDefaults defaults_;
  const MjcfDefaults none_{};  // of elements that classes do not speak for
  Description robot_;
  MjcfJoints joints_;
  MjcfFrames frames_;
  std::set<std::string> links_taken_, joints_taken_;
  std::unordered_map<std::string, int> counts_;
  std::set<std::string> unknown_static_;  // bodies that stand and whose mass is not in the file
  bool static_mass_ = false;              // a body that stands has mass
  bool stated_mass_ = false;              // a body that moves has its mass by <inertial>
  bool fused_ = false;                    // a body without joints hangs on one that moves
  std::vector<int> top_moves_;            // of each body in the world: how many bodies of its tree move
  std::vector<FreeBody> free_bodies_;
};

}  // namespace

Description read_mjcf(std::string_view text, Diagnostics& diagnostics, const ReadLimits& limits, LoopPolicy policy, const ReadIncluded& read_included,
                      LoopDescription* loops) {
  LoopDescription unused;
  Description nothing;
  nothing.file = diagnostics.file();
  if (!check_text(text, diagnostics)) return nothing;
  MjcfFiles files(text, diagnostics.file(), limits, read_included);
  const MjcfNode root = files.root();
  Description robot = root.node ? MjcfReader(files, diagnostics, limits, policy, loops == nullptr ? unused : *loops).read(root) : std::move(nothing);
  files.report(diagnostics);
  return robot;
}

}  // namespace ulna::internal
