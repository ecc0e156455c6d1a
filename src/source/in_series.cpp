#include "source/in_series.hpp"

#include <utility>

#include "text/message.hpp"

namespace ulna::internal {

Joint part_of_series(const Joint& whole, std::string_view suffix, JointType type, const Vec3<double>& axis) {
  Joint part;
  part.name = cat(whole.name, suffix), part.type = type, part.axis = axis;
  return part;
}

std::vector<Description::JointEntry> in_series(const Description::JointEntry& whole, std::vector<Description::JointEntry> parts, std::vector<Link>& links) {
  for (std::size_t k = 0; k < parts.size(); ++k) {
    const bool first = k == 0, last = k + 1 == parts.size();
    Description::JointEntry& part = parts[k];
    part.joint.line = whole.joint.line;
    part.joint.X_PF = first ? whole.joint.X_PF : Pose<double>{}, part.joint.X_MB = last ? whole.joint.X_MB : Pose<double>{};
    part.parent = first ? whole.parent : parts[k - 1].child;
    part.child = last ? whole.child : cat(part.joint.name, "_between");
    if (last) continue;
    Link between;
    between.name = part.child, between.line = whole.joint.line;
    links.push_back(std::move(between));
  }
  return parts;
}

std::vector<Description::JointEntry> in_series(const Description::JointEntry& whole, const std::vector<Joint>& parts, std::vector<Link>& links) {
  std::vector<Description::JointEntry> entries;
  for (const Joint& part : parts) entries.push_back({part, {}, {}, {}});
  return in_series(whole, std::move(entries), links);
}

}  // namespace ulna::internal
