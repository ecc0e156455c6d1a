#include <algorithm>
#include <cmath>
#include <unordered_map>

#include <ulna/spatial/spatial.hpp>

#include "loop/parts.hpp"
#include "text/message.hpp"

namespace ulna {

namespace {
constexpr std::pair<LoopType, std::string_view> kTypes[] = {{LoopType::fixed, "fixed"},         {LoopType::revolute, "revolute"},
                                                            {LoopType::prismatic, "prismatic"}, {LoopType::cylindrical, "cylindrical"},
                                                            {LoopType::spherical, "spherical"}, {LoopType::planar, "planar"}};
}  // namespace

std::string_view to_string(LoopType type) {
  for (const auto& [known, name] : kTypes)
    if (known == type) return name;
  return "?";
}

std::optional<LoopType> loop_type_named(std::string_view name) {
  for (const auto& [type, known] : kTypes)
    if (known == name) return type;
  return {};
}

namespace internal {

Element loop_element(const std::string& name) { return cat("loop ", in_quotes(name)); }

namespace {

bool finite(const Vec3<double>& v) { return std::isfinite(v.x) && std::isfinite(v.y) && std::isfinite(v.z); }

/// Deviation of the columns from orthonormal and right-handed.
bool is_rotation(const Mat3<double>& R) {
  const Mat3<double> E = R.transposed() * R;
  const double off = std::abs(E.xy) + std::abs(E.xz) + std::abs(E.yz) + std::abs(E.xx - 1) + std::abs(E.yy - 1) + std::abs(E.zz - 1);
  return off < kGivenDigits && dot(cross(kernel::column_x(R), kernel::column_y(R)), R.column_z()) > 0;
}

/// A frame of a loop may be named by its link, or by a joint, as in programs that have a frame for every joint.
struct LoopEnd {
  std::size_t link = kNone;
  Pose<double> X{};  // the frame that was named, in that link
};

LoopEnd find_end(const Model& tree, const std::string& name) {
  if (const std::optional<std::size_t> link = tree.find_link(name)) return {*link, {}};
  const std::optional<std::size_t> joint = tree.find_joint(name);
  if (!joint) return {};
  return {tree.joints()[*joint].child, tree.joints()[*joint].X_MB.inverse()};
}

}  // namespace

bool resolve(const LoopDescription& given, Mechanism::Parts& parts, Diagnostics& diagnostics) {
  const Model& tree = parts.tree;
  const std::size_t errors_before = diagnostics.count(Severity::error);
  std::vector<std::string> links, joints;
  for (const Link& link : tree.links()) links.push_back(link.name);
  for (const Joint& joint : tree.joints()) joints.push_back(joint.name);
  std::unordered_map<std::string, int> taken;
  for (const LoopDescription::Entry& entry : given.loops) {
    Loop loop = entry.loop;
    if (loop.file.empty()) loop.file = tree.file();
    Diagnostics own(loop.file);
    const auto end = [&](const char* role, const std::string& name) {
      const LoopEnd found = find_end(tree, name);
      if (found.link == kNone && name == "world")
        own.error(loop.line, loop_element(loop.name), cat("its ", role, " is the world, which robot ", in_quotes(tree.name()), " moves against, by its base"),
                  "loops close between links of the robot; give the base its freedom by joints on a fixed root link, or open the loops (--loops ignore)");
      else if (found.link == kNone)
        own.error(loop.line, loop_element(loop.name), cat("its ", role, " ", in_quotes(name), " does not exist"),
                  cat("name a link of the robot, or a joint whose frame is meant", did_you_mean(name, links)));
      return found;
    };
    if (const auto [first, is_new] = taken.try_emplace(loop.name, loop.line); !is_new)
      own.error(loop.line, loop_element(loop.name),
                first->second > 0 ? cat("this name is already taken in line ", first->second) : std::string("this name is already taken"),
                "give every loop a name of its own");
    const LoopEnd A = end("predecessor", entry.predecessor), B = end("successor", entry.successor);
    if (A.link != kNone && A.link == B.link) own.error(loop.line, loop_element(loop.name), "both of its ends are on one link", "name two links");
    if (!finite(loop.X_PA.p) || !finite(loop.X_SB.p) || !is_rotation(loop.X_PA.R) || !is_rotation(loop.X_SB.R) ||
        !(std::abs(std::sqrt(dot(loop.axis, loop.axis)) - 1) < kGivenDigits))
      own.error(loop.line, loop_element(loop.name), "a placement is not finite or no rotation, or its axis has not unit length", "correct it");
    loop.predecessor = A.link;
    loop.successor = B.link;
    loop.X_PA = A.X * loop.X_PA;
    loop.X_SB = B.X * loop.X_SB;
    diagnostics.append(own);
    parts.loops.push_back(std::move(loop));
  }
  const auto find_joint = [&](const std::string& name, const char* as) -> std::size_t {
    const std::optional<std::size_t> found = tree.find_joint(name);
    const Element element = Element::joint(name);
    if (!found) {
      diagnostics.error(0, element, cat("it is named as ", as, ", but there is no such joint"),
                        cat("name joints that 'ulna info' lists", did_you_mean(name, joints)));
      return kNone;
    }
    const Joint& joint = tree.joints()[*found];
    if (joint.type != JointType::fixed && !joint.mimic) return *found;
    diagnostics.error(joint.line, element, cat("it is named as ", as, ", but ", joint.mimic ? "mimics another joint" : "does not move"),
                      "name a joint that moves by itself");
    return kNone;
  };
  for (const std::string& name : given.motors) {
    const std::size_t j = find_joint(name, "independent");
    if (j == kNone) continue;
    if (std::find(parts.motors.begin(), parts.motors.end(), j) != parts.motors.end())
      diagnostics.error(0, Element::joint(name), "it is named as independent twice", "name it once");
    else
      parts.motors.push_back(j);
  }
  parts.marks.resize(tree.joints().size());
  for (const auto& [name, independent] : given.marks) {
    const std::optional<std::size_t> found = tree.find_joint(name);
    // A joint that is locked, or mimics another, is no coordinate, whatever the file marks it as.
    if (found && tree.joints()[*found].type != JointType::fixed && !tree.joints()[*found].mimic) parts.marks[*found] = independent;
  }
  if (!given.motors.empty() && given.loops.empty())
    diagnostics.error(0, Element::robot(tree.name()), "independent joints are named, but it has no loops: all of its joints are independent",
                      "leave --independent out, or name the file of its loops (--loops FILE)");
  return diagnostics.count(Severity::error) == errors_before;
}

}  // namespace internal

}  // namespace ulna
