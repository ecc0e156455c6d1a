#include "source/edit_urdf.hpp"

#include <algorithm>
#include <cmath>

#include "source/writers.hpp"
#include "source/xml.hpp"
#include "spatial/rpy.hpp"
#include "text/message.hpp"
#include "text/xml.hpp"

namespace ulna::internal {

namespace {

using Attributes = std::vector<std::pair<std::string, std::string>>;

constexpr std::string_view kOf = "of";  // the path of a base that is tilted begins with it: no element has this name

Attributes placement(const Pose<double>& X) { return {{"xyz", xml_numbers(X.p)}, {"rpy", xml_numbers(rpy_of(X.R))}}; }

std::string start_of(const std::string& element, const Attributes& attributes) {
  std::string out = cat("<", element);
  for (const auto& [key, value] : attributes) out += cat(" ", key, "=\"", xml_text(value), "\"");
  return out;
}

/// The rotation that takes one direction to another by the shortest way.
Mat3<double> shortest(Vec3<double> from, Vec3<double> to) {
  const double a = std::hypot(from.x, from.y, from.z), b = std::hypot(to.x, to.y, to.z);
  from = (1 / a) * from, to = (1 / b) * to;
  Vec3<double> axis = cross(from, to);
  const double sine = std::hypot(axis.x, axis.y, axis.z), cosine = dot(from, to);
  if (sine < kDirectionRounding) axis = std::abs(from.x) < 0.9 ? cross(from, Vec3<double>{1, 0, 0}) : cross(from, Vec3<double>{0, 1, 0});
  const double length = std::hypot(axis.x, axis.y, axis.z);
  return rotation_about((1 / length) * axis, std::atan2(sine, cosine));
}

/// A place in a text where something else shall stand.
struct Patch {
  std::size_t at, length;
  std::string text;
};

class Editor {
 public:
  Editor(std::string_view text, const pugi::xml_node& root, Diagnostics& diagnostics) : text_(text), root_(root), diagnostics_(diagnostics) {}

  void apply(const UrdfChange& change) {
    if (!change.path.empty() && change.path.front() == kOf) return tilt(change);
    const pugi::xml_node node = found(change);
    if (!node) return refuse(change, "the file has no element of this name");
    if (change.path.empty() && change.attributes.front().first == "name") return rename(node, change.attributes.front().second);
    set(node, change.path, 0, change.attributes);
  }

  std::string result() {
    std::stable_sort(patches_.begin(), patches_.end(), [](const Patch& a, const Patch& b) { return a.at < b.at; });
    std::string out;
    std::size_t at = 0;
    for (const Patch& patch : patches_) {
      out += text_.substr(at, patch.at - at);
      out += patch.text;
      at = patch.at + patch.length;
    }
    return out += text_.substr(at);
  }

 private:
  void refuse(const UrdfChange& change, const std::string& problem) {
    diagnostics_.error(0, change.link ? Element::link(change.name) : Element::joint(change.name), problem, cat("edit it by hand: ", to_string(change)));
  }
  pugi::xml_node found(const UrdfChange& change) const { return root_.find_child_by_attribute(change.link ? "link" : "joint", "name", change.name.c_str()); }

  /// Behind the start tag of an element, '/' and '>' included.
  std::size_t end_of(const pugi::xml_node& node) const {
    std::size_t at = start(node);
    for (char quote = 0; at < text_.size() && (quote != 0 || text_[at] != '>'); ++at)
      if (quote == 0 ? text_[at] == '"' || text_[at] == '\'' : text_[at] == quote) quote = quote == 0 ? text_[at] : char{0};
    return std::min(at + 1, text_.size());
  }
  static std::size_t start(const pugi::xml_node& node) { return static_cast<std::size_t>(node.offset_debug()); }

  void set_attribute(const pugi::xml_node& node, const std::string& key, const std::string& value) {
    const std::size_t end = end_of(node);
    std::size_t at = start(node) + std::string_view(node.name()).size();
    while (at < end) {
      const std::size_t name = text_.find_first_not_of(" \t\r\n", at), equals = text_.find('=', name);
      if (name >= end || equals >= end) break;
      const std::size_t open = text_.find_first_of("\"'", equals), close = text_.find(text_[open], open + 1);
      const std::string_view found = text_.substr(name, std::min(text_.find_first_of(" \t\r\n=", name), equals) - name);
      if (found == key) return patches_.push_back({open + 1, close - open - 1, xml_text(value)});
      at = close + 1;
    }
    const std::size_t before = text_[end - 2] == '/' ? end - 2 : end - 1;
    const bool blank = text_[before - 1] == ' ';
    patches_.push_back({before, 0, cat(blank ? "" : " ", key, "=\"", xml_text(value), "\"", blank ? " " : "")});
  }

