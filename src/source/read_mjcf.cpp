#include "source/readers.hpp"

#include <algorithm>
#include <cmath>
#include <list>
#include <set>
#include <string>
#include <unordered_map>

#include "source/mjcf_couplings.hpp"
#include "source/mjcf_inertia.hpp"
#include "text/message.hpp"

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
      : files_(files), diagnostics_(diagnostics), limits_(limits), policy_(policy), loops_(loops), scope_(files) {
    robot_.file = diagnostics.file();
  }

  Description read(const MjcfNode& root) {
    robot_.name = root.node.attribute("model").value();
    root.element("<mujoco>").check_robot_name("model");
    if (robot_.name.empty()) robot_.name = "robot";
    read_settings(root, scope_);
    robot_.gravity = settings_.no_gravity ? Vec3<double>{} : settings_.gravity;
    if (settings_.no_gravity)
      settings_.gravity_flag.element("<option> <flag>").warning("gravity is switched off in this file", "it is taken as 0; --gravity sets another value");

    Link world;
    world.name = kMjcfWorld;
    robot_.links.push_back(world);
    MjcfContext& context = copies_.emplace_back(MjcfContext{scope_});
    context.bodies.emplace(kMjcfWorld, MjcfContext::Body{std::string(kMjcfWorld), {}});
    std::vector<MjcfPlaced> in_world;
    bool any = false;
    each(scope_, "worldbody", [&](const MjcfNode& node) {
      any = true;
      const std::vector<MjcfPlaced> more = contents({node, {}, {}, &context});
      in_world.insert(in_world.end(), more.begin(), more.end());
    });
    if (!any) root.element("<mujoco>").error("it has no <worldbody>", "add one, with bodies");
    collect_names();
    if (!read_bodies(in_world)) return robot_;
    if (std::none_of(robot_.links.begin(), robot_.links.end(), [](const Link& link) { return link.gravcomp > 0; }))  // as MuJoCo counts them
      for (Link& link : robot_.links)
        if (std::exchange(link.gravcomp, 0) != 0)
          diagnostics_.warning(link.line, Element::link(link.name), "its gravcomp is negative, and MuJoCo applies none where no body has a positive one",
                               "leave it out");
    each_reference("tendon", [&](const MjcfNode& node, MjcfContext& in) { read_tendon(node, in); });
    each_reference("actuator", [&](const MjcfNode& node, MjcfContext& in) { read_actuator(node, in, robot_); });
    for (const MjcfContext& copy : copies_) limit_efforts(copy.joints, robot_), add_tendons(copy, robot_);
    const bool active = !settings_.no_constraints && !settings_.no_equalities;
    each_reference("equality", [&](const MjcfNode& node, MjcfContext& in) { MjcfEqualities{in, active, policy_, robot_, loops_}.read(node); });
    mark_motors();
    check_fusestatic();
    set_total_mass();
    take_free_body();
    return std::move(robot_);
  }

  /// What was said of models that the file attaches.
  void report_models() {
    for (Model& model : models_) model.files.report(diagnostics_);
  }

 private:
  void each(const MjcfScope& scope, std::string_view name, const auto& act) {
    for (const MjcfNode& section : scope.sections)
      if (section.name() == name) act(section);
  }

  void read_settings(const MjcfNode& root, MjcfScope& scope) {
    scope.sections = scope.files.children(root);
    root.element("<mujoco>")
        .expect({"model"}, {"compiler", "option", "size", "visual", "statistic", "default", "asset", "custom", "extension", "worldbody", "contact", "equality",
                            "deformable", "tendon", "actuator", "sensor", "keyframe", "include"});
    for (const MjcfNode& section : scope.sections) {
      for (const std::string_view unused : {"custom", "extension", "contact", "deformable", "tendon", "sensor", "keyframe"})
        if (section.name() == unused) section.file->context.unused.add(tag_text(unused), section.line());
      if (section.name() == "worldbody") expect_known(section.element(), "worldbody");
    }
    each(scope, "compiler", [&](const MjcfNode& node) { scope.settings.read_compiler(node); });
    each(scope, "option", [&](const MjcfNode& node) { scope.settings.read_option(node, scope.files); });
    each(scope, "default", [&](const MjcfNode& node) { scope.defaults.read(node, scope.files); });
    each(scope, "asset", [&](const MjcfNode& node) {
      for (const MjcfNode& asset : scope.files.children(node)) {
        if (asset.name() == "mesh") scope.meshes.add(asset);
        if (asset.name() == "model") read_model(asset, scope);
      }
    });
  }

  // Models that <attach> takes in, and copies that <replicate> makes.

  struct Model {
    Model(const MjcfFiles::Named& file, const MjcfFiles& of, int line) : files(file.bytes, file.path, of.limits(), of.reader(), line) {}
    MjcfFiles files;
    MjcfScope scope{files};
  };

  void read_model(const MjcfNode& node, MjcfScope& scope) {
    const XmlElement element = node.element("<model>");
    expect_known(element, "model");
    const std::optional<std::string> file = element.require_name("file");
    std::string problem, cure;
    if (!file) return;
    const std::optional<MjcfFiles::Named> named = scope.files.read(node, *file, problem, cure);
    if (!named) return element.error_at("file", problem, cure);
    bytes_ += named->bytes.size();
    const bool open = std::find(open_models_.begin(), open_models_.end(), named->path) != open_models_.end() || named->path == files_.main_file();
    if (open || bytes_ > limits_.file_bytes)
      return element.error_at("file",
                              open ? cat("the model ", in_quotes(*file), " takes itself in") : cat("the models have more than ", limits_.file_bytes, " bytes"),
                              open ? "remove one of the <model>s" : how_to_raise(&ReadLimits::file_bytes));
    open_models_.push_back(named->path);
    Model& model = models_.emplace_back(*named, scope.files, node.main_line());
    if (const MjcfNode root = model.files.root(); root.node) {
      std::string name = node.node.attribute("name").value();
      if (name.empty()) name = root.node.attribute("model").value();
      read_settings(root, model.scope);
      if (!scope.models.emplace(name, &model.scope).second)
        element.error(cat("there is a model ", in_quotes(name), " already"), "give every model a name of its own");
    }
    open_models_.pop_back();
  }

  MjcfContext& copy_of(const MjcfContext& around, MjcfScope& scope, const std::string& prefix, const std::string& suffix) {
    expanded_ += 20;  // data of a copy besides its elements
    return copies_.emplace_back(MjcfContext{scope, around.prefix + prefix, suffix + around.suffix});
  }

  /// Where something that holds others stands, and those in it.
  using Open = std::vector<MjcfPlaced>;
  void push(const MjcfPlaced& of, Open& open) {
    const std::vector<MjcfNode> nodes = of.context->scope.files.children(of.node);
    expanded_ += nodes.size();
    for (auto node = nodes.rbegin(); node != nodes.rend(); ++node) open.push_back({*node, of.X_BF, of.childclass, of.context});
  }

  /// Copies that stand one after the other, each displaced in the axes of the one before, and rotated by so many times the angles.
  void replicate(const MjcfPlaced& placed, Open& open) {
    MjcfScope& scope = placed.context->scope;
    const MjcfDefaults none;
    const MjcfElement element(placed.node, "<replicate>", none, "");
    const XmlElement own = element.own();
    expect_known(own, "replicate");
    const double count = own.require_number("count");
    if (count < 0 || count != std::floor(count) || count > static_cast<double>(limits_.elements))
      return own.error_at("count", cat("count is ", count), "write a whole number of copies");
    const Vec3<double> offset = element.vector("offset", {}), angles = element.vector("euler", {});
    const std::string childclass = childclass_of(own, placed.childclass, scope), digits = std::to_string(static_cast<long long>(count));
    for (const MjcfNode& child : scope.files.children(placed.node))
      if (child.name() == "inertial" || child.name() == "freejoint")
        return child.element().error("it is in <replicate>, where MuJoCo loses or refuses it", "put it into a body");
    if (count == 0)
      for (std::vector<MjcfNode> all = scope.files.children(placed.node); !all.empty() && !too_large(placed.node);) {
        const MjcfNode node = all.back();
        all.pop_back();
        gone_.insert(cat(node.name()[0], node.node.attribute("name").value()));
        const std::vector<MjcfNode> more = scope.files.children(node);
        all.insert(all.end(), more.begin(), more.end());
      }
    std::vector<MjcfPlaced> copies;
    Vec3<double> p{};
    for (int i = 0; i < static_cast<int>(count) && !too_large(placed.node); ++i) {
      std::string number = std::to_string(i);
      number.insert(0, digits.size() - number.size(), '0');
      const Mat3<double> R = scope.settings.rotation_of_angles(static_cast<double>(i) * angles);
      MjcfContext& copy = copy_of(*placed.context, scope, "", own.node().attribute("sep").value() + number);
      copies.push_back({placed.node, placed.X_BF * Pose<double>{R, p}, childclass, &copy});
      p = p + R * offset;
    }
    for (auto copy = copies.rbegin(); copy != copies.rend(); ++copy) push(*copy, open);
  }

  /// The element of this kind and name in a model, with the class around it.
  std::optional<MjcfPlaced> find_in(MjcfContext& context, std::string_view kind, const std::string& name) {
    Open open;
    each(context.scope, "worldbody", [&](const MjcfNode& world) { push({world, {}, {}, &context}, open); });
    while (!open.empty() && !too_large(open.back().node)) {
      const MjcfPlaced next = open.back();
      open.pop_back();
      if (next.node.name() == kind && next.node.node.attribute("name").value() == name) return next;
      if (next.node.name() != "body" && next.node.name() != "frame") continue;
      push({next.node, {}, childclass_of(next.node.element(), next.childclass, context.scope), &context}, open);
    }
    return {};
  }

  void attach(const MjcfPlaced& placed, Open& open) {
    const XmlElement own = placed.node.element("<attach>");
    expect_known(own, "attach");
    MjcfScope& scope = placed.context->scope;
    const std::string name = own.node().attribute("model").value();
    if (!own.has("model")) return own.error("it copies a part of its own model, which Ulna does not read", "write the part twice, or attach it from a <model>");
    const auto model = scope.models.find(name);
    if (model == scope.models.end()) {
      std::vector<std::string> names;
      for (const auto& [known, unused] : scope.models) names.push_back(known);
      return own.error_at("model", cat("there is no <model> ", in_quotes(name), " in <asset>"), cat("correct the name", did_you_mean(name, names)));
    }
    const MjcfSettings& theirs = model->second->settings;
    if (theirs.options.node) {
      const MjcfElement options(theirs.options, "<option>", none_, "");
      if (settings_.merge_options)
        return own.error("gravity or flags of the attached model meet those of this one, by conflict=\"merge\" or \"error\"",
                         "remove 'conflict', or the attached model's <option>");
      options.own().warning("gravity and flags of an attached model are not used", "write them in the main file");
    }
    if (theirs.total_mass)
      diagnostics_.warning(theirs.total_mass_line, "<compiler>", "settotalmass of an attached model is not used", "write it in the main file");
    MjcfContext& copy = copy_of(*placed.context, *model->second, own.node().attribute("prefix").value(), "");
    const char* const kind = own.has("body") ? "body" : own.has("frame") ? "frame" : nullptr;
    if (kind == nullptr) {
      Open parts;
      each(copy.scope, "worldbody", [&](const MjcfNode& world) {
        Open part;
        push({world, placed.X_BF, {}, &copy}, part);
        parts.insert(parts.begin(), part.begin(), part.end());
      });
      open.insert(open.end(), parts.begin(), parts.end());
      return;
    }
    std::optional<MjcfPlaced> found = find_in(copy, kind, own.node().attribute(kind).value());
    if (!found)
      return own.error_at(kind, cat("the model ", in_quotes(name), " has no ", kind, " ", in_quotes(own.node().attribute(kind).value())),
                          "correct the name; what <replicate> or <attach> makes there cannot be named");
    found->X_BF = placed.X_BF;
    open.push_back(*found);
  }

  bool too_large(const MjcfNode& at) {
    if (expanded_ <= limits_.elements) return at.file->context.diagnostics.all().size() >= kMostProblems;
    if (!said_too_large_)
      at.element().error(cat("with its copies the model has more than ", limits_.elements, " elements"), how_to_raise(&ReadLimits::elements));
    said_too_large_ = true;
    return true;
  }

  /// What refers to names, in each copy that has all of them: MuJoCo copies it with what it refers to, and drops it where that is in different copies.
  void each_reference(std::string_view kind, const auto& act) {
    std::map<std::string, std::vector<MjcfContext*>> holders;  // of each name, behind the first letter of its kind
    std::vector<MjcfScope*> scopes;
    for (MjcfContext& copy : copies_) {
      if (std::find(scopes.begin(), scopes.end(), &copy.scope) == scopes.end()) scopes.push_back(&copy.scope);
      const auto add = [&](char letter, const auto& names) {
        for (const auto& [name, unused] : names) holders[letter + name].push_back(&copy);
      };
      add('j', copy.joints), add('b', copy.bodies), add('s', copy.sites), add('t', copy.tendons);
    }
    for (MjcfScope* scope : scopes)
      each(*scope, kind, [&](const MjcfNode& section) {
        expect_known(section.element(), tag_text(kind));
        for (const MjcfNode& child : scope->files.children(section)) {
          if (scope->files.stop(child) || too_large(child)) return;
          const std::vector<std::string> names = references(child, *scope);
          std::vector<MjcfContext*> in;
          if (!names.empty())
            in = holders[names.front()];
          else if (const auto first = std::ranges::find(copies_, scope, [](const MjcfContext& copy) { return &copy.scope; }); first != copies_.end())
            in = {&*first};
          std::erase_if(in, [&](const MjcfContext* copy) {
            const auto lacks = [&](const std::string& name) { return std::ranges::count(holders[name], copy) == 0; };
            return &copy->scope != scope || std::any_of(names.begin(), names.end(), lacks);
          });
          const bool known = std::all_of(names.begin(), names.end(), [&](const std::string& name) { return gone_.count(name) > 0 || !holders[name].empty(); });
          if (in.empty() && scope == &scope_ && !known) in = {&copies_.front()};  // it says what is missing
          if (in.empty())
            child.file->context.unused.add(cat(tag_text(kind), ", ", tag_text(child.name()), " of what is in no copy, or in different ones"), child.line());
          expanded_ += in.size();
          for (MjcfContext* copy : in) act(child, *copy);
        }
      });
  }

  /// The names that an element refers to, each behind the first letter of its kind.
  static std::vector<std::string> references(const MjcfNode& node, MjcfScope& scope) {
    std::vector<std::string> out;
    for (const char* attribute : {"joint", "jointinparent", "tendon", "joint1", "joint2", "body1", "body2", "site1", "site2", "tendon1", "tendon2"})
      if (const pugi::xml_attribute found = node.node.attribute(attribute)) out.push_back(cat(attribute[0], found.value()));
    if (node.name() == "fixed")
      for (const MjcfNode& child : scope.files.children(node)) out.push_back(cat('j', child.node.attribute("joint").value()));
    return out;
  }

  /// What a body or the world holds, <frame>s opened: each with the frame and the class that it stands in.
  std::vector<MjcfPlaced> contents(const MjcfPlaced& body) {
    std::vector<MjcfPlaced> out;
    Open open;
    push({body.node, {}, body.childclass, body.context}, open);
    while (!open.empty()) {
      const MjcfPlaced next = open.back();
      open.pop_back();
      const MjcfScope& scope = next.context->scope;
      if (too_large(next.node)) break;
      if (next.node.name() == "replicate") {
        replicate(next, open);
        continue;
      }
      if (next.node.name() == "attach") {
        attach(next, open);
        continue;
      }
      if (next.node.name() != "frame") {
        out.push_back(next);
        if (next.node.name() == "geom") expect_known(next.node.element(), "geom");  // also of a body that has an <inertial>
        continue;
      }
      const MjcfElement frame(next.node, "<frame>", scope.defaults, "");
      expect_known(frame.own(), "frame");
      for (const char* scale : {"scale", "massscale"})
        for (const double factor : frame.numbers(scale, 1, 3))
          if (factor != 1 && (factor != 0 || std::string_view(scale) == "scale")) {
            frame.own().error_at(scale, cat(scale, " is ", factor, ", and Ulna does not resize what a frame holds"),
                                 "let MuJoCo save the compiled model (mj_saveLastXML) and give that file");
            break;
          }
      push({next.node, next.X_BF * scope.settings.pose(frame), childclass_of(frame.own(), next.childclass, scope), next.context}, open);
    }
    return out;
  }

  static std::string childclass_of(const XmlElement& element, const std::string& around, const MjcfScope& scope) {
    const std::string name = element.node().attribute("childclass").value();
    if (name.empty()) return around;
    if (!scope.defaults.has(name))
      element.error_at("childclass", cat("there is no default class ", in_quotes(name)), cat("correct the name", did_you_mean(name, scope.defaults.names())));
    return name;
  }

  // Names. Bodies and joints need none in MJCF; here they do.

  void collect_names() {
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
    for (const MjcfNode& section : scope_.sections) {
      pugi::xml_node whole = section.file->xml.root();
      if (section.name() == "worldbody") whole.traverse(walker);
    }
  }

  static std::string new_name(std::string wanted, std::set<std::string>& taken, std::unordered_map<std::string, int>& counts) {
    std::string name = wanted;
    while (!taken.insert(name).second) name = cat(wanted, "_", ++counts[wanted] + 1);
    return name;
  }

  std::optional<std::string> given_name(const MjcfPlaced& placed, std::string_view kind) {
    const std::string name = placed.context->named(placed.node);
    if (name.empty() || !placed.node.element(tag_text(kind)).require_name("name")) return {};
    if (name.size() <= limits_.name_bytes) return name;
    placed.node.element(tag_text(kind)).error("its name, with those of the copies around it, is too long", how_to_raise(&ReadLimits::name_bytes));
    return {};
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
        report_unused(placed, kMjcfWorld);
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

  /// Sites are kept for loops; the rest is reported.
  void report_unused(const MjcfPlaced& placed, std::string_view body) {
    const MjcfNode& node = placed.node;
    const std::string_view kind = node.name();
    if (kind == "site") placed.context->sites.try_emplace(node.node.attribute("name").value(), MjcfContext::Site{placed, std::string(body)});
    if (kind == "composite" || kind == "flexcomp")
      node.element(tag_text(kind))
          .error("it creates bodies, which Ulna does not read", "let MuJoCo save the compiled model (mj_saveLastXML) and give that file");
    else if (kind == "joint" || kind == "freejoint" || kind == "inertial")
      node.element(tag_text(kind)).error("it is in <worldbody>, and the world cannot have one", "put it into a <body>");
    else if (kind == "site" || kind == "camera" || kind == "light" || kind == "geom")
      return;  // every file has them
    else
      node.file->context.unused.add(cat(body == kMjcfWorld ? "<worldbody>" : "<body>", ", ", tag_text(kind)), node.line());
  }

  void read_body(const Waiting& waiting, std::vector<Waiting>& open) {
    const MjcfNode& node = waiting.placed.node;
    const std::optional<std::string> given = given_name(waiting.placed, "body");
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
    MjcfContext& context = *waiting.placed.context;
    const std::string childclass = childclass_of(element.own(), waiting.placed.childclass, context.scope);
    const Pose<double> X_PB = waiting.placed.X_BF * context.scope.settings.pose(element), X_WB = waiting.X_WP * X_PB;
    context.bodies.try_emplace(given ? node.node.attribute("name").value() : link.name, MjcfContext::Body{link.name, X_WB});
    stand_.try_emplace(link.name, X_WB);
    link.gravcomp = element.number("gravcomp", 0);
    if (link.gravcomp != 0) element.own().note(cat("gravity compensation carries ", link.gravcomp, " of its weight"), "results include it with --springs on");

    const std::vector<MjcfPlaced> inside = contents({node, {}, childclass, &context});
    std::vector<const MjcfPlaced*> hinges;
    const MjcfPlaced* free = nullptr;
    bool parent_of_others = false;
    for (const MjcfPlaced& placed : inside) {
      const std::string_view kind = placed.node.name();
      parent_of_others = parent_of_others || kind == "body";
      if (kind == "freejoint" || (kind == "joint" && is_free(placed)))
        free = &placed;
      else if (kind == "joint")
        hinges.push_back(&placed);
    }
    const bool moves = waiting.moves || !hinges.empty() || free != nullptr;
    if (moves) ++top_moves_[waiting.top];
    if (element.is("mocap")) element.own().note("it is a mocap body, which MuJoCo moves by data from outside", "it stands where the file puts it");
    const MjcfMass mass = mass_of_body(element, inside, waiting.placed);
    take_mass(element, mass, moves, link);
    fused_ = fused_ || (waiting.moves && hinges.empty());
    if (settings_.fusestatic && waiting.moves && hinges.empty() && link.mass == 0 && link.inertia != Sym3<double>{})
      element.own().error("it has inertia without mass, which fusestatic drops if nothing in the file refers to the body",
                          "remove fusestatic, or give it mass");

    // Joints one after the other, links without mass between them.
    std::string parent = waiting.parent;
    Pose<double> X_PF = X_PB;
    if (free != nullptr && !hinges.empty())
      free->node.element("<freejoint>").error(cat("body ", in_quotes(link.name), " has other joints besides its free one"), "keep the free joint alone");
    if (free != nullptr && waiting.parent != kMjcfWorld)
      free->node.element("<freejoint>")
          .error(cat("body ", in_quotes(link.name), " is free, but its body is not a child of the world"), "move it to the top of <worldbody>");
    for (std::size_t i = 0; i < hinges.size(); ++i) {
      std::string child = link.name;
      if (i + 1 < hinges.size()) {
        Link between;
        const std::string name = hinges[i]->context->named(hinges[i]->node);
        between.name = new_name(cat(link.name, "_", name.empty() ? cat(i + 1) : name), links_taken_, counts_);
        between.line = link.line;
        child = between.name;
        robot_.links.push_back(between);
      }
      Description::JointEntry entry;
      entry.parent = parent;
      entry.child = child;
      const std::optional<std::string> stated = given_name(*hinges[i], "joint");
      entry.joint.name = stated ? *stated : new_name(cat(child, "_joint"), joints_taken_, counts_);
      entry.joint.line = hinges[i]->node.main_line();
      MjcfJoint& known = hinges[i]->context->joints[stated ? hinges[i]->node.node.attribute("name").value() : entry.joint.name];
      known.name = entry.joint.name;
      known.ref = read_joint(*hinges[i], X_PF, entry.joint);
      known.entry = robot_.joints.size();
      robot_.joints.push_back(std::move(entry));
      parent = child;
      X_PF = {};
    }
    if (hinges.empty()) {
      Description::JointEntry entry;
      const std::string name = free != nullptr ? free->context->named(free->node) : "";
      entry.joint.name = new_name(cat(link.name, free != nullptr ? "_free" : "_fixed"), joints_taken_, counts_);
      entry.joint.line = link.line;
      entry.joint.X_PF = X_PF;
      entry.parent = parent;
      entry.child = link.name;
      if (!name.empty()) free->context->joints[free->node.node.attribute("name").value()].name = name;
      robot_.joints.push_back(std::move(entry));
    }
    if (free != nullptr) {
      const bool align = read_free_joint(*free, link.name);
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
        report_unused(*placed, link.name);
    }
    robot_.links.push_back(std::move(link));
  }

  // Masses.

  void take_mass(const MjcfElement& body, const MjcfMass& mass, bool moves, Link& link) {
    if (mass.unknown != nullptr && moves) {
      mass.unknown->node.element(Element::link(link.name).with("<geom>"))
          .error(mass.why.empty() ? cat("the body states no mass, and this geom, ", mass.what, ", would give it one that is not in the file")
                                  : cat("the body takes its mass from this geom, ", mass.what, ": ", mass.why),
                 cat(mass.cure, mass.cure.empty() ? "" : ", or ",
                     "add <inertial pos=\"...\" mass=\"...\" fullinertia=\"...\"/> to the body (mj_saveLastXML writes it), or give the geom mass=\"0\""));
      return;
    }
    if (mass.unknown != nullptr) {
      unknown_static_.insert(link.name);
      mass.unknown->node.element(Element::link(link.name))
          .note(
              cat("it states no mass, and its geom is ", mass.what, mass.why.empty() ? "" : " (", mass.why, mass.why.empty() ? "" : ")", "; it does not move"),
              "it has no mass here; no result of a robot with a fixed base depends on it");
      return;
    }
    link.inertial = mass.stated || mass.mass > 0;
    link.mass = mass.mass;
    link.com = link.inertial ? mass.com : Vec3<double>{};
    link.inertia = mass.R == Mat3<double>::identity() ? mass.inertia : congruence(mass.R, mass.inertia);
    if (!link.inertial && !moves)
      body.own().note("it states no mass and does not move", "it has none here; no result of a robot with a fixed base depends on it");
    static_mass_ = static_mass_ || (!moves && link.mass > 0);
    stated_mass_ = stated_mass_ || (moves && mass.by_inertial);
  }

  /// Fusing leaves M as it is, but for these settings. What refers to a body keeps it from being fused, and would have to be known.
  void check_fusestatic() {
    if (!settings_.fusestatic) return;
    const auto refuse = [&](const char* problem, const char* cure) { diagnostics_.error(settings_.fusestatic_line, "<compiler>", problem, cure); };
    if (settings_.total_mass && static_mass_)
      refuse("settotalmass scales by the mass of all bodies, and fusestatic leaves out fixed ones that nothing in the file refers to",
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
    for (const MjcfContext& copy : copies_)
      for (const auto& [unused, joint] : copy.joints) {
        if (!joint.actuated || joint.entry == kNone) continue;
        const Description::JointEntry& entry = robot_.joints[joint.entry];
        if (const std::string& driven = entry.joint.mimic ? entry.leader : joint.name; marked.insert(driven).second) loops_.marks.emplace_back(driven, true);
      }
  }

  // A body with a free joint is the root of the robot; other elements of the world do not belong to it.

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
      if (kept.count(entry.predecessor) == 0) entry.loop.X_PA = stand_.at(entry.predecessor) * entry.loop.X_PA, entry.predecessor = kMjcfWorld;
      if (kept.count(entry.successor) == 0) entry.loop.X_SB = stand_.at(entry.successor) * entry.loop.X_SB, entry.successor = kMjcfWorld;
    }
  }

  MjcfFiles& files_;
  Diagnostics& diagnostics_;
  const ReadLimits& limits_;
  LoopPolicy policy_;
  LoopDescription& loops_;
  MjcfScope scope_;
  MjcfSettings& settings_ = scope_.settings;
  std::list<Model> models_;
  std::list<MjcfContext> copies_;  // the first is the file itself
  std::vector<std::string> open_models_;
  std::size_t bytes_ = 0, expanded_ = 0;  // of attached models; elements, with those of copies
  bool said_too_large_ = false;
  std::set<std::string> gone_;  // what no copy of a <replicate> has: first letter of its kind, name
  const MjcfDefaults none_{};   // of elements that classes do not speak for
  Description robot_;
  std::map<std::string, Pose<double>, std::less<>> stand_{{std::string(kMjcfWorld), {}}};  // X_WB of each link, as the file states it
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
  MjcfReader reader(files, diagnostics, limits, policy, loops == nullptr ? unused : *loops);
  Description robot = root.node ? reader.read(root) : std::move(nothing);
  files.report(diagnostics);
  reader.report_models();
  return robot;
}

}  // namespace ulna::internal
