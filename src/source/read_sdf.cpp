#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <list>
#include <map>
#include <set>
#include <system_error>

#include <ulna/spatial/spatial.hpp>

#include "source/in_series.hpp"
#include "source/packages.hpp"
#include "source/readers.hpp"
#include "source/sdf_frames.hpp"
#include "source/xml.hpp"
#include "text/message.hpp"
#include "text/words.hpp"

namespace ulna::internal {

namespace {

namespace fs = std::filesystem;

constexpr double kSdfUnlimited = 1e16;  // what SDFormat writes for no limit

const std::vector<std::string>& sdf_without_effect() {
  static const std::vector<std::string> names{"visual",        "collision",    "sensor",         "light",
                                              "plugin",        "self_collide", "enable_wind",    "must_be_base_link",
                                              "material",      "gripper",      "audio_sink",     "audio_source",
                                              "battery",       "projector",    "physics",        "particle_emitter",
                                              "scene",         "wind",         "magnetic_field", "atmosphere",
                                              "gui",           "state",        "road",           "spherical_coordinates",
                                              "actor",         "population",   "author",         "allow_auto_disable",
                                              "velocity_decay"};
  return names;
}

/// One file, with what was said about it.
struct SdfFile {
  SdfFile(std::string_view text, const std::string& name, int included_in_line, const ReadLimits& limits)
      : diagnostics(name), xml(text, kSdf, diagnostics, limits), context{xml, diagnostics, limits, {}, &sdf_without_effect()}, included(included_in_line) {}

  Diagnostics diagnostics;
  XmlDocument xml;
  XmlContext context;
  int included;     // the line of the main file that takes it in; 0 for the main file itself
  int version = 0;  // 7 of 1.7
};

/// An axis as the file states it.
struct SdfAxis {
  Vec3<double> xyz{0, 0, 1};
  std::string frame;  // in full; empty: that of the joint
  Joint numbers;      // limits, friction, spring
  std::optional<Mimic> mimic;
  std::string leader;
};

struct SdfJoint {
  std::string name, scope, type, parent, child;  // frames in full
  std::vector<SdfAxis> axes;
  double rotor = 0, gear = 1;
  double advance = 0;  // of a screw [m/rad]
  SdfFile* file = nullptr;
  pugi::xml_node node;
  int line = 0;
};

class SdfReader {
 public:
  SdfReader(Diagnostics& diagnostics, const LoadOptions& options, const ReadIncluded& read_included)
      : diagnostics_(diagnostics),
        options_(options),
        limits_(options.limits),
        read_included_(read_included),
        packages_(options, read_included ? diagnostics.file() : std::string()) {
    robot_.file = diagnostics.file();
  }

  Description read(std::string_view text) {
    SdfFile* main = open(text, diagnostics_.file(), 0);
    if (main != nullptr) {
      read_root(*main);
      if (!stopped_ && !broken_ && frames_.resolve())
        assemble();
      else
        stopped_ = true;  // without its frames the tree would only give follow-up messages
    }
    for (SdfFile& file : files_) {
      file.context.unused.report(file.diagnostics);
      diagnostics_.append(file.diagnostics);
    }
    if (diagnostics_.has_errors() && stopped_) robot_.links.clear();
    return std::move(robot_);
  }

 private:
  // Files.

  SdfFile* open(std::string_view text, const std::string& name, int line) {
    files_.emplace_back(text, name, line, limits_);
    SdfFile& file = files_.back();
    const pugi::xml_node root = file.xml.root();
    if (!root) return nullptr;
    const XmlElement element(file.context, root, "<sdf>");
    const std::string_view version = root.attribute("version").value();
    int minor = -1;
    if (version.substr(0, 2) == "1.") {
      minor = 0;
      for (const char c : version.substr(2, version.find('.', 2) - 2)) minor = c >= '0' && c <= '9' && minor < 1000 ? 10 * minor + (c - '0') : -1000;
    }
    constexpr int kOldest = 4, kNewest = 11;
    if (minor < kOldest || minor > 999)
      element.error(version.empty() ? std::string("attribute 'version' is missing") : cat("version ", in_quotes(version), " is not read"),
                    "versions 1.4 to 1.11 are read");
    else if (minor > kNewest)
      element.warning(cat("version ", in_quotes(version), " is newer than 1.11"), "it is read as 1.11");
    file.version = minor;
    return minor < kOldest ? nullptr : &file;
  }

  static int main_line(const SdfFile& file, int line) { return file.included != 0 ? file.included : line; }

  // What elements hold.

  /// Everything else that it holds changes no number, or is a slip.
  static void expect(const XmlElement& element, const std::vector<std::string>& attributes, std::vector<std::string> children) {
    const std::vector<std::string>& idle = sdf_without_effect();
    children.insert(children.end(), idle.begin(), idle.end());
    element.expect(attributes, children);
    for (const pugi::xml_node& child : element.node().children()) {
      const std::string_view name = child.name();
      if (name != "visual" && name != "collision" && std::find(idle.begin(), idle.end(), name) != idle.end())
        element.context().unused.add(tag_text(name), element.context().xml.line(child));
      if (name == "drake:joint" || name.ends_with("_constraint") || name == "drake:linear_bushing_rpy")
        element.context().diagnostics.error(element.context().xml.line(child), tag_text(name), "it changes how the robot moves, and is not read", "remove it");
    }
  }