  /// Elements of the path that are missing are made, as the first of their parent.
  void set(const pugi::xml_node& node, const std::vector<std::string>& path, std::size_t depth, const Attributes& attributes) {
    if (depth == path.size()) {
      for (const auto& [key, value] : attributes) set_attribute(node, key, value);
      return;
    }
    if (const pugi::xml_node child = node.child(path[depth].c_str())) return set(child, path, depth + 1, attributes);
    std::string inside = cat(start_of(path.back(), attributes), "/>");
    for (std::size_t k = path.size() - 1; k-- > depth;) inside = cat("<", path[k], ">", inside, "</", path[k], ">");
    // Of one parent that is missing, all children are made together.
    const std::size_t end = end_of(node);
    const bool closed = text_[end - 2] == '/';
    for (Made& made : made_)
      if (made.end == end) return add(made, path, depth, inside, attributes);
    made_.push_back({end, patches_.size(), path, depth});
    patches_.push_back(closed ? Patch{end - 2, 2, cat(">\n    ", inside, "\n  </", node.name(), ">")} : Patch{end, 0, cat("\n    ", inside)});
  }

  struct Made {
    std::size_t end, patch;
    std::vector<std::string> path;
    std::size_t depth;
  };
  void add(const Made& made, const std::vector<std::string>& path, std::size_t depth, const std::string& inside, const Attributes& attributes) {
    std::string& text = patches_[made.patch].text;
    const bool same = path.size() > depth + 1 && made.path.size() > depth + 1 && path[depth] == made.path[depth];
    if (!same) return void(text.insert(text.find('\n') + 1, cat("    ", inside, "\n")));
    text.insert(text.find(cat("</", path[depth], ">")), cat(start_of(path.back(), attributes), "/>"));
  }

  /// Of a joint, and wherever the file refers to it.
  void rename(const pugi::xml_node& node, const std::string& to) {
    const std::string from = node.attribute("name").value();
    set_attribute(node, "name", to);
    for (const pugi::xml_node& one : root_.children()) {
      const std::string_view kind = one.name();
      if (kind == "joint")
        if (const pugi::xml_node mimic = one.child("mimic"); mimic.attribute("joint").value() == from) set_attribute(mimic, "joint", to);
      if (kind == "gazebo" && one.attribute("reference").value() == from) set_attribute(one, "reference", to);
      if (kind == "transmission" || kind == "ros2_control")
        for (const pugi::xml_node& joint : one.children("joint"))
          if (joint.attribute("name").value() == from) set_attribute(joint, "name", to);
    }
  }

  /// A root without mass that is fixed to one link is the world already; else there is a new root.
  void tilt(const UrdfChange& change) {
    const Attributes& X = change.attributes;
    if (change.path.size() > 1) {
      UrdfChange joint{false, change.path[1], {"origin"}, X};
      return apply(joint);
    }
    const std::size_t end = text_.rfind("</");
    std::string world = "world";
    while (root_.find_child_by_attribute("link", "name", world.c_str())) world = cat("tilted_", world);
    const std::string joint = cat(world, "_to_", change.name);
    patches_.push_back({end, 0,
                        cat("  <link name=\"", world, "\"/>\n  <joint name=\"", xml_text(joint), "\" type=\"fixed\">\n    <parent link=\"", world,
                            "\"/>\n    <child link=\"", xml_text(change.name), "\"/>\n    ", start_of("origin", X), "/>\n  </joint>\n")});
  }

