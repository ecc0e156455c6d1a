#include "source/readers.hpp"

#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include <ulna/spatial/spatial.hpp>

#include "source/source_text.hpp"
#include "source/yaml.hpp"
#include "text/message.hpp"

namespace ulna::internal {

namespace {

Element label_of(const std::string& name) { return cat("loop ", in_quotes(name)); }

/// A list of words, or the one word; `what` is how messages call it.
std::vector<const YamlNode*> words_at(YamlFields& fields, const char* key, const char* what) {
  const YamlNode* node = fields.find(key);
  std::vector<const YamlNode*> words;
  if (node == nullptr || node->kind == YamlNode::Kind::faulty) return words;
  if (node->kind == YamlNode::Kind::scalar) return {node};
  if (node->kind != YamlNode::Kind::sequence) {
    fields.error(key, cat("a list of ", what, " belongs here, not ", describe(*node)), cat("write '", key, ": [..., ...]'"));
    return words;
  }
  for (const YamlNode& item : node->items) {
    if (item.kind == YamlNode::Kind::scalar)
      words.push_back(&item);
    else if (item.kind != YamlNode::Kind::faulty)
      fields.error(key, cat("a list of ", what, " belongs here, and one of them is ", describe(item)), "write words");
  }
  return words;
}

void read_motors(YamlFields& top, const char* key, LoopDescription& robot) {
  for (const YamlNode* word : words_at(top, key, "joints")) robot.motors.push_back(word->text);
}

/// closed_loop, type, name_mot.
void read_frame_pairs(YamlFields& top, Diagnostics& diagnostics, LoopDescription& robot) {
  const YamlNode* pairs = top.find("closed_loop");
  if (pairs->kind == YamlNode::Kind::faulty) return;
  const char* const cure = "write 'closed_loop: [[frame, frame], ...]' with two frames for each loop";
  if (pairs->kind != YamlNode::Kind::sequence) return top.error("closed_loop", cat("pairs of frames belong here, not ", describe(*pairs)), cure);
  const std::vector<const YamlNode*> types = words_at(top, "type", "types");
  if (top.has("type") && types.size() != pairs->items.size() && types.size() != 1)
    top.error("type", cat("there are ", types.size(), " types, but ", pairs->items.size(), " loops"), "give one for each loop");
  for (std::size_t k = 0; k < pairs->items.size(); ++k) {
    const YamlNode& pair = pairs->items[k];
    if (too_many_problems(pair.line, diagnostics)) return;
    LoopDescription::Entry entry;
    entry.loop.name = cat("loop", k + 1);
    entry.loop.file = diagnostics.file();
    entry.loop.line = pair.line;
    const Element element = label_of(entry.loop.name);
    if (pair.kind != YamlNode::Kind::sequence || pair.items.size() != 2 || pair.items[0].kind != YamlNode::Kind::scalar ||
        pair.items[1].kind != YamlNode::Kind::scalar) {
      diagnostics.error(pair.line, element, cat("a pair of frames belongs here, not ", describe(pair)), cure);
      continue;
    }
    entry.predecessor = pair.items[0].text;
    entry.successor = pair.items[1].text;
    const std::string type = types.empty() ? "6d" : k < types.size() ? types[k]->text : types.back()->text;
    if (type == "3d" || type == "3D")
      entry.loop.type = LoopType::spherical;
    else if (type == "6d" || type == "6D")
      entry.loop.type = LoopType::fixed;
    else
      diagnostics.error(k < types.size() ? types[k]->line : pair.line, element, cat("unknown type ", in_quotes(type)),
                        "write 3d (frames share their origin) or 6d (frames are the same)");
    robot.loops.push_back(std::move(entry));
  }
}

/// A link, or {link, xyz, rpy}.
std::string read_end(YamlFields& loop, const char* key, Diagnostics& diagnostics, const ReadLimits& limits, Pose<double>& X) {
  const YamlNode* node = loop.require(key);
  if (node == nullptr || node->kind == YamlNode::Kind::faulty) return {};
  if (node->kind == YamlNode::Kind::scalar) return node->text;
  if (node->kind != YamlNode::Kind::mapping) {
    loop.error(key, cat("a link belongs here, not ", describe(*node)), cat("write '", key, ": {link: NAME, xyz: [0, 0, 0], rpy: [0, 0, 0]}'"));
    return {};
  }
  YamlFields end(*node, loop.label(key), {"link", "xyz", "rpy"}, diagnostics);
  end.require("link");
  X.p = end.vector("xyz", {});
  const Vec3<double> rpy = end.angle_vector("rpy", {});
  if (rpy != Vec3<double>{}) X.R = rotation_rpy(rpy.x, rpy.y, rpy.z);
  return end.name("link", "", limits);
}

}  // namespace

std::string write_loop_type(const std::string& type) {
  return cat("write revolute, prismatic, cylindrical, spherical, planar or fixed",
             did_you_mean(type, {"revolute", "prismatic", "cylindrical", "spherical", "planar", "fixed"}));
}

void read_loop_list(const YamlNode& list, Diagnostics& diagnostics, const ReadLimits& limits, LoopDescription& robot) {
  if (list.kind == YamlNode::Kind::faulty) return;
  const char* const cure = "write '- {name: l, type: revolute, predecessor: {link: a, xyz: [0, 0, 0]}, successor: {link: b}, axis: [0, 0, 1]}'";
  if (list.kind != YamlNode::Kind::sequence) return diagnostics.error(list.line, "loops", cat("a list of loops belongs here, not ", describe(list)), cure);
  for (std::size_t k = 0; k < list.items.size(); ++k) {
    const YamlNode& node = list.items[k];
    if (node.kind == YamlNode::Kind::faulty) continue;
    if (too_many_problems(node.line, diagnostics)) return;
    LoopDescription::Entry entry;
    Loop& loop = entry.loop;
    loop.name = cat("loop", k + 1);
    loop.file = diagnostics.file();
    loop.line = node.line;
    if (node.kind != YamlNode::Kind::mapping) {
      diagnostics.error(node.line, label_of(loop.name), cat("a loop is a mapping, but this is ", describe(node)), cure);
      continue;
    }
    YamlFields fields(node, label_of(loop.name), {"name", "type", "predecessor", "successor", "axis"}, diagnostics);
    loop.name = fields.name("name", loop.name, limits);
    fields.rename(label_of(loop.name));
    fields.require("type");
    const std::string type = fields.word("type", "spherical");
    if (const std::optional<LoopType> known = loop_type_named(type))
      loop.type = *known;
    else
      fields.error("type", cat("unknown loop type ", in_quotes(type)), write_loop_type(type));
    entry.predecessor = read_end(fields, "predecessor", diagnostics, limits, loop.X_PA);
    entry.successor = read_end(fields, "successor", diagnostics, limits, loop.X_SB);
    if (loop.type != LoopType::spherical && loop.type != LoopType::fixed) fields.require("axis");
    loop.axis = fields.vector("axis", loop.axis);
    const double length = std::hypot(loop.axis.x, loop.axis.y, loop.axis.z);
    if (!(length > 0))
      fields.error("axis", "the axis is zero", "write the direction of the joint's axis, such as [0, 0, 1]"), loop.axis = {0, 0, 1};
    else if (std::abs(length - 1) > kDirectionRounding)
      loop.axis = (1 / length) * loop.axis;
    if (!entry.predecessor.empty() && !entry.successor.empty()) robot.loops.push_back(std::move(entry));
  }
}

void read_loops(std::string_view text, Diagnostics& diagnostics, const ReadLimits& limits, LoopDescription& robot) {
  const std::optional<YamlNode> root = read_yaml_mapping(text, diagnostics, "a file of loops", "'closed_loop: [[frame, frame]]' or 'loops:'", limits);
  if (!root) return;
  YamlFields top(*root, "", {"closed_loop", "type", "name_mot", "loops", "independent"}, diagnostics);
  if (!top.has("closed_loop") && !top.has("loops"))
    return diagnostics.error(root->line, "file", "it describes no loop", "begin with 'closed_loop: [[frame, frame]]' or 'loops:'");
  if (top.has("closed_loop")) read_frame_pairs(top, diagnostics, robot);
  if (const YamlNode* loops = top.find("loops")) read_loop_list(*loops, diagnostics, limits, robot);
  read_motors(top, "name_mot", robot);
  read_motors(top, "independent", robot);
}

}  // namespace ulna::internal