  /// Of an element that holds numbers: another attribute would say them in another way.
  static void expect_attributes(const XmlElement& element, const std::vector<std::string>& known) {
    for (const pugi::xml_attribute& attribute : element.node().attributes()) {
      const std::string_view name = attribute.name();
      if (name.find(':') == std::string_view::npos && std::find(known.begin(), known.end(), name) == known.end())
        element.error_at(attribute.name(), cat("attribute ", in_quotes(name), " is unknown"), cat("write ", listed(known, "or")));
    }
  }

  static double number_in(const XmlElement& parent, const char* name, double fallback) {
    const XmlElement element = parent.child(name);
    if (!element) return fallback;
    const std::vector<double> values = element.content_numbers(1, 1);
    return values.empty() ? fallback : values[0];
  }
  /// A limit, which may be infinite.
  static double limit_in(const XmlElement& parent, const char* name, double fallback) {
    std::string word = word_in(parent, name);
    std::transform(word.begin(), word.end(), word.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    for (const std::string_view infinite : {"inf", "+inf", "-inf", "infinity", "+infinity", "-infinity"})
      if (word == infinite) return word[0] == '-' ? -kSdfUnlimited : kSdfUnlimited;
    return number_in(parent, name, fallback);
  }
  static std::string word_in(const XmlElement& parent, const char* name) {
    const XmlElement element = parent.child(name);
    return element ? std::string(element.content()) : std::string();
  }
  static bool flag_in(const XmlElement& parent, const char* name, bool fallback = false) {
    const std::string word = word_in(parent, name);
    if (word.empty()) return fallback;
    if (word != "true" && word != "false" && word != "0" && word != "1" && word != "True" && word != "False")
      parent.child(name).error(cat(in_quotes(word), " is neither true nor false"), "write true or false");
    return word == "true" || word == "1" || word == "True";
  }

  std::string in_scope(const std::string& scope, std::string_view name) const {
    if (in_world_) {  // there the robot's names have its own in front, and what stands is the world
      const std::string_view model = name.substr(0, name.find("::"));
      if (standing_models_.contains(model)) return kSdfWorld;
      if (world_frames_.contains(name)) return cat("world::", name);
      if (model == robot_.name) name = name.size() == model.size() ? "__model__" : name.substr(model.size() + 2);
    }
    if (name == kSdfWorld) return kSdfWorld;
    if (name == "__model__" && !merged_.empty() && scope == merged_scope_) return merged_;
    if (name == "__model__") return scope.empty() ? "__model__" : scope;
    if (name.ends_with("::__model__")) name.remove_suffix(11);
    return scope.empty() ? std::string(name) : cat(scope, "::", name);
  }

  /// The pose of an element, and the frame that it names; `inside` is the scope of that name.
  Pose<double> read_pose(const XmlElement& parent, const SdfFile& file, const std::string& inside, std::string* base) {
    Pose<double> X;
    const XmlElement element = parent.child("pose");
    if (!element) return X;
    expect_attributes(element, {"relative_to", "frame", "degrees", "rotation_format"});
    const pugi::xml_node node = element.node();
    std::string_view relative = node.attribute("relative_to").value();
    if (relative.empty() && file.version < 7) relative = node.attribute("frame").value();
    if (!relative.empty() && base == nullptr)
      element.error("it is relative to another frame, which is not allowed here", "state it in the frame of the element around it");
    else if (!relative.empty())
      *base = in_scope(inside, relative);
    if (element.content().empty()) return X;
    const std::string_view format = node.attribute("rotation_format").value();
    const bool quaternion = format == "quat_xyzw",
               degrees = std::string_view(node.attribute("degrees").value()) == "true" || std::string_view(node.attribute("degrees").value()) == "1";
    if (!format.empty() && !quaternion && format != "euler_rpy") element.error(cat("rotation_format is ", in_quotes(format)), "write euler_rpy or quat_xyzw");
    const std::size_t count = quaternion ? 7 : 6;
    const std::vector<double> x = element.content_numbers(count, count);
    if (x.empty()) return X;
    X.p = {x[0], x[1], x[2]};
    if (quaternion) {
      const double length = std::hypot(std::hypot(x[3], x[4]), std::hypot(x[5], x[6]));
      if (std::abs(length - 1) < 1e-3)  // SDFormat normalises them
        X.R = rotation_of({x[3], x[4], x[5], x[6]});
      else
        element.error(cat("the quaternion has length ", length), "write x y z w of a unit quaternion");
      return X;
    }
    const double unit = degrees ? 3.14159265358979323846 / 180 : 1;
    if (x[3] != 0 || x[4] != 0 || x[5] != 0) X.R = rotation_rpy(unit * x[3], unit * x[4], unit * x[5]);
    return X;
  }

  // Worlds and models.

  void read_root(SdfFile& file) {
    const XmlElement root(file.context, file.xml.root(), "<sdf>");
    expect(root, {"version"}, {"model", "world", "actor", "light"});
    std::vector<Found> found;
    for (const pugi::xml_node& node : root.node().children("model")) found.push_back({&file, node, {}, {}, false});
    const XmlElement world = root.child("world");
    if (world) read_world(world, file, found);
    std::vector<const Found*> moving;
    for (const Found& one : found)
      if (!one.standing) moving.push_back(&one);
    if (moving.empty() && found.size() == 1) moving.push_back(&found[0]);
    if (moving.empty()) {
      if (!file.diagnostics.has_errors())
        root.error(found.empty() ? "it holds no <model>" : "every model of it is static", found.empty() ? "add a <model>" : "give the file of the robot");
      return;
    }
    if (moving.size() > 1) {
      const XmlElement second(moving[1]->file->context, moving[1]->node, "<model>");
      second.error(cat("the file has ", moving.size(), " models that move, ", in_quotes(name_of(*moving[0])), " and ", in_quotes(name_of(*moving[1]))),
                   "keep one robot in a file");
      stopped_ = true;
      return;
    }
    for (const Found& one : found)
      if (&one != moving[0]) file.context.unused.add("<model> that is static", file.xml.line(one.node));
    robot_.name = name_of(*moving[0]);
    if (robot_.name.empty()) robot_.name = "robot";
    read_model(*moving[0], "", 0);
    if (!world) return;
    for (const Found& one : found)
      if (&one != moving[0]) standing_models_.insert(name_of(one));
    in_world_ = true;
    for (const pugi::xml_node& node : world.node().children("frame")) world_frames_.insert(node.attribute("name").value());
    for (const pugi::xml_node& node : world.node().children()) {
      if (std::string_view(node.name()) == "frame") read_frame(file, node, "");
      if (std::string_view(node.name()) == "joint") read_joint(file, node, "");
    }
    in_world_ = false;
  }

  struct Found {
    SdfFile* file;
    pugi::xml_node node;
    std::string name;  // by which an <include> calls it
    pugi::xml_node include;
    bool standing;
    bool merge = false;  // into the model that includes it
  };
  static std::string name_of(const Found& found) { return found.name.empty() ? found.node.attribute("name").value() : found.name; }

  void read_world(const XmlElement& world, SdfFile& file, std::vector<Found>& found) {
    expect(world, {"name"}, {"model", "include", "gravity", "frame", "joint"});
    robot_.gravity = {0, 0, -9.8};
    if (const XmlElement gravity = world.child("gravity")) {
      const std::vector<double> g = gravity.content_numbers(3, 3);
      if (!g.empty()) robot_.gravity = {g[0], g[1], g[2]};
    } else {
      world.note("it states no gravity, and SDFormat's default is 9.8 m/s²", "write <gravity>, or give --gravity");
    }
    const auto standing = [&](SdfFile& of, const pugi::xml_node& node) { return flag_in(XmlElement(of.context, node, "<model>"), "static"); };
    for (const pugi::xml_node& node : world.node().children()) {
      const std::string_view kind = node.name();
      if (kind == "model") found.push_back({&file, node, {}, {}, standing(file, node)});
      if (kind != "include") continue;
      const XmlElement element(file.context, node, "<include>");
      const std::string uri = word_in(element, "uri");
      if (uri.ends_with("/ground_plane") || uri.ends_with("/sun")) {
        file.context.unused.add(cat("<include> of ", uri), file.xml.line(node));
        continue;
      }
      if (std::optional<Found> inner = included(element, file)) {
        if (inner->merge) element.error_at("merge", "a model cannot be merged into a world", "remove merge");
        inner->standing = flag_in(element, "static", standing(*inner->file, inner->node));
        found.push_back(*inner);
      }
    }
  }

  /// The model of another file.
  std::optional<Found> included(const XmlElement& element, SdfFile& file) {
    element.expect({"merge"}, {"uri", "name", "pose", "static", "placement_frame"});
    const std::string_view merge = element.node().attribute("merge").value();
    const std::string uri = word_in(element, "uri");
    if (uri.empty()) {
      element.error("<uri> is missing", "add <uri>file.sdf</uri>");
      return {};
    }
    if (!read_included_) {
      element.error(cat("the model is a text without a folder, so the file ", in_quotes(uri), " cannot be found"), "load the model from its file");
      return {};
    }
    const std::optional<std::string> path = path_of(uri, file);
    if (!path) {
      element.error(cat("the model ", in_quotes(uri), " is not found"),
                    "check the path; models are searched for in the file's folder, --package-path and SDF_PATH");
      return {};
    }
    constexpr std::size_t kMostFiles = 200;
    if (std::find(open_.begin(), open_.end(), *path) != open_.end() || *path == diagnostics_.file() || files_.size() >= kMostFiles) {
      element.error(files_.size() >= kMostFiles ? cat("more than ", kMostFiles, " files are included") : cat("the file ", in_quotes(*path), " includes itself"),
                    "remove an include");
      return {};
    }
    Diagnostics problems(*path);
    const std::optional<std::string> text = read_included_(*path, problems);
    if (!text) {
      for (const Diagnostic& d : problems.all()) element.error(cat("the included file ", in_quotes(*path), ": ", d.problem), d.cure);
      return {};
    }
    SdfFile* inner = open(*text, *path, main_line(file, element.line()));
    if (inner == nullptr) return {};
    const pugi::xml_node model = inner->xml.root().child("model");
    if (!model) {
      element.error(cat("the included file ", in_quotes(*path), " holds no <model>"), "include the file of a model");
      return {};
    }
    return Found{inner, model, word_in(element, "name"), element.node(), false, merge == "true" || merge == "1"};
  }

  std::optional<std::string> path_of(const std::string& uri, const SdfFile& file) {
    std::error_code ignored;
    const auto model_in = [&](const fs::path& place) -> std::optional<std::string> {
      if (fs::is_regular_file(place, ignored)) return place.lexically_normal().string();
      if (!fs::is_directory(place, ignored)) return {};
      Diagnostics unused;
      const fs::path config = place / "model.config";
      if (fs::is_regular_file(config, ignored))
        if (const std::optional<std::string> text = read_included_(config.string(), unused)) {
          pugi::xml_document document;
          document.load_buffer(text->data(), text->size());
          std::string name;
          for (const pugi::xml_node& sdf : document.child("model").children("sdf")) name = trimmed(sdf.text().get());  // the last is the newest
          if (!name.empty() && fs::is_regular_file(place / name, ignored)) return (place / name).lexically_normal().string();
        }
      return fs::is_regular_file(place / "model.sdf", ignored) ? std::optional<std::string>((place / "model.sdf").lexically_normal().string()) : std::nullopt;
    };
    std::string rest = uri;
    const std::size_t scheme = uri.find("://");
    if (scheme != std::string::npos) rest = uri.substr(scheme + 3);
    const fs::path folder = fs::path(file.diagnostics.file()).parent_path();
    if (scheme == std::string::npos || uri.starts_with("file://")) return model_in(fs::path(rest).is_absolute() ? fs::path(rest) : folder / rest);
    const std::size_t slash = std::min(rest.find('/'), rest.size());
    if (const std::optional<std::string> package = packages_.find(rest.substr(0, slash)))
      if (auto found = model_in(fs::path(*package + rest.substr(slash)))) return found;
    std::vector<fs::path> places{folder, folder / ".."};
    for (const std::string& path : options_.package_paths) places.emplace_back(path);
    for (const char* variable : {"SDF_PATH", "GZ_SIM_RESOURCE_PATH", "GAZEBO_MODEL_PATH"})
      if (const char* value = std::getenv(variable))
        for (std::string_view all = value; !all.empty();) {
          const std::size_t colon = std::min(all.find(':'), all.size());
          places.emplace_back(all.substr(0, colon));
          all.remove_prefix(std::min(colon + 1, all.size()));
        }
    for (const fs::path& place : places)
      if (auto found = model_in(place / rest)) return found;
    return {};
  }

  void read_model(const Found& found, const std::string& around, int depth) {
    constexpr int kDeepest = 50;
    SdfFile& file = *found.file;
    const pugi::xml_node node = found.node;
    const int line = file.xml.line(node);
    const bool top = depth == 0;
    XmlElement element(file.context, node, "<model>");
    const std::string own = name_of(found);
    if (own.empty() && !top) element.require_name("name");
    element = XmlElement(file.context, node, top ? Element::robot(robot_.name) : Element(cat("model ", in_quotes(own))));
    if (top) element.check_robot_name("name");
    if (depth > kDeepest) return element.error(cat("models are nested more than ", kDeepest, " deep"), "nest fewer");
    expect(element, {"name", "canonical_link", "placement_frame"}, {"link", "joint", "frame", "model", "include", "pose", "static"});
    const std::string scope = top ? "" : found.merge ? around : in_scope(around, own);
    // Where it stands: as the include says, else as the file itself. What is merged stands where its model would, on a frame that SDFormat calls so.
    SdfFrame frame{top ? "__model__" : found.merge ? in_scope(around, cat("_merged__", own, "__model__")) : scope};
    frame.base_name = top ? kSdfWorld : in_scope(around, "__model__");
    frame.attached_name = "";
    frame.messages = &file.diagnostics, frame.line = line;
    const pugi::xml_node placing = found.include ? found.include : node;
    SdfFile* placing_file = &file;
    if (found.include)
      for (SdfFile& other : files_)
        if (other.xml.root() == root_of(found.include)) placing_file = &other;
    const bool by_include = found.include && found.include.child("pose");
    frame.X = by_include ? read_pose(XmlElement(placing_file->context, placing, "<include>"), *placing_file, around, &frame.base_name)
                         : read_pose(element, file, around, &frame.base_name);
    frame.placement = node.attribute("placement_frame").value();
    if (found.include && found.include.child("placement_frame")) frame.placement = std::string(trimmed(found.include.child("placement_frame").text().get()));
    if (!frame.placement.empty()) frame.placement = in_scope(scope, frame.placement);
    const std::string first_link = node.attribute("canonical_link").value();
    frame.attached_name = !first_link.empty()   ? in_scope(scope, first_link)
                          : node.child("link")  ? in_scope(scope, node.child("link").attribute("name").value())
                          : node.child("model") ? in_scope(scope, node.child("model").attribute("name").value())
                                                : "";
    const std::string model_frame = frame.name, before = merged_, scope_before = merged_scope_;
    broken_ = !frames_.declare(std::move(frame)) || broken_;
    if (found.merge) merged_ = model_frame, merged_scope_ = scope;
    if (top && flag_in(element, "static")) {
      standing_ = true;
      element.child("static").note("the model is static", "all of its joints are fixed");
    }
    for (const pugi::xml_node& child : node.children()) {
      if (too_many_problems(file.xml.line(child), file.diagnostics)) return;
      const std::string_view kind = child.name();
      if (kind == "link") read_link(file, child, scope);
      if (kind == "joint") read_joint(file, child, scope);
      if (kind == "frame") read_frame(file, child, scope);
      if (kind == "model") read_model({&file, child, {}, {}, false, false}, scope, depth + 1);
      if (kind == "include") {
        const XmlElement include(file.context, child, "<include>");
        if (const std::optional<Found> inner = included(include, file)) {
          open_.push_back(inner->file->diagnostics.file());
          const std::size_t first = frames_.size();
          read_model(*inner, scope, depth + 1);
          open_.pop_back();
          const std::size_t own_frame = frames_.find(model_frame);  // a model of an include alone stands on it
          if (own_frame != kNone && frames_[own_frame].attached_name.empty() && first < frames_.size()) frames_[own_frame].attached_name = frames_[first].name;
        }
      }
      if (stopped_) return;
    }
    merged_ = before, merged_scope_ = scope_before;
  }

  static pugi::xml_node root_of(pugi::xml_node node) {
    while (node.parent() && node.parent().type() == pugi::node_element) node = node.parent();
    return node;
  }

  void read_frame(SdfFile& file, const pugi::xml_node& node, const std::string& scope) {
    const std::optional<std::string> name = XmlElement(file.context, node, "<frame>").require_name("name");
    if (!name) return;
    const XmlElement element(file.context, node, cat("frame ", in_quotes(*name)));
    element.expect({"name", "attached_to"}, {"pose"});
    SdfFrame frame{in_scope(scope, *name)};
    const std::string_view attached = node.attribute("attached_to").value();
    frame.attached_name = in_scope(scope, !attached.empty() ? attached : in_world_ ? kSdfWorld : "__model__");
    frame.base_name = frame.attached_name;
    frame.messages = &file.diagnostics, frame.line = element.line();
    frame.X = read_pose(element, file, scope, &frame.base_name);
    broken_ = !frames_.declare(std::move(frame)) || broken_;
  }

  // Links.

  void read_link(SdfFile& file, const pugi::xml_node& node, const std::string& scope) {
    const std::optional<std::string> name = XmlElement(file.context, node, "<link>").require_name("name");
    if (!name) return;
    Link link;
    link.name = in_scope(scope, *name);
    link.line = main_line(file, file.xml.line(node));
    const XmlElement element(file.context, node, Element::link(link.name));
    expect(element, {"name"}, {"inertial", "pose", "gravity", "kinematic"});
    if (!flag_in(element, "gravity", true)) element.child("gravity").error("gravity does not act on this link, which Ulna cannot compute", "write true");
    if (flag_in(element, "kinematic")) element.child("kinematic").error("a kinematic link is moved from outside, which Ulna cannot compute", "write false");
    SdfFrame frame{link.name};
    frame.base_name = in_scope(scope, "__model__");
    frame.link = true, frame.messages = &file.diagnostics, frame.line = file.xml.line(node);
    frame.X = read_pose(element, file, scope, &frame.base_name);
    broken_ = !frames_.declare(std::move(frame)) || broken_;
    if (const XmlElement inertial = element.child("inertial")) {
      read_inertial(inertial, file, link);
    } else {
      element.warning("<inertial> is missing, and SDFormat's defaults are 1 kg and moments of 1 kg m²", "add <inertial>");
      link.inertial = true, link.mass = 1, link.inertia = {1, 1, 1, 0, 0, 0};
    }
    robot_.links.push_back(std::move(link));
  }

  void read_inertial(const XmlElement& inertial, const SdfFile& file, Link& link) {
    inertial.expect({"auto"}, {"pose", "mass", "inertia", "density", "fluid_added_mass", "auto_inertia_params"});
    link.inertial = true;
    const std::string_view automatic = inertial.node().attribute("auto").value();
    if (automatic == "true" || automatic == "1")
      inertial.error_at("auto", "the mass is that of the collision geometry, which Ulna does not read", "state <mass> and <inertia>");
    if (const XmlElement added = inertial.child("fluid_added_mass")) added.error("the mass of a fluid that moves with the link is not computed", "remove it");
    const Pose<double> X_LC = read_pose(inertial, file, "", nullptr);
    link.com = X_LC.p;
    link.mass = number_in(inertial, "mass", 1);
    Sym3<double> I{1, 1, 1, 0, 0, 0};
    if (const XmlElement tensor = inertial.child("inertia")) {
      tensor.expect({}, {"ixx", "ixy", "ixz", "iyy", "iyz", "izz"});
      I = {number_in(tensor, "ixx", 1), number_in(tensor, "iyy", 1), number_in(tensor, "izz", 1),
           number_in(tensor, "ixy", 0), number_in(tensor, "ixz", 0), number_in(tensor, "iyz", 0)};
    }
    for (const char* part : {"mass", "inertia"})
      if (!inertial.child(part))
        inertial.warning(cat("<", part, "> is missing, and SDFormat's default is ", part[0] == 'm' ? "1 kg" : "moments of 1 kg m²"), cat("add <", part, ">"));
    link.inertia = X_LC.R == Mat3<double>::identity() ? I : congruence(X_LC.R, I);
  }

  // Joints.

  /// Before 1.7 a joint could bear the name of a link; SDFormat calls it NAME_joint then.
  static std::string own_name_of_joint(const std::string& name, const pugi::xml_node& node, const SdfFile& file) {
    const auto taken = [&](const std::string& one) {
      const pugi::xml_node model = node.parent();
      return std::any_of(model.children().begin(), model.children().end(),
                         [&](const pugi::xml_node& other) { return other != node && one == other.attribute("name").value(); });
    };
    std::string out = name;
    for (int i = -1; file.version < 7 && taken(out); ++i) out = cat(name, "_joint", i < 0 ? "" : std::to_string(i));
    return out;
  }

  void read_joint(SdfFile& file, const pugi::xml_node& node, const std::string& scope) {
    const std::optional<std::string> name = XmlElement(file.context, node, "<joint>").require_name("name");
    if (!name) return;
    if (joints_.size() == limits_.joints) {
      XmlElement(file.context, node, "<joint>").error(cat("the robot has more than ", limits_.joints, " joints"), how_to_raise(&ReadLimits::joints));
      stopped_ = true;
      return;
    }
    SdfJoint joint;
    joint.name = in_scope(scope, own_name_of_joint(*name, node, file)), joint.scope = scope, joint.file = &file, joint.node = node;
    joint.line = main_line(file, file.xml.line(node));
    const XmlElement element(file.context, node, Element::joint(joint.name));
    if (joint.name != in_scope(scope, *name))
      element.warning(cat("a link, frame or model is called ", in_quotes(*name), ", too, so the joint is called as SDFormat does then"),
                      "give it another name");
    expect(element, {"name", "type"},
           {"parent", "child", "pose", "axis", "axis2", "drake:rotor_inertia", "drake:gear_ratio", "drake:mimic", "gearbox_ratio", "thread_pitch",
            "screw_thread_pitch", "gearbox_reference_body"});
    joint.type = element.require_name("type").value_or("fixed");
    const auto end = [&](const char* role) {
      const XmlElement found = element.child(role);
      if (!found || found.content().empty()) {
        element.error(cat("<", role, "> is missing"), cat("add <", role, ">link</", role, ">"));
        return std::string();
      }
      return in_scope(scope, found.content());
    };
    joint.parent = end("parent");
    joint.child = end("child");
    const std::size_t axes = axes_of(element, joint.type);
    if (axes > 0) read_axis(element.child("axis"), element, file, joint, "axis");
    if (axes > 1) read_axis(element.child("axis2"), element, file, joint, "axis2");
    if (joint.type == "ball" && element.child("axis")) read_axis(element.child("axis"), element, file, joint, "axis");  // for its friction
    if (joint.type == "screw") read_pitch(element, joint);
    joint.rotor = number_in(element, "drake:rotor_inertia", 0);
    joint.gear = number_in(element, "drake:gear_ratio", 1);
    if (joint.gear == 0) element.child("drake:gear_ratio").error("a gear ratio of 0 would uncouple the motor", "write motor turns per joint turn");
    if (const XmlElement mimic = element.child("drake:mimic"); mimic && !joint.axes.empty()) {
      const std::optional<std::string> leader = mimic.require_name("joint");
      joint.axes[0].mimic = Mimic{kNone, mimic.number("multiplier", 1), mimic.number("offset", 0)};
      joint.axes[0].leader = leader ? in_scope(scope, *leader) : "";
    }
    if (joint.parent.empty() || joint.child.empty()) {
      broken_ = true;
      return;
    }
    SdfFrame frame{joint.name};
    frame.base_name = frame.attached_name = joint.child;
    frame.messages = &file.diagnostics, frame.line = file.xml.line(node);
    frame.X = read_pose(element, file, scope, &frame.base_name);
    broken_ = !frames_.declare(std::move(frame)) || broken_;
    joints_.push_back(std::move(joint));
  }

  static std::size_t axes_of(const XmlElement& element, const std::string& type) {
    if (type == "revolute" || type == "continuous" || type == "prismatic" || type == "screw") return 1;
    if (type == "universal" || type == "revolute2") return 2;
    if (type == "fixed" || type == "ball") return 0;
    if (type == "gearbox")
      element.error_at("type", "Ulna has no gearbox joints", "let one joint follow another by <mimic>");
    else
      element.error_at("type", cat("unknown joint type ", in_quotes(type)),
                       cat("write revolute, continuous, prismatic, screw, universal, revolute2, ball or fixed",
                           did_you_mean(type, {"revolute", "continuous", "prismatic", "fixed", "universal", "revolute2", "ball", "screw"})));
    return 0;
  }

  /// Metres along the axis a turn, right-handed; <thread_pitch> was radians a metre of a left-handed screw.
  static void read_pitch(const XmlElement& element, SdfJoint& joint) {
    constexpr double kTurn = 2 * 3.14159265358979323846;
    const XmlElement old = element.child("thread_pitch");
    if (old && !element.child("screw_thread_pitch")) {
      const double pitch = number_in(element, "thread_pitch", 1);
      if (pitch == 0) return old.error("a thread pitch of 0 has no motion", "write <screw_thread_pitch>, in metres a turn");
      joint.advance = -1 / pitch;
    } else {
      if (!element.child("screw_thread_pitch"))
        element.warning("<screw_thread_pitch> is missing, and SDFormat's default is 1 m a turn", "add <screw_thread_pitch>");
      joint.advance = number_in(element, "screw_thread_pitch", 1) / kTurn;
    }
  }

  void read_axis(const XmlElement& axis, const XmlElement& joint_element, const SdfFile& file, SdfJoint& joint, const char* name) {
    SdfAxis out;
    if (!axis) {
      joint_element.warning(cat("<", name, "> is missing, and SDFormat's default is z, without limits"), cat("add <", name, ">"));
      joint.axes.push_back(std::move(out));
      return;
    }
    axis.expect({}, {"xyz", "limit", "dynamics", "use_parent_model_frame", "initial_position", "mimic"});
    if (file.version < 5 || flag_in(axis, "use_parent_model_frame")) out.frame = in_scope(joint.scope, "__model__");
    if (const XmlElement xyz = axis.child("xyz")) {
      expect_attributes(xyz, {"expressed_in"});
      const std::string_view frame = xyz.node().attribute("expressed_in").value();
      if (!frame.empty()) out.frame = in_scope(joint.scope, frame);
      const std::vector<double> x = xyz.content_numbers(3, 3);
      if (!x.empty()) out.xyz = {x[0], x[1], x[2]};
      const double length = std::hypot(out.xyz.x, out.xyz.y, out.xyz.z);
      if (length == 0)
        xyz.error("the axis is zero", "write the direction of the joint's axis, such as 0 0 1"), out.xyz = {0, 0, 1};
      else
        out.xyz = {out.xyz.x / length, out.xyz.y / length, out.xyz.z / length};
      if (length != 0 && std::abs(length - 1) > kGivenDigits) xyz.warning(cat("the axis has length ", length), "it was scaled to 1; write a unit vector");
    }
    Joint& numbers = out.numbers;
    if (const XmlElement limit = axis.child("limit")) {
      limit.expect({}, {"lower", "upper", "effort", "velocity", "stiffness", "dissipation", "drake:acceleration", "drake:jerk"});
      const double lower = limit_in(limit, "lower", -kSdfUnlimited), upper = limit_in(limit, "upper", kSdfUnlimited);
      if (lower > upper) limit.error(cat("the lower limit ", lower, " is above the upper limit ", upper), "swap or correct them");
      if (lower > -kSdfUnlimited && joint.type != "continuous") numbers.lower = lower;
      if (upper < kSdfUnlimited && joint.type != "continuous") numbers.upper = upper;
      const auto most = [&](const char* key, double& value) {
        if (const double x = limit_in(limit, key, -1); x >= 0 && x < kSdfUnlimited) value = x;  // negative: none
      };
      most("effort", numbers.effort), most("velocity", numbers.velocity), most("drake:acceleration", numbers.acceleration), most("drake:jerk", numbers.jerk);
    }
    if (const XmlElement dynamics = axis.child("dynamics")) {
      dynamics.expect({}, {"damping", "friction", "spring_stiffness", "spring_reference"});
      numbers.friction.viscous = number_in(dynamics, "damping", 0), numbers.friction.coulomb = number_in(dynamics, "friction", 0);
      for (const FrictionField& field : kFrictionFields)
        if (numbers.friction.*field.number < 0)
          dynamics.error(cat(field.name, " friction ", numbers.friction.*field.number, " is negative"), "write a positive number");
      numbers.stiffness = number_in(dynamics, "spring_stiffness", 0), numbers.rest = number_in(dynamics, "spring_reference", 0);
      if (numbers.stiffness != 0) dynamics.note(cat("a spring of ", numbers.stiffness, " acts at the joint"), "results include it with --springs on");
    }
    if (const XmlElement mimic = axis.child("mimic")) {
      mimic.expect({"joint", "axis"}, {"multiplier", "offset", "reference"});
      if (const std::string_view which = mimic.node().attribute("axis").value(); !which.empty() && which != "axis")
        mimic.error_at("axis", "it follows the second axis of a joint, which is not read", "let it follow a joint of one axis");
      const double multiplier = number_in(mimic, "multiplier", 1);
      out.mimic = Mimic{kNone, multiplier, number_in(mimic, "offset", 0) - multiplier * number_in(mimic, "reference", 0)};
      out.leader = in_scope(joint.scope, mimic.require_name("joint").value_or(""));
    }
    joint.axes.push_back(std::move(out));
  }

  // The robot.

  void assemble() {
    bool world = false;
    for (const SdfJoint& joint : joints_) world = put_joint(joint) || world;
    if (world) {
      Link link;
      link.name = kSdfWorld;
      robot_.links.insert(robot_.links.begin(), link);
    } else {
      rotate_gravity();
    }
    if (robot_.links.empty() && std::none_of(files_.begin(), files_.end(), [](const SdfFile& file) { return file.diagnostics.has_errors(); }))
      XmlElement(files_.front().context, files_.front().xml.root(), "<sdf>").error("the model has no links", "add <link name=\"...\"/> elements");
  }

  /// Gravity is that of the world; a root link that no joint holds stands there as the file puts it.
  void rotate_gravity() {
    for (const Link& link : robot_.links) {
      const bool held = std::any_of(robot_.joints.begin(), robot_.joints.end(), [&](const Description::JointEntry& entry) { return entry.child == link.name; });
      const std::size_t frame = frames_.find(link.name);
      if (held || frame == kNone) continue;
      const Mat3<double> R = frames_.between(0, frame).R;
      if (!(R == Mat3<double>::identity())) robot_.gravity = R.transposed() * robot_.gravity;
      return;
    }
  }

  /// True for a joint that holds something to the world.
  bool put_joint(const SdfJoint& joint) {
    const XmlElement element(joint.file->context, joint.node, Element::joint(joint.name));
    const std::size_t own = frames_.find(joint.name), parent = frames_.find(joint.parent), child = frames_.find(joint.child);
    for (const auto& [name, frame] : {std::pair{&joint.parent, parent}, std::pair{&joint.child, child}})
      if (frame == kNone)
        element.error(cat("there is no link or frame ", in_quotes(*name)), cat("correct the name", did_you_mean(*name, names_of(robot_.links, &Link::name))));
    if (own == kNone || parent == kNone || child == kNone) return false;
    const std::size_t parent_link = frames_.link_of(parent), child_link = frames_.link_of(child);
    if (parent_link == kNone || child_link == kNone || child_link == 0) {
      element.error(child_link == 0 ? "its child is the world" : "it holds a frame that stands on no link", "name a link");
      return false;
    }
    Description::JointEntry entry;
    entry.parent = frames_[parent_link].name, entry.child = frames_[child_link].name;
    entry.joint.name = joint.name, entry.joint.line = joint.line;
    entry.joint.X_PF = frames_.between(parent_link, own), entry.joint.X_MB = frames_.between(own, child_link);
    if (joint.type == "ball" && !standing_) {  // M has the axes of the child
      Joint& ball = entry.joint;
      ball.type = JointType::ball;
      ball.X_PF.R = ball.X_PF.R * ball.X_MB.R;
      ball.X_MB = {Mat3<double>::identity(), tmul(ball.X_MB.R, ball.X_MB.p)};
      if (!joint.axes.empty()) ball.friction = joint.axes[0].numbers.friction, ball.stiffness = joint.axes[0].numbers.stiffness;
      ball.rotor = joint.rotor, ball.gear = joint.gear == 0 ? 1 : joint.gear;
      robot_.joints.push_back(std::move(entry));
      return parent_link == 0;
    }
    if (joint.axes.empty() || standing_) {
      entry.joint.X_PF = entry.joint.X_PF * entry.joint.X_MB, entry.joint.X_MB = {};
      robot_.joints.push_back(std::move(entry));
      return parent_link == 0;
    }
    // One joint of each axis; between two stands a link without mass.
    std::vector<Description::JointEntry> parts;
    for (const SdfAxis& axis : joint.axes) {
      Description::JointEntry& next = parts.emplace_back();
      Joint& out = next.joint;
      out = axis.numbers;
      out.name = cat(joint.name, parts.size() == 1 ? "" : "_2");
      out.type = joint.type == "prismatic" ? JointType::prismatic : joint.type == "continuous" ? JointType::continuous : JointType::revolute;
      out.axis = axis.xyz;
      if (!axis.frame.empty()) {
        const std::size_t frame = frames_.find(axis.frame);
        if (frame == kNone)
          element.error(cat("its axis is expressed in ", in_quotes(axis.frame), ", which is no frame"), "correct the name");
        else
          out.axis = frames_.between(own, frame).R * axis.xyz;
      }
      if (parts.size() == 1) out.rotor = joint.rotor, out.gear = joint.gear == 0 ? 1 : joint.gear;
      out.mimic = axis.mimic, next.leader = axis.leader;
    }
    if (joint.type == "screw") {  // what turns leads what slides along the same axis
      Description::JointEntry& slide = parts.emplace_back();
      slide.joint = part_of_series(parts.front().joint, "_slide", JointType::prismatic, parts.front().joint.axis);
      slide.joint.mimic = Mimic{kNone, joint.advance, 0}, slide.leader = joint.name;
    }
    for (Description::JointEntry& part : in_series(entry, std::move(parts), robot_.links)) robot_.joints.push_back(std::move(part));
    return parent_link == 0;
  }

  Diagnostics& diagnostics_;
  const LoadOptions& options_;
  const ReadLimits& limits_;
  const ReadIncluded& read_included_;
  Packages packages_;
  std::list<SdfFile> files_;  // elements point to them
  std::vector<std::string> open_;
  SdfFrames frames_;
  std::vector<SdfJoint> joints_;
  std::set<std::string, std::less<>> standing_models_, world_frames_;  // of the world
  std::string merged_, merged_scope_;                                  // the frame of the model that is merged, and the scope into which
  Description robot_;
  bool standing_ = false, stopped_ = false, broken_ = false;
  bool in_world_ = false;  // reading what stands in the world itself
};

}  // namespace

Description read_sdf(std::string_view text, Diagnostics& diagnostics, const LoadOptions& options, const ReadIncluded& read_included) {
  Description nothing;
  nothing.file = diagnostics.file();
  if (!check_text(text, diagnostics)) return nothing;
  return SdfReader(diagnostics, options, read_included).read(text);
}

}  // namespace ulna::internal