  std::string_view text_;
  pugi::xml_node root_;
  Diagnostics& diagnostics_;
  std::vector<Patch> patches_;
  std::vector<Made> made_;
};

}  // namespace

std::vector<UrdfChange> urdf_changes(const Description& from, const Description& to) {
  std::vector<UrdfChange> out;
  for (std::size_t i = 0; i < from.links.size(); ++i) {
    const Link &a = from.links[i], &b = to.links[i];
    const bool new_inertia = !(a.inertia == b.inertia);
    if (a.mass != b.mass) out.push_back({true, a.name, {"inertial", "mass"}, {{"value", xml_number(b.mass)}}});
    if (a.com != b.com || new_inertia) {
      out.push_back({true, a.name, {"inertial", "origin"}, {{"xyz", xml_numbers(b.com)}}});
      if (new_inertia) out.back().attributes.emplace_back("rpy", "0 0 0");
    }
    if (new_inertia) {
      const Sym3<double>& I = b.inertia;
      out.push_back({true,
                     a.name,
                     {"inertial", "inertia"},
                     {{"ixx", xml_number(I.xx)},
                      {"ixy", xml_number(I.xy)},
                      {"ixz", xml_number(I.xz)},
                      {"iyy", xml_number(I.yy)},
                      {"iyz", xml_number(I.yz)},
                      {"izz", xml_number(I.zz)}}});
    }
  }
  for (std::size_t j = 0; j < from.joints.size(); ++j) {
    const Joint &a = from.joints[j].joint, &b = to.joints[j].joint;
    if (a.name != b.name) out.push_back({false, a.name, {}, {{"name", b.name}}});
    if (a.axis != b.axis) out.push_back({false, a.name, {"axis"}, {{"xyz", xml_numbers(b.axis)}}});
    if (!(a.X_PF == b.X_PF)) out.push_back({false, a.name, {"origin"}, placement(b.X_PF)});
    if (!(a.friction == b.friction))
      out.push_back({false, a.name, {"dynamics"}, {{"damping", xml_number(b.friction.viscous)}, {"friction", xml_number(b.friction.coulomb)}}});
  }
  if (from.gravity != to.gravity && !from.links.empty()) {
    // Gravity of a file points down. So the robot is rotated until the new direction does.
    const Mat3<double> R = shortest(to.gravity, from.gravity);
    std::vector<std::size_t> children;
    std::string root = from.links[0].name;
    for (std::size_t j = 0; j < from.joints.size(); ++j)
      if (from.joints[j].parent == root) children.push_back(j);
    const bool world = from.links[0].mass == 0 && children.size() == 1 && from.joints[children[0]].joint.type == JointType::fixed;
    if (world) {
      const Joint& joint = to.joints[children[0]].joint;
      out.push_back({false, joint.name, {std::string(kOf), joint.name}, placement(Pose<double>{R, {}} * joint.X_PF)});
    } else {
      out.push_back({true, root, {std::string(kOf)}, placement({R, {}})});
    }
  }
  return out;
}

std::string to_string(const UrdfChange& change) {
  if (!change.path.empty() && change.path.front() == kOf)
    return change.path.size() > 1
               ? cat("<joint name=\"", change.name, "\">", start_of("origin", change.attributes), "/>")
               : cat("a fixed joint between a new root and <link name=\"", change.name, "\"/>, with ", start_of("origin", change.attributes), "/>");
  std::string out = cat("<", change.link ? "link" : "joint", " name=\"", change.name, "\">");
  if (change.path.empty()) return cat(out, " is to be called ", in_quotes(change.attributes.front().second));
  for (std::size_t k = 0; k + 1 < change.path.size(); ++k) out += cat("<", change.path[k], ">");
  return cat(out, start_of(change.path.back(), change.attributes), "/>");
}

std::optional<std::string> edit_urdf(std::string_view text, const std::vector<UrdfChange>& changes, Diagnostics& diagnostics, const ReadLimits& limits) {
  const std::string_view own = without_mark(text);
  const XmlDocument xml(own, kUrdf, diagnostics, limits);
  if (!xml.root()) return {};
  if (own.find("<xacro:") != std::string_view::npos) {
    diagnostics.error(0, "file", "it is a xacro file, and what it makes stands nowhere in it", "expand it first: 'ulna convert MODEL --to urdf'");
    return {};
  }
  for (const UrdfChange& change : changes)
    if (change.path.size() > 1 && change.path[1] == "origin" && change.attributes.size() > 1) {
      const pugi::xml_node link = xml.root().find_child_by_attribute("link", "name", change.name.c_str());
      if (link.child("inertial").child("origin").attribute("quat_xyzw")) {
        diagnostics.error(0, Element::link(change.name), "its <inertial> is placed by quat_xyzw", "write rpy in its place");
        return {};
      }
    }
  Editor editor(own, xml.root(), diagnostics);
  for (const UrdfChange& change : changes) editor.apply(change);
  if (diagnostics.has_errors()) return {};
  return editor.result();
}

}  // namespace ulna::internal
